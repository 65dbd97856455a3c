/* Networks and data to files and back; what the files say; files that are damaged. */
#include "program.h"

static void cat(const char *name)
{
    FILE *file = fopen(name, "r");
    char line[4096];
    printf("== %s\n", name);
    while (file && fgets(line, sizeof line, file))
        fputs(line, stdout);
    if (file)
        fclose(file);
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    fputs(text, file);
    fclose(file);
}

/* Saves a network, shows the file, reads it back and compares what the two compute. */
static void round_trip(struct fann *ann, const char *name, struct fann_train_data *data)
{
    printf("%d\n", fann_save(ann, name));
    cat(name);
    struct fann *read = fann_create_from_file(name);
    print_outputs(ann, data);
    print_outputs(read, data);
    printf("%d %f %u\n", fann_get_training_algorithm(read), fann_get_learning_rate(read),
           fann_get_cascade_num_candidates(read));
    fann_destroy(read);
}

/* The file with a piece of it replaced. */
static void damage(const char *name, const char *what, const char *by)
{
    static char text[1 << 16], out[1 << 16];
    FILE *file = fopen(name, "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    char *at = strstr(text, what);
    if (!at) {
        printf("no %s\n", what);
        return;
    }
    snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, by, at + strlen(what));
    put("damaged.net", out);
    printf("%s -> %s: %d\n", what, by, fann_create_from_file("damaged.net") == NULL);
}

int main(void)
{
    log_here();
    struct fann_train_data *data = irregular_data(5, 3, 2);
    struct fann *ann = fann_create_standard(3, 3, 4, 2);
    plant_weights(ann);
    fann_set_activation_function_hidden(ann, FANN_GAUSSIAN);
    fann_set_activation_steepness(ann, 0.75, 1, 2);
    fann_set_training_algorithm(ann, FANN_TRAIN_QUICKPROP);
    fann_set_learning_rate(ann, 0.25);
    fann_set_cascade_num_candidate_groups(ann, 5);
    round_trip(ann, "plain.net", data);
    fann_set_scaling_params(ann, data, -1, 1, 0, 1);
    printf("%d\n", fann_save(ann, "scaled.net"));
    struct fann *scaled = fann_create_from_file("scaled.net");
    printf("%.4f %.4f\n", scaled->scale_mean_in[1], scaled->scale_deviation_out[0]);
    fann_destroy(scaled);

    /* Through streams, and in fixed point. */
    FILE *stream = tmpfile();
    printf("%d\n", fann_save_internal_fd(ann, stream, "stream", 0));
    rewind(stream);
    struct fann *streamed = fann_create_from_fd(stream, "stream");
    print_outputs(streamed, data);
    fann_destroy(streamed);
    fclose(stream);
    /* Several things in one stream are read one after another. */
    stream = tmpfile();
    fann_save_internal_fd(ann, stream, "stream", 0);
    fann_save_train_internal_fd(data, stream, "stream", 0, 0);
    fann_save_internal_fd(ann, stream, "stream", 0);
    fputs("and more", stream);
    rewind(stream);
    streamed = fann_create_from_fd(stream, "stream");
    fann_destroy(streamed);
    struct fann_train_data *between = fann_read_train_from_fd(stream, "stream");
    print_data(between);
    fann_destroy_train(between);
    streamed = fann_create_from_fd(stream, "stream");
    print_outputs(streamed, data);
    fann_destroy(streamed);
    char word[20] = "";
    printf("%s %s\n", fgets(word, sizeof word, stream) ? "then" : "nothing", word);
    fclose(stream);
    printf("%d\n", fann_save_to_fixed(ann, "fixed.net"));
    cat("fixed.net");
    printf("%d\n", fann_save_internal(ann, "other.net", 0));
    fann_destroy(ann);

    ann = fann_create_shortcut(3, 3, 2, 2);
    plant_weights(ann);
    round_trip(ann, "shortcut.net", data);
    fann_destroy(ann);

    put("old.net", "FANN_FLO_1.1\n3 0.700000 1.000000 0 3 4 0.5 0.25\n3 3 2 \n0 0 0 3 3 0 3 0 \n"
                   "(0 0.5) (1 -0.25) (2 1.5) (0 -1) (1 2) (2 0.125) (3 0.75) (4 -0.5) (5 0.25) \n");
    ann = fann_create_from_file("old.net");
    struct fann_train_data *two = irregular_data(4, 2, 1);
    print_outputs(ann, two);
    print_weights(ann);
    fann_destroy(ann);

    /* Data. */
    for (unsigned int row = 0; row < data->num_data; row++)
        data->output[row][0] = row;
    printf("%d\n", fann_save_train(data, "plain.data"));
    cat("plain.data");
    struct fann_train_data *read = fann_read_train_from_file("plain.data");
    print_data(read);
    fann_destroy_train(read);
    printf("%d\n", fann_save_train_to_fixed(data, "fixed.data", 10));
    cat("fixed.data");
    stream = tmpfile();
    printf("%d\n", fann_save_train_internal_fd(data, stream, "stream", 0, 0));
    rewind(stream);
    read = fann_read_train_from_fd(stream, "stream");
    print_data(read);
    fann_destroy_train(read);
    fclose(stream);

    /* Trainings from files. */
    put("xor.data", "4 2 1\n-1 -1\n-1\n-1 1\n1\n1 -1\n1\n1 1\n-1\n");
    ann = fann_create_standard(3, 2, 3, 1);
    plant_weights(ann);
    fann_train_on_file(ann, "xor.data", 6, 2, 0.01);
    fann_destroy(ann);

    /* Damaged files. */
    put("empty.net", "");
    printf("%d\n", fann_create_from_file("empty.net") == NULL);
    put("text.net", "This is no network at all.\n");
    printf("%d\n", fann_create_from_file("text.net") == NULL);
    put("new.net", "FANN_FLO_9.9\nnum_layers=3\n");
    printf("%d\n", fann_create_from_file("new.net") == NULL);
    printf("%d\n", fann_create_from_file("fixed.net") == NULL);
    damage("plain.net", "num_layers=3", "num_layers=three");
    damage("plain.net", "learning_rate", "learned_rate");
    damage("plain.net", "quickprop_mu=", "quickprop_mu=x");
    damage("plain.net", "cascade_activation_functions=3 ", "cascade_activation_functions=x ");
    damage("plain.net", "layer_sizes=4 ", "layer_sizes=x ");
    damage("plain.net", "neurons (num_inputs", "neurons (inputs");
    damage("plain.net", "(4, 7, ", "(4, x, ");
    damage("plain.net", "connections (connected", "connections (disconnected");
    damage("plain.net", "(3, ", "(x, ");
    put("short.data", "3 2 1\n1 2\n3\n4 5\n");
    printf("%d\n", fann_read_train_from_file("short.data") == NULL);
    put("head.data", "3 two 1\n1 2\n3\n");
    printf("%d\n", fann_read_train_from_file("head.data") == NULL);
    put("word.data", "2 2 1\n1 2\n3\n4 five\n6\n");
    printf("%d\n", fann_read_train_from_file("word.data") == NULL);
    fann_destroy_train(two);
    fann_destroy_train(data);
    return 0;
}
