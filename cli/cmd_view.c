/* carom view TRACE...: write the browser page for one or more traces and open it. */
#include "cli.h"
#include "page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 16 };

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

/* "trace.h5" becomes "trace.html" beside it. */
static void default_path(const char *trace, char *path, size_t size)
{
    const char *slash = strrchr(trace, '/'), *dot = strrchr(trace, '.');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - trace) : strlen(trace);
    snprintf(path, size, "%.*s.html", (int)stem, trace);
}

static int run(const cli_arguments *arguments)
{
    carom_trace traces[MOST];
    char path[4096];
    int count = 0, status = CLI_ANSWERED;
    for (; count < arguments->file_count && !status; count++) {
        carom_error error = {0};
        if (carom_trace_read(arguments->files[count], NULL, &traces[count], &error)) {
            status = cli_message_error(NULL, &error);
            break;
        }
        if (traces[count].rows == 0) {
            status = cli_message_usage("%s holds no rows", arguments->files[count]);
            count++;
            break;
        }
    }
    const char *given = cli_option_value(arguments, "out", 0);
    if (given)
        snprintf(path, sizeof path, "%s", given);
    else
        default_path(arguments->files[0], path, sizeof path);
    if (!status && !cli_option_given(arguments, "force") && cli_page_other(path))
        status = cli_message_usage(
            "%s exists and is no page of `carom view`; --force writes over it", path);
    if (!status)
        status = cli_page_write(path, count, traces, arguments->files);
    if (!status) {
        printf("wrote %s\n", path);
        fflush(stdout);
        if (!cli_option_given(arguments, "no-open"))
            open_page(path);
    }
    for (int k = 0; k < count; k++)
        carom_trace_destroy(&traces[k]);
    return status;
}

static const cli_option options[] = {
    {"out", "PAGE.html", "where to write the page (beside the first trace)", 0},
    {"no-open", NULL, "do not open the page", 0},
    {"force", NULL, "write over an existing file that is no page of traces", 0},
    {0},
};

const cli_command cli_view = {
    .name = "view",
    .arguments = "TRACE...",
    .summary = "write and open the browser page for one or more traces",
    .text =
        "Traces of `carom run -o`, HDF5 or CSV. The page is one file that loads nothing; several\n"
        "traces are compared in it. Large traces are thinned, keeping all rows near impacts.",
    .least_files = 1,
    .most_files = MOST,
    .options = options,
    .run = run,
};
