/* Impact laws: one table each, chosen by name, with named parameters. */
#ifndef CAROM_LAW_H
#define CAROM_LAW_H

#include "carom/impact.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_parameter_kind {
    CAROM_PARAMETER_NUMBER,
    CAROM_PARAMETER_CHOICE,  /* one of the words in `choices` */
    CAROM_PARAMETER_MATRIX,  /* rows x columns numbers */
    CAROM_PARAMETER_LIST,    /* numbers */
    CAROM_PARAMETER_SQUARE,  /* p x p or n x n numbers */
    CAROM_PARAMETER_CONTACTS /* names of contacts, or their numbers from 1 */
} carom_parameter_kind;

/* What a law takes: help text, file format and defaults all come from here. */
typedef struct carom_parameter {
    const char *name, *doc;
    carom_parameter_kind kind;
    double number;       /* default; NaN: none */
    double lower, upper; /* allowed range of a number, inclusive */
    const char *choices; /* "newton|poisson|stronge", the first is the default */
    bool varies;         /* a choice that `carom impact` lists as separate variants */
} carom_parameter;

/* A value given for a parameter. */
typedef struct carom_value {
    const char *name;
    carom_parameter_kind kind;
    double number;
    const char *text;         /* choice */
    int rows, columns;        /* matrix; a list has columns = 1 */
    const double *numbers;    /* rows x columns, column-major */
    const char *const *words; /* list entries that are names, or NULL */
} carom_value;

typedef struct carom_law_ops carom_law_ops;

/* A law with its parameters. Plain data; pointers borrowed. */
typedef struct carom_law {
    const carom_law_ops *ops;
    const carom_value *values;
    int value_count;
} carom_law;

struct carom_law_ops {
    const char *name, *summary, *reference;
    bool frictional;                   /* it uses slip and friction */
    const carom_parameter *parameters; /* ends with a NULL name */
    int cost; /* rank for whoever tries all laws and wants quick answers first: 0 one solve, 1 some,
                 2 many, 3 integrates or searches */
    /* Fill u, impulses, modes, answer, message, details, alternatives of an outcome made by
     * carom_outcome_create. Errors are for the machine and the caller only: a law that has no or
     * no unique answer says so in outcome->answer. */
    carom_status (*apply)(const carom_law *law, const carom_geometry *geometry, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error);
};

/* The laws of the library, in the order they are listed. */
CAROM_API int carom_law_count(void);
CAROM_API const carom_law_ops *carom_law_at(int index);
CAROM_API const carom_law_ops *carom_law_find(const char *name); /* NULL when there is none */

/* Apply one law and complete the outcome (verdicts included). Contacts with a law of their own are
 * honoured where theory allows it (docs/theory/mixed-laws.md). */
CAROM_API carom_status carom_law_apply(const carom_law *law, const carom_geometry *geometry,
                                       carom_arena *arena, carom_outcome *outcome,
                                       carom_error *error);

/* The value given for a parameter, NULL when it was not given. */
CAROM_API const carom_value *carom_law_value(const carom_law *law, const char *name);

/* A number: the given one, else the default of the table (NaN: none). */
CAROM_API double carom_law_number(const carom_law *law, const char *name);

/* Is the given choice, else the default one, this word? */
CAROM_API bool carom_law_is_choice(const carom_law *law, const char *name, const char *word);

#ifdef __cplusplus
}
#endif
#endif
