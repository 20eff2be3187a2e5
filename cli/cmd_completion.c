/* carom completion SHELL: a completion script, made from the tables that the program itself reads.
 * The words that may follow are fixed when it is printed, so that completing starts no program. */
#include "cli.h"
#include "pictures/course.h"

#include <ctype.h>
#include <string.h>

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static const char *shell_name(int k)
{
    return shells[k];
}

/* What may stand for the argument of a command or an option. */
typedef struct words {
    const char *(*candidate)(int k); /* words, by number */
    const char *listed;              /* or as they stand in help, "up|down|both" */
    const char *endings;             /* or endings of files, as in "TRACE.h5|.csv" */
} words;

static const char *law_name(int k)
{
    return k < carom_law_count() ? carom_law_at(k)->name : NULL;
}

static const char *method_name(int k)
{
    return k <= CAROM_FLOW_BOUNDARY_LAYER ? carom_flow_method_text((carom_flow_method)k) : NULL;
}

static const char *picture_name(int k)
{
    return k < CAROM_COURSE_KINDS    ? carom_course_kind_text((carom_course_kind)k)
           : k == CAROM_COURSE_KINDS ? "velocity-space"
                                     : NULL;
}

/* The words for an option's value; false: they are the user's own. */
static bool find_option_words(const cli_option *option, words *w)
{
    *w = (words){0};
    if (strcmp(option->argument, "LAW") == 0)
        w->candidate = law_name;
    else if (strcmp(option->argument, "METHOD") == 0)
        w->candidate = method_name;
    else if (strcmp(option->argument, "KIND") == 0)
        w->candidate = picture_name;
    else if (strchr(option->argument, '.'))
        w->endings = option->argument;
    else if (strchr(option->argument, '|') && islower((unsigned char)option->argument[0]))
        w->listed = option->argument;
    else
        return false;
    return true;
}

static words find_words(const cli_command *command)
{
    words w = {.candidate = command->candidate};
    if (!w.candidate)
        w.endings = command->arguments;
    return w;
}

static void print_words(const words *w)
{
    for (const char *c = w->listed; c && *c; c++)
        putchar(*c == '|' ? ' ' : *c);
    for (int k = 0; w->candidate && w->candidate(k); k++)
        printf("%s%s", k ? " " : "", w->candidate(k));
}

/* The endings of "FILE.yaml|TRACE" or "TRACE.h5|.csv" as a list separated by `between`; files that
 * are read have those of scenes and traces. */
static void print_endings(const char *argument, const char *between)
{
    const char *first = "";
    if (strstr(argument, "TRACE") && !strchr(argument, '.'))
        argument = "TRACE.h5|.hdf5|.csv";
    else if (strstr(argument, "TRACE..."))
        argument = "FILE.yaml|.yml|.json|.h5|.hdf5|.csv";
    else if (!strchr(argument, '.'))
        argument = "FILE.yaml|.yml|.json";
    for (const char *dot = strchr(argument, '.'); dot; dot = strchr(dot + 1, '.')) {
        int length = 0;
        while (isalnum((unsigned char)dot[1 + length]))
            length++;
        if (length == 0)
            continue;
        printf("%s%.*s", first, length, dot + 1);
        first = between;
    }
}

/* A text inside '...' of a shell. */
static void print_quoted(const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*text);
}

/* What completes the value of an option, one line of a `case`. */
static void print_bash_option(const cli_option *o)
{
    words w;
    printf("        --%s", o->name);
    if (o->letter)
        printf(" | -%c", o->letter);
    if (!find_option_words(o, &w)) {
        puts(") return ;;");
        return;
    }
    printf(") _carom_%s '", w.endings ? "files" : "words");
    if (w.endings)
        print_endings(w.endings, " ");
    else
        print_words(&w);
    puts("'; return ;;");
}

static void print_bash_command(const cli_command *c)
{
    printf("    %s)\n        case $before in\n", c->name);
    for (const cli_option *o = c->options; o && o->name; o++)
        if (o->argument)
            print_bash_option(o);
    printf("        esac\n        if [[ $word == -* ]]; then _carom_words '--help");
    for (const cli_option *o = c->options; o && o->name; o++)
        printf(" --%s", o->name);
    puts("'; return; fi");
    if (c->most_files > 0) {
        words w = find_words(c);
        printf("        _carom_%s '", w.endings ? "files" : "words");
        if (w.endings)
            print_endings(w.endings, " ");
        else
            print_words(&w);
        puts("'");
    }
    puts("        ;;");
}

static void print_bash(void)
{
    puts("# bash completion for carom, printed by `carom completion bash`\n"
         "_carom_files() {\n"
         "    local ending\n"
         "    COMPREPLY=($(compgen -d -- \"$word\"))\n"
         "    for ending in $1; do\n"
         "        COMPREPLY+=($(compgen -f -X \"!*.$ending\" -- \"$word\"))\n"
         "    done\n"
         "}\n"
         "_carom_words() { COMPREPLY=($(compgen -W \"$1\" -- \"$word\")); }\n"
         "_carom() {\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    printf("        _carom_words '");
    for (int i = 0; cli_commands[i]; i++)
        printf("%s%s", i ? " " : "", cli_commands[i]->name);
    puts("'\n        return\n    fi\n    case ${COMP_WORDS[1]} in");
    for (int i = 0; cli_commands[i]; i++)
        print_bash_command(cli_commands[i]);
    puts("    esac\n}\ncomplete -o filenames -F _carom carom");
}

static void print_zsh_words(const words *w)
{
    if (!w->endings) {
        putchar('(');
        print_words(w);
        putchar(')');
        return;
    }
    printf("_files -g \"*.(");
    print_endings(w->endings, "|");
    printf(")\"");
}

/* A text inside [...] of a zsh option: brackets and colons protected. */
static void print_zsh_text(const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:\\", *text))
            putchar('\\');
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*text);
    }
}

static void print_zsh_option(const cli_option *o)
{
    words w;
    printf(" \\\n            ");
    if (o->letter)
        printf("'(-%c --%s)'{-%c,--%s}'[", o->letter, o->name, o->letter, o->name);
    else
        printf("'%s--%s[", strstr(o->help, "repeated") ? "*" : "", o->name);
    print_zsh_text(o->help);
    putchar(']');
    if (o->argument) {
        putchar(':');
        print_zsh_text(o->argument);
        putchar(':');
        if (find_option_words(o, &w))
            print_zsh_words(&w);
    }
    putchar('\'');
}

static void print_zsh_command(const cli_command *c)
{
    printf("    %s)\n        _arguments '(-h --help)'{-h,--help}'[explain the command]'", c->name);
    for (const cli_option *o = c->options; o && o->name; o++)
        print_zsh_option(o);
    if (c->most_files > 0) {
        words w = find_words(c);
        printf(" \\\n            '*:");
        print_zsh_text(c->arguments);
        putchar(':');
        print_zsh_words(&w);
        putchar('\'');
    }
    puts(" ;;");
}

static void print_zsh(void)
{
    puts("#compdef carom\n# zsh completion for carom, printed by `carom completion zsh`\n"
         "_carom() {\n    local -a commands\n    commands=(");
    for (int i = 0; cli_commands[i]; i++) {
        printf("        '%s:", cli_commands[i]->name);
        print_quoted(cli_commands[i]->summary);
        puts("'");
    }
    puts("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n"
         "        return\n    fi\n    local command=$words[2]\n    shift words\n    (( CURRENT-- "
         "))\n"
         "    case $command in");
    for (int i = 0; cli_commands[i]; i++)
        print_zsh_command(cli_commands[i]);
    puts("    esac\n}\n_carom \"$@\"");
}

static void print_fish_words(const words *w)
{
    if (!w->endings) {
        printf(" -x -a '");
        print_words(w);
        putchar('\'');
        return;
    }
    printf(" -k -x -a '(__carom_files ");
    print_endings(w->endings, " ");
    printf(")'");
}

/* A text inside '...' of fish, which escapes quotes by backslashes. */
static void print_fish_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
}

/* One line for an option of a command. */
static void print_fish_option(const cli_command *c, const cli_option *o)
{
    words w;
    printf("complete -c carom -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
    if (o->letter)
        printf(" -s %c", o->letter);
    printf(" -d '");
    print_fish_text(o->help);
    putchar('\'');
    if (o->argument && find_option_words(o, &w))
        print_fish_words(&w);
    else if (o->argument)
        printf(" -x");
    putchar('\n');
}

static void print_fish_command(const cli_command *c)
{
    printf("complete -c carom -n __fish_use_subcommand -a %s -d '", c->name);
    print_fish_text(c->summary);
    puts("'");
    for (const cli_option *o = c->options; o && o->name; o++)
        print_fish_option(c, o);
    if (c->most_files == 0)
        return;
    words w = find_words(c);
    printf("complete -c carom -n '__fish_seen_subcommand_from %s'", c->name);
    print_fish_words(&w);
    putchar('\n');
}

static void print_fish(void)
{
    puts("# fish completion for carom, printed by `carom completion fish`\n"
         "function __carom_files\n"
         "    for ending in $argv\n        __fish_complete_suffix .$ending\n    end\nend\n"
         "complete -c carom -f");
    for (int i = 0; cli_commands[i]; i++)
        print_fish_command(cli_commands[i]);
}

static int run(const cli_arguments *arguments)
{
    static void (*const print[])(void) = {print_bash, print_zsh, print_fish};
    for (int k = 0; shells[k]; k++)
        if (strcmp(shells[k], arguments->files[0]) == 0) {
            print[k]();
            return CLI_ANSWERED;
        }
    return cli_message_usage("completion: there is none for '%s'; there are bash, zsh and fish",
                             arguments->files[0]);
}

const cli_command cli_completion = {
    .name = "completion",
    .arguments = "SHELL",
    .summary = "print a completion script for bash, zsh or fish",
    .text = "Installed with the program; for one that is not: source <(carom completion bash).",
    .least_files = 1,
    .most_files = 1,
    .candidate = shell_name,
    .run = run,
};
