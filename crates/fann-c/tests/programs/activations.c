/* Every activation function, run and derived, at several steepnesses; all ways to set them. */
#include "program.h"

int main(void)
{
    log_here();
    struct fann *ann = fann_create_standard(3, 3, 4, 2);
    fann_type inputs[3][3] = {{0.2, -0.7, 1}, {-3, 2, 0.5}, {40, -60, 300}};
    plant_weights(ann);
    for (int f = FANN_LINEAR; f <= FANN_COS; f++) {
        for (int s = 1; s < 4; s++) {
            fann_set_activation_function_hidden(ann, f);
            fann_set_activation_function_output(ann, f);
            fann_set_activation_steepness_hidden(ann, s * 0.4);
            fann_set_activation_steepness_output(ann, s * 0.3);
            printf("%s", FANN_ACTIVATIONFUNC_NAMES[f]);
            for (int i = 0; i < 3; i++) {
                fann_type *out = fann_run(ann, inputs[i]);
                printf(" %.5f %.5f", (double)out[0], (double)out[1]);
            }
            for (double x = -3; x <= 3; x += 0.75) {
                fann_type value = fann_activation(ann, f, s * 0.4, x);
                printf(" %.5f/%.5f", (double)value,
                       (double)fann_activation_derived(f, s * 0.4, value, x));
            }
            printf("\n");
        }
    }
    fann_set_activation_function_layer(ann, FANN_ELLIOT, 1);
    fann_set_activation_steepness_layer(ann, 0.75, 2);
    fann_set_activation_function(ann, FANN_GAUSSIAN, 1, 2);
    fann_set_activation_steepness(ann, 0.125, 1, 3);
    for (int layer = 1; layer < 3; layer++)
        for (int n = 0; n < (layer == 1 ? 5 : 3); n++)
            printf("%d %d: %d %.3f\n", layer, n, fann_get_activation_function(ann, layer, n),
                   (double)fann_get_activation_steepness(ann, layer, n));
    /* Outside of the network. */
    printf("%d\n", (int)fann_get_activation_function(ann, 0, 0));
    printf("%d\n", (int)fann_get_activation_function(ann, 3, 0));
    printf("%.1f\n", (double)fann_get_activation_steepness(ann, 1, 5));
    fann_set_activation_function(ann, FANN_SIN, 7, 0);
    fann_set_activation_function_layer(ann, FANN_SIN, -1);
    fann_set_activation_steepness(ann, 1, 1, 9);
    fann_set_activation_steepness_layer(ann, 1, 0);
    printf("errno %d\n", fann_get_errno((struct fann_error *)ann));
    fann_destroy(ann);
    return 0;
}
