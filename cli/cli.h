/* The program's own small library: commands, options, messages, tables.
 *
 * A command is a const table at the bottom of cmd_<name>.c; program.c lists them. Everything a user
 * sees about options (help text, completion, error suggestions) comes from these tables. */
#ifndef CAROM_CLI_H
#define CAROM_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "carom/io.h"
#include "carom/text.h"

/* Exit statuses of the program. */
enum {
    CLI_ANSWERED = 0,  /* also when the answer is "several", "inconsistent", a failed certificate */
    CLI_NO_ANSWER = 1, /* the mathematics has no answer */
    CLI_USAGE = 2,     /* wrong usage or scene, input file missing or unreadable */
    CLI_MACHINE = 3    /* memory, disk, output not writable */
};

typedef struct cli_option {
    const char *name;     /* without the dashes; NULL ends a table */
    const char *argument; /* what stands for the value in help, NULL: a flag */
    const char *help;
    char letter; /* "-o", 0: none */
} cli_option;

/* What was typed, after the command's name. */
typedef struct cli_arguments {
    const struct cli_command *command;
    int file_count;
    const char *const *files; /* arguments that are no options */
    int given_count;
    const struct cli_given {
        const cli_option *option;
        const char *value; /* NULL for a flag */
    } * given;
} cli_arguments;

typedef struct cli_command {
    const char *name;
    const char *arguments; /* "FILE" */
    const char *summary;   /* one line */
    const char *text;      /* paragraphs for help, may be NULL */
    int least_files, most_files;
    bool derivatives; /* its scenes are read with derivatives with respect to parameters */
    const cli_option *options;
    /* Options that name files to be written; ends with NULL. The endings that are allowed stand in
     * the option's argument: "TRACE.h5|.csv". They are examined before the command runs. */
    const char *const *outputs;
    /* May the file that is there be written over without --force? NULL: never. */
    bool (*replaces)(const cli_arguments *arguments, const char *path);
    const char *kept; /* what to do about a file that is there; NULL: "--force writes over it" */
    const char *(*candidate)(int k); /* the k-th word that its argument may be, NULL after the last;
                                        no function: files */
    int (*run)(const cli_arguments *arguments);
    /* What a process does that helps another which runs the command (carom-mpi): it computes what
     * it is told and writes nothing. NULL: the command is not distributed. */
    int (*help)(const cli_arguments *arguments);
} cli_command;

/* What a process is: the only one, the first of several, or one that helps it. */
typedef enum cli_role { CLI_ALONE, CLI_LEADS, CLI_HELPS } cli_role;

/* Everything from the command line to the exit status. */
int cli_program(int argc, char **argv, cli_role role);

extern const cli_command *const cli_commands[]; /* ends with NULL */

const cli_command *cli_command_find(const char *name);
void cli_command_help(FILE *out, const cli_command *command);

/* The keys of scene files, all or those of one map; an exit status. */
int cli_help_scene(const char *name);

/* options.c. The k-th value (from 0) given for an option, NULL when there are fewer; a flag gives
 * "". */
const char *cli_option_value(const cli_arguments *arguments, const char *name, int k);
bool cli_option_given(const cli_arguments *arguments, const char *name);

/* The number given for an option; *number is left alone when it was not given. The second must be
 * positive. */
int cli_option_number(const cli_arguments *arguments, const char *name, double *number);
int cli_option_positive(const cli_arguments *arguments, const char *name, double *number);

/* All values of a repeated option; NULL: no memory. Free the list. */
const char **cli_option_values(const cli_arguments *arguments, const char *name, int *count);

/* Read a command line; CLI_ANSWERED, or CLI_USAGE after saying what is wrong. Free with
 * cli_options_free. */
int cli_options_parse(const cli_command *command, int argc, char **argv, cli_arguments *arguments);
void cli_options_free(cli_arguments *arguments);

/* message.c. Say what is wrong on stderr and return the exit status that belongs to it. file may be
 * NULL; "-" is shown as <stdin>. */
int cli_message_error(const char *file, const carom_error *error);
int cli_message_memory(void); /* out of memory */
int cli_message_usage(const char *format, ...) CAROM_PRINTF(1, 2);
/* What is wrong with a law after --law. */
int cli_message_law(const carom_error *error);
void cli_message_warning(const char *format, ...) CAROM_PRINTF(1, 2);
void cli_message_note(const char *format, ...) CAROM_PRINTF(1, 2); /* nothing is wrong */
const char *cli_message_file(const char *file);

/* Standard output, or a table that goes there, cannot be written: it is said once. problem: of
 * errno, 0 where it is known no more. */
void cli_message_output(const char *what, int problem);

/* Flush stdout; a full disk or closed pipe becomes CLI_MACHINE with a message. */
int cli_message_finish(int status);

/* The nearest of a list of names, NULL when nothing is near. */
const char *cli_message_nearest(const char *word, const char *const *names, int count);

/* A word that is none of the names: the message, then "; did you mean 'NAME'?", or `otherwise`. */
int cli_message_unknown(const char *word, const char *const *names, int count,
                        const char *otherwise, const char *format, ...) CAROM_PRINTF(5, 6);

/* output.c. Examine every file that the command line asks for: its ending, whether it would take
 * the place of another, whether it may be written. CLI_ANSWERED, or a status after saying what is
 * wrong. The second is for a path that the command chose itself. */
int cli_output_check(const cli_arguments *arguments);
int cli_output_examine(const cli_arguments *arguments, const char *path);

/* Write a whole file, over an existing one with --force or where the command may. */
int cli_output_write(const cli_arguments *arguments, const char *path, const void *bytes,
                     size_t size);

/* A picture is still to come when the reader of standard output leaves (`| head`): the program goes
 * on to it. Did the reader leave? Then what was written there is nobody's loss. */
void cli_output_outlive_reader(void);
bool cli_output_reader_left(void);

/* table.c. A table of text cells, columns aligned, folded to the width of the terminal (80 when it
 * is not one). */
typedef struct cli_table cli_table;
cli_table *cli_table_create(int columns);
void cli_table_cell(cli_table *table, const char *format, ...) CAROM_PRINTF(2, 3); /* next cell */
void cli_table_heading(cli_table *table, const char *text); /* next cell, right-aligned */
void cli_table_number(cli_table *table, double value);      /* next cell, right-aligned, 6 digits */
void cli_table_digits(cli_table *table, double value, int digits);
int cli_table_measure(const cli_table *table);     /* its width so far */
void cli_table_print(cli_table *table, FILE *out); /* and free it; NULL: no output */

void cli_table_fail(cli_table *table); /* a cell could not be made: no memory */
bool cli_table_failed(void);           /* has any table lost a cell? */

/* Is stdout a terminal that wants colour? */
bool cli_table_colour(void);
int cli_table_width(void);

#endif
