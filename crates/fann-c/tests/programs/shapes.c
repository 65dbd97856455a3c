/* Networks of every kind, and what they say of themselves. */
#include "program.h"

static void describe(struct fann *ann)
{
    unsigned int layers[16], biases[16];
    printf("%u inputs %u outputs %u layers %u neurons %u connections type %d rate %.3f\n",
           fann_get_num_input(ann), fann_get_num_output(ann), fann_get_num_layers(ann),
           fann_get_total_neurons(ann), fann_get_total_connections(ann), fann_get_network_type(ann),
           fann_get_connection_rate(ann));
    printf("direct %u %u %u %u\n", ann->num_input, ann->num_output, ann->total_neurons,
           ann->total_connections);
    fann_get_layer_array(ann, layers);
    fann_get_bias_array(ann, biases);
    for (unsigned int i = 0; i < fann_get_num_layers(ann); i++)
        printf("(%u %u)", layers[i], biases[i]);
    printf("\n");
    for (struct fann_layer *layer = ann->first_layer; layer != ann->last_layer; layer++)
        for (struct fann_neuron *n = layer->first_neuron; n != layer->last_neuron; n++)
            printf("[%u-%u %d %.2f]", n->first_con, n->last_con, n->activation_function,
                   (double)n->activation_steepness);
    printf("\n");
}

int main(void)
{
    unsigned int sizes[4] = {3, 4, 2, 2};
    struct fann *ann;
    log_here();

    ann = fann_create_standard(3, 2, 3, 1);
    describe(ann);
    plant_weights(ann);
    print_weights(ann);
    fann_set_weight(ann, 0, 3, 12.5);
    fann_set_weight(ann, 0, 6, 99); /* is no connection */
    fann_print_connections(ann);
    fann_print_parameters(ann);
    fann_destroy(ann);

    ann = fann_create_standard(9, 3, 2, 2, 2, 2, 2, 2, 2, 1);
    describe(ann);
    fann_destroy(ann);
    ann = fann_create_standard_array(4, sizes);
    describe(ann);
    fann_destroy(ann);

    ann = fann_create_shortcut(7, 2, 1, 1, 1, 1, 1, 2);
    describe(ann);
    plant_weights(ann);
    fann_print_connections(ann);
    fann_print_parameters(ann);
    fann_destroy(ann);
    ann = fann_create_shortcut_array(4, sizes);
    describe(ann);
    fann_destroy(ann);

    /* Which connections a sparse network has is drawn; how many there are is not. */
    ann = fann_create_sparse(0.5, 6, 3, 4, 5, 6, 4, 2);
    describe(ann);
    fann_destroy(ann);
    ann = fann_create_sparse_array(0.3, 4, sizes);
    describe(ann);
    fann_destroy(ann);
    printf("%d\n", fann_create_sparse_array(-1, 4, sizes) == NULL);
    ann = fann_create_sparse_array(2.5, 4, sizes);
    describe(ann);

    struct fann *copy = fann_copy(ann);
    describe(copy);
    plant_weights(ann);
    printf("%d\n", copy->first_layer->first_neuron != ann->first_layer->first_neuron);
    fann_destroy(ann);
    plant_weights(copy);
    fann_type in[3] = {0.5, -0.25, 1};
    fann_type *out = fann_run(copy, in);
    printf("%.6f %.6f\n", (double)out[0], (double)out[1]);
    fann_destroy(copy);
    fann_destroy(NULL);
    return 0;
}
