#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

const char *cli_message_file(const char *file)
{
    return file && strcmp(file, "-") == 0 ? "<stdin>" : file;
}

static int exit_status(carom_status status)
{
    switch (status) {
    case CAROM_ERROR_MEMORY:
    case CAROM_ERROR_OUTPUT:
        return CLI_MACHINE;
    case CAROM_ERROR_NUMERIC:
        return CLI_NO_ANSWER;
    default:
        return CLI_USAGE;
    }
}

int cli_message_error(const char *file, const carom_error *error)
{
    const char *text = error->text[0] ? error->text : carom_status_text(error->status);
    if (!file)
        fprintf(stderr, "carom: %s\n", text);
    else if (error->line)
        fprintf(stderr, "%s:%d:%d: %s\n", cli_message_file(file), error->line, error->column, text);
    else
        fprintf(stderr, "%s: %s\n", cli_message_file(file), text);
    return exit_status(error->status);
}

int cli_message_memory(void)
{
    return cli_message_error(NULL,
                             &(carom_error){.status = CAROM_ERROR_MEMORY, .text = "out of memory"});
}

int cli_message_usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("carom: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return CLI_USAGE;
}

void cli_message_warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("carom: warning: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

int cli_message_finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "carom: cannot write the output: %s\n", strerror(errno));
    return CLI_MACHINE;
}

const char *cli_message_nearest(const char *word, const char *const *names, int count)
{
    const char *nearest = NULL;
    int least = (int)strlen(word) / 2 + 1;
    if (least > 4)
        least = 4;
    for (int i = 0; i < count; i++) {
        int d = carom_word_distance(word, strlen(word), names[i], strlen(names[i]));
        if (d < least) {
            least = d;
            nearest = names[i];
        }
    }
    return nearest;
}
