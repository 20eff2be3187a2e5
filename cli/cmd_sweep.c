/* carom sweep FILE: the same scene over a grid of parameters, on all cores, one table. A system is
 * run; an impact in numbers, or that of a system without `run`, is decided by its law. A cell that
 * fails is a row that says so. */
#include "answer.h"
#include "sweep.h"
#include "watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 1024, MOST_THREADS = 64 };

/* Row k of the block is computed: write what is now complete from the start, so that whatever ends
 * the sweep leaves all rows up to the first that is missing. */
static void publish(cli_sweep_job *s, long k, const cli_sweep_row *made)
{
    pthread_mutex_lock(&s->lock);
    if (s->abandoned) { /* nobody waits for it any more */
        pthread_mutex_unlock(&s->lock);
        return;
    }
    int status = atomic_load(&s->status);
    const long before = s->written;
    s->rows[k] = *made;
    if (made->memory && !status)
        status = cli_message_memory();
    while (!status && s->written < s->count && s->rows[s->written].ready) {
        status = cli_sweep_output_put(s, s->written);
        s->failures += !s->rows[s->written++].good;
    }
    if (!status && s->written > before && s->out && (fflush(s->out) || ferror(s->out))) {
        carom_error error = {0};
        carom_error_set(&error, CAROM_ERROR_OUTPUT, "cannot write the table: %s", strerror(errno));
        status = cli_message_error(NULL, &error);
    } else if (!status && s->written > before && !s->out) {
        status = cli_sweep_table_save(&s->table, false);
    }
    atomic_store(&s->status, status);
    pthread_mutex_unlock(&s->lock);
}

static void compute(cli_sweep_job *s)
{
    for (;;) {
        long k = atomic_fetch_add(&s->next, 1);
        if (k >= s->count || cli_watch_stopped() || atomic_load(&s->status))
            return;
        cli_sweep_row made;
        cli_sweep_cell_compute(s, k, &made, s->values + k * s->columns);
        publish(s, k, &made);
    }
}

static void *work(void *self)
{
    cli_sweep_job *s = self;
    compute(s);
    pthread_mutex_lock(&s->lock);
    s->working--;
    pthread_cond_signal(&s->ended);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Wait until all workers have ended; after Ctrl-C a second longer, for a law that computes for long
 * does not look up. The lock is held. */
static void wait_for_workers(cli_sweep_job *s)
{
    for (int patience = 10; s->working > 0 && patience > 0;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&s->ended, &s->lock, &until);
        patience -= cli_watch_stopped();
    }
    s->abandoned = s->working > 0;
}

/* All cells of a block, on all cores. */
static void compute_block(cli_sweep_job *s)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int wanted = (int)(cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : cores);
    atomic_store(&s->next, 0);
    s->written = 0;
    s->working = 0;
    for (long k = 0; k < s->count; k++)
        s->rows[k].ready = false;
    pthread_mutex_lock(&s->lock);
    for (pthread_t thread; s->working < wanted; s->working++)
        if (pthread_create(&thread, NULL, work, s) != 0 || pthread_detach(thread) != 0)
            break;
    bool threads = s->working > 0;
    if (threads)
        wait_for_workers(s);
    pthread_mutex_unlock(&s->lock);
    if (!threads) /* none to be had */
        compute(s);
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

/* Is there something of this name to vary: a parameter, or a value of `initial`? */
static bool can_vary(const carom_scene_content *content, const char *name)
{
    for (int j = 0; j < content->parameter_count; j++)
        if (strcmp(content->parameters[j].name, name) == 0)
            return true;
    if (!content->system || strncmp(name, "initial.", 8) != 0)
        return false;
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    name += 8;
    bool found = strcmp(name, "t") == 0;
    for (int i = 0; i < shape->nq && !found; i++)
        found = strcmp(shape->coordinates[i], name) == 0;
    for (int i = 0; i < shape->n && !found; i++)
        found = strcmp(shape->velocities[i], name) == 0;
    return found;
}

static int check_axes(const cli_sweep_job *s)
{
    const carom_scene_content *content = carom_scene_get(s->scene);
    const char *names[256];
    int count = content->parameter_count < 256 ? content->parameter_count : 256;
    for (int k = 0; k < count; k++)
        names[k] = content->parameters[k].name;
    for (int k = 0; k < s->grid.axis_count; k++) {
        const char *name = s->grid.axes[k].name;
        if (can_vary(content, name))
            continue;
        const char *nearest = cli_message_nearest(name, names, count);
        return cli_message_usage("sweep: the scene has no parameter '%s'%s%s%s", name,
                                 nearest ? "; did you mean '" : "", nearest ? nearest : "",
                                 nearest ? "'?" : "");
    }
    return CLI_ANSWERED;
}

static int check_law(const cli_sweep_job *s)
{
    carom_law law;
    carom_error error = {0};
    if (cli_option_value(s->arguments, "law", 1))
        return cli_message_usage("sweep: one law decides the impacts, --law was given twice");
    if (!s->law || !carom_scene_parse_law(s->scene, s->law, &law, &error))
        return CLI_ANSWERED;
    return cli_message_law(&error);
}

/* What a motion leaves: the final state, and the ledger. */
static bool name_motion(cli_sweep_job *s, const carom_system_shape *shape)
{
    static const char *const rest[] = {"impacts",       "accumulations",  "energy_initial",
                                       "energy_final",  "energy_impacts", "energy_friction",
                                       "energy_forces", "balance_error",  "max_penetration"};
    bool good = add_name(s, "t");
    for (int i = 0; i < shape->nq && good; i++)
        good = add_name(s, shape->coordinates[i]);
    for (int i = 0; i < shape->n && good; i++)
        good = add_name(s, shape->velocities[i]);
    for (size_t k = 0; k < sizeof rest / sizeof *rest && good; k++)
        good = add_name(s, rest[k]);
    return good;
}

/* What an impact leaves: velocities, energy, verdicts. */
static bool name_impact(cli_sweep_job *s, const carom_scene_content *content)
{
    static const char *const rest[] = {"energy_change", "kinematic", "kinetic", "energetic"};
    const carom_system_shape *shape =
        content->system ? carom_system_get_shape(content->system) : NULL;
    const char *const *known = shape ? shape->velocities : content->impact->coordinates;
    bool good = true;
    for (int i = 0; i < (shape ? shape->n : content->impact->n) && good; i++) {
        char number[32];
        snprintf(number, sizeof number, "u%d", i + 1);
        good = add_name(s, known && known[i] ? known[i] : number);
    }
    for (size_t k = 0; k < sizeof rest / sizeof *rest && good; k++)
        good = add_name(s, rest[k]);
    return good;
}

/* The columns, from the scene as it stands; the parameters that vary must be in it. */
static int make_columns(cli_sweep_job *s)
{
    const carom_scene_content *content = carom_scene_get(s->scene);
    int status = check_axes(s);
    if (!status)
        status = check_law(s);
    if (status)
        return status;
    s->moves = content->system && content->run;
    bool good = s->moves ? name_motion(s, carom_system_get_shape(content->system))
                         : name_impact(s, content);
    return good ? CLI_ANSWERED : cli_message_memory();
}

static int compute_all(cli_sweep_job *s, long done)
{
    cli_progress progress;
    cli_progress_begin(&progress);
    if (s->out && done == 0 && (s->out == stdout || ftell(s->out) == 0))
        cli_sweep_output_header(s->out, s);
    for (s->first = done; s->first < s->grid.cells; s->first += s->count) {
        s->count = s->grid.cells - s->first < BLOCK ? s->grid.cells - s->first : BLOCK;
        compute_block(s);
        if (s->written < s->count || s->status)
            break; /* interrupted, or the table cannot be written */
        if (cli_progress_due(&progress))
            fprintf(stderr, "\r%ld of %ld cells ", s->first + s->count, s->grid.cells);
    }
    cli_progress_end(&progress);
    if (!s->out && !s->status)
        s->status = cli_sweep_table_save(&s->table, true);
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
    s->law = cli_option_value(arguments, "law", 0);
    int status = cli_answer_closed(arguments, &s->closed);
    if (!status)
        status = cli_grid_make(arguments, &s->grid);
    if (!status)
        status = cli_answer_read(arguments, arguments->files[0], &s->scene);
    if (!status)
        status = make_columns(s);
    if (status)
        return status;
    s->rows = calloc(BLOCK, sizeof *s->rows);
    s->values = calloc((size_t)BLOCK * (size_t)s->columns, sizeof *s->values);
    return s->rows && s->values ? CLI_ANSWERED : cli_message_memory();
}

static void release(cli_sweep_job *s)
{
    pthread_cond_destroy(&s->ended);
    pthread_mutex_destroy(&s->lock);
    for (int k = 0; k < s->columns; k++)
        free(s->names[k]);
    free(s->names);
    free(s->all);
    free(s->line);
    cli_sweep_table_free(&s->table);
    free(s->rows);
    free(s->values);
    carom_scene_destroy(s->scene);
    cli_grid_free(&s->grid);
}

static int run(const cli_arguments *arguments)
{
    cli_sweep_job s = {.arguments = arguments};
    long done = 0;
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.ended, NULL);
    int status = prepare(arguments, &s);
    if (!status)
        status = cli_sweep_output_open(arguments, &s, &done);
    if (!status)
        status = compute_all(&s, done);
    int closed = cli_sweep_output_close(&s);
    if (closed)
        status = closed;
    if (s.abandoned) { /* a thread is still at work with all this */
        status = cli_message_finish(status);
        _exit(status);
    }
    release(&s);
    return status;
}

static bool goes_on(const cli_arguments *arguments, const char *path)
{
    (void)path;
    return cli_option_given(arguments, "resume");
}

static const cli_option options[] = {
    {"vary", "NAME=VALUES", "a parameter and its values: from:to:count or a,b,c (may be repeated)",
     0},
    {"law", "LAW", "the law that decides impacts, instead of the scene's", 0},
    {"output", "TABLE.csv|.h5|.hdf5",
     "write the table to this file, CSV or HDF5; without it CSV on stdout", 'o'},
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
    .outputs = (const char *const[]){"output", NULL},
    .replaces = goes_on,
    .kept = "--resume goes on, --force writes over it",
    .run = run,
};
