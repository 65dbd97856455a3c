/* The algorithms on XOR from the same weights: errors epoch by epoch, reports, callbacks, stopping. */
#include "program.h"

static struct fann *network(int algorithm)
{
    struct fann *ann = fann_create_standard(3, 2, 4, 1);
    plant_weights(ann);
    fann_set_activation_function_hidden(ann, FANN_SIGMOID_SYMMETRIC);
    fann_set_activation_function_output(ann, FANN_SIGMOID_SYMMETRIC);
    fann_set_training_algorithm(ann, algorithm);
    return ann;
}

static int FANN_API report(struct fann *ann, struct fann_train_data *data, unsigned int max,
                           unsigned int between, float desired, unsigned int epochs)
{
    printf("report %u of %u every %u to %.4f: %.5f %.5f rows %u user %d\n", epochs, max, between,
           desired, fann_get_MSE(ann), fann_test_data(ann, data), data->num_data,
           *(int *)fann_get_user_data(ann));
    return epochs >= 8 ? -1 : 0;
}

int main(void)
{
    log_here();
    struct fann_train_data *data = xor_data();
    for (int a = FANN_TRAIN_INCREMENTAL; a <= FANN_TRAIN_QUICKPROP; a++) {
        struct fann *ann = network(a);
        printf("%s\n", FANN_TRAIN_NAMES[a]);
        for (int i = 0; i < 8; i++) {
            float error = fann_train_epoch(ann, data);
            printf("%.5f %.5f %u\n", error, fann_get_MSE(ann), fann_get_bit_fail(ann));
        }
        print_outputs(ann, data);
        print_weights(ann);
        printf("%.5f %u\n", fann_test_data(ann, data), fann_get_bit_fail(ann));
        fann_destroy(ann);
    }

    /* Momentum, the linear error function, another limit. */
    struct fann *ann = network(FANN_TRAIN_INCREMENTAL);
    fann_set_learning_momentum(ann, 0.3);
    fann_set_train_error_function(ann, FANN_ERRORFUNC_LINEAR);
    fann_set_bit_fail_limit(ann, 0.1);
    for (int i = 0; i < 10; i++) {
        for (unsigned int row = 0; row < data->num_data; row++)
            fann_train(ann, data->input[row], data->output[row]);
        printf("%.5f %u\n", fann_get_MSE(ann), fann_get_bit_fail(ann));
        fann_reset_MSE(ann);
    }
    for (unsigned int row = 0; row < data->num_data; row++) {
        fann_type *out = fann_test(ann, data->input[row], data->output[row]);
        printf("%.5f %.5f\n", (double)out[0], fann_get_MSE(ann));
    }
    fann_destroy(ann);

    /* Reports, and an end by the error, by the bits, and by the callback. */
    ann = network(FANN_TRAIN_BATCH);
    fann_train_on_data(ann, data, 10, 3, 0.0);
    fann_train_on_data(ann, data, 3, 0, 0.0);
    fann_train_on_data(ann, data, 500, 100, 0.3);
    fann_set_train_stop_function(ann, FANN_STOPFUNC_BIT);
    fann_train_on_data(ann, data, 20, 10, 4);
    int user = 42;
    fann_set_user_data(ann, &user);
    fann_set_callback(ann, report);
    fann_train_on_data(ann, data, 100, 4, 0.0);
    fann_destroy(ann);

    /* RPROP goes on where it stopped; a copy goes on as its original does. */
    ann = network(FANN_TRAIN_RPROP);
    fann_train_on_data(ann, data, 5, 0, 0.0);
    struct fann *copy = fann_copy(ann);
    for (int i = 0; i < 5; i++)
        printf("%.5f %.5f\n", fann_train_epoch(ann, data), fann_train_epoch_irpropm(copy, data));
    fann_destroy(copy);

    /* Weights drawn anew forget what the training remembered. */
    srand(5);
    fann_randomize_weights(ann, -0.5, 0.5);
    print_weights(ann);
    printf("%.5f ", fann_train_epoch(ann, data));
    printf("%.5f\n", fann_train_epoch(ann, data));
    srand(6);
    fann_init_weights(ann, data);
    print_weights(ann);
    fann_destroy(ann);
    fann_destroy_train(data);
    return 0;
}
