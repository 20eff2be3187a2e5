/* carom gradient FILE: the derivative of a motion's end, or of an impact, with respect to
 * parameters and initial values. */
#include "json.h"
#include "one_sided.h"
#include "orbit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the motion is asked about. */
typedef struct place {
    long impact;       /* the K-th, 0: the end */
    bool accumulation; /* the limit of the first */
    long impacts;      /* so far */
    double t;          /* when it was reached */
    bool reached;
    cli_orbit *orbit;
} place;

typedef struct answer {
    int of_count, wrt_count;
    const char **of, **wrt;
    carom_expr **formulas;
    double *value, *gradient; /* of, of x wrt */
    double *left, *right;     /* of x wrt, where there is no derivative */
    carom_flow_result result;
    carom_orbit_tangents tangents;
    place at;
    bool until_given;
} answer;

static carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    place *at = self;
    (void)error;
    at->impacts++;
    at->t = impact->t;
    at->reached = at->impact > 0 && at->impacts == at->impact;
    return at->reached ? CAROM_STOPPED : CAROM_OK;
}

static carom_status on_accumulation(void *self, const carom_flow_accumulation *a,
                                    carom_error *error)
{
    place *at = self;
    (void)error;
    if (!at->accumulation)
        return CAROM_OK;
    at->t = a->t_limit;
    at->reached = true;
    return CAROM_STOPPED;
}

static carom_status on_progress(void *self, double t, long steps, carom_error *error)
{
    place *at = self;
    (void)error;
    if (cli_watch_stopped())
        return CAROM_STOPPED;
    if (cli_progress_due(&at->orbit->progress))
        fprintf(stderr, "\rt = %-10.6g %ld steps ", t, steps);
    return CAROM_OK;
}

static int choose_place(const cli_arguments *arguments, cli_orbit *o, answer *a)
{
    double number = 0;
    int status = cli_option_positive(arguments, "at-impact", &number);
    if (status)
        return status;
    if (number != floor(number) || number > 1e15)
        return cli_message_usage("gradient: --at-impact %s: it must be a whole number, from 1",
                                 cli_option_value(arguments, "at-impact", 0));
    a->until_given = cli_option_given(arguments, "until");
    a->at = (place){.impact = (long)number,
                    .accumulation = cli_option_given(arguments, "at-accumulation"),
                    .orbit = o};
    if (a->at.impact > 0 && a->at.accumulation)
        return cli_message_usage("gradient: --at-impact and --at-accumulation are two places");
    if (!o->content->run && !cli_option_given(arguments, "until"))
        return cli_message_usage("gradient: the scene lacks `run`, and --until was not given");
    return CLI_ANSWERED;
}

/* At the limit of an accumulation only its time is known to all digits. */
static bool uses_state(const carom_expr *expr, int n)
{
    for (int i = 0; i < n; i++)
        if (carom_expr_uses(expr, CAROM_NAME_COORDINATE, i) ||
            carom_expr_uses(expr, CAROM_NAME_VELOCITY, i))
            return true;
    return false;
}

static int read_formulas(cli_orbit *o, answer *a)
{
    carom_error error = {0};
    a->formulas = calloc((size_t)a->of_count, sizeof *a->formulas);
    if (!a->formulas)
        return cli_message_memory();
    for (int i = 0; i < a->of_count; i++) {
        if (carom_scene_formula_create(o->scene, a->of[i], 0, &a->formulas[i], &error))
            return cli_message_usage("gradient: --of %s: %s", a->of[i], error.text);
        if (a->at.accumulation && uses_state(a->formulas[i], o->shape->nq))
            return cli_message_usage("gradient: --of %s: of an accumulation only the limit `t` can "
                                     "be asked for",
                                     a->of[i]);
    }
    return CLI_ANSWERED;
}

/* Formulas at the place reached, differentiated along the variations. */
static int evaluate(cli_orbit *o, const carom_orbit_directions *along, answer *a)
{
    const carom_orbit_tangents *x = &a->tangents;
    const size_t k = (size_t)a->wrt_count, rows = (size_t)a->of_count;
    const double t = a->at.accumulation ? a->at.t : a->result.t;
    const carom_directions directions = {.k = a->wrt_count,
                                         .t = a->at.accumulation ? x->limit : x->t,
                                         .q = x->q,
                                         .u = x->u,
                                         .parameters = along->parameters};
    double *row = carom_arena_doubles(o->arena, k);
    a->value = carom_arena_zeros(o->arena, rows, sizeof(double));
    a->gradient = carom_arena_zeros(o->arena, rows * k, sizeof(double));
    carom_error error = {0};
    if (!row || !a->value || !a->gradient)
        return cli_message_memory();
    for (size_t i = 0; i < rows; i++) {
        if (carom_expr_tangent(a->formulas[i], t, a->result.q, a->result.u, &directions, o->arena,
                               &a->value[i], row, &error))
            return cli_orbit_error(o, &error);
        for (size_t j = 0; j < k; j++)
            a->gradient[i + j * rows] = row[j];
    }
    return CLI_ANSWERED;
}

static int compute(cli_orbit *o, const carom_orbit_directions *along, answer *a)
{
    carom_error error = {0};
    const carom_flow_observer observer = {.self = &a->at,
                                          .impact = on_impact,
                                          .accumulation = on_accumulation,
                                          .progress = on_progress};
    cli_progress_begin(&o->progress);
    carom_status status =
        carom_orbit_run(o->content->system, &o->law, &o->content->initial, &o->options, along,
                        &observer, o->arena, &a->result, &a->tangents, &error);
    cli_progress_end(&o->progress);
    if (status < 0)
        return cli_orbit_error(o, &error);
    const bool meant = a->at.impact > 0 || a->at.accumulation;
    if (meant && !a->at.reached) {
        fprintf(stderr,
                "carom: %s: the motion has %ld impact%s and %d accumulations until t = %.10g\n",
                cli_message_file(o->file), a->result.impact_count,
                a->result.impact_count == 1 ? "" : "s", a->result.accumulation_count, a->result.t);
        return CLI_NO_ANSWER;
    }
    if (!meant && status != CAROM_OK) {
        fprintf(stderr, "carom: %s: the motion ended at t = %.10g: %s\n", cli_message_file(o->file),
                a->result.t,
                a->result.message[0] ? a->result.message : carom_flow_end_text(a->result.end));
        return CLI_NO_ANSWER;
    }
    if (a->at.accumulation && !a->tangents.limit)
        return cli_message_usage(
            "gradient: the accumulation has too few impacts to tell its limit");
    return evaluate(o, along, a);
}

/* The values of another scene of this kind at the same place, for derivatives from one side. */
typedef struct neighbour {
    const cli_orbit *orbit;
    const answer *answer;
} neighbour;

static bool run_neighbour(const neighbour *n, carom_scene *scene, place *at, carom_arena *arena,
                          carom_flow_result *result)
{
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_flow_observer observer = {
        .self = at, .impact = on_impact, .accumulation = on_accumulation, .progress = on_progress};
    carom_flow_options options = n->orbit->options;
    carom_law law;
    if (content->run && !n->answer->until_given)
        options.until = content->run->until;
    if (carom_scene_choose_law(scene, n->orbit->law_text, &law, NULL, NULL))
        return false;
    const carom_status status = carom_flow_run(content->system, &law, &content->initial, &options,
                                               &observer, arena, result, NULL);
    return at->impact > 0 || at->accumulation ? status >= 0 && at->reached : status == CAROM_OK;
}

static bool evaluate_neighbour(void *self, carom_scene *scene, double *values)
{
    const neighbour *n = self;
    const answer *a = n->answer;
    place at = {.impact = a->at.impact, .accumulation = a->at.accumulation, .orbit = a->at.orbit};
    carom_arena *arena;
    carom_flow_result result;
    if (carom_arena_create(NULL, &arena, NULL))
        return false;
    bool good = run_neighbour(n, scene, &at, arena, &result);
    for (int i = 0; i < a->of_count && good; i++) {
        carom_expr *formula;
        good = carom_scene_formula_create(scene, a->of[i], 0, &formula, NULL) == CAROM_OK;
        if (!good)
            break;
        values[i] = carom_expr_evaluate(formula, at.accumulation ? at.t : result.t, result.q,
                                        result.u, NULL, NULL);
        carom_expr_destroy(formula);
    }
    carom_arena_destroy(arena);
    return good;
}

/* Where there is no derivative: what each side has. */
static int find_sides(const cli_arguments *arguments, cli_orbit *o, answer *a)
{
    const size_t size = (size_t)a->of_count * (size_t)a->wrt_count;
    neighbour n = {o, a};
    a->left = carom_arena_zeros(o->arena, 2 * size, sizeof(double));
    if (!a->left)
        return cli_message_memory();
    a->right = a->left + size;
    int status = CLI_ANSWERED;
    for (int j = 0; j < a->wrt_count && !status; j++)
        status = cli_one_sided(arguments, o, a->wrt[j], a->of_count, a->value, evaluate_neighbour,
                               &n, a->left + j * a->of_count, a->right + j * a->of_count);
    return status;
}

static int show_json(const answer *a)
{
    carom_json json;
    carom_error error = {0};
    const bool exists = a->tangents.exists;
    carom_json_begin(&json, carom_json_to_file, stdout);
    carom_json_object(&json);
    cli_json_strings(&json, "of", a->of_count, a->of);
    cli_json_strings(&json, "wrt", a->wrt_count, a->wrt);
    cli_json_number(&json, "t", a->at.accumulation ? a->at.t : a->result.t);
    cli_json_numbers(&json, "value", a->of_count, a->value);
    if (exists)
        cli_json_matrix(&json, "gradient", a->of_count, a->wrt_count, a->gradient);
    else
        cli_json_null(&json, "gradient");
    cli_json_boolean(&json, "exists", exists);
    if (exists)
        cli_json_null(&json, "reason");
    else
        cli_json_string(&json, "reason", a->tangents.reason);
    if (exists) {
        cli_json_null(&json, "one_sided");
    } else {
        carom_json_key(&json, "one_sided");
        carom_json_object(&json);
        cli_json_matrix(&json, "left", a->of_count, a->wrt_count, a->left);
        cli_json_matrix(&json, "right", a->of_count, a->wrt_count, a->right);
        carom_json_end(&json);
    }
    cli_json_integer(&json, "events", a->tangents.events);
    carom_json_end(&json);
    return carom_json_finish(&json, &error) ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}

/* "d/de of x: -1.5 from the left, 2 from the right" */
static void show_sides(const answer *a)
{
    printf("\nno derivative exists: %s\n", a->tangents.reason);
    for (int i = 0; i < a->of_count; i++)
        for (int j = 0; j < a->wrt_count; j++) {
            const double side[2] = {a->left[i + j * a->of_count], a->right[i + j * a->of_count]};
            char text[2][32];
            for (int k = 0; k < 2; k++)
                snprintf(text[k], sizeof text[k], isnan(side[k]) ? "none" : "%.6g", side[k]);
            printf("d/d%s of %s: %s from the left, %s from the right (by differences)\n", a->wrt[j],
                   a->of[i], text[0], text[1]);
        }
}

static int show_table(const answer *a)
{
    cli_table *table = cli_table_create(a->wrt_count + 2);
    cli_table_cell(table, "of");
    cli_table_heading(table, "value");
    for (int j = 0; j < a->wrt_count; j++) {
        char text[80];
        snprintf(text, sizeof text, "d/d%.60s", a->wrt[j]);
        cli_table_heading(table, text);
    }
    for (int i = 0; i < a->of_count; i++) {
        cli_table_cell(table, "%s", a->of[i]);
        cli_table_digits(table, a->value[i], 12);
        for (int j = 0; j < a->wrt_count; j++) {
            if (a->tangents.exists)
                cli_table_digits(table, a->gradient[i + j * a->of_count], 12);
            else
                cli_table_heading(table, "-");
        }
    }
    cli_table_print(table, stdout);
    if (a->tangents.exists)
        printf("\nat t = %.12g, through %ld events\n", a->at.accumulation ? a->at.t : a->result.t,
               a->tangents.events);
    else
        show_sides(a);
    return CLI_ANSWERED;
}

static int run_open(const cli_arguments *arguments, cli_orbit *o, answer *a)
{
    carom_orbit_directions along;
    int status = cli_orbit_open(arguments, o);
    if (!status)
        status = choose_place(arguments, o, a);
    if (!status)
        status = read_formulas(o, a);
    if (!status)
        status = cli_orbit_directions(o, a->wrt_count, a->wrt, &along);
    if (!status)
        status = compute(o, &along, a);
    if (!status && !a->tangents.exists)
        status = find_sides(arguments, o, a);
    if (status)
        return status;
    return cli_option_given(arguments, "json") ? show_json(a) : show_table(a);
}

static int run(const cli_arguments *arguments)
{
    cli_orbit o = {0};
    answer a = {0};
    int status = CLI_ANSWERED;
    a.of = cli_option_values(arguments, "of", &a.of_count);
    a.wrt = cli_option_values(arguments, "wrt", &a.wrt_count);
    if (!a.of || !a.wrt)
        status = cli_message_memory();
    else if (a.of_count == 0 || a.wrt_count == 0)
        status = cli_message_usage("gradient: --of E and --wrt NAME say what is differentiated by "
                                   "what");
    if (!status)
        status = run_open(arguments, &o, &a);
    for (int i = 0; a.formulas && i < a.of_count; i++)
        carom_expr_destroy(a.formulas[i]);
    free(a.formulas);
    free((void *)a.of);
    free((void *)a.wrt);
    cli_orbit_free(&o);
    return status;
}

static const cli_option options[] = {
    {"of", "E", "formula of coordinates, velocities, t and parameters (may be repeated)", 0},
    {"wrt", "NAME", "parameter, or initial value as initial.x (may be repeated)", 0},
    {"at-impact", "K", "just after the K-th impact instead of at the end; t is its instant", 0},
    {"at-accumulation", NULL, "at the limit of the first accumulation of impacts: --of t", 0},
    CLI_ORBIT_OPTIONS,
    {0},
};

const cli_command cli_gradient = {
    .name = "gradient",
    .arguments = "FILE",
    .summary = "derivatives of a motion through its impacts, or why there are none",
    .text =
        "Exact derivatives, not differences: the variational equation between events, jumps of\n"
        "the variations at impacts, events, sticking, slipping and accumulations. Where no\n"
        "derivative exists (grazing, two contacts at one instant) the answer says why, and gives "
        "the\n"
        "derivatives from either side, by differences, where those converge.",
    .least_files = 1,
    .most_files = 1,
    .derivatives = true,
    .options = options,
    .run = run,
};
