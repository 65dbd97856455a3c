/* Scaling that belongs to a network. */
#include "program.h"

int main(void)
{
    log_here();
    struct fann_train_data *data = irregular_data(9, 3, 2);
    for (unsigned int row = 0; row < data->num_data; row++)
        data->input[row][1] = data->input[row][1] * 40 + 7;
    struct fann *ann = fann_create_standard(3, 3, 4, 2);
    plant_weights(ann);
    fann_type vector[3] = {0.5, 20, -0.5};

    fann_scale_input(ann, vector);
    fann_descale_output(ann, vector);
    fann_scale_train(ann, data);
    printf("%d\n", fann_get_errno((struct fann_error *)ann));

    printf("%d\n", fann_set_scaling_params(ann, data, -1, 1, 0, 1));
    fann_scale_input(ann, vector);
    printf("%.5f %.5f %.5f\n", (double)vector[0], (double)vector[1], (double)vector[2]);
    fann_descale_input(ann, vector);
    printf("%.4f %.4f %.4f\n", (double)vector[0], (double)vector[1], (double)vector[2]);
    fann_scale_output(ann, vector);
    printf("%.4f %.4f\n", (double)vector[0], (double)vector[1]);
    fann_descale_output(ann, vector);
    printf("%.4f %.4f\n", (double)vector[0], (double)vector[1]);
    for (int i = 0; i < 3; i++)
        printf("%.5f %.5f %.5f %.5f\n", ann->scale_mean_in[i], ann->scale_deviation_in[i],
               ann->scale_new_min_in[i], ann->scale_factor_in[i]);

    fann_scale_train(ann, data);
    print_data(data);
    for (int i = 0; i < 3; i++)
        printf("%.5f\n", fann_train_epoch(ann, data));
    fann_descale_train(ann, data);
    print_data(data);
    printf("%d\n", fann_set_input_scaling_params(ann, data, -2, 3));
    printf("%d\n", fann_set_output_scaling_params(ann, data, -3, 2));
    printf("%.5f %.5f\n", ann->scale_factor_in[1], ann->scale_new_min_out[1]);
    struct fann *copy = fann_copy(ann);
    printf("%d\n", fann_clear_scaling_params(ann));
    printf("%.5f %.5f\n", ann->scale_mean_in[1], ann->scale_deviation_out[1]);
    printf("%.5f %.5f\n", copy->scale_mean_in[1], copy->scale_deviation_out[1]);
    fann_destroy(copy);

    struct fann_train_data *other = fann_create_train(2, 1, 2);
    printf("%d\n", fann_set_scaling_params(ann, other, 0, 1, 0, 1));
    fann_scale_train(ann, other);
    struct fann_train_data *none = fann_create_train(0, 3, 2);
    printf("%d\n", fann_set_scaling_params(ann, none, 0, 1, 0, 1));
    printf("%.5f\n", ann->scale_factor_out[0]);
    fann_destroy_train(other);
    fann_destroy_train(data);
    fann_destroy(ann);
    return 0;
}
