/* carom run FILE: simulate. */
#include "answer.h"
#include "report.h"
#include "run.h"

static int run(const cli_arguments *arguments)
{
    cli_motion motion;
    int status = cli_motion_run(
        arguments, arguments->files[0], cli_option_value(arguments, "output", 0),
        cli_option_given(arguments, "force"),
        cli_option_given(arguments, "report") ? CLI_KEEP_ROWS : CLI_KEEP_NONE, &motion);
    if (status == CLI_ANSWERED || status == CLI_NO_ANSWER) {
        int reported = cli_report_motion(arguments, &motion);
        if (!cli_option_given(arguments, "json"))
            cli_motion_summary(&motion);
        else if (cli_motion_json(&motion))
            status = CLI_MACHINE;
        if (motion.ended_early)
            fprintf(stderr, "%s: ended at t = %.10g: %s\n", cli_message_file(motion.file),
                    motion.result.t,
                    motion.result.message[0] ? motion.result.message
                                             : carom_flow_end_text(motion.result.end));
        if (reported)
            status = reported;
    }
    cli_motion_free(&motion);
    return status;
}

static const cli_option options[] = {
    {"output", "TRACE.h5|.hdf5|.csv", "write the trace to this file, HDF5 or CSV", 'o'},
    CLI_REPORT_OPTION,
    {"force", NULL, "write over an existing trace or report", 0},
    {"json", NULL, "one JSON document on stdout", 0},
    CLI_MOTION_OPTIONS,
    {0},
};

const cli_command cli_run = {
    .name = "run",
    .arguments = "FILE",
    .summary = "simulate: through impacts, contact, stick-slip, with an energy ledger",
    .text = "FILE is a scene with `system:` or `bodies:`, and `run:`. Ctrl-C ends the run in good "
            "order:\n"
            "what was computed is shown and written. Exit status: 0 reached the end, 1 the motion\n"
            "could not go on, 2 wrong usage or scene, 3 failure of the machine.",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .outputs = (const char *const[]){"output", "report", NULL},
    .run = run,
};
