/* Errors: numbers, messages, logs, and NULL where FANN takes it. */
#include "program.h"

static void show(struct fann_error *owner)
{
    printf("errno %d text %s", fann_get_errno(owner), owner->errstr ? owner->errstr : "none\n");
}

int main(int argc, char **argv)
{
    log_here();
    (void)argc;
    printf("%d\n", fann_default_error_log == stdout);
    struct fann *ann = fann_create_standard(3, 2, 3, 1);
    struct fann_error *owner = (struct fann_error *)ann;
    show(owner);
    struct fann_train_data *data = fann_create_train(3, 5, 1);
    struct fann_train_data *narrow = fann_create_train(3, 2, 4);
    printf("%.1f\n", fann_train_epoch(ann, data));
    show(owner);
    printf("%.1f\n", fann_test_data(ann, narrow));
    show(owner);
    printf("%d\n", fann_check_input_output_sizes(ann, narrow));
    fann_train_on_data(ann, narrow, 5, 1, 0.5);
    fann_reset_errno(owner);
    show(owner);
    fann_reset_errstr(owner);
    show(owner);
    fann_scale_input(ann, data->input[0]);
    printf("%d\n", fann_get_errstr(owner) != NULL);
    show(owner);
    printf("%d\n", fann_get_errstr(owner) == NULL);

    /* To no log, to the log of one struct. */
    fann_set_error_log(owner, NULL);
    fann_scale_input(ann, data->input[0]);
    show(owner);
    FILE *log = tmpfile();
    fann_set_error_log(owner, log);
    fann_get_activation_function(ann, 9, 0);
    fann_scale_output(ann, data->input[0]);
    rewind(log);
    char line[200];
    while (fgets(line, sizeof line, log))
        printf("log: %s", line);
    struct fann *copy = fann_copy(ann);
    show((struct fann_error *)copy);
    printf("%d\n", copy->error_log == log);
    fann_destroy(copy);
    fclose(log);
    fann_set_error_log(owner, stdout);

    /* Every message there is. */
    fann_error(NULL, FANN_E_CANT_OPEN_CONFIG_R, "a.net");
    fann_error(owner, FANN_E_CANT_OPEN_CONFIG_W, "a.net");
    fann_error(owner, FANN_E_WRONG_CONFIG_VERSION, "a.net");
    fann_error(owner, FANN_E_CANT_READ_CONFIG, "num_layers", "a.net");
    fann_error(owner, FANN_E_CANT_READ_NEURON, "a.net");
    fann_error(owner, FANN_E_CANT_READ_CONNECTIONS, "a.net");
    fann_error(owner, FANN_E_WRONG_NUM_CONNECTIONS, 3, -4);
    fann_error(owner, FANN_E_CANT_OPEN_TD_W, "a.data");
    fann_error(owner, FANN_E_CANT_OPEN_TD_R, "a.data");
    fann_error(owner, FANN_E_CANT_READ_TD, "a.data", 12);
    fann_error(owner, FANN_E_CANT_ALLOCATE_MEM);
    fann_error(owner, FANN_E_CANT_TRAIN_ACTIVATION);
    fann_error(owner, FANN_E_CANT_USE_ACTIVATION);
    fann_error(owner, FANN_E_TRAIN_DATA_MISMATCH);
    fann_error(owner, FANN_E_CANT_USE_TRAIN_ALG);
    fann_error(owner, FANN_E_TRAIN_DATA_SUBSET, 1, 2, 3);
    fann_error(owner, FANN_E_INDEX_OUT_OF_BOUND, -7);
    fann_error(owner, FANN_E_SCALE_NOT_PRESENT);
    fann_error(owner, FANN_E_INPUT_NO_MATCH, 1, 2);
    fann_error(owner, FANN_E_OUTPUT_NO_MATCH, 3, 4);
    show(owner);
    fann_init_error_data(owner);
    show(owner);

    /* A function that cannot be trained; a network of one layer; files that are not there. */
    fann_set_activation_function_hidden(ann, FANN_THRESHOLD);
    struct fann_train_data *fits = xor_data();
    fann_set_training_algorithm(ann, FANN_TRAIN_INCREMENTAL);
    fann_train(ann, fits->input[0], fits->output[0]);
    printf("%d\n", fann_create_standard(1, 4) == NULL);
    printf("%d\n", fann_create_from_file("/nonexistent/a.net") == NULL);
    printf("%d\n", fann_read_train_from_file("/nonexistent/a.data") == NULL);
    fann_train_on_file(ann, "/nonexistent/a.data", 5, 1, 0.1);
    fann_cascadetrain_on_file(ann, "/nonexistent/a.data", 5, 1, 0.1);
    printf("%d\n", fann_save(ann, "/nonexistent/a.net"));
    printf("%d\n", fann_save_to_fixed(ann, "/nonexistent/a.net"));
    show(owner);
    printf("%d\n", fann_save_train(fits, "/nonexistent/a.data"));
    show((struct fann_error *)fits);
    fann_destroy_train(fits);
    fann_destroy_train(narrow);
    fann_destroy_train(data);
    fann_destroy(ann);
    fann_destroy(NULL);
    fann_destroy_train(NULL);
    (void)argv;
    return 0;
}
