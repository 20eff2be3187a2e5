/* carom follow FILE --vary p=a:b: a branch of periodic motions, with what happens on it. */
#include "branch.h"

#include "branch_picture.h"
#include "memory.h"
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The scene at a value of the parameter. */
typedef struct family {
    const cli_orbit *orbit;
    const char *name;
    const carom_orbit_problem *base;
    const char **sets; /* the scene's, with one more at the end */
    int set_count;
    carom_scene *scene;
    carom_arena *arena;
    carom_law law;
    double value;
    carom_scene_direction direction;
} family;

static carom_status read_at(family *f, double value, carom_error *error)
{
    char text[300];
    const carom_scene_content *content = f->orbit->content;
    snprintf(text, sizeof text, "%.200s=%.17g", f->name, value);
    f->sets[f->set_count] = text;
    const carom_scene_options options = {.sets = f->sets,
                                         .set_count = f->set_count + 1,
                                         .derivatives = true,
                                         .allocator = cli_memory()};
    carom_scene_destroy(f->scene);
    f->scene = NULL;
    carom_arena_reset(f->arena);
    carom_status status =
        carom_scene_read_text(content->text, strlen(content->text), &options, &f->scene, error);
    if (status == CAROM_OK)
        status = carom_scene_choose_law(f->scene, f->orbit->law_text, &f->law, NULL, error);
    if (status == CAROM_OK)
        status = carom_scene_direction_create(f->scene, f->name, f->arena, &f->direction, error);
    f->value = value;
    return status;
}

static carom_status at(void *self, double value, carom_orbit_problem *problem, carom_error *error)
{
    family *f = self;
    carom_status status = f->scene && f->value == value ? CAROM_OK : read_at(f, value, error);
    if (status != CAROM_OK)
        return status;
    const carom_scene_content *content = carom_scene_get(f->scene);
    *problem = *f->base;
    problem->system = content->system;
    problem->law = &f->law;
    problem->period = content->period;
    problem->symmetry = content->symmetry;
    problem->ignore = content->ignore;
    problem->parameters = f->direction.parameters;
    problem->contacts = f->direction.contacts;
    problem->period_change = f->direction.period;
    return CAROM_OK;
}

/* The state of the command. */
typedef struct job {
    cli_orbit orbit;
    family family;
    cli_branch branch;
    carom_orbit_branch way;
    char *name;
    carom_orbit start;
    const char *plot; /* quantity of the picture; NULL: none */
    int row;          /* whose motion is kept, from 1; 0: the last */
    bool interrupted;
} job;

/* The quantity of the picture at the last row, in the scene with the parameter of that row. */
static carom_status plot_row(job *j, carom_error *error)
{
    carom_orbit_problem problem;
    carom_expr *formula = NULL;
    cli_branch_row *row = &j->branch.rows[j->branch.count - 1];
    row->plotted = row->period;
    if (!j->plot || strcmp(j->plot, "period") == 0)
        return CAROM_OK;
    carom_status status = at(&j->family, row->parameter, &problem, error);
    if (status == CAROM_OK)
        status = carom_scene_formula_create(j->family.scene, j->plot, 0, &formula, error);
    if (status == CAROM_OK)
        row->plotted = carom_expr_evaluate(formula, row->t, row->q, row->u, NULL, NULL);
    carom_expr_destroy(formula);
    return status;
}

/* A formula that cannot be drawn is said before the work. */
static int check_plot(const job *j)
{
    carom_expr *formula = NULL;
    carom_error error = {0};
    if (j->plot)
        cli_output_outlive_reader();
    if (j->plot && strcmp(j->plot, "period") != 0 &&
        carom_scene_formula_create(j->orbit.scene, j->plot, 0, &formula, &error))
        return cli_message_usage("follow: --plot %s: %s", j->plot, error.text);
    carom_expr_destroy(formula);
    return CLI_ANSWERED;
}

static carom_status on_point(void *self, double parameter, const carom_orbit *x, carom_error *error)
{
    job *j = self;
    if (cli_progress_due(&j->orbit.progress))
        fprintf(stderr, "\r%d points, %s = %-12.8g ", j->branch.count, j->name, parameter);
    if (!cli_branch_add(&j->branch, NULL, parameter, x, NULL))
        return carom_error_memory(error);
    carom_status status = plot_row(j, error);
    j->interrupted = cli_watch_stopped();
    return status == CAROM_OK && j->interrupted ? CAROM_STOPPED : status;
}

static carom_status on_event(void *self, carom_orbit_event_kind kind, double parameter,
                             const carom_orbit *x, const char *message, carom_error *error)
{
    job *j = self;
    return cli_branch_add(&j->branch, &kind, parameter, x, message) ? plot_row(j, error)
                                                                    : carom_error_memory(error);
}

/* --vary p=a:b */
static int read_way(const cli_arguments *arguments, job *j)
{
    const char *text = cli_option_value(arguments, "vary", 0);
    if (!text || cli_option_value(arguments, "vary", 1))
        return cli_message_usage("follow: one parameter varies: --vary NAME=FROM:TO");
    const char *equals = strchr(text, '='), *colon = equals ? strchr(equals, ':') : NULL;
    char from[80];
    if (!equals || !colon || equals == text || (size_t)(colon - equals) > sizeof from)
        return cli_message_usage("follow: --vary %s: it must be NAME=FROM:TO", text);
    snprintf(from, sizeof from, "%.*s", (int)(colon - equals - 1), equals + 1);
    j->name = strndup(text, (size_t)(equals - text));
    if (!j->name)
        return cli_message_memory();
    if (!carom_number_parse(from, &j->way.from) || !isfinite(j->way.from) ||
        !carom_number_parse(colon + 1, &j->way.to) || !isfinite(j->way.to) ||
        j->way.from == j->way.to)
        return cli_message_usage("follow: --vary %s: FROM and TO must be two different numbers",
                                 text);
    double points = 0, row = 0;
    int status = cli_option_positive(arguments, "points", &points);
    if (!status)
        status = cli_option_positive(arguments, "step", &j->way.step);
    if (!status)
        status = cli_option_positive(arguments, "point", &row);
    if (!status && row != floor(row))
        status = cli_message_usage("follow: --point %g: it must be the number of a row", row);
    j->way.most = (int)fmin(points, 1e6);
    j->row = (int)fmin(row, 1e6);
    j->way.self = j;
    j->way.point = on_point;
    j->way.event = on_event;
    return status;
}

/* Is there such a parameter? */
static int check_name(const job *j)
{
    const carom_scene_content *c = j->orbit.content;
    const char *names[256];
    int count = 0;
    for (int k = 0; k < c->parameter_count; k++) {
        if (strcmp(c->parameters[k].name, j->name) == 0)
            return CLI_ANSWERED;
        if (count < 256)
            names[count++] = c->parameters[k].name;
    }
    return cli_message_unknown(j->name, names, count, "", "follow: the scene has no parameter '%s'",
                               j->name);
}

static int open_family(const cli_arguments *arguments, job *j, carom_orbit_problem *base)
{
    family *f = &j->family;
    carom_error error = {0};
    *f = (family){.orbit = &j->orbit, .name = j->name, .base = base};
    f->sets = cli_option_values(arguments, "set", &f->set_count);
    const char **more =
        f->sets ? realloc(f->sets, (size_t)(f->set_count + 2) * sizeof *more) : NULL;
    if (!more)
        return cli_message_memory();
    f->sets = more;
    if (carom_arena_create(cli_memory(), &f->arena, &error))
        return cli_message_error(NULL, &error);
    return CLI_ANSWERED;
}

/* The orbit at the start of the branch: from a table, or from `initial` with the parameter there.
 */
static int find_start(const cli_arguments *arguments, job *j)
{
    carom_error error = {0};
    carom_orbit_problem problem;
    const char *path = cli_option_value(arguments, "output", 0);
    const bool resume = cli_option_given(arguments, "resume");
    if (resume) {
        int all, status = cli_branch_read(&j->branch, path, &j->start, &j->way.from, &all);
        if (status)
            return status;
        /* the last point is told again as the first; a branch that has come to its end is whole */
        const bool ended = j->way.from == j->way.to;
        j->branch.count = ended ? all : j->branch.count - 1;
        if (ended)
            return CLI_ANSWERED;
    }
    carom_status status = at(&j->family, j->way.from, &problem, &error);
    if (status == CAROM_OK && !resume)
        status = carom_orbit_guess(&problem, &carom_scene_get(j->family.scene)->initial,
                                   j->orbit.arena, &j->start, &error);
    if (status == CAROM_OK)
        status = carom_orbit_solve(&problem, j->orbit.arena, &j->start, &error);
    if (status < 0)
        return cli_orbit_error(&j->orbit, &error);
    if (status != CAROM_OK) {
        cli_progress_end(&j->orbit.progress);
        fprintf(stderr, "carom: %s: no periodic motion at %s = %.12g: %s\n",
                cli_message_file(j->orbit.file), j->name, j->way.from, j->start.message);
        for (int i = 0; i < j->orbit.shape->n && j->start.q; i++)
            fprintf(stderr, "  %s = %.12g, %s = %.12g\n", j->orbit.shape->coordinates[i],
                    j->start.q[i], j->orbit.shape->velocities[i], j->start.u[i]);
        return CLI_NO_ANSWER;
    }
    return CLI_ANSWERED;
}

/* The table to a file, as one. */
static int save_table(const cli_arguments *arguments, const cli_branch *b, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return cli_message_memory();
    for (int k = 0; k < b->count; k++)
        cli_branch_line(b, &b->rows[k], out);
    const bool good = fclose(out) == 0;
    int status = good ? cli_output_write(arguments, path, text, size) : cli_message_memory();
    free(text);
    return status;
}

/* Does the name of the output end like a trace? */
static bool is_trace(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0);
}

/* The motion of one row over its period, in the scene with the parameter of that row. */
static int save_motion(const cli_arguments *arguments, job *j)
{
    carom_error error = {0};
    carom_orbit_problem problem;
    const int row = j->row > 0 ? j->row : j->branch.count;
    if (row > j->branch.count)
        return cli_message_usage("follow: --point %d: the branch has %d rows", row,
                                 j->branch.count);
    const cli_branch_row *x = &j->branch.rows[row - 1];
    const carom_orbit orbit = {.q = x->q, .u = x->u, .t = x->t, .period = x->period};
    if (at(&j->family, x->parameter, &problem, &error))
        return cli_orbit_error(&j->orbit, &error);
    return cli_orbit_trace(arguments, j->family.scene, &j->family.law, &j->orbit.options, &orbit);
}

/* What is left to do with the rows. */
static int publish(const cli_arguments *arguments, job *j)
{
    const char *path = cli_option_value(arguments, "output", 0);
    int status = CLI_ANSWERED;
    if (j->plot)
        status = cli_branch_picture(arguments, &j->branch, j->plot, path);
    else if (is_trace(path))
        status = save_motion(arguments, j);
    else if (path)
        status = save_table(arguments, &j->branch, path);
    if (!status && cli_option_given(arguments, "json"))
        status = cli_branch_json(&j->branch);
    for (int k = 0; k < j->branch.count && !status; k++) {
        const cli_branch_row *row = &j->branch.rows[k];
        if (row->is_event)
            fprintf(stderr, "%s at %s = %.12g%s%s\n", carom_orbit_event_text(row->kind), j->name,
                    row->parameter, row->message ? ": " : "", row->message ? row->message : "");
    }
    if (!status && j->interrupted)
        fprintf(stderr, "carom: stopped after %d rows\n", j->branch.count);
    return status ? status : j->interrupted ? CLI_NO_ANSWER : CLI_ANSWERED;
}

static int check_files(const cli_arguments *arguments)
{
    const char *path = cli_option_value(arguments, "output", 0);
    const char *dot = path ? strrchr(path, '.') : NULL;
    const bool table = dot && strcmp(dot, ".csv") == 0, plot = cli_option_given(arguments, "plot");
    if (plot && (!path || table || is_trace(path)))
        return cli_message_usage("follow: --plot needs the picture's name: -o FILE.svg");
    if (cli_option_given(arguments, "point") && !is_trace(path))
        return cli_message_usage("follow: --point chooses the motion of a trace: -o TRACE.h5");
    if (!plot && path && !table && !is_trace(path))
        return cli_message_usage("follow: -o %s: a picture needs --plot E, the quantity to draw",
                                 path);
    if (cli_option_given(arguments, "resume") && (!table || plot))
        return cli_message_usage("follow: --resume goes on with a table: -o TABLE.csv");
    return plot ? cli_picture_check(arguments, path) : CLI_ANSWERED;
}

static int follow(const cli_arguments *arguments, job *j)
{
    carom_orbit_problem base;
    carom_error error = {0};
    int status = check_files(arguments);
    if (!status)
        status = read_way(arguments, j);
    if (!status)
        status = cli_orbit_open(arguments, &j->orbit);
    if (!status)
        status = check_name(j);
    j->plot = cli_option_value(arguments, "plot", 0);
    if (!status)
        status = check_plot(j);
    if (!status)
        status = cli_orbit_problem(arguments, &j->orbit, &base);
    if (!status)
        status = cli_orbit_skip(arguments, &base.skip);
    if (!status)
        status = open_family(arguments, j, &base);
    if (status)
        return status;
    j->branch = (cli_branch){.orbit = &j->orbit, .parameter = j->name, .arena = j->orbit.arena};
    cli_progress_begin(&j->orbit.progress);
    status = find_start(arguments, j);
    const char *path = cli_option_value(arguments, "output", 0);
    const bool quiet = cli_option_given(arguments, "json") || (path && !j->plot && !is_trace(path));
    j->branch.out = quiet ? NULL : stdout;
    if (!status && j->way.from != j->way.to) {
        const carom_orbit_family f = {.self = &j->family, .at = at};
        carom_status found = carom_orbit_follow(&f, &j->start, &j->way, j->orbit.arena, &error);
        cli_progress_end(&j->orbit.progress);
        if (found < 0)
            return cli_orbit_error(&j->orbit, &error);
        j->interrupted = j->interrupted || (found > 0 && cli_watch_stopped());
    }
    cli_progress_end(&j->orbit.progress);
    return status ? status : publish(arguments, j);
}

static int run(const cli_arguments *arguments)
{
    job j = {0};
    int status = follow(arguments, &j);
    free(j.branch.rows);
    free(j.name);
    free((void *)j.family.sets);
    carom_scene_destroy(j.family.scene);
    carom_arena_destroy(j.family.arena);
    cli_orbit_free(&j.orbit);
    return status;
}

/* A table that goes on takes the place of the old one. */
static bool replaces(const cli_arguments *arguments, const char *path)
{
    (void)path;
    return cli_option_given(arguments, "resume");
}

static const cli_option options[] = {
    {"vary", "NAME=FROM:TO", "the parameter of the branch; FROM may be the larger", 0},
    CLI_ORBIT_PERIODS,
    CLI_ORBIT_SKIP,
    {"points", "N", "at most so many points (1000)", 0},
    {"step", "S", "largest step, as a part of the branch (0.02)", 0},
    {"plot", "E", "draw this quantity over the parameter (-o FILE.svg)", 0},
    {"output", "FILE.csv|.svg|.pdf|.png|.h5|.hdf5",
     "write the table, with --plot the picture, or the motion of the last row as a trace", 'o'},
    {"point", "N", "the row (from 1) whose motion over its period goes into the trace -o", 0},
    {"resume", NULL, "go on from the last point of the table -o", 0},
    {"force", NULL, "write over an existing file", 0},
    CLI_PICTURE_WIDTH,
    CLI_ORBIT_OPTIONS,
    {0},
};

const cli_command cli_follow = {
    .name = "follow",
    .arguments = "FILE",
    .summary = "a branch of periodic motions over a parameter, with its bifurcations",
    .text =
        "Starts from the periodic motion at FROM (as carom orbit finds it) and goes round folds.\n"
        "One CSV row a point; rows of events have their kind in the column `event`: fold,\n"
        "period-doubling, neimark-sacker, grazing, mode, coincidence, end. Why a branch ends is\n"
        "said on standard error and in --json. -o TRACE.h5 keeps the periodic motion of the last\n"
        "row, or of row --point N, over its period: carom view plays it, carom plot draws it.",
    .least_files = 1,
    .most_files = 1,
    .derivatives = true,
    .options = options,
    .outputs = (const char *const[]){"output", NULL},
    .replaces = replaces,
    .run = run,
};
