/* carom view FILE.yaml | TRACE...: write the browser page for one or more motions and open it. */
#include "answer.h"
#include "page.h"
#include "run.h"
#include "trace_end.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 16, ROOM = 4096 };

/* Hand the page to the desktop's browser; without one, say where it is. */
static void open_page(const char *path)
{
    static const char *const openers[] = {"xdg-open", "open"};
    for (size_t k = 0; k < sizeof openers / sizeof *openers; k++) {
        pid_t child = fork();
        if (child == 0) {
            if (!freopen("/dev/null", "w", stderr))
                _exit(127);
            execlp(openers[k], openers[k], path, (char *)NULL);
            _exit(127);
        }
        int status;
        if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
            WEXITSTATUS(status) == 0)
            return;
    }
    printf("open it in a browser\n");
}

/* "trace.h5" becomes "trace.html" beside it, or "trace.view.html" where there is a report of that
 * name. */
static void default_path(const char *trace, char *path)
{
    if (strcmp(trace, "-") == 0)
        trace = "motion";
    const char *slash = strrchr(trace, '/'), *dot = strrchr(trace, '.');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - trace) : strlen(trace);
    snprintf(path, ROOM, "%.*s.html", (int)stem, trace);
    if (cli_page_other(path))
        snprintf(path, ROOM, "%.*s.view.html", (int)stem, trace);
}

static int read_trace(const char *path, carom_trace *trace)
{
    carom_error error = {0};
    if (carom_trace_read(path, NULL, trace, &error))
        return cli_message_error(NULL, &error);
    cli_trace_end_tell(path, trace);
    if (trace->rows > 0)
        return CLI_ANSWERED;
    carom_trace_destroy(trace);
    return cli_message_usage("%s holds no rows", path);
}

/* Run a scene; its trace is not kept elsewhere. A motion that ended early is shown. */
static int run_scene(const cli_arguments *arguments, const char *file, carom_trace *trace,
                     bool *early)
{
    cli_motion motion;
    int status = cli_motion_run(arguments, file, NULL, false, CLI_KEEP_PICTURE, &motion);
    if (status == CLI_NO_ANSWER && motion.ended_early) {
        cli_message_warning("%s ended at t = %.10g: %s", cli_message_file(file), motion.result.t,
                            motion.result.message[0] ? motion.result.message
                                                     : carom_flow_end_text(motion.result.end));
        *early = true;
        status = CLI_ANSWERED;
    }
    if (!status) {
        *trace = motion.kept;
        motion.kept = (carom_trace){0};
    }
    cli_motion_free(&motion);
    return status;
}

static int write_page(const cli_arguments *arguments, int count, const carom_trace *traces)
{
    const char *given = cli_option_value(arguments, "out", 0);
    char path[ROOM];
    int status = CLI_ANSWERED;
    if (given) {
        snprintf(path, sizeof path, "%s", given);
    } else {
        default_path(arguments->files[0], path);
        status = cli_output_examine(arguments, path);
    }
    if (!status)
        status = cli_page_write(path, count, traces, arguments->files);
    if (status)
        return status;
    printf("wrote %s\n", path);
    fflush(stdout);
    if (!cli_option_given(arguments, "no-open"))
        open_page(path);
    return CLI_ANSWERED;
}

static int run(const cli_arguments *arguments)
{
    carom_trace traces[MOST];
    int count = 0, status = CLI_ANSWERED;
    bool early = false;
    while (count < arguments->file_count && !status) {
        const char *file = arguments->files[count];
        status = cli_answer_is_scene(file) ? run_scene(arguments, file, &traces[count], &early)
                                           : read_trace(file, &traces[count]);
        count += !status;
    }
    if (!status)
        status = write_page(arguments, count, traces);
    for (int k = 0; k < count; k++)
        carom_trace_destroy(&traces[k]);
    return !status && early ? CLI_NO_ANSWER : status;
}

/* A page of traces is written anew. */
static bool is_page(const cli_arguments *arguments, const char *path)
{
    (void)arguments;
    return !cli_page_other(path);
}

static const cli_option options[] = {
    {"out", "PAGE.html", "where to write the page (beside the first file)", 'o'},
    {"no-open", NULL, "do not open the page", 0},
    {"force", NULL, "write over an existing file that is no page of motions", 0},
    CLI_MOTION_OPTIONS,
    {0},
};

const cli_command cli_view = {
    .name = "view",
    .arguments = "FILE.yaml|TRACE...",
    .summary = "write and open the browser page for one or more motions",
    .text =
        "A scene is run first. Traces of `carom run -o` are HDF5 or CSV. The page is one file "
        "that\n"
        "loads nothing; several motions are compared in it. Large traces are thinned, keeping all\n"
        "rows near impacts.",
    .least_files = 1,
    .most_files = MOST,
    .options = options,
    .outputs = (const char *const[]){"out", NULL},
    .replaces = is_page,
    .kept = "it is no page of `carom view`; --force writes over it",
    .run = run,
};
