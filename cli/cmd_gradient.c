/* carom gradient FILE: the derivative of a motion's end, or of an impact, with respect to
 * parameters and initial values. */
#include "gradient.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int choose_place(const cli_arguments *arguments, cli_orbit *o, cli_gradient_answer *a)
{
    double number = 0;
    int status = cli_option_positive(arguments, "at-impact", &number);
    if (status)
        return status;
    if (number != floor(number) || number > 1e15)
        return cli_message_usage("gradient: --at-impact %s: it must be a whole number, from 1",
                                 cli_option_value(arguments, "at-impact", 0));
    a->at = (cli_place){.impact = (long)number,
                        .accumulation = cli_option_given(arguments, "at-accumulation"),
                        .progress = &o->progress};
    if (a->at.impact > 0 && a->at.accumulation)
        return cli_message_usage("gradient: --at-impact and --at-accumulation are two places");
    if (!o->content->run && !o->until_given)
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

static int read_formulas(cli_orbit *o, cli_gradient_answer *a)
{
    carom_error error = {0};
    int bad;
    const carom_status status = cli_gradient_read(o, a, &bad, &error);
    if (status == CAROM_ERROR_MEMORY)
        return cli_message_memory();
    if (status)
        return cli_message_usage("gradient: --of %s: %s", a->of[bad], error.text);
    for (int i = 0; i < a->of_count; i++)
        if (a->at.accumulation && uses_state(a->formulas[i], o->shape->nq))
            return cli_message_usage("gradient: --of %s: of an accumulation only the limit `t` can "
                                     "be asked for",
                                     a->of[i]);
    return CLI_ANSWERED;
}

static int compute(cli_orbit *o, const carom_orbit_directions *along, cli_gradient_answer *a)
{
    carom_error error = {0};
    cli_progress_begin(&o->progress);
    const carom_status status = cli_gradient_compute(o, along, a, &error);
    cli_progress_end(&o->progress);
    if (status < 0)
        return cli_orbit_error(o, &error);
    if (status == CAROM_OK)
        return CLI_ANSWERED;
    if (a->at.impact > 0 || a->at.accumulation)
        fprintf(stderr,
                "carom: %s: the motion has %ld impact%s and %d accumulations until t = %.10g\n",
                cli_message_file(o->file), a->result.impact_count,
                a->result.impact_count == 1 ? "" : "s", a->result.accumulation_count, a->result.t);
    else
        fprintf(stderr, "carom: %s: the motion ended at t = %.10g: %s\n", cli_message_file(o->file),
                a->result.t,
                a->result.message[0] ? a->result.message : carom_flow_end_text(a->result.end));
    return CLI_NO_ANSWER;
}

static int show_json(const cli_gradient_answer *a)
{
    carom_json json;
    carom_error error = {0};
    const bool exists = a->tangents.exists || a->same;
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
    cli_json_string(&json, "reason", a->tangents.exists ? NULL : a->tangents.reason);
    if (exists) {
        cli_json_null(&json, "one_sided");
    } else {
        carom_json_key(&json, "one_sided");
        carom_json_object(&json);
        cli_json_matrix(&json, "left", a->of_count, a->wrt_count, a->left);
        cli_json_matrix(&json, "right", a->of_count, a->wrt_count, a->right);
        if (a->crowd > 0)
            cli_json_integer(&json, "event_limit", a->crowd);
        else
            cli_json_null(&json, "event_limit");
        carom_json_end(&json);
    }
    cli_json_integer(&json, "events", a->tangents.events);
    carom_json_end(&json);
    return carom_json_finish(&json, &error) ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}

/* Whether both sides are one number: another direction has no derivative. */
static bool is_known(const cli_gradient_answer *a, int i, int j)
{
    const int at = i + j * a->of_count;
    return a->tangents.exists || a->same || a->left[at] == a->right[at];
}

/* "d/de of x: -1.5 from the left, 2 from the right" */
static void show_sides(const cli_gradient_answer *a)
{
    printf("\nno derivative exists: %s\n", a->tangents.reason);
    for (int i = 0; i < a->of_count; i++)
        for (int j = 0; j < a->wrt_count; j++) {
            const double side[2] = {a->left[i + j * a->of_count], a->right[i + j * a->of_count]};
            char text[2][32];
            if (is_known(a, i, j))
                continue;
            for (int k = 0; k < 2; k++)
                snprintf(text[k], sizeof text[k], isnan(side[k]) ? "none" : "%.9g", side[k]);
            printf("d/d%s of %s: %s from the left, %s from the right\n", a->wrt[j], a->of[i],
                   text[0], text[1]);
        }
    if (a->crowd > 0)
        printf("neighbours of more than %ld events tell nothing: the nearer, the more of them\n",
               a->crowd);
}

static int show_table(const cli_gradient_answer *a)
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
            const double *from = a->tangents.exists || a->same ? a->gradient : a->left;
            if (is_known(a, i, j))
                cli_table_digits(table, from[i + j * a->of_count], 12);
            else
                cli_table_heading(table, "-");
        }
    }
    cli_table_print(table, stdout);
    if (a->tangents.exists || a->same)
        printf("\nat t = %.12g, through %ld events\n", a->at.accumulation ? a->at.t : a->result.t,
               a->tangents.events);
    if (a->same)
        printf("the same from either side of this: %s\n", a->tangents.reason);
    else if (!a->tangents.exists)
        show_sides(a);
    return CLI_ANSWERED;
}

static int run_open(const cli_arguments *arguments, cli_orbit *o, cli_gradient_answer *a)
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
        status = cli_gradient_sides(arguments, o, a);
    if (status)
        return status;
    return cli_option_given(arguments, "json") ? show_json(a) : show_table(a);
}

static int run(const cli_arguments *arguments)
{
    cli_orbit o = {0};
    cli_gradient_answer a = {0};
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
    cli_gradient_forget(&a);
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
        "derivatives from either side, from neighbours that have one, where there are such.",
    .least_files = 1,
    .most_files = 1,
    .derivatives = true,
    .options = options,
    .run = run,
};
