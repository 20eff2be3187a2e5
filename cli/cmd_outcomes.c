/* carom outcomes FILE: everything that an impact can lead to. */
#include "outcomes.h"
#include "picture.h"
#include "report.h"

#include <stdio.h>
#include <unistd.h>

/* The measured velocity as one more outcome in the picture. */
static int add_measured(cli_outcomes *o)
{
    cli_answer *a = &o->answer;
    carom_error error = {0};
    if (!o->measured)
        return CLI_ANSWERED;
    carom_outcome *outcome = carom_arena_take(a->arena, sizeof *outcome);
    if (!outcome)
        return cli_message_memory();
    if (carom_outcome_create(&a->geometry, a->arena, outcome, &error))
        return cli_message_error(NULL, &error);
    for (int k = 0; k < a->impact.n; k++)
        outcome->u[k] = o->measured[k];
    a->measured = outcome;
    return CLI_ANSWERED;
}

static int show(const cli_arguments *arguments, cli_outcomes *o)
{
    int status = CLI_ANSWERED;
    if (cli_option_given(arguments, "json"))
        status = cli_outcomes_json(o);
    else
        cli_outcomes_print(o);
    if (!status && cli_option_given(arguments, "output"))
        status = add_measured(o);
    if (!status && cli_option_given(arguments, "output"))
        status = cli_report_velocity_space(arguments, &o->answer);
    return status;
}

static int run(const cli_arguments *arguments)
{
    cli_outcomes o;
    int status = cli_picture_check(arguments, cli_option_value(arguments, "output", 0));
    if (status)
        return status;
    status = cli_outcomes_open(arguments, &o);
    if (o.answer.stopped) { /* a thread is still at work with all this */
        fputs("carom: stopped before all laws had an answer\n", stderr);
        _exit(cli_message_finish(status));
    }
    if (!status)
        status = show(arguments, &o);
    cli_outcomes_free(&o);
    return status;
}

static const cli_option options[] = {
    {"level", "E", "a level of dissipation from 0 to 1 (may be repeated; 0, 0.25 ... 1)", 0},
    {"measured", "U", "a velocity after the impact, u1,u2,...: where it lies, which laws reach it",
     0},
    {"tolerance", "T", "a law reaches it within this part of the speed (1e-6)", 0},
    {"samples", "N", "orders of impulses at random (2000)", 0},
    {"seed", "N", "other ones for another number (0)", 0},
    {"law", "LAW", "a law to compare with (may be repeated; without it, every law)", 0},
    {"json", NULL, "one JSON document on stdout", 0},
    {"output", "PICTURE.svg|.pdf|.png", "draw velocity space with the set and the laws", 'o'},
    {"axes", "X,Y[,Z]", "velocities that span the picture", 0},
    {"bare", NULL, "picture without title, cut at what is drawn", 0},
    CLI_PICTURE_WIDTH,
    {"force", NULL, "write over an existing file", 0},
    CLI_INSTANT_OPTIONS,
    CLI_SCENE_OPTIONS,
    {0},
};

const cli_command cli_outcomes_command = {
    .name = "outcomes",
    .arguments = "FILE",
    .summary = "everything an impact can lead to: the admissible set, every order of impulses",
    .text =
        "The set of velocities that no requirement forbids (contacts separate, impulses push, no\n"
        "energy is gained), with ranges that are proved; what striking one contact after the\n"
        "other leads to, in every order, with and without friction; and where a measured\n"
        "velocity lies among them.",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .outputs = (const char *const[]){"output", NULL},
    .run = run,
};
