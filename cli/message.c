/* Messages on stderr, and the exit status that belongs to each. */
#include "cli.h"
#include "memory.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

const char *cli_message_file(const char *file)
{
    return file && strcmp(file, "-") == 0 ? "<stdin>" : file;
}

/* The length of a character that acts on a terminal instead of being shown: controls (C0 but line's
 * end and tab, DEL, C1) and those that turn the direction of writing; 0: it is shown. */
static int is_control(const unsigned char *c)
{
    if ((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7F)
        return 1;
    if (c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0)
        return 2;
    bool turns = c[0] == 0xE2 && ((c[1] == 0x80 && c[2] >= 0xAA && c[2] <= 0xAE) ||
                                  (c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9));
    return turns ? 3 : 0;
}

/* Say it on stderr. Names of files, cells of traces and the like come from elsewhere: what would
 * act on the terminal is shown as \xNN. */
static void say(const char *before, const char *format, va_list arguments)
{
    char text[4096];
    vsnprintf(text, sizeof text, format, arguments);
    fputs(before, stderr);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int length = is_control(c);
        for (int k = 0; k < length; k++)
            fprintf(stderr, "\\x%02X", *c++);
        if (!length)
            fputc(*c++, stderr);
    }
    fputc('\n', stderr);
}

static void tell(const char *before, const char *format, ...) CAROM_PRINTF(2, 3);
static void tell(const char *before, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(before, format, arguments);
    va_end(arguments);
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

/* What the limit refused, where that is why there is no memory. */
static const char *memory_text(char text[160])
{
    char asked[24], limit[24];
    if (!cli_memory_refused())
        return "out of memory";
    snprintf(text, 160,
             "out of memory: %s more were asked for, the limit is %s (the environment variable "
             "CAROM_MEMORY raises it)",
             cli_memory_text((double)cli_memory_refused(), asked),
             cli_memory_text((double)cli_memory_limit(), limit));
    return text;
}

int cli_message_error(const char *file, const carom_error *error)
{
    char limit[160];
    const char *text = error->text[0] ? error->text : carom_status_text(error->status);
    if (error->status == CAROM_ERROR_MEMORY && strcmp(text, "out of memory") == 0)
        text = memory_text(limit);
    if (!file)
        tell("carom: ", "%s", text);
    else if (error->line)
        tell("", "%s:%d:%d: %s", cli_message_file(file), error->line, error->column, text);
    else
        tell("", "%s: %s", cli_message_file(file), text);
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
    say("carom: ", format, arguments);
    va_end(arguments);
    return CLI_USAGE;
}

int cli_message_law(const carom_error *error)
{
    if (error->status == CAROM_ERROR_MEMORY)
        return cli_message_error(NULL, error);
    return cli_message_usage("--%s", error->text); /* "law `nwton` is unknown: ..." */
}

void cli_message_warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("carom: warning: ", format, arguments);
    va_end(arguments);
}

void cli_message_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("carom: ", format, arguments);
    va_end(arguments);
}

void cli_message_output(const char *what, int problem)
{
    static bool told;
    if (!told)
        fprintf(stderr, "carom: cannot write the %s%s%s\n", what, problem ? ": " : "",
                problem ? strerror(problem) : "");
    told = true;
}

int cli_message_finish(int status)
{
    if (cli_table_failed() && status != CLI_MACHINE)
        status = cli_message_memory();
    const bool flushed = fflush(stdout) == 0;
    if ((flushed && !ferror(stdout)) || cli_output_reader_left())
        return status;
    cli_message_output("output", flushed ? 0 : errno);
    return CLI_MACHINE;
}

const char *cli_message_nearest(const char *word, const char *const *names, int count)
{
    enum { MOST = 256 };
    const char *list[MOST + 1] = {NULL};
    for (int i = 0; i < count && i < MOST; i++)
        list[i] = names[i];
    return carom_word_nearest(word, list);
}

int cli_message_unknown(const char *word, const char *const *names, int count,
                        const char *otherwise, const char *format, ...)
{
    char text[1024];
    const char *nearest = cli_message_nearest(word, names, count);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return nearest ? cli_message_usage("%s; did you mean '%s'?", text, nearest)
                   : cli_message_usage("%s%s", text, otherwise);
}
