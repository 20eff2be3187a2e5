/* The answer of `carom run`: a motion and what is left of it. The summary and the JSON document are
 * two ways to show it. */
#ifndef CAROM_CLI_RUN_H
#define CAROM_CLI_RUN_H

#include "cli.h"
#include "pictures/report.h"

typedef struct cli_motion {
    const char *file;
    carom_scene *scene;
    carom_arena *arena;
    carom_law law;
    bool law_by_default; /* nobody asked for it */
    carom_flow_options options;
    carom_flow_result result;
    carom_trace kept; /* the trace in memory, where one was asked for (rows 0: none) */
    bool ended_early;
    unsigned long long hash; /* of the trace */
    const char *trace;       /* path, NULL: none written */
} cli_motion;

/* How many rows and impacts are kept for pictures. */
enum { CLI_MOTION_KEPT = 200000 };

/* Which rows of a motion stay in memory: none, those of the trace, enough for the page, enough for
 * curves that stay smooth through many turns, or (where the scene has a period and no other
 * section) one a period. */
typedef enum cli_keep {
    CLI_KEEP_NONE,
    CLI_KEEP_ROWS,
    CLI_KEEP_PICTURE,
    CLI_KEEP_CURVES,
    CLI_KEEP_PERIODS
} cli_keep;

/* Read the scene, choose the law (--law, else the scene's, else by its friction) and run, with the
 * trace going to a file (NULL: none; force: over an existing one) and, as `keep` says, into memory,
 * at most CLI_MOTION_KEPT rows of it. CLI_ANSWERED, CLI_NO_ANSWER when the motion ended early, or
 * another status after saying what is wrong. End with cli_motion_free.
 */
int cli_motion_run(const cli_arguments *arguments, const char *file, const char *trace, bool force,
                   cli_keep keep, cli_motion *motion);
void cli_motion_free(cli_motion *motion);

/* How a scene is run: as it says, and before that as the command line says (--method, --until,
 * --step, --every). */
int cli_motion_options(const cli_arguments *arguments, const char *file, const carom_scene *scene,
                       carom_flow_options *options);

/* run_show.c */
int cli_motion_json(const cli_motion *motion);
void cli_motion_summary(const cli_motion *motion);

/* How a motion is computed, for the commands that run one. */
#define CLI_MOTION_OPTIONS                                                                         \
    {"law", "LAW", "the law that decides impacts: name or name:param=value,...", 0},               \
        {"method", "METHOD", "event-driven, time-stepping or boundary-layer", 0},                  \
        {"until", "T", "end time instead of the scene's", 0},                                      \
        {"step", "H", "step of time-stepping instead of the scene's", 0},                          \
        {"every", "DT", "interval of output rows (a thousandth of the motion)", 0},                \
        {"set", "NAME=VALUE",                                                                      \
         "override a parameter of the scene, or a value of `initial`: initial.x=0.3 (may be "      \
         "repeated)",                                                                              \
         0},                                                                                       \
    {                                                                                              \
        "any-restitution", NULL, "accept coefficients outside [0, 1], with a warning", 0           \
    }

#endif
