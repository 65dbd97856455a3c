/* Files and calls that libfann crashes on, believes or spoils: here they are refused with FANN's errors. Run with our
 * library only. */
#include "program.h"
#include <signal.h>
#include <sys/resource.h>

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    fputs(text, file);
    fclose(file);
}

/* A disk without room, for which a limit on files stands: what was there stays. */
static void full_disk(void)
{
    struct fann *ann = fann_create_standard(3, 1, 50, 1);
    struct fann_train_data *data = fann_create_train(100, 1, 1);
    printf("%d %d\n", fann_save(ann, "kept.net"), fann_save_train(data, "kept.data"));
    struct rlimit before, none;
    getrlimit(RLIMIT_FSIZE, &before);
    none = before;
    none.rlim_cur = 100;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &none);
    printf("%d\n", fann_save(ann, "kept.net"));
    printf("%d\n", fann_save_to_fixed(ann, "new.net"));
    printf("%d\n", fann_save_train(data, "kept.data"));
    setrlimit(RLIMIT_FSIZE, &before);
    fann_destroy(ann);
    fann_destroy_train(data);
    ann = fann_create_from_file("kept.net");
    data = fann_read_train_from_file("kept.data");
    printf("%d %d\n", fann_get_total_neurons(ann), fann_length_train_data(data));
    fann_destroy(ann);
    fann_destroy_train(data);
    printf("%d\n", fopen("new.net", "r") == NULL);
}

/* Networks without shortcuts do not grow, and stay as they are. */
static void grow(struct fann *ann)
{
    struct fann_train_data *data = fann_create_train(4, 2, 1);
    for (int i = 0; i < 4; i++) {
        data->input[i][0] = i % 2, data->input[i][1] = i / 2;
        data->output[i][0] = i % 2 != i / 2;
    }
    float before = fann_test_data(ann, data);
    fann_cascadetrain_on_data(ann, data, 3, 1, 0.01f);
    fann_install_candidate(ann);
    printf("%d %d\n", fann_get_num_layers(ann), fann_get_errno((struct fann_error *)ann));
    printf("%d\n", fann_test_data(ann, data) == before);
    fann_destroy(ann);
    fann_destroy_train(data);
}

int main(void)
{
    log_here();
    full_disk();
    grow(fann_create_standard(2, 2, 1));
    grow(fann_create_standard(3, 2, 3, 1));
    grow(fann_create_sparse(0.5, 3, 2, 3, 1));
    printf("%d\n", fann_create_standard(3, 2, 0, 1) == NULL);
    printf("%d\n", fann_create_standard(3, 2, 4000000000u, 4000000000u) == NULL);
    printf("%d\n", fann_create_shortcut(0) == NULL);
    printf("%d\n", fann_create_standard_array(3, NULL) == NULL);
    put("huge.data", "4000000000 4000000000 4000000000\n1 2\n");
    printf("%d\n", fann_read_train_from_file("huge.data") == NULL);
    put("negative.data", "-3 2 1\n1 2\n3\n");
    printf("%d\n", fann_read_train_from_file("negative.data") == NULL);
    put("old.net", "FANN_FLO_1.1\n3 0.7 1 0 3 4 0.5 0.25\n3 4000000000 2 \n0 0 0 3 3 0 3 0 \n(0 0.5) ");
    printf("%d\n", fann_create_from_file("old.net") == NULL);
    put("away.net", "FANN_FLO_1.1\n2 0.7 1 0 3 4 0.5 0.25\n2 2 \n0 0 2 0 \n(0 0.5) (77 1) ");
    printf("%d\n", fann_create_from_file("away.net") == NULL);

    /* NULL where FANN would crash: nothing happens. */
    printf("%p %d %.1f\n", (void *)fann_copy(NULL), fann_get_errno(NULL), fann_get_MSE(NULL));
    fann_set_learning_rate(NULL, 0.5);
    fann_train_on_data(NULL, NULL, 5, 1, 0);
    printf("%d %d\n", fann_create_from_file(NULL) == NULL, fann_save(NULL, "x.net"));
    printf("%d\n", fann_merge_train_data(NULL, NULL) == NULL);
    struct fann *ann = fann_create_standard(2, 1, 1);
    fann_train_on_data(ann, NULL, 5, 1, 0);
    printf("%d\n", fann_run(ann, NULL) == ann->output);
    fann_destroy(ann);

    /* A message that does not fit is cut off. */
    char long_name[400];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    fann_set_error_log(NULL, NULL);
    ann = fann_create_standard(2, 1, 1);
    fann_save(ann, long_name);
    printf("%zu\n", strlen(((struct fann_error *)ann)->errstr));
    char *text = fann_get_errstr((struct fann_error *)ann);
    printf("%.20s %d %d\n", text, fann_get_errno((struct fann_error *)ann), ann->errstr == NULL);

    /* A struct damaged by the program: an error, no crash. */
    ann->first_layer[1].first_neuron->last_con = 1000000;
    fann_type in[1] = {1};
    fann_run(ann, in);
    printf("%d\n", fann_get_errno((struct fann_error *)ann) != 0);
    ann->first_layer[1].first_neuron->last_con = 2;
    fann_destroy(ann);
    return 0;
}
