/* carom sweep FILE: the same scene over a grid of parameters, on all cores, one table. A system is
 * run; an impact in numbers, or that of a system without `run`, is decided by its law. A cell that
 * fails is a row that says so. */
#include "answer.h"
#include "sweep.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1024, MOST_THREADS = 64, STATUS_TEXT = 160 };

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

/* One cell's results: numbers in the order of the columns, NaN where there is none. */
typedef struct row {
    bool ready; /* computed, to be written when those before it are */
    bool good;
    char status[STATUS_TEXT]; /* "ok", or why there is no result */
} row;

typedef struct sweep {
    const cli_arguments *arguments;
    cli_grid grid;
    char *text; /* of the scene */
    size_t size;
    const char *law; /* as after --law, NULL: the scene's */
    bool moves;      /* a system with `run` */
    double closed;   /* else: contacts with gaps up to this are closed */
    int columns;     /* of results */
    char **names;
    /* the block being computed */
    long first, count;
    atomic_long next;
    row *rows;            /* BLOCK */
    double *values;       /* BLOCK x columns */
    pthread_mutex_t lock; /* of `ready` and of what follows */
    long written;         /* rows of the block */
    long failures;
    atomic_int status; /* CLI_ANSWERED, or why nothing more can be written */
    /* where they go */
    FILE *out;             /* CSV, NULL: into the table */
    cli_sweep_table table; /* HDF5 */
    const char **all;      /* names of its columns: those that vary, then the results */
    double *line;
} sweep;

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

/* --set options, then the values of the cell (none for cell -1). */
static carom_status read_cell(const sweep *s, long cell, carom_scene **scene, carom_error *error)
{
    int fixed = 0;
    while (cli_option_value(s->arguments, "set", fixed))
        fixed++;
    int count = fixed + (cell < 0 ? 0 : s->grid.axis_count);
    const char **sets = calloc((size_t)count + 1, sizeof *sets);
    char(*texts)[160] = calloc((size_t)s->grid.axis_count + 1, sizeof *texts);
    carom_status status = CAROM_ERROR_MEMORY;
    if (sets && texts) {
        for (int k = 0; k < fixed; k++)
            sets[k] = cli_option_value(s->arguments, "set", k);
        for (int k = 0; k < count - fixed; k++) {
            snprintf(texts[k], sizeof *texts, "%.120s=%.17g", s->grid.axes[k].name,
                     cli_grid_value(&s->grid, cell, k));
            sets[fixed + k] = texts[k];
        }
        carom_scene_options options = {.sets = sets,
                                       .set_count = count,
                                       .any_restitution =
                                           cli_option_given(s->arguments, "any-restitution")};
        status = carom_scene_read_text(s->text, s->size, &options, scene, error);
    }
    free(texts);
    free((void *)sets);
    return status;
}

static carom_status choose_law(const sweep *s, carom_scene *scene, carom_law *law,
                               carom_error *error)
{
    const carom_law *given = carom_scene_get(scene)->law;
    if (!s->law && given) {
        *law = *given;
        return CAROM_OK;
    }
    return carom_scene_parse_law(scene, s->law ? s->law : "newton", law, error);
}

static carom_status look_at_signal(void *self, double t, long steps, carom_error *error)
{
    (void)self;
    (void)t;
    (void)steps;
    (void)error;
    return interrupted ? CAROM_STOPPED : CAROM_OK;
}

static carom_status run_system(const sweep *s, carom_scene *scene, carom_arena *arena, double *out,
                               row *r, carom_error *error)
{
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    carom_law law;
    carom_flow_result result;
    const carom_flow_observer observer = {.progress = look_at_signal};
    carom_status status = choose_law(s, scene, &law, error);
    if (!status)
        status = carom_flow_run(content->system, &law, &content->initial, content->run, &observer,
                                arena, &result, error);
    if (status < 0)
        return status;
    const carom_flow_ledger *l = &result.ledger;
    *out++ = result.t;
    for (int i = 0; i < shape->nq; i++)
        *out++ = result.q[i];
    for (int i = 0; i < shape->n; i++)
        *out++ = result.u[i];
    const double rest[] = {(double)result.impact_count,
                           (double)result.accumulation_count,
                           l->initial,
                           l->final,
                           l->impacts,
                           l->friction,
                           l->forces,
                           l->balance_error,
                           result.max_penetration};
    memcpy(out, rest, sizeof rest);
    r->good = status == CAROM_OK;
    r->ready = result.end != CAROM_FLOW_STOPPED;
    if (!r->good)
        snprintf(r->status, sizeof r->status, "%s", carom_flow_end_text(result.end));
    return CAROM_OK;
}

/* The impact of the contacts closed at `initial`. */
static carom_status impact_of_system(const carom_scene_content *content, double tolerance,
                                     carom_arena *arena, carom_impact *impact, carom_error *error)
{
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    int *closed = carom_arena_take(arena, ((size_t)shape->p + 1) * sizeof(int));
    carom_state state;
    if (!closed)
        return carom_error_set(error, CAROM_ERROR_MEMORY, "out of memory");
    carom_status status = cli_answer_evaluate(content, tolerance, arena, &state, error);
    return status ? status
                  : carom_impact_from_system(content->system, &state, tolerance, arena, impact,
                                             closed, error);
}

static carom_status run_impact(const sweep *s, carom_scene *scene, carom_arena *arena, double *out,
                               row *r, carom_error *error)
{
    const carom_impact *impact = carom_scene_get(scene)->impact;
    carom_impact made;
    carom_law law;
    carom_geometry geometry;
    carom_outcome outcome;
    carom_status status = choose_law(s, scene, &law, error);
    if (!status && !impact) {
        status = impact_of_system(carom_scene_get(scene), s->closed, arena, &made, error);
        impact = &made;
    }
    if (!status && impact->p == 0)
        return carom_error_set(error, CAROM_ERROR_INPUT, "no contact is closed");
    if (!status)
        status = carom_impact_derive(impact, arena, &geometry, error);
    if (!status)
        status = carom_law_apply(&law, &geometry, arena, &outcome, error);
    if (status)
        return status;
    snprintf(r->status, sizeof r->status, "%s", carom_answer_text(outcome.answer));
    r->good = outcome.answer == CAROM_ANSWER_OK;
    if (!cli_answer_exists(&outcome))
        return CAROM_OK;
    for (int i = 0; i < impact->n; i++)
        *out++ = outcome.u[i];
    *out++ = outcome.energy_change;
    *out++ = outcome.verdict.kinematic;
    *out++ = outcome.verdict.kinetic;
    *out++ = outcome.verdict.energetic;
    return CAROM_OK;
}

static void compute(const sweep *s, long k, row *r, double *out)
{
    carom_scene *scene = NULL;
    carom_arena *arena = NULL;
    carom_error error = {0};
    *r = (row){.ready = true, .status = "ok"};
    for (int i = 0; i < s->columns; i++)
        out[i] = NAN;
    carom_status status = read_cell(s, s->first + k, &scene, &error);
    if (!status)
        status = carom_arena_create(NULL, &arena, &error);
    if (!status)
        status = s->moves ? run_system(s, scene, arena, out, r, &error)
                          : run_impact(s, scene, arena, out, r, &error);
    if (status) {
        r->good = false;
        snprintf(r->status, sizeof r->status, "%.150s",
                 error.text[0] ? error.text : carom_status_text(status));
    }
    carom_arena_destroy(arena);
    carom_scene_destroy(scene);
}

static void write_row(FILE *out, const sweep *s, long k)
{
    for (int j = 0; j < s->grid.axis_count; j++)
        fprintf(out, "%.17g,", cli_grid_value(&s->grid, s->first + k, j));
    const char *status = s->rows[k].status;
    if (status[strcspn(status, ",\"\n")]) {
        fputc('"', out);
        for (; *status; status++)
            fprintf(out, *status == '"' ? "\"\"" : "%c", *status);
        fputc('"', out);
    } else {
        fputs(status, out);
    }
    for (int j = 0; j < s->columns; j++) {
        double value = s->values[k * s->columns + j];
        if (isfinite(value))
            fprintf(out, ",%.17g", value == 0 ? 0.0 : value);
        else
            fputc(',', out);
    }
    fputc('\n', out);
}

/* Row k of the block to where it goes. */
static int put_row(sweep *s, long k)
{
    if (s->out) {
        write_row(s->out, s, k);
        return CLI_ANSWERED;
    }
    for (int j = 0; j < s->grid.axis_count; j++)
        s->line[j] = cli_grid_value(&s->grid, s->first + k, j);
    memcpy(s->line + s->grid.axis_count, s->values + k * s->columns,
           (size_t)s->columns * sizeof(double));
    return cli_sweep_table_add(&s->table, s->line, s->rows[k].status);
}

/* Row k of the block is computed: write what is now complete from the start, so that whatever ends
 * the sweep leaves all rows up to the first that is missing. */
static void publish(sweep *s, long k, const row *made)
{
    pthread_mutex_lock(&s->lock);
    int status = atomic_load(&s->status);
    const long before = s->written;
    s->rows[k] = *made;
    while (!status && s->written < s->count && s->rows[s->written].ready) {
        status = put_row(s, s->written);
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
    sweep *s = self;
    for (;;) {
        long k = atomic_fetch_add(&s->next, 1);
        if (k >= s->count || interrupted || atomic_load(&s->status))
            return NULL;
        row made;
        compute(s, k, &made, s->values + k * s->columns);
        publish(s, k, &made);
    }
}

/* All cells of a block, on all cores. */
static void compute_block(sweep *s)
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

static bool add_name(sweep *s, const char *name)
{
    char **names = realloc(s->names, (size_t)(s->columns + 1) * sizeof *names);
    if (!names)
        return false;
    s->names = names;
    names[s->columns] = strdup(name);
    return names[s->columns++] != NULL;
}

/* The columns, from the scene as it stands; the parameters that vary must be in it. */
static int make_columns(sweep *s)
{
    carom_scene *scene;
    carom_error error = {0};
    if (read_cell(s, -1, &scene, &error))
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

static void write_header(FILE *out, const sweep *s)
{
    for (int k = 0; k < s->grid.axis_count; k++)
        fprintf(out, "%s,", s->grid.axes[k].name);
    fputs("status", out);
    for (int k = 0; k < s->columns; k++)
        fprintf(out, ",%s", s->names[k]);
    fputc('\n', out);
}

/* Does a line of a table begin with the values of this cell? */
static bool is_cell(const sweep *s, const char *line, long cell)
{
    for (int k = 0; k < s->grid.axis_count; k++) {
        char *end;
        if (cell >= s->grid.cells || strtod(line, &end) != cli_grid_value(&s->grid, cell, k) ||
            *end != ',')
            return false;
        line = end + 1;
    }
    return true;
}

/* Where a table that was begun ends: whole lines after the header; -1: it is another table. */
static long count_done(FILE *file, const sweep *s, long *end)
{
    char *line = NULL, *expected = NULL;
    size_t room = 0, size = 0;
    long lines = -1;
    FILE *memory = open_memstream(&expected, &size);
    if (memory) {
        write_header(memory, s);
        fclose(memory);
        if (getc(file) == EOF)
            lines = 0; /* not even the header was written */
        rewind(file);
        while (getline(&line, &room, file) > 0 && strchr(line, '\n')) {
            if (lines < 0 ? strcmp(line, expected) != 0 : !is_cell(s, line, lines)) {
                lines = -1;
                break;
            }
            lines++;
            *end = ftell(file);
        }
    }
    free(expected);
    free(line);
    return lines;
}

static int open_csv(const cli_arguments *arguments, sweep *s, const char *path, long *done)
{
    long end = 0;
    if (cli_option_given(arguments, "resume") && (s->out = fopen(path, "r+"))) {
        *done = count_done(s->out, s, &end);
        if (*done >= 0 && ftruncate(fileno(s->out), end) == 0 && fseek(s->out, end, SEEK_SET) == 0)
            return CLI_ANSWERED;
        return cli_message_usage("sweep: %s is not the beginning of this table", path);
    }
    struct stat found; /* a device or pipe holds nothing that could be lost */
    bool special = stat(path, &found) == 0 && !S_ISREG(found.st_mode);
    s->out = fopen(path, special || cli_option_given(arguments, "force") ? "w" : "wx");
    if (s->out)
        return CLI_ANSWERED;
    if (errno == EEXIST)
        return cli_message_usage("sweep: %s exists; --resume goes on, --force writes over it",
                                 path);
    fprintf(stderr, "carom: %s: %s\n", path, strerror(errno));
    return CLI_MACHINE;
}

static int open_table(const cli_arguments *arguments, sweep *s, const char *path, long *done)
{
    const int varied = s->grid.axis_count, columns = varied + s->columns;
    s->all = calloc((size_t)columns + 1, sizeof *s->all);
    s->line = calloc((size_t)columns + 1, sizeof *s->line);
    if (!s->all || !s->line)
        return cli_message_memory();
    for (int k = 0; k < columns; k++)
        s->all[k] = k < varied ? s->grid.axes[k].name : s->names[k - varied];
    s->table = (cli_sweep_table){.path = path, .columns = columns, .names = s->all};
    int status = cli_sweep_table_open(&s->table, cli_option_given(arguments, "resume"),
                                      cli_option_given(arguments, "force"));
    *done = s->table.rows;
    for (long line = 0; line < *done && !status; line++)
        for (int k = 0; k < varied && !status; k++)
            if (line >= s->grid.cells ||
                s->table.values[line * columns + k] != cli_grid_value(&s->grid, line, k))
                status = cli_message_usage("sweep: %s is not the beginning of this table", path);
    return status;
}

static int open_output(const cli_arguments *arguments, sweep *s, long *done)
{
    const char *path = cli_option_value(arguments, "output", 0);
    *done = 0;
    if (cli_sweep_table_named(path))
        return open_table(arguments, s, path, done);
    if (path)
        return open_csv(arguments, s, path, done);
    s->out = stdout;
    return cli_option_given(arguments, "resume")
               ? cli_message_usage("sweep: --resume needs -o FILE")
               : CLI_ANSWERED;
}

static int compute_all(sweep *s, long done)
{
    bool terminal = isatty(STDERR_FILENO);
    if (s->out && done == 0 && (s->out == stdout || ftell(s->out) == 0))
        write_header(s->out, s);
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

static int prepare(const cli_arguments *arguments, sweep *s)
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
    sweep s = {.arguments = arguments};
    long done = 0;
    struct sigaction catch = {.sa_handler = interrupt}, before;
    sigaction(SIGINT, &catch, &before);
    pthread_mutex_init(&s.lock, NULL);
    int status = prepare(arguments, &s);
    if (!status)
        status = open_output(arguments, &s, &done);
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
