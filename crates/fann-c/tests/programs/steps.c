/* The steps of a training one by one, and what they leave in the struct. */
#include "program.h"

static void print_array(const char *name, fann_type *array, unsigned int count)
{
    printf("%s", name);
    for (unsigned int i = 0; array && i < count; i++)
        printf(" %.5f", (double)array[i]);
    printf("\n");
}

static void print_neurons(struct fann *ann)
{
    for (struct fann_layer *layer = ann->first_layer; layer != ann->last_layer; layer++)
        for (struct fann_neuron *n = layer->first_neuron; n != layer->last_neuron; n++)
            printf("%.5f ", (double)n->value);
    printf("\n");
}

int main(void)
{
    log_here();
    struct fann_train_data *data = irregular_data(6, 2, 2);
    struct fann *ann = fann_create_standard(4, 2, 3, 3, 2);
    plant_weights(ann);
    fann_set_activation_function_hidden(ann, FANN_SIGMOID);
    fann_set_activation_function_output(ann, FANN_SIGMOID_SYMMETRIC);
    for (unsigned int row = 0; row < data->num_data; row++) {
        fann_run(ann, data->input[row]);
        print_neurons(ann);
        fann_compute_MSE(ann, data->output[row]);
        print_array("errors", ann->train_errors, ann->total_neurons - 1);
        fann_backpropagate_MSE(ann);
        print_array("errors", ann->train_errors, ann->total_neurons - 1);
        fann_update_slopes_batch(ann, ann->first_layer + 1, ann->last_layer - 1);
        if (row == 3)
            fann_update_slopes_batch(ann, NULL, NULL);
    }
    printf("%.5f %u %u %.5f\n", fann_get_MSE(ann), ann->num_MSE, ann->num_bit_fail, ann->MSE_value);
    print_array("slopes", ann->train_slopes, ann->total_connections);
    fann_update_weights_batch(ann, data->num_data, 0, ann->total_connections);
    print_array("weights", ann->weights, ann->total_connections);
    fann_update_weights(ann);
    print_array("weights", ann->weights, ann->total_connections);
    print_array("deltas", ann->prev_weights_deltas, ann->total_connections);

    fann_clear_train_arrays(ann);
    print_array("steps", ann->prev_steps, ann->total_connections);
    for (int i = 0; i < 3; i++) {
        for (unsigned int row = 0; row < data->num_data; row++) {
            fann_run(ann, data->input[row]);
            fann_compute_MSE(ann, data->output[row]);
            fann_backpropagate_MSE(ann);
            fann_update_slopes_batch(ann, NULL, NULL);
        }
        if (i == 0)
            fann_update_weights_irpropm(ann, 3, ann->total_connections);
        if (i == 1)
            fann_update_weights_quickprop(ann, data->num_data, 0, ann->total_connections - 2);
        srand(9);
        if (i == 2)
            fann_update_weights_sarprop(ann, 4, 0, ann->total_connections);
        print_array("weights", ann->weights, ann->total_connections);
        print_array("steps", ann->prev_steps, ann->total_connections);
        print_array("slopes", ann->prev_train_slopes, ann->total_connections);
    }
    printf("%.5f\n", (double)fann_update_MSE(ann, (ann->last_layer - 1)->first_neuron, 0.8));
    printf("%d %d\n", fann_desired_error_reached(ann, 0.0), fann_desired_error_reached(ann, 10.0));
    printf("%.5f\n", fann_train_epoch_incremental(ann, data));
    printf("%.5f\n", fann_train_epoch_batch(ann, data));
    printf("%.5f\n", fann_train_epoch_quickprop(ann, data));
    printf("%.5f\n", fann_train_epoch_irpropm(ann, data));
    printf("%.5f\n", fann_train_epoch_sarprop(ann, data));
    fann_print_connections_raw(ann);
    fann_seed_rand();
    fann_destroy(ann);

    /* A network put together by the steps of its construction. */
    struct fann *own = fann_allocate_structure(2);
    own->connection_rate = 1, own->num_input = 2, own->num_output = 1, own->total_neurons = 5;
    own->first_layer[0].first_neuron = NULL, own->first_layer[0].last_neuron = (struct fann_neuron *)0 + 3;
    own->first_layer[1].first_neuron = NULL, own->first_layer[1].last_neuron = (struct fann_neuron *)0 + 2;
    fann_allocate_neurons(own);
    own->total_connections = 3;
    fann_allocate_connections(own);
    own->first_layer[1].first_neuron->last_con = 3;
    own->first_layer[1].first_neuron->activation_steepness = 0.5;
    (own->first_layer[1].first_neuron + 1)->first_con = 3;
    (own->first_layer[1].first_neuron + 1)->last_con = 3;
    for (int i = 0; i < 3; i++) {
        own->weights[i] = 0.5 + i;
        own->connections[i] = own->first_layer->first_neuron + i;
    }
    fann_type in[2] = {0.25, -0.5};
    printf("%.5f\n", (double)fann_run(own, in)[0]);
    printf("%d\n", fann_allocate_scale(own));
    printf("%.1f\n", own->scale_new_min_in[1]);
    fann_destroy(own);
    fann_destroy_train(data);
    return 0;
}
