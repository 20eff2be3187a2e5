/* carom help [TOPIC] */
#include "cli.h"

#include <string.h>

void cli_command_help(FILE *out, const cli_command *command)
{
    fprintf(out, "carom %s%s%s%s\n\n%s\n", command->name, command->arguments[0] ? " " : "",
            command->arguments, command->options ? " [options]" : "", command->summary);
    if (command->text)
        fprintf(out, "\n%s\n", command->text);
    fputs("\noptions:\n", out);
    cli_table *table = cli_table_create(2);
    for (const cli_option *o = command->options; o && o->name; o++) {
        char letter[8] = "";
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        cli_table_cell(table, "  %s--%s%s%s", letter, o->name, o->argument ? " " : "",
                       o->argument ? o->argument : "");
        cli_table_cell(table, "%s", o->help);
    }
    cli_table_cell(table, "  -h, --help");
    cli_table_cell(table, "this text");
    cli_table_print(table, out);
}

/* Commands, then topics. */
static const char *topic_name(int k)
{
    int commands = 0;
    while (cli_commands[commands])
        commands++;
    return k < commands ? cli_commands[k]->name : k == commands ? "scene" : NULL;
}

static int unknown_topic(const char *name)
{
    const char *names[64];
    int count = 0;
    for (; count < 64 && topic_name(count); count++)
        names[count] = topic_name(count);
    return cli_message_unknown(name, names, count, "; 'carom help' lists them",
                               "help: there is no topic '%s'", name);
}

static int explain(const cli_arguments *arguments)
{
    const char *name = arguments->files[0];
    const char *second = arguments->file_count > 1 ? arguments->files[1] : NULL;
    if (strcmp(name, "scene") == 0)
        return cli_help_scene(second);
    if (second)
        return cli_message_usage("help: one topic at a time; '%s' is the second", second);
    const cli_command *command = cli_command_find(name);
    if (!command)
        return unknown_topic(name);
    cli_command_help(stdout, command);
    return CLI_ANSWERED;
}

static int run(const cli_arguments *arguments)
{
    if (arguments->file_count > 0)
        return explain(arguments);
    printf("carom %s: impacts and contact in mechanical systems\n\n", CAROM_VERSION);
    cli_table *table = cli_table_create(2);
    for (int i = 0; cli_commands[i]; i++) {
        cli_table_cell(table, "  carom %s %s", cli_commands[i]->name, cli_commands[i]->arguments);
        cli_table_cell(table, "%s", cli_commands[i]->summary);
    }
    cli_table_print(table, stdout);
    puts("\n'carom help COMMAND' explains a command and its options, 'carom help scene' the keys "
         "of\n"
         "scene files; -h, --help and --version work everywhere. A first look:\n"
         "  carom impact cradle");
    return CLI_ANSWERED;
}

const cli_command cli_help = {
    .name = "help",
    .arguments = "[TOPIC]",
    .summary = "this list, one command explained, or the keys of scenes",
    .most_files = 2,
    .candidate = topic_name,
    .run = run,
};
