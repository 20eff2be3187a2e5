/* carom sweep FILE: the same scene over a grid of parameters, on all cores, one table. A system is
 * run; an impact in numbers, or that of a system without `run`, is decided by its law. A cell that
 * fails is a row that says so. */
#include "answer.h"
#include "sweep.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1024, MOST_THREADS = 64 };

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

bool cli_sweep_interrupted(void)
{
    return interrupted;
}

static char *read_all(FILE *in, size_t *size)
{
    size_t room = 1 << 16;
    char *text = malloc(room);
    *size = 0;
    while (text) {
        *size += fread(text + *size, 1, room - *size, in);
        if (*size < room)
            return text;
        char *grown = room < (size_t)1 << 27 ? realloc(text, room *= 2) : NULL;
        if (!grown)
            free(text);
        text = grown;
    }
    return NULL;
}

/* Row k of the block is computed: write what is now complete from the start, so that whatever ends
 * the sweep leaves all rows up to the first that is missing. */
static void publish(cli_sweep_job *s, long k, const cli_sweep_row *made)
{
    pthread_mutex_lock(&s->lock);
    int status = atomic_load(&s->status);
    const long before = s->written;
    s->rows[k] = *made;
    while (!status && s->written < s->count && s->rows[s->written].ready) {
        status = cli_sweep_output_put(s, s->written);
        s->failures += !s->rows[s->written++].good;
    }
    if (!status && s->written > before && s->out && (fflush(s->out) || ferror(s->out))) {
        fprintf(stderr, "carom: cannot write the table: %s\n", strerror(errno));
        status = CLI_MACHINE;
    } else if (!status && s->written > before && !s->out) {
        status = cli_sweep_table_save(&s->table, false);
    }
    atomic_store(&s->status, status);
    pthread_mutex_unlock(&s->lock);
}

static void *work(void *self)
{
    cli_sweep_job *s = self;
    for (;;) {
        long k = atomic_fetch_add(&s->next, 1);
        if (k >= s->count || interrupted || atomic_load(&s->status))
            return NULL;
        cli_sweep_row made;
        cli_sweep_cell_compute(s, k, &made, s->values + k * s->columns);
        publish(s, k, &made);
    }
}

/* All cells of a block, on all cores. */
static void compute_block(cli_sweep_job *s)
{
    pthread_t threads[MOST_THREADS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int wanted = (int)(cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : cores), made = 0;
    atomic_store(&s->next, 0);
    s->written = 0;
    for (long k = 0; k < s->count; k++)
        s->rows[k].ready = false;
    while (made < wanted - 1 && pthread_create(&threads[made], NULL, work, s) == 0)
        made++;
    work(s);
    for (int k = 0; k < made; k++)
        pthread_join(threads[k], NULL);
}

static bool add_name(cli_sweep_job *s, const char *name)
{
    char **names = realloc(s->names, (size_t)(s->columns + 1) * sizeof *names);
    if (!names)
        return false;
    s->names = names;
    names[s->columns] = strdup(name);
    return names[s->columns++] != NULL;
}

/* The columns, from the scene as it stands; the parameters that vary must be in it. */
static int make_columns(cli_sweep_job *s)
{
    carom_scene *scene;
    carom_error error = {0};
    if (cli_sweep_cell_read(s, -1, &scene, &error))
        return cli_message_error(s->arguments->files[0], &error);
    const carom_scene_content *content = carom_scene_get(scene);
    int status = CLI_ANSWERED;
    const char *names[256];
    int count = content->parameter_count < 256 ? content->parameter_count : 256;
    for (int k = 0; k < count; k++)
        names[k] = content->parameters[k].name;
    for (int k = 0; k < s->grid.axis_count && !status; k++) {
        bool found = false;
        for (int j = 0; j < content->parameter_count; j++)
            found = found || strcmp(content->parameters[j].name, s->grid.axes[k].name) == 0;
        const char *nearest =
            found ? NULL : cli_message_nearest(s->grid.axes[k].name, names, count);
        if (!found)
            status = cli_message_usage("sweep: the scene has no parameter '%s'%s%s%s",
                                       s->grid.axes[k].name, nearest ? "; did you mean '" : "",
                                       nearest ? nearest : "", nearest ? "'?" : "");
    }
    bool good = true;
    carom_law law;
    if (!status && s->law && carom_scene_parse_law(scene, s->law, &law, &error))
        status = cli_message_usage("sweep: --law %s: %s", s->law, error.text);
    if (!status && cli_option_value(s->arguments, "law", 1))
        status = cli_message_usage("sweep: one law decides the impacts, --law was given twice");
    s->moves = content->system && content->run;
    if (s->moves) {
        static const char *const rest[] = {"impacts",       "accumulations",  "energy_initial",
                                           "energy_final",  "energy_impacts", "energy_friction",
                                           "energy_forces", "balance_error",  "max_penetration"};
        const carom_system_shape *shape = carom_system_get_shape(content->system);
        good = add_name(s, "t");
        for (int i = 0; i < shape->nq && good; i++)
            good = add_name(s, shape->coordinates[i]);
        for (int i = 0; i < shape->n && good; i++)
            good = add_name(s, shape->velocities[i]);
        for (size_t k = 0; k < sizeof rest / sizeof *rest && good; k++)
            good = add_name(s, rest[k]);
    } else {
        char number[32];
        const carom_system_shape *shape =
            content->system ? carom_system_get_shape(content->system) : NULL;
        const char *const *known = shape ? shape->velocities : content->impact->coordinates;
        for (int i = 0; i < (shape ? shape->n : content->impact->n) && good; i++) {
            snprintf(number, sizeof number, "u%d", i + 1);
            good = add_name(s, known && known[i] ? known[i] : number);
        }
        static const char *const rest[] = {"energy_change", "kinematic", "kinetic", "energetic"};
        for (size_t k = 0; k < sizeof rest / sizeof *rest && good; k++)
            good = add_name(s, rest[k]);
    }
    carom_scene_destroy(scene);
    return good ? status : cli_message_memory();
}

static int compute_all(cli_sweep_job *s, long done)
{
    bool terminal = isatty(STDERR_FILENO);
    if (s->out && done == 0 && (s->out == stdout || ftell(s->out) == 0))
        cli_sweep_output_header(s->out, s);
    for (s->first = done; s->first < s->grid.cells; s->first += s->count) {
        s->count = s->grid.cells - s->first < BLOCK ? s->grid.cells - s->first : BLOCK;
        compute_block(s);
        if (s->written < s->count || s->status)
            break; /* interrupted, or the table cannot be written */
        if (terminal && s->first + s->count < s->grid.cells)
            fprintf(stderr, "\r%ld of %ld cells ", s->first + s->count, s->grid.cells);
    }
    if (!s->out && !s->status)
        s->status = cli_sweep_table_save(&s->table, true);
    if (terminal && s->grid.cells > BLOCK)
        fputc('\n', stderr);
    if (s->failures)
        cli_message_warning("%ld cell%s failed; column `status` says why", s->failures,
                            s->failures == 1 ? "" : "s");
    if (s->first < s->grid.cells && !s->status) {
        fprintf(stderr, "carom: stopped after %ld of %ld cells; --resume goes on\n",
                s->first + s->written, s->grid.cells);
        return CLI_NO_ANSWER;
    }
    return s->status;
}

static int prepare(const cli_arguments *arguments, cli_sweep_job *s)
{
    const char *file = arguments->files[0];
    bool standard = strcmp(file, "-") == 0;
    FILE *in = standard ? stdin : fopen(file, "rb");
    if (!in) {
        carom_error error = {.status = CAROM_ERROR_FILE};
        snprintf(error.text, sizeof error.text, "cannot open the file: %s", strerror(errno));
        return cli_message_error(file, &error);
    }
    s->text = read_all(in, &s->size);
    if (!standard)
        fclose(in);
    if (!s->text)
        return cli_message_memory();
    s->law = cli_option_value(arguments, "law", 0);
    int status = cli_answer_number(arguments, "closed", 1e-9, &s->closed);
    if (!status && s->closed < 0)
        status = cli_message_usage("sweep: --closed %g must not be negative", s->closed);
    if (!status)
        status = cli_grid_make(arguments, &s->grid);
    if (!status)
        status = make_columns(s);
    if (status)
        return status;
    s->rows = calloc(BLOCK, sizeof *s->rows);
    s->values = calloc((size_t)BLOCK * (size_t)s->columns, sizeof *s->values);
    return s->rows && s->values ? CLI_ANSWERED : cli_message_memory();
}

static int run(const cli_arguments *arguments)
{
    cli_sweep_job s = {.arguments = arguments};
    long done = 0;
    struct sigaction catch = {.sa_handler = interrupt}, before;
    sigaction(SIGINT, &catch, &before);
    pthread_mutex_init(&s.lock, NULL);
    int status = prepare(arguments, &s);
    if (!status)
        status = cli_sweep_output_open(arguments, &s, &done);
    if (!status)
        status = compute_all(&s, done);
    if (s.out && s.out != stdout && fclose(s.out) != 0 && status == CLI_ANSWERED)
        status = CLI_MACHINE;
    sigaction(SIGINT, &before, NULL);
    pthread_mutex_destroy(&s.lock);
    for (int k = 0; k < s.columns; k++)
        free(s.names[k]);
    free(s.names);
    free(s.all);
    free(s.line);
    cli_sweep_table_free(&s.table);
    free(s.rows);
    free(s.values);
    free(s.text);
    cli_grid_free(&s.grid);
    return status;
}

static const cli_option options[] = {
    {"vary", "NAME=VALUES", "a parameter and its values: from:to:count or a,b,c (may be repeated)",
     0},
    {"law", "LAW", "the law that decides impacts, instead of the scene's", 0},
    {"output", "FILE",
     "write the table to this file: CSV, or (named *.h5) HDF5; without it CSV on stdout", 'o'},
    {"force", NULL, "write over an existing file", 0},
    {"resume", NULL, "go on with the table that FILE begins", 0},
    {"set", "NAME=VALUE", "override a parameter that does not vary (may be repeated)", 0},
    {"closed", "GAP", "without `run`: contacts with a gap up to this are closed (1e-9)", 0},
    {"any-restitution", NULL, "accept coefficients outside [0, 1], with a warning", 0},
    {0},
};

const cli_command cli_sweep = {
    .name = "sweep",
    .arguments = "FILE",
    .summary = "the same over a grid of parameters: --vary e=0:1:101 --vary mu=0,0.1,0.2",
    .text = "A system with `run:` is run; an impact in numbers, or that of the contacts closed at\n"
            "`initial`, is decided by one law. All cores work. A cell that fails is a row whose\n"
            "`status` says why. Ctrl-C leaves whole rows; --resume goes on.",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .run = run,
};
