/* carom sweep FILE: the same scene over parameters, samples and laws, on all cores, one table or
 * one picture. A system is run; an impact in numbers, or that of a system without `run`, is decided
 * by its law. A cell that fails is a row that says so. */
#include "orbit.h"
#include "picture.h"
#include "run.h"
#include "sweep.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A sweep and where its rows go. */
typedef struct sweep {
    cli_sweep_plan plan;
    cli_sweep_output output;
    cli_sweep_summary *summary; /* NULL: rows go to the table as they are */
    cli_sweep_picture picture;
    cli_sweep_course course;
    double *varied;
} sweep;

static int take(void *self, long task, const cli_sweep_rows *rows)
{
    sweep *s = self;
    const cli_sweep_plan *plan = &s->plan;
    int status =
        plan->plotted ? cli_sweep_picture_add(plan, task, rows, &s->picture) : CLI_ANSWERED;
    if (s->summary)
        return status ? status : cli_sweep_summary_add(s->summary, task, rows);
    if (rows->text && s->output.out) {
        cli_sweep_output_lines(&s->output, rows);
        return status;
    }
    for (long k = 0; k < rows->count && !status; k++) {
        const char *labels[2];
        const long cell = task * plan->chain + rows->cell[k];
        for (int j = 0; j < plan->varied; j++)
            s->varied[j] = cli_sweep_plan_value(plan, cell, j);
        cli_sweep_output_labels(plan, cell, labels);
        status = cli_sweep_output_row(&s->output, s->varied, labels, rows->status[rows->cell[k]],
                                      rows->values + k * rows->width);
    }
    return status;
}

static int flush(void *self)
{
    sweep *s = self;
    return s->summary ? CLI_ANSWERED : cli_sweep_output_flush(&s->output);
}

static bool ends_with(const char *path, const char *const *endings)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    for (; dot && *endings; endings++)
        if (strcmp(dot, *endings) == 0)
            return true;
    return false;
}

/* -o is the picture with --plot, else the table. */
static int check_output(const cli_arguments *arguments)
{
    static const char *const pictures[] = {".svg", ".pdf", ".png", NULL};
    const char *path = cli_option_value(arguments, "output", 0);
    const bool plot = cli_option_given(arguments, "plot"), named = ends_with(path, pictures);
    if (plot && !path)
        return cli_message_usage("sweep: --plot needs -o PICTURE.svg, .pdf or .png; the table goes "
                                 "to standard output");
    if (plot && !named)
        return cli_message_usage("sweep: with --plot -o is the picture, .svg, .pdf or .png; the "
                                 "table goes to standard output");
    if (named && !plot)
        return cli_message_usage("sweep: '%s' is a picture: --plot says of what", path);
    if (plot && cli_option_given(arguments, "resume"))
        return cli_message_usage("sweep: a picture cannot be gone on with: --plot or --resume");
    if (cli_option_given(arguments, "summary") && cli_option_given(arguments, "resume"))
        return cli_message_usage("sweep: --summary needs all rows: it cannot --resume");
    return plot ? cli_picture_check(arguments, path) : CLI_ANSWERED;
}

/* Where the table goes; *done: tasks that are in it already. */
static int open_table(sweep *s, const char *path, long *done)
{
    cli_sweep_plan *plan = &s->plan;
    s->varied = calloc((size_t)plan->varied + 1, sizeof *s->varied);
    if (!s->varied)
        return cli_message_memory();
    if (cli_option_given(plan->arguments, "summary"))
        return cli_sweep_summary_make(plan, &s->summary);
    s->output = cli_sweep_output_columns(plan);
    int status = cli_sweep_resume_open(plan, path, &s->output, done);
    FILE *out = s->output.out;
    if (!status && *done == 0 && out && (out == stdout || ftell(out) == 0))
        cli_sweep_output_header(&s->output);
    return status;
}

/* What was left undone, and why. */
static int conclude(const sweep *s)
{
    const long tasks = cli_sweep_task_count(&s->plan);
    if (s->course.failures)
        cli_message_warning("%ld cell%s failed; column `status` says why", s->course.failures,
                            s->course.failures == 1 ? "" : "s");
    if (s->course.done >= tasks)
        return CLI_ANSWERED;
    fprintf(stderr, "carom: stopped after %ld of %ld cells; --resume goes on\n",
            s->course.done * s->plan.chain, s->plan.cells);
    return CLI_NO_ANSWER;
}

static void compute_lines(const void *self, long task, cli_sweep_rows *rows)
{
    const cli_sweep_plan *plan = self;
    cli_sweep_task_compute(plan, task, rows);
    if (!rows->memory && !rows->stopped)
        cli_sweep_output_spell(plan, task, rows);
}

/* The work of a sweep; where its table is CSV, with the lines of that. */
static cli_sweep_job job_of(const cli_sweep_plan *plan)
{
    cli_sweep_job job = cli_sweep_task_job(plan);
    const char *path = plan->plotted ? NULL : cli_option_value(plan->arguments, "output", 0);
    if (!cli_option_given(plan->arguments, "summary") && !cli_sweep_table_named(path))
        job.compute = compute_lines;
    return job;
}

static int compute(sweep *s, cli_sweep_device *device, const char *path)
{
    const cli_sweep_taker taker = {s, take, flush};
    const char *table = s->plan.plotted ? NULL : path;
    long first = 0;
    if (s->plan.plotted)
        cli_output_outlive_reader();
    int status = open_table(s, table, &first);
    if (status)
        return status;
    const cli_sweep_job job = job_of(&s->plan);
    status = device ? cli_sweep_device_run(device, first, &taker, &s->course)
                    : cli_sweep_work_run(&job, first, &taker, &s->course);
    if (!status)
        status = conclude(s);
    if (s->summary && (status == CLI_ANSWERED || status == CLI_NO_ANSWER)) {
        int written = cli_sweep_summary_write(s->summary, table);
        status = written ? written : status;
    }
    if (s->plan.plotted && (status == CLI_ANSWERED || status == CLI_NO_ANSWER)) {
        int drawn = cli_sweep_picture_write(&s->plan, &s->picture, path);
        status = drawn ? drawn : status;
    }
    return status;
}

/* A device is opened before the table is begun: what it refuses leaves none behind. */
static int work(sweep *s, const char *path)
{
    cli_sweep_device *device = NULL;
    int status = CLI_ANSWERED;
    if (cli_option_given(s->plan.arguments, "device"))
        status = cli_sweep_device_open(&s->plan, &device);
    if (!status)
        status = compute(s, device, path);
    cli_sweep_device_close(device);
    return status;
}

static int run(const cli_arguments *arguments)
{
    sweep *s = calloc(1, sizeof *s);
    if (!s)
        return cli_message_memory();
    int status = check_output(arguments);
    if (!status)
        status = cli_sweep_plan_make(arguments, &s->plan);
    if (!status && cli_option_given(arguments, "print-kernel"))
        status = cli_sweep_device_print(&s->plan);
    else if (!status)
        status = work(s, cli_option_value(arguments, "output", 0));
    int closed = cli_sweep_output_close(&s->output);
    if (closed)
        status = closed;
    if (s->course.abandoned) { /* a thread is still at work with all this */
        status = cli_message_finish(status);
        _exit(status);
    }
    cli_sweep_summary_free(s->summary);
    cli_sweep_picture_free(&s->picture);
    free(s->varied);
    cli_sweep_plan_free(&s->plan);
    free(s);
    return status;
}

static int help(const cli_arguments *arguments)
{
    cli_sweep_plan plan = {0};
    int status = cli_sweep_plan_make(arguments, &plan);
    if (!status) {
        const cli_sweep_job job = job_of(&plan);
        status = cli_sweep_work_help(&job);
    }
    cli_sweep_plan_free(&plan);
    return status;
}

static bool goes_on(const cli_arguments *arguments, const char *path)
{
    (void)path;
    return cli_option_given(arguments, "resume");
}

static const cli_option options[] = {
    {"vary", "NAME=VALUES",
     "a parameter, or initial.NAME, and its values: from:to:count or a,b,c (may be repeated)", 0},
    {"rows", "TABLE.csv", "combinations of values, one a row, names in the first", 0},
    {"sample", "NAME=DISTRIBUTION",
     "values at random: uniform(a,b), normal(m,s), lognormal(m,s), exponential(m), "
     "triangular(a,top,b) (may be repeated)",
     0},
    {"count", "N", "the number of samples", 0},
    {"seed", "N", "other samples for another number (0)", 0},
    {"law", "LAW", "the law that decides impacts, instead of the scene's (may be repeated)", 0},
    {"keep", "final|impacts|section|orbit",
     "final state, state after all impacts, points of the section, or the periodic motion near "
     "the start",
     0},
    {"with", "MORE", "more columns: modes of contacts, details of laws, or modes,details", 0},
    {"skip", "N", "leave out the first N points of each motion", 0},
    CLI_ORBIT_PERIODS,
    {"follow", "up|down|both", "start where the value before ended, along the last --vary", 0},
    {"summary", "LIST",
     "statistics over rows, samples and points instead of them: mean,sd,min,max,0.05,0.5 ...", 0},
    {"plot", "E", "draw a column or a formula over what varies; -o is the picture", 0},
    {"output", "FILE.csv|.h5|.hdf5|.svg|.pdf|.png",
     "write the table to this file, CSV or HDF5, without it CSV on stdout; with --plot the "
     "picture",
     'o'},
    {"bare", NULL, "picture without title, cut at what is drawn", 0},
    CLI_PICTURE_WIDTH,
    {"force", NULL, "write over an existing file", 0},
    {"resume", NULL, "go on with the table that FILE begins", 0},
    {"method", "METHOD", "event-driven, time-stepping or boundary-layer", 0},
    {"until", "T", "end time instead of the scene's", 0},
    {"step", "H", "step of time-stepping instead of the scene's", 0},
    {"device", "NAME", "run all cells on an accelerator: a part of its name, or any", 0},
    {"print-kernel", NULL, "print the program of the accelerator instead", 0},
    {"set", "NAME=VALUE", "override a parameter that does not vary (may be repeated)", 0},
    {"closed", "GAP", "without `run`: contacts with a gap up to this are closed (1e-9)", 0},
    {"any-restitution", NULL, "accept coefficients outside [0, 1], with a warning", 0},
    {0},
};

const cli_command cli_sweep = {
    .name = "sweep",
    .arguments = "FILE",
    .summary = "the same over parameters, samples, laws: --vary e=0:1:101; bifurcation diagrams",
    .text = "A system with `run:` is run; an impact in numbers, or that of the contacts closed at\n"
            "`initial`, is decided by the law. All cores work. A cell that fails is a row whose\n"
            "`status` says why. Ctrl-C leaves whole rows; --resume goes on. A bifurcation diagram\n"
            "is `carom sweep FILE --vary p=a:b:n --keep section --skip 100 --plot x -o OUT.svg`.",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .outputs = (const char *const[]){"output", NULL},
    .replaces = goes_on,
    .kept = "--resume goes on, --force writes over it",
    .run = run,
    .help = help,
};
