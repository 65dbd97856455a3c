/* libfann's side of the suite `fann`: the loops, so that no call from Python is timed with them.
   cc -O2 -shared -fPIC fann_loops.c -lfann */
#include <fann.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A network whose weights, in libfann's order of connections, are given. */
struct fann *make(unsigned layers, const unsigned *sizes, int algorithm, int function, const float *weights) {
    struct fann *ann = fann_create_standard_array(layers, sizes);
    fann_set_activation_function_hidden(ann, function);
    fann_set_activation_function_output(ann, function);
    fann_set_training_algorithm(ann, algorithm);
    /* Not by fann_set_weight_array, which looks for each connection among all. */
    memcpy(ann->weights, weights, fann_get_total_connections(ann) * sizeof *weights);
    return ann;
}

struct fann_train_data *data(unsigned rows, unsigned inputs, unsigned outputs, const float *in, const float *out) {
    struct fann_train_data *d = fann_create_train(rows, inputs, outputs);
    for (unsigned r = 0; r < rows; r++) {
        for (unsigned i = 0; i < inputs; i++) d->input[r][i] = in[r * inputs + i];
        for (unsigned i = 0; i < outputs; i++) d->output[r][i] = out[r * outputs + i];
    }
    return d;
}

void train(struct fann *ann, struct fann_train_data *d, unsigned epochs, float *errors) {
    for (unsigned e = 0; e < epochs; e++) {
        float error = fann_train_epoch(ann, d);
        if (errors) errors[e] = error;
    }
}

void train_on_data(struct fann *ann, struct fann_train_data *d, unsigned epochs) {
    fann_train_on_data(ann, d, epochs, 0, -1.0f);
}

void run(struct fann *ann, struct fann_train_data *d, unsigned rounds) {
    for (unsigned r = 0; r < rounds; r++)
        for (unsigned i = 0; i < d->num_data; i++) fann_run(ann, d->input[i]);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Lets a network grow from a seed: seconds, neurons added, outputs off. */
void cascade(struct fann_train_data *d, unsigned most, unsigned seed, double *figures) {
    /* Creating a network seeds `rand` by the clock once a process; what counts is the seed set after it. */
    struct fann *ann = fann_create_shortcut(2, d->num_input, d->num_output);
    srand(seed);
    fann_randomize_weights(ann, -0.1f, 0.1f);
    fann_set_training_algorithm(ann, FANN_TRAIN_RPROP);
    fann_set_activation_function_output(ann, FANN_SIGMOID_SYMMETRIC);
    fann_set_train_error_function(ann, FANN_ERRORFUNC_LINEAR);
    fann_set_train_stop_function(ann, FANN_STOPFUNC_BIT);
    fann_set_bit_fail_limit(ann, 0.35f);
    unsigned before = fann_get_total_neurons(ann);
    double start = now();
    fann_cascadetrain_on_data(ann, d, most, 0, 0.0f);
    figures[0] = now() - start;
    figures[1] = fann_get_total_neurons(ann) - before;
    fann_reset_MSE(ann);
    fann_test_data(ann, d);
    figures[2] = fann_get_bit_fail(ann);
    fann_destroy(ann);
}

static double held(void) {
    struct mallinfo2 m = mallinfo2();
    return (double)(m.uordblks + m.hblkhd);
}

/* Bytes of a network: as made, after an epoch of incremental training, after one of RPROP. */
void memory(unsigned layers, const unsigned *sizes, struct fann_train_data *d, double *figures) {
    double before = held();
    struct fann *ann = fann_create_standard_array(layers, sizes);
    figures[0] = held() - before;
    fann_set_training_algorithm(ann, FANN_TRAIN_INCREMENTAL);
    fann_train_epoch(ann, d);
    figures[1] = held() - before;
    fann_set_training_algorithm(ann, FANN_TRAIN_RPROP);
    fann_train_epoch(ann, d);
    figures[2] = held() - before;
    fann_destroy(ann);
}
