/* Training data: made, filled, shuffled, joined, cut, scaled. */
#include "program.h"

static void FANN_API fill(unsigned int row, unsigned int inputs, unsigned int outputs, fann_type *in,
                          fann_type *out)
{
    for (unsigned int i = 0; i < inputs; i++)
        in[i] = row * 10.0 + i;
    for (unsigned int i = 0; i < outputs; i++)
        out[i] = row * 0.5 - i;
}

int main(void)
{
    log_here();
    struct fann_train_data *data = fann_create_train_from_callback(5, 3, 2, fill);
    print_data(data);
    struct fann_train_data *twin = fann_duplicate_train_data(data);
    srand(3);
    fann_shuffle_train_data(twin);
    print_data(twin);
    struct fann_train_data *both = fann_merge_train_data(data, twin);
    print_data(both);
    struct fann_train_data *part = fann_subset_train_data(both, 3, 4);
    print_data(part);
    fann_scale_input_train_data(part, -1, 1);
    fann_scale_output_train_data(part, 0, 2);
    print_data(part);
    fann_scale_train_data(both, -0.5, 0.5);
    print_data(both);
    fann_scale_data(twin->input, 2, 3, 0, 1);
    print_data(twin);

    printf("%d\n", fann_subset_train_data(both, 8, 5) == NULL);
    printf("%d\n", fann_get_errno((struct fann_error *)both));
    struct fann_train_data *other = fann_create_train(1, 2, 2);
    printf("%d\n", fann_merge_train_data(data, other) == NULL);
    printf("%d\n", fann_get_errno((struct fann_error *)data));

    /* Data a program puts together itself. */
    struct fann_train_data own;
    memset(&own, 0, sizeof own);
    fann_type rows[3][3] = {{0.5, -0.25, 1}, {1, 1, -1}, {-0.5, 0.125, 0}};
    fann_type *in[3] = {rows[2], rows[0], rows[1]}, *out[3] = {rows[2] + 2, rows[0] + 2, rows[1] + 2};
    own.num_data = 3, own.num_input = 2, own.num_output = 1;
    own.input = in, own.output = out;
    own.error_log = stdout;
    print_data(&own);
    struct fann *ann = fann_create_standard(3, 2, 3, 1);
    plant_weights(ann);
    for (int i = 0; i < 4; i++)
        printf("%.5f\n", fann_train_epoch(ann, &own));
    fann_set_training_algorithm(ann, FANN_TRAIN_INCREMENTAL);
    for (int i = 0; i < 4; i++)
        printf("%.5f\n", fann_train_epoch(ann, &own));
    printf("%.5f\n", fann_test_data(ann, &own));
    fann_destroy(ann);

    fann_destroy_train(NULL);
    fann_destroy_train(part);
    fann_destroy_train(both);
    fann_destroy_train(twin);
    fann_destroy_train(other);
    fann_destroy_train(data);
    return 0;
}
