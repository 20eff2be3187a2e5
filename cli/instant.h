/* An instant of a motion to look at: --at T, --at-impact K. */
#ifndef CAROM_CLI_INSTANT_H
#define CAROM_CLI_INSTANT_H

#include "cli.h"

/* Arrays live in the arena given to the functions below. */
typedef struct cli_instant {
    bool given;
    double t;
    const double *q, *u; /* just before it */
    long impact;         /* its number, from 1; 0: a time */
    int contact_count;   /* of the impact */
    const int *contacts;
    const char *law; /* that moved the system up to there; NULL: a trace does not say */
} cli_instant;

/* Does the command line ask for an instant? */
bool cli_instant_wanted(const cli_arguments *arguments);

/* Is this the name of a trace? */
bool cli_instant_is_trace(const char *path);

/* Run the scene up to the instant. CLI_NO_ANSWER when the motion does not reach it. */
int cli_instant_run(const cli_arguments *arguments, const char *file, carom_scene *scene,
                    carom_arena *arena, cli_instant *instant);

/* The scene of a trace, and its instant. */
int cli_instant_read(const cli_arguments *arguments, const char *file, carom_arena *arena,
                     carom_scene **scene, cli_instant *instant);

#define CLI_INSTANT_OPTIONS                                                                        \
    {"at", "T", "run to this time first; a trace needs a row there", 0},                           \
    {                                                                                              \
        "at-impact", "K", "run to the K-th impact first (from 1); also of a trace", 0              \
    }

#endif
