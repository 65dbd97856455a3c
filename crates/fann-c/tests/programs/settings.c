/* Every setting: its default, and what it is after it was set. */
#include "program.h"

#define BOTH(format, name, value)                                                                    \
    printf(#name " " format, fann_get_##name(ann));                                                  \
    fann_set_##name(ann, value);                                                                     \
    printf(" " format " " format "\n", fann_get_##name(ann), ann->name)

static int FANN_API stop(struct fann *ann, struct fann_train_data *data, unsigned int max,
                         unsigned int between, float desired, unsigned int epochs)
{
    (void)ann, (void)data, (void)max, (void)between, (void)desired, (void)epochs;
    return -1;
}

int main(void)
{
    log_here();
    struct fann *ann = fann_create_standard(3, 2, 3, 1);
    BOTH("%d", training_algorithm, FANN_TRAIN_QUICKPROP);
    BOTH("%d", train_error_function, FANN_ERRORFUNC_LINEAR);
    BOTH("%d", train_stop_function, FANN_STOPFUNC_BIT);
    BOTH("%f", learning_rate, 0.25f);
    BOTH("%f", learning_momentum, 0.5f);
    BOTH("%f", bit_fail_limit, 0.125f);
    BOTH("%f", quickprop_decay, -0.5f);
    BOTH("%f", quickprop_mu, 2.5f);
    BOTH("%f", rprop_increase_factor, 1.5f);
    BOTH("%f", rprop_decrease_factor, 0.25f);
    BOTH("%f", rprop_delta_min, 0.5f);
    BOTH("%f", rprop_delta_max, 8.0f);
    BOTH("%f", rprop_delta_zero, 0.0625f);
    BOTH("%f", sarprop_weight_decay_shift, -5.0f);
    BOTH("%f", sarprop_step_error_threshold_factor, 0.5f);
    BOTH("%f", sarprop_step_error_shift, 1.0f);
    BOTH("%f", sarprop_temperature, 0.03125f);
    BOTH("%f", cascade_output_change_fraction, 0.125f);
    BOTH("%u", cascade_output_stagnation_epochs, 7);
    BOTH("%f", cascade_candidate_change_fraction, 0.25f);
    BOTH("%u", cascade_candidate_stagnation_epochs, 8);
    BOTH("%f", cascade_weight_multiplier, 0.75f);
    BOTH("%f", cascade_candidate_limit, 500.0f);
    BOTH("%u", cascade_max_out_epochs, 101);
    BOTH("%u", cascade_min_out_epochs, 11);
    BOTH("%u", cascade_max_cand_epochs, 102);
    BOTH("%u", cascade_min_cand_epochs, 12);
    BOTH("%u", cascade_num_candidate_groups, 3);
    printf("%u candidates\n", fann_get_cascade_num_candidates(ann));
    for (unsigned int i = 0; i < fann_get_cascade_activation_functions_count(ann); i++)
        printf("%d ", fann_get_cascade_activation_functions(ann)[i]);
    for (unsigned int i = 0; i < fann_get_cascade_activation_steepnesses_count(ann); i++)
        printf("%.3f ", (double)fann_get_cascade_activation_steepnesses(ann)[i]);
    enum fann_activationfunc_enum functions[2] = {FANN_SIN, FANN_ELLIOT};
    fann_type steepnesses[3] = {0.125, 0.5, 2};
    fann_set_cascade_activation_functions(ann, functions, 2);
    fann_set_cascade_activation_steepnesses(ann, steepnesses, 3);
    printf("\n%u %u %u candidates\n", fann_get_cascade_activation_functions_count(ann),
           fann_get_cascade_activation_steepnesses_count(ann), fann_get_cascade_num_candidates(ann));
    printf("%d %d %.3f\n", fann_get_cascade_activation_functions(ann)[0],
           ann->cascade_activation_functions[1],
           (double)fann_get_cascade_activation_steepnesses(ann)[2]);
    int place = 5;
    printf("%d ", fann_get_user_data(ann) == NULL);
    fann_set_user_data(ann, &place);
    printf("%d\n", fann_get_user_data(ann) == &place && ann->user_data == &place);
    printf("%d ", ann->callback == NULL);
    fann_set_callback(ann, stop);
    printf("%d %d\n", ann->callback == stop, fann_get_callback(ann) == stop);
    fann_print_parameters(ann);
    struct fann *copy = fann_copy(ann);
    printf("%f %f %u %d %d\n", fann_get_learning_rate(copy), fann_get_quickprop_mu(copy),
           fann_get_cascade_num_candidates(copy), copy->callback == stop,
           fann_get_user_data(copy) == &place);
    fann_destroy(copy);
    fann_destroy(ann);
    return 0;
}
