/* Trainings of shortcut, sparse, deep and wide networks, and of SARPROP, whose noise is drawn by rand. */
#include "program.h"

static void train(struct fann *ann, struct fann_train_data *data, int algorithm, int epochs)
{
    fann_set_training_algorithm(ann, algorithm);
    fann_set_learning_rate(ann, 0.05);
    printf("%s\n", FANN_TRAIN_NAMES[algorithm]);
    for (int i = 0; i < epochs; i++)
        printf("%.5f %u\n", fann_train_epoch(ann, data), fann_get_bit_fail(ann));
    printf("%.5f\n", fann_test_data(ann, data));
}

/* Which connections a sparse network has is drawn; how many every neuron has is not. What comes out of one that is
 * made regular by hand is the same again. */
static void sparse(void)
{
    struct fann *ann = fann_create_sparse(0.6, 3, 4, 5, 2);
    unsigned int count = fann_get_total_connections(ann), into[32] = {0};
    struct fann_connection all[64];
    fann_get_connection_array(ann, all);
    for (unsigned int i = 0; i < count; i++)
        into[all[i].to_neuron]++;
    for (unsigned int i = 0; i < 13; i++)
        printf("%u ", into[i]);
    printf("\n");
    for (unsigned int to = 5, i = 0; i < count; to++) {
        struct fann_neuron *before = to < 10 ? ann->first_layer->first_neuron : ann->first_layer[1].first_neuron;
        for (unsigned int from = 0; from < into[to]; from++, i++) {
            ann->connections[i] = before + (from + to) % (to < 10 ? 5 : 6);
            ann->weights[i] = irregular(i);
        }
    }
    print_weights(ann);
    struct fann_train_data *data = irregular_data(30, 4, 2);
    print_outputs(ann, data);
    train(ann, data, FANN_TRAIN_BATCH, 5);
    train(ann, data, FANN_TRAIN_RPROP, 5);
    train(ann, data, FANN_TRAIN_QUICKPROP, 5);
    print_weights(ann);
    fann_print_connections(ann);
    struct fann *copy = fann_copy(ann);
    print_outputs(copy, data);
    fann_destroy(copy);
    fann_destroy(ann);
    fann_destroy_train(data);
}

int main(void)
{
    log_here();
    struct fann_train_data *data = irregular_data(40, 3, 2);
    for (int a = FANN_TRAIN_INCREMENTAL; a <= FANN_TRAIN_SARPROP; a++) {
        struct fann *ann = fann_create_shortcut(4, 3, 4, 2, 2);
        plant_weights(ann);
        fann_set_activation_function_hidden(ann, FANN_GAUSSIAN_SYMMETRIC);
        fann_set_activation_function_output(ann, FANN_LINEAR);
        srand(11);
        train(ann, data, a, 8);
        print_weights(ann);
        fann_destroy(ann);
    }
    for (int a = FANN_TRAIN_INCREMENTAL; a <= FANN_TRAIN_SARPROP; a++) {
        struct fann *ann = fann_create_standard(5, 3, 6, 5, 4, 2);
        plant_weights(ann);
        fann_set_activation_function_layer(ann, FANN_ELLIOT, 1);
        fann_set_activation_function_layer(ann, FANN_SIN_SYMMETRIC, 2);
        fann_set_activation_function(ann, FANN_COS, 2, 1);
        fann_set_activation_function_layer(ann, FANN_SIGMOID, 3);
        fann_set_activation_function_output(ann, FANN_SIGMOID_SYMMETRIC);
        srand(12);
        train(ann, data, a, 8);
        fann_destroy(ann);
    }
    struct fann_train_data *wide = irregular_data(50, 30, 10);
    for (int a = FANN_TRAIN_INCREMENTAL; a <= FANN_TRAIN_QUICKPROP; a++) {
        struct fann *ann = fann_create_standard(3, 30, 40, 10);
        plant_weights(ann);
        fann_set_activation_function_hidden(ann, FANN_SIGMOID);
        fann_set_activation_function_output(ann, FANN_SIGMOID_SYMMETRIC);
        train(ann, wide, a, 4);
        fann_destroy(ann);
    }
    sparse();
    fann_destroy_train(wide);
    fann_destroy_train(data);
    return 0;
}
