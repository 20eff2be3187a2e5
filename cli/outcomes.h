/* The answer of `carom outcomes`: all that an impact can lead to. */
#ifndef CAROM_CLI_OUTCOMES_H
#define CAROM_CLI_OUTCOMES_H

#include "answer.h"

#include "carom/admissible.h"
#include "carom/orders.h"

enum {
    CLI_OUTCOMES_LEVELS = 32,
    CLI_OUTCOMES_DIMENSION = 10 /* beyond it points are too many to list: they double with each */
};

/* A dissipation level of the set. */
typedef struct cli_level {
    double e, radius;
    double width; /* the widest range of a velocity up to this level */
    carom_admissible_points points;
} cli_level;

typedef struct cli_outcomes {
    cli_answer answer; /* every law, or those asked for */
    bool has_set;
    char why_no_set[256];
    carom_admissible set;
    carom_admissible_points extremes;
    int vertices;
    carom_admissible_range *range; /* n */
    double gap;                    /* largest distance of a bound from its proof */
    int level_count;
    cli_level levels[CLI_OUTCOMES_LEVELS];
    bool has_orders, has_rough; /* without friction; with it, where the impact has some */
    char why_no_orders[256], why_no_rough[256];
    carom_orders orders, rough;
    const double *measured; /* n; NULL: none given */
    double tolerance;       /* kinetic distance at which a law meets it, as part of the speed */
    carom_admissible_place place; /* of the measured velocity */
    bool has_friction;            /* the impact has some, and the next is known */
    carom_membership friction;    /* is it admissible with friction? */
    double *law_distance;         /* of the answer's entries, NaN without an outcome */
} cli_outcomes;

/* Everything that the command line asks for. */
int cli_outcomes_open(const cli_arguments *arguments, cli_outcomes *o);
void cli_outcomes_free(cli_outcomes *o);

/* Does a contact of the impact have friction? */
bool cli_outcomes_is_rough(const cli_outcomes *o);

/* outcomes_show.c */
int cli_outcomes_json(const cli_outcomes *o);
void cli_outcomes_print(const cli_outcomes *o);

#endif
