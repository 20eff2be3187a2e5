/* carom lyapunov FILE: how fast neighbouring motions part. */
#include "orbit.h"

static int show_json(const carom_orbit_lyapunov *x)
{
    carom_json json;
    carom_error error = {0};
    carom_json_begin(&json, carom_json_to_file, stdout);
    carom_json_object(&json);
    cli_json_numbers(&json, "exponents", x->count, x->exponents);
    cli_json_numbers(&json, "error", x->count, x->error);
    cli_json_string(&json, "per", "time");
    cli_json_number(&json, "time", x->time);
    if (x->section_count == 0) {
        cli_json_null(&json, "section");
    } else {
        carom_json_key(&json, "section");
        carom_json_object(&json);
        cli_json_numbers(&json, "exponents", x->section_count, x->section);
        cli_json_integer(&json, "points", x->points);
        carom_json_end(&json);
    }
    cli_json_integer(&json, "restarts", x->restarts);
    cli_json_string(&json, "message", x->message[0] ? x->message : NULL);
    carom_json_end(&json);
    return carom_json_finish(&json, &error) ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}

static int show_table(const carom_orbit_lyapunov *x)
{
    cli_table *table = cli_table_create(3);
    cli_table_heading(table, "per time");
    cli_table_heading(table, "error");
    cli_table_heading(table, x->section_count == 0 ? "" : "per section point");
    for (int i = 0; i < x->count; i++) {
        cli_table_digits(table, x->exponents[i], 8);
        cli_table_digits(table, x->error[i], 2);
        if (i < x->section_count)
            cli_table_digits(table, x->section[i], 8);
        else
            cli_table_cell(table, "%s", "");
    }
    cli_table_print(table, stdout);
    printf("\nover a time of %.10g", x->time);
    if (x->section_count > 0)
        printf(", %ld section points", x->points);
    if (x->restarts > 0)
        printf("\nstarted again %ld times, last because: %s", x->restarts, x->message);
    else if (x->message[0])
        printf("\n%s", x->message);
    putchar('\n');
    return CLI_ANSWERED;
}

/* A problem for the section, if there is one. */
static int choose_problem(const cli_arguments *arguments, cli_orbit *o,
                          carom_orbit_problem *problem)
{
    if (o->content->section || o->content->period > 0)
        return cli_orbit_problem(arguments, o, problem);
    *problem = (carom_orbit_problem){.system = o->content->system,
                                     .law = &o->law,
                                     .options = o->options,
                                     .contact = -1,
                                     .event = -1,
                                     .periods = 1,
                                     .horizon = 1,
                                     .progress = cli_orbit_progress,
                                     .self = o};
    return CLI_ANSWERED;
}

static int compute(const cli_arguments *arguments, cli_orbit *o)
{
    carom_orbit_problem problem;
    carom_orbit_lyapunov x;
    carom_error error = {0};
    double skip = 0, interval = 0;
    int status = cli_orbit_open(arguments, o);
    if (!status && !o->content->run && !cli_option_given(arguments, "until"))
        status = cli_message_usage("lyapunov: the scene lacks `run`, and --until was not given");
    if (!status)
        status = choose_problem(arguments, o, &problem);
    if (!status)
        status = cli_option_number(arguments, "skip", &skip);
    if (!status)
        status = cli_option_positive(arguments, "interval", &interval);
    if (!status && (skip < 0 || skip >= o->options.until - o->content->initial.t))
        status = cli_message_usage("lyapunov: --skip %g: it must leave time before t = %g", skip,
                                   o->options.until);
    if (status)
        return status;
    cli_progress_begin(&o->progress);
    carom_status found = carom_orbit_exponents(&problem, &o->content->initial, o->options.until,
                                               skip, interval, o->arena, &x, &error);
    cli_progress_end(&o->progress);
    if (found < 0)
        return cli_orbit_error(o, &error);
    status = cli_option_given(arguments, "json") ? show_json(&x) : show_table(&x);
    return status ? status : found == CAROM_OK ? CLI_ANSWERED : CLI_NO_ANSWER;
}

static int run(const cli_arguments *arguments)
{
    cli_orbit o = {0};
    int status = compute(arguments, &o);
    cli_orbit_free(&o);
    return status;
}

static const cli_option options[] = {
    {"skip", "T", "time at the start that is left out (0)", 0},
    {"interval", "DT", "time after which the frame is made orthonormal (a thousandth, or less)", 0},
    CLI_ORBIT_OPTIONS,
    {0},
};

const cli_command cli_lyapunov = {
    .name = "lyapunov",
    .arguments = "FILE",
    .summary = "Lyapunov exponents of a motion, per time and per section point",
    .text =
        "From the start to `until`: growth of an orthonormal frame by exact derivatives through\n"
        "all events. Errors are standard errors from ten parts of the time. Where a derivative\n"
        "does not exist the frame starts again after the event, and the answer says so.",
    .least_files = 1,
    .most_files = 1,
    .derivatives = true,
    .options = options,
    .run = run,
};
