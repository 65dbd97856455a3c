/* What the programs have in common: the header of the library they are linked with, data, and weights that
 * do not come from random numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef DOUBLE
#include <doublefann.h>
#else
#include <floatfann.h>
#endif

/* Exported by the libraries, but declared in no header. */
fann_type fann_update_MSE(struct fann *ann, struct fann_neuron *neuron, fann_type neuron_diff);
float fann_train_epoch_quickprop(struct fann *ann, struct fann_train_data *data);
float fann_train_epoch_irpropm(struct fann *ann, struct fann_train_data *data);
float fann_train_epoch_sarprop(struct fann *ann, struct fann_train_data *data);
float fann_train_epoch_batch(struct fann *ann, struct fann_train_data *data);
float fann_train_epoch_incremental(struct fann *ann, struct fann_train_data *data);
void fann_scale_data(fann_type **data, unsigned int num_data, unsigned int num_elem, fann_type new_min,
                     fann_type new_max);
void fann_print_connections_raw(struct fann *ann);
struct fann *fann_create_from_fd_1_1(FILE *conf, const char *configuration_file);
int fann_reallocate_connections(struct fann *ann, unsigned int total_connections);
int fann_reallocate_neurons(struct fann *ann, unsigned int total_neurons);
void initialize_candidate_weights(struct fann *ann, unsigned int first_con, unsigned int last_con,
                                  float scale_factor);
void fann_update_candidate_slopes(struct fann *ann);
void fann_update_candidate_weights(struct fann *ann, unsigned int num_data);
struct fann_layer *fann_add_layer(struct fann *ann, struct fann_layer *layer);
void fann_add_candidate_neuron(struct fann *ann, struct fann_layer *layer);
struct fann_layer *fann_get_layer(struct fann *ann, int layer);
struct fann_neuron *fann_get_neuron(struct fann *ann, unsigned int layer, int neuron);
struct fann_neuron *fann_get_neuron_layer(struct fann *ann, struct fann_layer *layer, int neuron);
fann_callback_type fann_get_callback(struct fann *ann);

/* Errors go to standard output, where they are compared. */
static inline void log_here(void)
{
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    fann_set_error_log(NULL, stdout);
}

static inline struct fann_train_data *xor_data(void)
{
    struct fann_train_data *data = fann_create_train(4, 2, 1);
    for (int row = 0; row < 4; row++) {
        data->input[row][0] = row & 1 ? 1 : -1;
        data->input[row][1] = row & 2 ? 1 : -1;
        data->output[row][0] = (row & 1) ^ (row >> 1) ? 1 : -1;
    }
    return data;
}

/* Numbers in a fixed order that looks irregular. */
static inline double irregular(unsigned int n)
{
    return ((n * 7919u + 104729u) % 1000u) / 500.0 - 1.0;
}

static inline void plant_weights(struct fann *ann)
{
    unsigned int count = fann_get_total_connections(ann);
    struct fann_connection *all = malloc(count * sizeof *all);
    fann_get_connection_array(ann, all);
    for (unsigned int i = 0; i < count; i++)
        all[i].weight = irregular(i) * 0.7;
    fann_set_weight_array(ann, all, count);
    free(all);
}

static inline struct fann_train_data *irregular_data(unsigned int rows, unsigned int in, unsigned int out)
{
    struct fann_train_data *data = fann_create_train(rows, in, out);
    for (unsigned int row = 0; row < rows; row++) {
        for (unsigned int i = 0; i < in; i++)
            data->input[row][i] = irregular(row * in + i);
        for (unsigned int i = 0; i < out; i++)
            data->output[row][i] = irregular(row * out + i + 17) * 0.8;
    }
    return data;
}

static inline void print_weights(struct fann *ann)
{
    unsigned int count = fann_get_total_connections(ann);
    struct fann_connection *all = malloc(count * sizeof *all);
    fann_get_connection_array(ann, all);
    for (unsigned int i = 0; i < count; i++)
        printf("%u>%u %.6f\n", all[i].from_neuron, all[i].to_neuron, (double)all[i].weight);
    free(all);
}

static inline void print_data(struct fann_train_data *data)
{
    printf("%u %u %u\n", fann_length_train_data(data), fann_num_input_train_data(data),
           fann_num_output_train_data(data));
    for (unsigned int row = 0; row < data->num_data; row++) {
        for (unsigned int i = 0; i < data->num_input; i++)
            printf("%.6f ", (double)data->input[row][i]);
        printf("|");
        for (unsigned int i = 0; i < data->num_output; i++)
            printf(" %.6f", (double)data->output[row][i]);
        printf("\n");
    }
}

static inline void print_outputs(struct fann *ann, struct fann_train_data *data)
{
    for (unsigned int row = 0; row < data->num_data; row++) {
        fann_type *out = fann_run(ann, data->input[row]);
        for (unsigned int i = 0; i < data->num_output; i++)
            printf("%.5f ", (double)out[i]);
        printf("\n");
    }
}
