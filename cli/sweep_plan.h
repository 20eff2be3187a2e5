/* What a sweep computes: the names that vary and their values, the laws, the order of its cells.
 * Nothing in a plan changes once it is made: any thread, or any process that made it from the same
 * command line, can compute any task of it (sweep_task.h). */
#ifndef CAROM_CLI_SWEEP_PLAN_H
#define CAROM_CLI_SWEEP_PLAN_H

#include "cli.h"

/* One --vary: a name and its values. */
typedef struct cli_axis {
    char *name;
    int count;
    double *values;
} cli_axis;

/* Values that go together, a list of combinations: --rows, --sample. */
typedef struct cli_list {
    int names;
    char **name;
    long count;     /* of combinations; 0: there is no list */
    double *values; /* count x names */
} cli_list;

/* What is kept of a motion. */
typedef enum cli_sweep_keep {
    CLI_KEEP_FINAL,   /* its end: one row a cell */
    CLI_KEEP_IMPACTS, /* the state after every impact */
    CLI_KEEP_SECTION, /* points of the scene's `section`, else at multiples of its `period` */
    CLI_KEEP_ORBIT    /* the periodic motion near its start: one row a cell */
} cli_sweep_keep;

/* Has a cell one row, else one for each of its points? */
static inline bool cli_sweep_keep_is_one(cli_sweep_keep keep)
{
    return keep == CLI_KEEP_FINAL || keep == CLI_KEEP_ORBIT;
}

/* Where a cell starts: from `initial`, or where the one before it ended, along the last --vary. */
typedef enum cli_sweep_follow {
    CLI_FOLLOW_NONE,
    CLI_FOLLOW_UP,   /* from the least value to the largest */
    CLI_FOLLOW_DOWN, /* and back */
    CLI_FOLLOW_BOTH  /* up, then down */
} cli_sweep_follow;

/* One digit of a cell's number: what it counts, and up to where. */
typedef enum cli_digit_kind {
    CLI_DIGIT_AXIS,
    CLI_DIGIT_LAW,
    CLI_DIGIT_ROW,
    CLI_DIGIT_SAMPLE,
    CLI_DIGIT_TURN
} cli_digit_kind;

typedef struct cli_digit {
    cli_digit_kind kind;
    int axis;
    long count;
} cli_digit;

typedef struct cli_sweep_plan {
    const cli_arguments *arguments;
    carom_scene *scene; /* as it stands, with its --set options */
    int axis_count;
    cli_axis *axes;
    cli_list rows, samples;
    int law_count;     /* >= 1 */
    const char **laws; /* as after --law; the only one NULL: the scene's */
    cli_sweep_follow follow;
    int varied; /* names: of axes, rows, samples */
    const char **names;
    int digit_count;
    cli_digit *digits; /* of a cell's number, the last counts fastest */
    long cells, chain; /* chain: cells of a task, one after the other; tasks = cells/chain */
    bool moves;        /* a system that is run */
    double closed;     /* else: contacts with gaps up to this are closed */
    cli_sweep_keep keep;
    long skip;           /* points left out at the start of each motion */
    int modes;           /* columns of what contacts do at the end, one each (--with modes) */
    int details;         /* columns of what laws add (--with details); both are the last results */
    int columns;         /* of results */
    char **results;      /* their names */
    const char *plotted; /* a formula or a result's name: one more number a row; NULL: none */
} cli_sweep_plan;

/* Make the plan of a command line. CLI_ANSWERED, or a status after saying what is wrong. Always end
 * with cli_sweep_plan_free. */
int cli_sweep_plan_make(const cli_arguments *arguments, cli_sweep_plan *plan);
void cli_sweep_plan_free(cli_sweep_plan *plan);

/* A cell's value of name k, its law (number), its direction: 1 up, -1 down. */
double cli_sweep_plan_value(const cli_sweep_plan *plan, long cell, int k);
int cli_sweep_plan_law(const cli_sweep_plan *plan, long cell);
int cli_sweep_plan_turn(const cli_sweep_plan *plan, long cell);

/* Cells that differ in rows and samples only are one group; its number, and how many there are. */
long cli_sweep_plan_group(const cli_sweep_plan *plan, long cell);
long cli_sweep_plan_groups(const cli_sweep_plan *plan);

/* The values, from --vary, --rows and --sample (sweep_vary.c, sweep_rows.c, sweep_sample.c). */
int cli_sweep_vary_read(cli_sweep_plan *plan);
int cli_sweep_rows_read(cli_sweep_plan *plan);
int cli_sweep_sample_read(cli_sweep_plan *plan);

/* What is kept, and the names of the columns (sweep_columns.c). */
int cli_sweep_columns_make(cli_sweep_plan *plan);

/* What a row keeps of the ledger, beside its error and the work of events. */
enum { CLI_SWEEP_ENERGIES = 5 };
extern const carom_entry cli_sweep_columns_energies[CLI_SWEEP_ENERGIES];

/* Is number k of what the section keeps a column anyway: the time, a name that varies, or one that
 * was kept before? */
bool cli_sweep_columns_repeat(const cli_sweep_plan *plan, const carom_scene_section *section,
                              int k);

#endif
