/* Cascade training: steps, reports, callbacks, and a network that has really grown. */
#include "program.h"

static int FANN_API report(struct fann *ann, struct fann_train_data *data, unsigned int max,
                           unsigned int between, float desired, unsigned int epochs)
{
    printf("report %u %u %.3f: %u neurons %d\n", max, between, desired, fann_get_total_neurons(ann),
           epochs > 0 && data->num_data == 4);
    return fann_get_total_neurons(ann) >= 6 ? -1 : 0;
}

int main(void)
{
    log_here();
    struct fann_train_data *data = xor_data();
    struct fann *ann = fann_create_shortcut(2, 2, 1);
    plant_weights(ann);
    fann_set_activation_function_output(ann, FANN_SIGMOID_SYMMETRIC);
    fann_set_train_error_function(ann, FANN_ERRORFUNC_LINEAR);
    fann_set_cascade_num_candidate_groups(ann, 1);

    /* By its steps; the numbers drawn are the same. */
    printf("%d ", fann_train_outputs(ann, data, 0.001));
    printf("%.5f\n", fann_get_MSE(ann));
    srand(4);
    printf("%d\n", fann_initialize_candidates(ann));
    fann_set_cascade_max_cand_epochs(ann, 3);
    printf("%d\n", fann_train_candidates(ann, data));
    for (int i = 0; i < 3; i++)
        printf("%.4f\n", (double)fann_train_candidates_epoch(ann, data));
    printf("%u\n", ann->cascade_best_candidate);
    fann_install_candidate(ann);
    fann_set_shortcut_connections(ann);
    printf("%u neurons %u connections %u layers\n", fann_get_total_neurons(ann),
           fann_get_total_connections(ann), fann_get_num_layers(ann));
    print_weights(ann);
    printf("%.5f\n", fann_train_outputs_epoch(ann, data));
    fann_set_training_algorithm(ann, FANN_TRAIN_BATCH);
    fann_train_outputs_epoch(ann, data);
    printf("%d\n", fann_get_errno((struct fann_error *)ann));
    fann_set_training_algorithm(ann, FANN_TRAIN_RPROP);
    fann_destroy(ann);

    /* The whole of it, with either algorithm, solves XOR, and says so in the end. */
    for (int a = FANN_TRAIN_RPROP; a <= FANN_TRAIN_QUICKPROP; a++) {
        ann = fann_create_shortcut(2, 2, 1);
        plant_weights(ann);
        fann_set_training_algorithm(ann, a);
        fann_set_activation_function_output(ann, FANN_SIGMOID_SYMMETRIC);
        fann_set_train_error_function(ann, FANN_ERRORFUNC_LINEAR);
        fann_set_bit_fail_limit(ann, 0.4);
        fann_set_train_stop_function(ann, FANN_STOPFUNC_BIT);
        srand(5);
        fann_cascadetrain_on_data(ann, data, 10, 0, 0);
        fann_test_data(ann, data);
        printf("bits %u grown %d type %d\n", fann_get_bit_fail(ann), fann_get_num_layers(ann) > 2,
               fann_get_network_type(ann));
        fann_destroy(ann);
    }

    ann = fann_create_shortcut(2, 2, 1);
    plant_weights(ann);
    fann_set_train_stop_function(ann, FANN_STOPFUNC_MSE);
    fann_set_callback(ann, report);
    srand(6);
    fann_cascadetrain_on_data(ann, data, 8, 1, -1);
    printf("%u\n", fann_get_total_neurons(ann));

    /* What has grown runs, trains on, is saved and read. */
    fann_set_callback(ann, NULL);
    fann_train_on_data(ann, data, 20, 0, -1);
    printf("%d\n", fann_save(ann, "grown.net"));
    struct fann *read = fann_create_from_file("grown.net");
    for (unsigned int row = 0; row < data->num_data; row++) {
        double one = fann_run(ann, data->input[row])[0];
        printf("%d ", one - fann_run(read, data->input[row])[0] < 1e-5);
    }
    printf("%u %u\n", fann_get_total_connections(read), fann_get_num_layers(read));
    fann_destroy(read);
    fann_destroy(ann);

    /* Algorithms that cannot grow a network. */
    ann = fann_create_shortcut(2, 2, 1);
    plant_weights(ann);
    fann_set_training_algorithm(ann, FANN_TRAIN_INCREMENTAL);
    fann_set_cascade_max_out_epochs(ann, 2);
    fann_set_cascade_max_cand_epochs(ann, 2);
    fann_cascadetrain_on_data(ann, data, 1, 0, 0);
    printf("%d %u\n", fann_get_errno((struct fann_error *)ann), fann_get_total_neurons(ann));
    fann_destroy(ann);
    fann_destroy_train(data);
    return 0;
}
