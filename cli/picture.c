/* Writing pictures to files without losing what is there. */
#include "picture.h"

#include "carom/text.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int cannot_write(const char *path, int problem)
{
    fprintf(stderr, "carom: cannot write %s: %s\n", path, strerror(problem));
    return CLI_MACHINE;
}

static int write_text(const char *path, bool force, const char *text, size_t size)
{
    FILE *file = fopen(path, force ? "w" : "wx");
    if (!file && errno == EEXIST)
        return cli_message_usage("%s exists; --force writes over it", path);
    bool written = file && fwrite(text, 1, size, file) == size;
    int why = errno;
    if (file && fclose(file) != 0) {
        written = false;
        why = errno;
    }
    return written ? CLI_ANSWERED : cannot_write(path, why);
}

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

int cli_picture_check(const cli_arguments *arguments, const char *path)
{
    const char *command = arguments->command->name;
    if (!path)
        return CLI_ANSWERED;
    const char *ending = ending_of(path);
    bool converted = strcmp(ending, ".pdf") == 0 || strcmp(ending, ".png") == 0;
    if (!converted && strcmp(ending, ".svg") != 0)
        return cli_message_usage("%s: '%s' must end with .svg, .pdf or .png", command, path);
    if (converted && !have_command("rsvg-convert"))
        return cli_message_usage("%s: '%s' needs the program rsvg-convert (Debian: librsvg2-bin); "
                                 ".svg needs nothing",
                                 command, path);
    if (access(path, F_OK) == 0 && !cli_option_given(arguments, "force"))
        return cli_message_usage("%s exists; --force writes over it", path);
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
static int convert(const char *path, const char *svg, size_t size)
{
    char beside[4096];
    int to = -1, ended = 0;
    snprintf(beside, sizeof beside, "%s.part", path);
    pid_t child = start_converter(beside, ending_of(path) + 1, &to);
    if (child < 0)
        return cannot_write(path, errno);
    bool good = feed(to, svg, size);
    close(to);
    good =
        waitpid(child, &ended, 0) == child && WIFEXITED(ended) && WEXITSTATUS(ended) == 0 && good;
    if (good && rename(beside, path) == 0)
        return CLI_ANSWERED;
    int why = errno;
    unlink(beside);
    if (good)
        return cannot_write(path, why);
    fprintf(stderr, "carom: cannot write %s: rsvg-convert did not make it\n", path);
    return CLI_MACHINE;
}

int cli_picture_write(const char *path, bool force, const char *svg, size_t size)
{
    if (path)
        return strcmp(ending_of(path), ".svg") == 0 ? write_text(path, force, svg, size)
                                                    : convert(path, svg, size);
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
