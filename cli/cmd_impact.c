/* carom impact FILE: one impact, the outcome of every law side by side, with verdicts. */
#include "answer.h"
#include "report.h"

#include <unistd.h>

/* Without a closed contact there is nothing to decide; the JSON document still says so. */
static int no_contact(const cli_arguments *arguments, cli_answer *answer)
{
    answer->count = 0; /* nothing was decided */
    if (cli_option_given(arguments, "json") && cli_answer_json(answer))
        return CLI_MACHINE;
    fprintf(stderr, "%s: no contact is closed%s%s\n", cli_message_file(answer->file),
            answer->nearest[0] ? ": " : "", answer->nearest);
    return CLI_NO_ANSWER;
}

static int show(const cli_arguments *arguments, cli_answer *answer)
{
    int status = cli_answer_apply(answer);
    if (!answer->applied)
        return status;
    int reported = answer->stopped ? CLI_ANSWERED : cli_report_impact(arguments, answer);
    if (reported)
        return reported;
    int shown =
        cli_option_given(arguments, "json") ? cli_answer_json(answer) : cli_answer_table(answer);
    if (!shown && !answer->stopped && cli_option_given(arguments, "details") &&
        !cli_option_given(arguments, "json"))
        cli_answer_details(answer);
    return shown ? shown : status;
}

static int run(const cli_arguments *arguments)
{
    cli_answer answer;
    int status = cli_answer_open(arguments, &answer);
    if (status == CLI_ANSWERED)
        status = cli_answer_choose(arguments, &answer);
    if (status == CLI_ANSWERED)
        status = answer.impact.p ? show(arguments, &answer) : no_contact(arguments, &answer);
    if (answer.stopped) { /* a thread is still at work with all this */
        status = cli_message_finish(status);
        _exit(status);
    }
    cli_answer_free(&answer);
    return status;
}

static const cli_option options[] = {
    {"law", "LAW", "a law: name or name:param=value,... (may be repeated; without it, every law)",
     0},
    {"one-law", NULL, "leave out laws that contacts name for themselves", 0},
    {"details", NULL, "modes and impulses of every contact, and what the laws add", 0},
    {"json", NULL, "one JSON document on stdout", 0},
    CLI_REPORT_OPTION,
    {"axes", "X,Y[,Z]", "velocities that span the report's picture of velocity space", 0},
    {"force", NULL, "write over an existing report", 0},
    CLI_INSTANT_OPTIONS,
    CLI_SCENE_OPTIONS,
    {0},
};

const cli_command cli_impact = {
    .name = "impact",
    .arguments = "FILE",
    .summary = "one impact: the outcome of every law side by side, with verdicts",
    .text =
        "FILE is a scene with `impact:` (numbers), `system:` (formulas) or `bodies:` (the "
        "contacts\n"
        "closed at `initial` collide, or those of an instant of the motion); - reads from stdin;\n"
        "with --at or --at-impact also a trace. Exit status: 0 at least one law has an outcome,\n"
        "1 none has or no contact is closed, 2 wrong usage or scene, 3 failure of the machine.",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .outputs = (const char *const[]){"report", NULL},
    .run = run,
};
