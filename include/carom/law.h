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
    carom_parameter_kind kind; /* 0: that of the parameter */
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

/* Whose the coefficients are that a law takes a step with, for every contact: who cannot ask it at
 * each contact, as a device cannot, needs to know. */
typedef enum carom_coefficients {
    CAROM_COEFFICIENTS_OF_LAW,     /* a function of its own: ask */
    CAROM_COEFFICIENTS_OF_CONTACT, /* restitution and tangential restitution of the contact */
    CAROM_COEFFICIENTS_NONE        /* zero, whatever the contact has */
} carom_coefficients;

/* What a law says of one contact where its outcome is the closed form of Newton's inequality law
 * for that contact, with or without friction: in a time step, and in one problem with other laws.
 */
typedef struct carom_law_step {
    double restitution; /* of the normal velocity */
    double tangential;  /* of the slip */
    bool rough;         /* friction acts */
    carom_coefficients whose;
} carom_law_step;

/* Restitution with Coulomb friction at impulse level, every contact with its own coefficients, by
 * the form of the normal law. Proofs are about one form or both: bits. */
typedef enum carom_coulomb_form {
    CAROM_COULOMB_COMPLEMENTARITY = 1, /* gamma+ + e gamma- >= 0, complementary to the impulse */
    CAROM_COULOMB_EQUALITY = 2         /* gamma+ = -E gamma- */
} carom_coulomb_form;

/* What theory promises about the outcome of a law for given data; what is promised is proved. */
typedef struct carom_promise {
    bool kinematic, kinetic, energetic; /* the verdict of this name is true */
    char text[200];                     /* the same in words, with what is not promised and why */
} carom_promise;

/* A law: its name and words, and what it knows of itself. Nothing outside asks which law it is. */
struct carom_law_ops {
    const char *name, *summary, *reference;
    bool frictional; /* it uses slip and friction */
    bool layered;    /* its k, c, a, b and metric are those of the method boundary-layer */
    const carom_parameter *parameters; /* ends with a NULL name */
    int cost; /* rank for whoever tries all laws and wants quick answers first: 0 one solve, 1 some,
                 2 many, 3 integrates or searches */
    /* Fill u, impulses, modes, answer, message, details, alternatives of an outcome made by
     * carom_outcome_create. Errors are for the machine and the caller only: a law that has no or
     * no unique answer says so in outcome->answer. */
    carom_status (*apply)(const carom_law *law, const carom_geometry *geometry, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error);
    /* What follows may be NULL: the law has no such thing. */
    /* How it enters a time step, all of *step; false: not with these parameters. */
    bool (*step)(const carom_law *law, const carom_contact *contact, carom_law_step *step);
    /* One approaching contact alone: u+ = u- - (1 + e) gamma M^-1 w / (w'M^-1 w) with the e
     * returned; NaN: not with this contact. */
    double (*single)(const carom_law *law, const carom_contact *contact);
    /* Coupled contacts may have this law and others that mix, each by its `step`. */
    bool (*mixes)(const carom_law *law);
    /* Fill *promise, which promises nothing yet, from the data. No dearer than apply. */
    carom_status (*promise)(const carom_law *law, const carom_geometry *geometry,
                            carom_arena *arena, carom_promise *promise, carom_error *error);
    /* How far an outcome is from what the law says, from its velocities and impulses alone, in
     * units of the quantities compared (docs/theory/impact.md); alternatives beyond 1e-7 are not
     * listed. */
    carom_status (*residual)(const carom_law *law, const carom_geometry *geometry,
                             const carom_outcome *outcome, carom_arena *arena, double *residual,
                             carom_error *error);
    /* Which form of Coulomb's law it is, whose proofs are then proofs about this law. */
    carom_coulomb_form (*coulomb)(const carom_law *law);
};

/* The laws of the library, in the order they are listed. */
CAROM_API int carom_law_count(void);
CAROM_API const carom_law_ops *carom_law_at(int index);
CAROM_API const carom_law_ops *carom_law_find(const char *name); /* NULL when there is none */

/* *law = the law of that name with default parameters. An unknown name is an error that tells the
 * nearest one. */
CAROM_API carom_status carom_law_choose(const char *name, carom_law *law, carom_error *error);

/* Apply one law, complete the outcome (verdicts included) and check it: numbers that are not
 * finite, or impulses that do not explain u+, make it `failed`, and alternatives that do not
 * satisfy the law are left out. Contacts with a law of their own are honoured where theory allows
 * it (docs/theory/mixed-laws.md). */
CAROM_API carom_status carom_law_apply(const carom_law *law, const carom_geometry *geometry,
                                       carom_arena *arena, carom_outcome *outcome,
                                       carom_error *error);

/* What theory promises for the outcome of this law. */
CAROM_API carom_status carom_law_promise(const carom_law *law, const carom_geometry *geometry,
                                         carom_arena *arena, carom_promise *promise,
                                         carom_error *error);

/* Does an outcome, with its alternatives, keep what was promised? Otherwise *broken (may be NULL)
 * is the name of the verdict that is not: a defect of Carom, to be reported. */
CAROM_API bool carom_law_keeps(const carom_promise *promise, const carom_outcome *outcome,
                               const char **broken);

/* The value given for a parameter, NULL when it was not given. */
CAROM_API const carom_value *carom_law_value(const carom_law *law, const char *name);

/* A number: the given one, else the default of the table (NaN: none). */
CAROM_API double carom_law_number(const carom_law *law, const char *name);

/* What tells law `which` of a list from the others: its name with the parameters that differ, or
 * that make it another variant than the usual one, as in path:stop=stronge. */
CAROM_API void carom_law_label(int count, const carom_law *const *laws, int which, char *text,
                               size_t size);

/* Is the given choice, else the default one, this word? */
CAROM_API bool carom_law_is_choice(const carom_law *law, const char *name, const char *word);

#ifdef __cplusplus
}
#endif
#endif
