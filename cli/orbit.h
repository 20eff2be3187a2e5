/* What the commands about derivatives and periodic motions share: a scene that was read with
 * derivatives, its law and its run. */
#ifndef CAROM_CLI_ORBIT_H
#define CAROM_CLI_ORBIT_H

#include "cli.h"
#include "json.h"
#include "watch.h"

typedef struct cli_orbit {
    const char *file;
    carom_scene *scene;
    const carom_scene_content *content;
    const carom_system_shape *shape;
    carom_arena *arena;
    carom_law law;
    const char *law_text; /* --law, NULL: not given */
    carom_flow_options options;
    bool until_given; /* --until: the end does not move with the scene's `until` */
    cli_progress progress;
    const char *what; /* for the line of progress */
} cli_orbit;

/* Read the scene, choose law and options. CLI_ANSWERED, or a status after saying what is wrong. End
 * with cli_orbit_free. */
int cli_orbit_open(const cli_arguments *arguments, cli_orbit *orbit);
void cli_orbit_free(cli_orbit *orbit);

/* The same once more, for another thread; nothing is said. */
carom_status cli_orbit_again(const cli_arguments *arguments, const cli_orbit *first,
                             cli_orbit *orbit, carom_error *error);

/* Directions of the start, the parameters and the contacts, one for each name (`e`, `initial.x`);
 * the arena is the orbit's. */
int cli_orbit_directions(const cli_orbit *orbit, int count, const char *const *names,
                         carom_orbit_directions *directions);

/* The section of the scene, --periods, and how far to look; without a section a usage error. */
int cli_orbit_problem(const cli_arguments *arguments, cli_orbit *orbit,
                      carom_orbit_problem *problem);

/* A periodic motion over its period, from orbit->t, q, u, into the trace -o, which plots and the
 * page show. */
int cli_orbit_trace(const cli_arguments *arguments, const carom_scene *scene, const carom_law *law,
                    const carom_flow_options *options, const carom_orbit *orbit);

/* For a problem's progress, self the orbit: a line on stderr; Ctrl-C ends the work in good order.
 */
carom_status cli_orbit_progress(void *self, carom_error *error);

/* "multipliers": [[re, im], ...] */
void cli_orbit_multipliers(carom_json *json, const carom_orbit *orbit);

#define CLI_ORBIT_PERIODS                                                                          \
    {                                                                                              \
        "periods", "N", "periods of the orbit, or section points where there is no period (1)", 0  \
    }

#define CLI_ORBIT_SKIP                                                                             \
    {                                                                                              \
        "skip", "N", "section points of a transient, passed before the search begins (0)", 0       \
    }

/* --skip N, section points; *skip stays where it is not given. */
int cli_orbit_skip(const cli_arguments *arguments, int *skip);

/* An error of the library about this scene. */
int cli_orbit_error(const cli_orbit *orbit, carom_error *error);

#define CLI_ORBIT_OPTIONS                                                                          \
    {"law", "LAW", "the law that decides impacts: name or name:param=value,...", 0},               \
        {"until", "T", "end time instead of the scene's", 0},                                      \
        {"tolerance", "TOL", "tolerance of the motion instead of the scene's", 0},                 \
        {"set", "NAME=VALUE",                                                                      \
         "override a parameter of the scene, or a value of `initial`: initial.x=0.3 (may be "      \
         "repeated)",                                                                              \
         0},                                                                                       \
    {                                                                                              \
        "json", NULL, "answer as JSON", 0                                                          \
    }

#endif
