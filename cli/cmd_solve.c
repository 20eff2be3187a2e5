/* carom solve: frictional contact problems from files. */
#include "carom/tolerance.h"
#include "cli.h"
#include "json.h"
#include "watch.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A problem, its file and its answer. Everything lives in the arena. */
typedef struct job {
    const char *path;
    carom_arena *arena;
    carom_fclib file;
    carom_friction_options options;
    carom_friction_info info;
    double *r, *u, *ray;
    double seconds;
    cli_progress progress;
    const char *name; /* shown while it takes long */
} job;

static bool watch(void *self, int iterations, double residual)
{
    job *j = self;
    if (cli_progress_due(&j->progress))
        fprintf(stderr, "\r%s: %d iterations, residual %.1e ", j->name, iterations, residual);
    return !cli_watch_stopped();
}

static const char *outcome_text(carom_friction_outcome outcome)
{
    return outcome == CAROM_FRICTION_SOLVED       ? "solved"
           : outcome == CAROM_FRICTION_INFEASIBLE ? "infeasible"
                                                  : "limit";
}

static carom_status read_and_solve(job *j, carom_error *error)
{
    carom_status status = carom_fclib_read(j->path, j->arena, &j->file, error);
    if (status != CAROM_OK)
        return status;
    size_t n = (size_t)carom_friction_problem_rows(&j->file.problem);
    j->r = carom_arena_zeros(j->arena, n + 1, sizeof *j->r);
    j->u = carom_arena_zeros(j->arena, n + 1, sizeof *j->u);
    j->ray = carom_arena_zeros(j->arena, n + 1, sizeof *j->ray);
    if (!j->r || !j->u || !j->ray)
        return carom_error_memory(error);
    j->options.watch = watch;
    j->options.self = j;
    cli_progress_begin(&j->progress);
    double began = cli_watch_seconds();
    status = carom_friction_problem_solve(&j->file.problem, &j->options, j->arena, j->r, j->u,
                                          j->ray, &j->info, error);
    j->seconds = cli_watch_seconds() - began;
    cli_progress_end(&j->progress);
    return status;
}

/* ---- one problem -------------------------------------------------------------------------- */

static void json_answer(carom_json *json, const job *j, bool whole)
{
    const carom_friction_problem *p = &j->file.problem;
    int n = carom_friction_problem_rows(p);
    carom_json_object(json);
    cli_json_string(json, "file", j->path);
    cli_json_string(json, "title", j->file.title);
    cli_json_string(json, "status", outcome_text(j->info.outcome));
    cli_json_integer(json, "contacts", p->contacts);
    cli_json_integer(json, "dimension", p->dimension);
    cli_json_integer(json, "islands", j->info.islands);
    cli_json_number(json, "residual", j->info.residual);
    cli_json_string(json, "method", carom_friction_method_name(j->info.method));
    cli_json_integer(json, "iterations", j->info.iterations);
    cli_json_integer(json, "factorisations", j->info.factorisations);
    cli_json_number(json, "seconds", j->seconds);
    if (whole) {
        cli_json_numbers(json, "reaction", n, j->r);
        cli_json_numbers(json, "velocity", n, j->u);
        carom_json_key(json, "certificate");
        if (j->info.outcome == CAROM_FRICTION_INFEASIBLE) {
            carom_json_row(json);
            for (int i = 0; i < p->contacts; i++) /* y_N, a number for each contact */
                carom_json_number(json, j->ray[i * p->dimension]);
            carom_json_end(json);
        } else {
            carom_json_null(json);
        }
    }
    carom_json_end(json);
}

static int print_json(const job *j)
{
    carom_json json;
    carom_error error = {0};
    carom_json_begin(&json, carom_json_to_file, stdout);
    json_answer(&json, j, true);
    return carom_json_finish(&json, &error) ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}

/* A residual that counts as solved where the tolerance is not larger. */
static const double accepted = 1e-8;

/* What the contacts do, from r and u alone. */
static void count_modes(const job *j, int *open, int *stick, int *slip)
{
    const carom_friction_problem *p = &j->file.problem;
    double scale = 0;
    int n = carom_friction_problem_rows(p);
    for (int k = 0; k < n; k++)
        scale = fmax(scale, fabs(j->u[k]));
    for (int i = 0, d = p->dimension; i < p->contacts; i++) {
        const double *r = j->r + d * i, *u = j->u + d * i;
        double slide = d == 3 ? hypot(u[1], u[2]) : fabs(u[1]);
        *(r[0] <= 0 ? open : slide <= CAROM_TOLERANCE_SAME * scale ? stick : slip) += 1;
    }
}

/* The residual is small beside reactions without bound, and yet this is no solution: why. */
static void print_velocities(const job *j)
{
    const carom_friction_problem *p = &j->file.problem;
    double most = 0, wrong = 0;
    for (int i = 0, d = p->dimension; i < p->contacts; i++) {
        most = fmax(most, j->r[d * i]);
        wrong = fmax(wrong, fabs(fmin(j->r[d * i], j->u[d * i])));
    }
    printf(
        "the residual is relative to reactions up to %.2e, and min(r_N, u_N) is off by %.2e: there "
        "may be no solution\n",
        most, wrong);
}

static void print_text(const job *j)
{
    const carom_friction_problem *p = &j->file.problem;
    int open = 0, stick = 0, slip = 0;
    count_modes(j, &open, &stick, &slip);
    printf("%d contact%s in %s (%s), %d island%s\n", p->contacts, p->contacts == 1 ? "" : "s",
           p->dimension == 3 ? "space" : "the plane", j->file.global ? "global" : "local",
           j->info.islands, j->info.islands == 1 ? "" : "s");
    if (j->info.outcome == CAROM_FRICTION_INFEASIBLE)
        printf(
            "infeasible: no velocities have u_N >= 0 at all contacts, whatever the friction; the "
            "certificate y (--json) has q'y = %g%s\n",
            j->info.certificate,
            j->file.global ? "" : "; in W walls that open by less than 5e-7 rad are shut");
    else
        printf("%s, residual %.2e: %d open, %d stick, %d slip\n",
               j->info.outcome == CAROM_FRICTION_SOLVED      ? "solved"
               : j->info.outcome == CAROM_FRICTION_CANCELLED ? "stopped"
                                                             : "not solved",
               j->info.residual, open, stick, slip);
    if (j->info.outcome == CAROM_FRICTION_LIMIT && j->info.residual <= j->options.accept)
        print_velocities(j);
    printf("%s, %d iterations, %d factorisations, %.3g s\n",
           carom_friction_method_name(j->info.method), j->info.iterations, j->info.factorisations,
           j->seconds);
}

static int solve_one(const cli_arguments *arguments, job *j)
{
    carom_error error = {0};
    const char *out = cli_option_value(arguments, "output", 0);
    j->name = j->path = arguments->files[0];
    if (read_and_solve(j, &error))
        return cli_message_error(j->path, &error);
    int status = CLI_ANSWERED;
    if (out && carom_fclib_write(out, cli_option_given(arguments, "force"), &j->file, j->r,
                                 j->arena, &error))
        status = cli_message_error(NULL, &error);
    if (status == CLI_ANSWERED && cli_option_given(arguments, "json"))
        status = print_json(j);
    else if (status == CLI_ANSWERED)
        print_text(j);
    if (status == CLI_ANSWERED && j->info.outcome != CAROM_FRICTION_SOLVED)
        status = CLI_NO_ANSWER;
    return status;
}

/* ---- a folder ----------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

/* The problems of a folder, sorted; free the list and its names. */
static int list_folder(const char *folder, char ***list, int *count)
{
    DIR *d = opendir(folder);
    *list = NULL;
    *count = 0;
    if (!d)
        return cli_message_usage("%s: %s", folder, strerror(errno));
    int status = CLI_ANSWERED, room = 0;
    for (struct dirent *e; status == CLI_ANSWERED && (e = readdir(d));) {
        if (!ends_with(e->d_name, ".dat") && !ends_with(e->d_name, ".hdf5") &&
            !ends_with(e->d_name, ".h5"))
            continue;
        if (*count == room) {
            room = room ? 2 * room : 64;
            char **more = realloc(*list, (size_t)room * sizeof **list);
            if (!more) {
                status = cli_message_memory();
                break;
            }
            *list = more;
        }
        size_t size = strlen(folder) + strlen(e->d_name) + 2;
        char *path = malloc(size);
        if (!path) {
            status = cli_message_memory();
            break;
        }
        snprintf(path, size, "%s%s%s", folder, ends_with(folder, "/") ? "" : "/", e->d_name);
        (*list)[(*count)++] = path;
    }
    closedir(d);
    if (*count > 0)
        qsort(*list, (size_t)*count, sizeof **list, by_name);
    return status;
}

/* A table of all problems of a folder, row by row, or a JSON array. */
typedef struct folder_job {
    job one;
    bool json;
    carom_json writer;
    int total, solved, infeasible, refused;
} folder_job;

static void show_row(folder_job *f, const char *name, const carom_error *error)
{
    const job *j = &f->one;
    if (f->json && !error) {
        json_answer(&f->writer, j, false);
    } else if (f->json) {
        carom_json_object(&f->writer);
        cli_json_string(&f->writer, "file", j->path);
        cli_json_string(&f->writer, "status", "unreadable");
        cli_json_string(&f->writer, "message", error->text);
        carom_json_end(&f->writer);
    } else if (error) {
        printf("%-42s %s\n", name, error->text);
    } else {
        printf("%-42s %8d %2d %-10s %9.2e %-11s %8d %10.3f\n", name, j->file.problem.contacts,
               j->file.problem.dimension, outcome_text(j->info.outcome), j->info.residual,
               carom_friction_method_name(j->info.method), j->info.iterations, 1e3 * j->seconds);
    }
    fflush(stdout);
}

static int solve_next(folder_job *f, const char *path)
{
    carom_error error = {0};
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    f->one.path = path;
    f->one.name = name;
    carom_arena_reset(f->one.arena);
    carom_status status = read_and_solve(&f->one, &error);
    if (status == CAROM_ERROR_MEMORY)
        return cli_message_error(path, &error);
    f->total++;
    f->refused += status != CAROM_OK;
    f->solved += status == CAROM_OK && f->one.info.outcome == CAROM_FRICTION_SOLVED;
    f->infeasible += status == CAROM_OK && f->one.info.outcome == CAROM_FRICTION_INFEASIBLE;
    show_row(f, name, status == CAROM_OK ? NULL : &error);
    return CLI_ANSWERED;
}

static int solve_folder(const cli_arguments *arguments, const job *common)
{
    folder_job f = {.one = *common, .json = cli_option_given(arguments, "json")};
    char **list;
    int count, status = list_folder(cli_option_value(arguments, "all", 0), &list, &count);
    carom_error error = {0};
    if (f.json) {
        carom_json_begin(&f.writer, carom_json_to_file, stdout);
        carom_json_array(&f.writer);
    } else if (status == CLI_ANSWERED) {
        printf("%-42s %8s %2s %-10s %9s %-11s %8s %10s\n", "file", "contacts", "d", "status",
               "residual", "method", "steps", "ms");
    }
    for (int k = 0; k < count && status == CLI_ANSWERED && !cli_watch_stopped(); k++)
        status = solve_next(&f, list[k]);
    bool stopped = cli_watch_stopped();
    for (int k = 0; k < count; k++)
        free(list[k]);
    free(list);
    if (status != CLI_ANSWERED)
        return status;
    if (f.json) {
        carom_json_end(&f.writer);
        if (carom_json_finish(&f.writer, &error))
            return cli_message_error(NULL, &error);
    } else {
        printf("%d of %d solved", f.solved, f.total);
        if (f.infeasible)
            printf(", %d proved infeasible", f.infeasible);
        if (f.refused)
            printf(", %d not read", f.refused);
        printf("%s\n", stopped ? "; stopped" : "");
    }
    return f.solved + f.infeasible + f.refused == f.total && !stopped ? CLI_ANSWERED
                                                                      : CLI_NO_ANSWER;
}

/* ---- the command -------------------------------------------------------------------------- */

static int read_method(const cli_arguments *arguments, carom_friction_method *method)
{
    const char *name = cli_option_value(arguments, "method", 0);
    const char *names[CAROM_FRICTION_METHODS];
    for (int k = 0; k < CAROM_FRICTION_CLOSED; k++) {
        names[k] = carom_friction_method_name((carom_friction_method)k);
        if (!name || strcmp(name, names[k]) == 0) {
            *method = (carom_friction_method)k;
            return CLI_ANSWERED;
        }
    }
    return cli_message_unknown(name, names, CAROM_FRICTION_CLOSED, "",
                               "--method %s: auto, sweeps, interior, newton, proximal or path",
                               name);
}

static int run_solve(const cli_arguments *arguments)
{
    job j = {0};
    carom_error error = {0};
    bool all = cli_option_given(arguments, "all");
    if (all == (arguments->file_count == 1))
        return cli_message_usage("solve: a problem, or --all FOLDER");
    if (all && cli_option_given(arguments, "output"))
        return cli_message_usage("solve: -o is for one problem, not for --all");
    int status = read_method(arguments, &j.options.method);
    if (status == CLI_ANSWERED)
        status = cli_option_positive(arguments, "tolerance", &j.options.tolerance);
    j.options.accept = fmax(j.options.tolerance, accepted);
    if (status != CLI_ANSWERED)
        return status;
    if (carom_arena_create(NULL, &j.arena, &error))
        return cli_message_error(NULL, &error);
    status = all ? solve_folder(arguments, &j) : solve_one(arguments, &j);
    carom_arena_destroy(j.arena);
    return status;
}

static const cli_option options[] = {
    {"output", "OUT.hdf5|.h5", "write the problem and its solution in FCLIB's format", 'o'},
    {"force", NULL, "write over an existing file", 0},
    {"all", "FOLDER", "solve every .hdf5, .h5 and .dat of a folder, one row each", 0},
    {"method", "METHOD", "auto (default), sweeps, interior, newton, proximal or path alone", 0},
    {"tolerance", "T", "the residual to aim at (1e-12; below 1e-8 counts as solved)", 0},
    {"json", NULL, "one JSON document on standard output", 0},
    {0},
};

static const char *const outputs[] = {"output", NULL};

const cli_command cli_solve = {
    .name = "solve",
    .arguments = "PROBLEM.hdf5|.dat",
    .summary = "a contact problem with Coulomb friction from a file: reactions, velocities",
    .text =
        "Reads FCLIB's HDF5 (local and global) and the text format of Siconos. The residual is\n"
        "|r - P_K(r - u - mu |u_T| e_N)| / max(|q|, |r|, |u|), computed from r alone.\n"
        "No solution: status 1 and a certificate y >= 0 with W'y = 0, q'y < 0 on the normals.",
    .least_files = 0,
    .most_files = 1,
    .options = options,
    .outputs = outputs,
    .run = run_solve,
};
