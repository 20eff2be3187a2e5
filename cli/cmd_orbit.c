/* carom orbit FILE: a periodic motion, its period, its multipliers. */
#include "json.h"
#include "orbit.h"

#include <math.h>
#include <string.h>

static void write_segment(carom_json *json, const cli_orbit *o, const carom_orbit_segment *s)
{
    char number[16];
    carom_json_object(json);
    cli_json_string(json, "event", s->event >= 0 ? o->shape->events[s->event].name : "impact");
    carom_json_key(json, "contacts");
    carom_json_row(json);
    if (s->contact >= 0)
        carom_json_string(json, carom_contact_name(o->shape->contacts, s->contact, number));
    carom_json_end(json);
    cli_json_number(json, "duration", s->duration);
    carom_json_end(json);
}

static int show_json(const cli_orbit *o, const carom_orbit *x)
{
    carom_json json;
    carom_error error = {0};
    carom_json_begin(&json, carom_json_to_file, stdout);
    carom_json_object(&json);
    cli_json_string(&json, "status", x->found ? "found" : "none");
    cli_json_strings(&json, "coordinates", o->shape->nq, o->shape->coordinates);
    cli_json_strings(&json, "velocities", o->shape->n, o->shape->velocities);
    cli_json_numbers(&json, "position", o->shape->nq, x->q);
    cli_json_numbers(&json, "velocity", o->shape->n, x->u);
    cli_json_number(&json, "t", x->t);
    cli_json_number(&json, "period", x->found ? x->period : NAN);
    carom_json_key(&json, "segments");
    carom_json_array(&json);
    for (int k = 0; k < x->segment_count && x->found; k++)
        write_segment(&json, o, &x->segments[k]);
    carom_json_end(&json);
    cli_orbit_multipliers(&json, x);
    cli_json_boolean(&json, "stable", x->found && x->stable);
    cli_json_number(&json, "residual", x->residual);
    cli_json_string(&json, "message", x->message[0] ? x->message : NULL);
    carom_json_end(&json);
    return carom_json_finish(&json, &error) ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}

static void show_state(const cli_orbit *o, const carom_orbit *x)
{
    cli_table *table = cli_table_create(4);
    for (int i = 0; i < o->shape->n; i++) {
        cli_table_cell(table, "  %s", o->shape->coordinates[i]);
        cli_table_digits(table, x->q[i], 12);
        cli_table_cell(table, "%s", o->shape->velocities[i]);
        cli_table_digits(table, x->u[i], 12);
    }
    cli_table_print(table, stdout);
}

static int show_text(const cli_orbit *o, const carom_orbit *x)
{
    char number[16];
    if (!x->found)
        printf("no periodic motion was found: %s\nlast state, t = %.12g\n", x->message, x->t);
    else
        printf("%s periodic motion, period %.12g, at its section t = %.12g\n",
               x->stable ? "stable" : "unstable", x->period, x->t);
    show_state(o, x);
    if (!x->found)
        return CLI_ANSWERED;
    printf("multipliers\n");
    for (int k = 0; k < x->multiplier_count; k++) {
        if (x->im[k] == 0)
            printf("  %.12g\n", x->re[k]);
        else
            printf("  %.12g %c %.12gi\n", x->re[k], x->im[k] > 0 ? '+' : '-', fabs(x->im[k]));
    }
    printf("on its way\n");
    for (int k = 0; k < x->segment_count; k++) {
        const carom_orbit_segment *s = &x->segments[k];
        printf("  %-12.9g %s %s\n", s->duration, s->event >= 0 ? "event" : "impact",
               s->event >= 0     ? o->shape->events[s->event].name
               : s->contact >= 0 ? carom_contact_name(o->shape->contacts, s->contact, number)
                                 : "");
    }
    printf("residual %.3g after %d iterations\n", x->residual, x->iterations);
    return CLI_ANSWERED;
}

static int compute(const cli_arguments *arguments, cli_orbit *o, carom_orbit *x)
{
    carom_orbit_problem problem;
    carom_error error = {0};
    int status = cli_orbit_open(arguments, o);
    if (!status)
        status = cli_orbit_problem(arguments, o, &problem);
    if (!status)
        status = cli_orbit_skip(arguments, &problem.skip);
    if (status)
        return status;
    cli_progress_begin(&o->progress);
    carom_status found = carom_orbit_guess(&problem, &o->content->initial, o->arena, x, &error);
    if (found == CAROM_OK)
        found = carom_orbit_solve(&problem, o->arena, x, &error);
    cli_progress_end(&o->progress);
    return found < 0 ? cli_orbit_error(o, &error) : CLI_ANSWERED;
}

static int run(const cli_arguments *arguments)
{
    cli_orbit o = {0};
    carom_orbit x = {0};
    int status = compute(arguments, &o, &x);
    if (!status && x.found && cli_option_given(arguments, "output"))
        status = cli_orbit_trace(arguments, o.scene, &o.law, &o.options, &x);
    if (!status)
        status = cli_option_given(arguments, "json") ? show_json(&o, &x) : show_text(&o, &x);
    if (!status && !x.found && !cli_option_given(arguments, "skip"))
        fprintf(stderr, "carom: with --skip 200 the search begins where the motion has gone to\n");
    if (!status && !x.found)
        status = CLI_NO_ANSWER;
    cli_orbit_free(&o);
    return status;
}

static const cli_option options[] = {
    CLI_ORBIT_PERIODS,
    CLI_ORBIT_SKIP,
    {"output", "TRACE.h5|.hdf5|.csv", "write the motion over its period, as a trace of carom run",
     'o'},
    {"force", NULL, "write over an existing file", 0},
    CLI_ORBIT_OPTIONS,
    {0},
};

const cli_command cli_orbit_command = {
    .name = "orbit",
    .arguments = "FILE",
    .summary = "a periodic motion: state, period, multipliers, stability",
    .text = "The scene says where samples are taken: `section` (a contact, an event, a formula),\n"
            "`period`, or both. The search starts at the next section point from `initial` and\n"
            "solves for the motion that returns, by Newton's method with exact derivatives. It\n"
            "finds what is near: with --skip 200 the motion itself goes to its attractor first.\n"
            "-o keeps it over its period as a trace, which carom view plays and carom plot draws.",
    .least_files = 1,
    .most_files = 1,
    .derivatives = true,
    .options = options,
    .outputs = (const char *const[]){"output", NULL},
    .run = run,
};
