/* Options of the command line: what was typed, against the command's own table. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *cli_option_value(const cli_arguments *arguments, const char *name, int k)
{
    for (int i = 0; i < arguments->given_count; i++)
        if (strcmp(arguments->given[i].option->name, name) == 0 && k-- == 0)
            return arguments->given[i].value ? arguments->given[i].value : "";
    return NULL;
}

bool cli_option_given(const cli_arguments *arguments, const char *name)
{
    return cli_option_value(arguments, name, 0) != NULL;
}

int cli_option_number(const cli_arguments *arguments, const char *name, double *number)
{
    const char *text = cli_option_value(arguments, name, 0);
    double value;
    if (!text)
        return CLI_ANSWERED;
    if (!carom_number_parse(text, &value) || !isfinite(value))
        return cli_message_usage("%s: --%s %s is not a number", arguments->command->name, name,
                                 *text ? text : "''");
    *number = value;
    return CLI_ANSWERED;
}

int cli_option_positive(const cli_arguments *arguments, const char *name, double *number)
{
    int status = cli_option_number(arguments, name, number);
    if (!status && cli_option_given(arguments, name) && !(*number > 0))
        status = cli_message_usage("%s: --%s %s must be positive", arguments->command->name, name,
                                   cli_option_value(arguments, name, 0));
    return status;
}

const char **cli_option_values(const cli_arguments *arguments, const char *name, int *count)
{
    *count = 0;
    while (cli_option_value(arguments, name, *count))
        ++*count;
    const char **values = calloc((size_t)*count + 1, sizeof *values);
    for (int k = 0; values && k < *count; k++)
        values[k] = cli_option_value(arguments, name, k);
    return values;
}

/* The option meant by "--name", "--name=value" or "-x"; *value points behind the '=' or is NULL. */
static const cli_option *find_option(const cli_command *command, const char *word,
                                     const char **value)
{
    *value = NULL;
    if (word[1] != '-') {
        for (const cli_option *o = command->options; o && o->name; o++)
            if (o->letter && o->letter == word[1]) {
                if (word[2])
                    *value = word + 2;
                return o;
            }
        return NULL;
    }
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word - 2) : strlen(word + 2);
    for (const cli_option *o = command->options; o && o->name; o++)
        if (strlen(o->name) == length && strncmp(o->name, word + 2, length) == 0) {
            *value = equals ? equals + 1 : NULL;
            return o;
        }
    return NULL;
}

static int unknown_option(const cli_command *command, const char *word)
{
    const char *names[64];
    int count = 0;
    for (const cli_option *o = command->options; o && o->name && count < 64; o++)
        names[count++] = o->name;
    char bare[64];
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(word + strspn(word, "-"), "="),
             word + strspn(word, "-"));
    const char *nearest = cli_message_nearest(bare, names, count);
    if (nearest)
        return cli_message_usage("%s: unknown option '%s'; did you mean '--%s'?", command->name,
                                 word, nearest);
    return cli_message_usage("%s: unknown option '%s'; 'carom help %s' lists them", command->name,
                             word, command->name);
}

/* The same option once more, where only one value can hold? */
static bool given_twice(const cli_option *option, int count, const struct cli_given *given)
{
    static const char *const lists[] = {"law", "set", "vary", "sample", "of", "wrt", "level"};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        if (strcmp(option->name, lists[k]) == 0)
            return false;
    for (int k = 0; k < count && option->argument; k++)
        if (given[k].option == option)
            return true;
    return false;
}

int cli_options_parse(const cli_command *command, int argc, char **argv, cli_arguments *arguments)
{
    const char **files = calloc((size_t)argc + 1, sizeof *files);
    struct cli_given *given = calloc((size_t)argc + 1, sizeof *given);
    int file_count = 0, given_count = 0, status = CLI_ANSWERED;
    bool only_files = false;
    if (!files || !given) {
        status = cli_message_memory();
        argc = 0;
    }
    for (int i = 0; i < argc && status == CLI_ANSWERED; i++) {
        const char *word = argv[i], *value;
        if (only_files || word[0] != '-' || word[1] == '\0') {
            files[file_count++] = word;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            only_files = true;
            continue;
        }
        const cli_option *option = find_option(command, word, &value);
        if (!option)
            status = unknown_option(command, word);
        else if (option->argument && !value && i + 1 >= argc)
            status = cli_message_usage("%s: option '%s' needs a value: %s", command->name, word,
                                       option->argument);
        else if (!option->argument && value)
            status =
                cli_message_usage("%s: option '--%s' takes no value", command->name, option->name);
        else if (given_twice(option, given_count, given))
            status =
                cli_message_usage("%s: option '--%s' was given twice", command->name, option->name);
        else
            given[given_count++] =
                (struct cli_given){option, option->argument && !value ? argv[++i] : value};
    }
    if (status == CLI_ANSWERED && file_count < command->least_files)
        status = cli_message_usage("%s: %s is missing; 'carom help %s' explains", command->name,
                                   command->arguments, command->name);
    if (status == CLI_ANSWERED && file_count > command->most_files)
        status = cli_message_usage("%s: '%s' is one argument too many", command->name,
                                   files[command->most_files]);
    *arguments = (cli_arguments){command, file_count, files, given_count, given};
    if (status != CLI_ANSWERED)
        cli_options_free(arguments);
    return status;
}

void cli_options_free(cli_arguments *arguments)
{
    free((void *)arguments->files);
    free((void *)arguments->given);
}
