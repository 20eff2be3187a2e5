/* Writing pictures to files without losing what is there. */
#include "picture.h"

#include "file/output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The ending of a file's name with its dot, "" when there is none. */
static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    return dot && (!slash || dot > slash) ? dot : "";
}

/* Is there such a command? PATH is searched as the shell does. */
static bool have_command(const char *name)
{
    const char *list = getenv("PATH");
    char file[4096];
    while (list && *list) {
        size_t length = strcspn(list, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)length, list, name);
        if (access(file, X_OK) == 0)
            return true;
        list += length + (list[length] == ':');
    }
    return false;
}

/* Does the name ask for a format that rsvg-convert makes? */
static bool is_converted(const char *path)
{
    return strcmp(ending_of(path), ".pdf") == 0 || strcmp(ending_of(path), ".png") == 0;
}

int cli_picture_check(const cli_arguments *arguments, const char *path)
{
    if (path && is_converted(path) && !have_command("rsvg-convert"))
        return cli_message_usage("%s: '%s' needs the program rsvg-convert (Debian: librsvg2-bin); "
                                 ".svg needs nothing",
                                 arguments->command->name, path);
    return CLI_ANSWERED;
}

/* Start rsvg-convert with its input at *to; -1: not started. PNG at twice the pixels. */
static pid_t start_converter(const char *path, const char *format, int *to)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        execlp("rsvg-convert", "rsvg-convert", "--zoom", strcmp(format, "png") == 0 ? "2" : "1",
               "--format", format, "--output", path, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    if (child < 0)
        close(ends[1]);
    *to = ends[1];
    return child;
}

/* Everything to a pipe whose reader may leave early, which must not end the program. */
static bool feed(int to, const char *text, size_t size)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    while (size > 0) {
        ssize_t written = write(to, text, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        text += written;
        size -= (size_t)written;
    }
    sigaction(SIGPIPE, &before, NULL);
    return size == 0;
}

/* Beside the file first, so that a picture that cannot be made costs nothing that was there. */
static carom_status convert(const char *path, bool force, const char *svg, size_t size,
                            carom_error *error)
{
    char real[CAROM_OUTPUT_PATH], beside[CAROM_OUTPUT_PATH];
    int to = -1, ended = 0;
    carom_output_follow(path, real);
    carom_status status = carom_output_reserve(real, beside, error);
    if (status)
        return status;
    pid_t child = start_converter(beside, ending_of(path) + 1, &to);
    bool good = child >= 0 && feed(to, svg, size);
    if (child >= 0) {
        close(to);
        good = waitpid(child, &ended, 0) == child && WIFEXITED(ended) && WEXITSTATUS(ended) == 0 &&
               good;
    }
    status = good ? carom_output_place(beside, real, force, error)
                  : carom_error_set(error, CAROM_ERROR_OUTPUT,
                                    "%s: cannot write: rsvg-convert did not make it", path);
    if (status)
        unlink(beside);
    return status;
}

int cli_picture_write(const cli_arguments *arguments, const char *path, const char *svg,
                      size_t size)
{
    carom_error error = {0};
    if (path && is_converted(path))
        return convert(path, cli_option_given(arguments, "force"), svg, size, &error)
                   ? cli_message_error(NULL, &error)
                   : CLI_ANSWERED;
    if (path)
        return cli_output_write(arguments, path, svg, size);
    fwrite(svg, 1, size, stdout); /* errors are seen when stdout is flushed */
    return CLI_ANSWERED;
}

int cli_picture_width(const cli_arguments *arguments, double *width, char unit[4])
{
    static const char *const units[] = {"", "px", "mm", "cm", "in", "pt"};
    const char *text = cli_option_value(arguments, "width", 0);
    size_t length;
    *width = 0;
    unit[0] = '\0';
    if (!text)
        return CLI_ANSWERED;
    *width = carom_number_prefix(text, &length);
    for (size_t k = 0; length > 0 && k < sizeof units / sizeof *units; k++)
        if (strcmp(text + length, units[k]) == 0 && *width > 0 && *width <= 100000) {
            snprintf(unit, 4, "%s", strcmp(units[k], "px") == 0 ? "" : units[k]);
            return CLI_ANSWERED;
        }
    return cli_message_usage(
        "%s: --width '%s' is not a width: a number above 0 with px, mm, cm, in "
        "or pt, as in 85mm",
        arguments->command->name, text);
}
