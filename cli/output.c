/* Files that a command writes: examined before the work, so that what cannot be written is known
 * before an hour is spent on it. */
#include "cli.h"

#include "file/output.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Does a name end in one of the endings that an option's argument shows ("TRACE.h5|.csv")? */
static bool has_ending(const char *path, const char *argument)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (const char *dot = strchr(argument, '.'); dot; dot = strchr(dot + 1, '.')) {
        size_t length = strcspn(dot, "|"), size = strlen(name);
        if (size > length && strncmp(name + size - length, dot, length) == 0)
            return true;
    }
    return false;
}

/* "-o x.png: ..., allowed are .h5, .hdf5, .csv" */
static int wrong_ending(const cli_arguments *arguments, const cli_option *option, const char *path)
{
    char allowed[80] = "";
    for (const char *dot = strchr(option->argument, '.'); dot; dot = strchr(dot + 1, '.')) {
        size_t used = strlen(allowed);
        snprintf(allowed + used, sizeof allowed - used, "%s%.*s", used ? ", " : "",
                 (int)strcspn(dot, "|"), dot);
    }
    double number;
    bool interval = carom_number_parse(path, &number) && strcmp(option->name, "output") == 0 &&
                    strcmp(arguments->command->name, "run") == 0;
    return cli_message_usage("%s: --%s %s: the name of a file to be written must end in %s%s%s",
                             arguments->command->name, option->name, path, allowed,
                             interval ? "; the interval of rows is --every " : "",
                             interval ? path : "");
}

/* The k-th file that was asked for by an option, in the order they were given. */
static const cli_option *output_of(const cli_arguments *arguments, int k, const char **path)
{
    const char *const *names = arguments->command->outputs;
    for (int i = 0; i < arguments->given_count; i++)
        for (int j = 0; names && names[j]; j++)
            if (strcmp(arguments->given[i].option->name, names[j]) == 0 && k-- == 0) {
                *path = arguments->given[i].value;
                return arguments->given[i].option;
            }
    return NULL;
}

/* Would this file take the place of one that is read, or of another that is written? */
static int check_others(const cli_arguments *arguments, const cli_option *option, const char *path,
                        int k)
{
    const char *name = arguments->command->name, *other = "";
    for (int i = 0; i < arguments->file_count; i++)
        if (strcmp(arguments->files[i], "-") != 0 && carom_output_same(path, arguments->files[i]))
            return cli_message_usage("%s: --%s %s is the file that is read", name, option->name,
                                     path);
    for (int i = 0; i < k; i++) {
        const cli_option *first = output_of(arguments, i, &other);
        if (carom_output_same(path, other))
            return cli_message_usage("%s: --%s and --%s name the same file '%s'", name, first->name,
                                     option->name, path);
    }
    return CLI_ANSWERED;
}

int cli_output_examine(const cli_arguments *arguments, const char *path)
{
    const cli_command *command = arguments->command;
    bool replace = cli_option_given(arguments, "force") ||
                   (command->replaces && command->replaces(arguments, path));
    carom_error error = {0};
    carom_status status = carom_output_examine(path, replace, &error);
    if (status == CAROM_ERROR_ARGUMENT)
        return cli_message_usage("%s: %s; %s", command->name, error.text,
                                 command->kept ? command->kept : "--force writes over it");
    return status ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}

int cli_output_check(const cli_arguments *arguments)
{
    const char *path;
    const cli_option *option;
    int status = CLI_ANSWERED;
    for (int k = 0; !status && (option = output_of(arguments, k, &path)); k++) {
        if (!*path)
            return cli_message_usage("%s: --%s needs the name of a file", arguments->command->name,
                                     option->name);
        bool special = carom_output_is_special(path);
        if (!special && !has_ending(path, option->argument))
            return wrong_ending(arguments, option, path);
        status = special ? CLI_ANSWERED : check_others(arguments, option, path, k);
        if (!status)
            status = cli_output_examine(arguments, path);
    }
    return status;
}

int cli_output_write(const cli_arguments *arguments, const char *path, const void *bytes,
                     size_t size)
{
    carom_error error = {0};
    const cli_command *command = arguments->command;
    const bool replace = cli_option_given(arguments, "force") ||
                         (command->replaces && command->replaces(arguments, path));
    if (carom_output_write(path, replace, bytes, size, &error))
        return cli_message_error(NULL, &error);
    return CLI_ANSWERED;
}

void cli_output_outlive_reader(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL);
}

bool cli_output_reader_left(void)
{
    struct pollfd end = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&end, 1, 0) == 1 && (end.revents & POLLERR);
}
