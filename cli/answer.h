/* The answer of `carom impact`: a scene, its impact, the outcome of each law. The table, the JSON
 * document and the report are three ways to show it. */
#ifndef CAROM_CLI_ANSWER_H
#define CAROM_CLI_ANSWER_H

#include "cli.h"
#include "instant.h"

typedef struct cli_entry {
    const char *text; /* as after --law; NULL: the user did not ask for it */
    carom_law law;
    carom_outcome outcome;
    bool memory, usage;    /* why there is no outcome: no memory; not a law for this impact */
    char certificate[200]; /* what theory promises for this law here; "": nothing */
    const char *broken;    /* the verdict that contradicts the promise: a defect; NULL: none does */
} cli_entry;

typedef struct cli_answer {
    const char *file;
    carom_scene *scene;
    carom_arena *arena;
    const char *title;
    cli_instant instant; /* of its motion, when one was asked for */
    carom_state state;   /* of a system at `initial`, or at that instant */
    carom_impact impact;
    carom_geometry geometry;
    const char **coordinates; /* n names */
    const char **velocities;  /* n names: "x'" */
    const char **contacts;    /* p names */
    char nearest[256];        /* no contact closed: the nearest one and its gap */
    int count;
    cli_entry *entries;
    bool applied;                  /* the entries have their outcomes */
    const carom_outcome *measured; /* one more outcome for the picture; NULL: none */
    bool stopped; /* by Ctrl-C; a thread is still at work in the arena, which must not be freed */
} cli_answer;

/* Read the scene (options --set, --any-restitution), make its impact (--closed) and derive its
 * geometry. CLI_ANSWERED, or an exit status after saying what is wrong. Always end with
 * cli_answer_free. */
int cli_answer_open(const cli_arguments *arguments, cli_answer *answer);

/* answer_laws.c. The laws asked for (--law, repeated; without it every law, one entry per variant).
 */
int cli_answer_choose(const cli_arguments *arguments, cli_answer *answer);

/* Apply them. CLI_ANSWERED when at least one has an outcome, CLI_NO_ANSWER when none has or the
 * user stopped it (answer->stopped), CLI_MACHINE when there was no memory for any. */
int cli_answer_apply(cli_answer *answer);

/* Is this a scene to be read, a file or a bundled one, and not a trace? */
bool cli_answer_is_scene(const char *path);

/* Read a scene with the options --set and --any-restitution; its warnings go to stderr. */
int cli_answer_read(const cli_arguments *arguments, const char *file, carom_scene **scene);

/* The system of a scene at a moment, checked, everything evaluated. */
carom_status cli_answer_evaluate(const carom_scene_content *content, const carom_flow_start *at,
                                 double closed, carom_arena *arena, carom_state *state,
                                 carom_error *error);

/* Can the system of a scene start to move: is its mass matrix positive definite at `initial`? */
int cli_answer_check_start(const char *file, const carom_scene_content *content);

/* --closed: contacts with gaps up to this are closed. */
int cli_answer_closed(const cli_arguments *arguments, double *tolerance);

void cli_answer_free(cli_answer *answer);

/* Does this outcome have velocities? */
bool cli_answer_exists(const carom_outcome *outcome);

/* The law with the parameters that tell it from other entries: "path:stop=newton". */
void cli_answer_label(const cli_answer *answer, int k, char *text, size_t size);

/* answer_json.c, answer_table.c */
int cli_answer_json(const cli_answer *answer);
int cli_answer_table(const cli_answer *answer);

/* answer_details.c: modes, impulses, velocities of the contacts by law, and the laws' own numbers.
 */
void cli_answer_details(const cli_answer *answer);

/* Which instant of a motion it is, on a line; nothing without one. */
void cli_answer_print_instant(const cli_answer *answer);

/* Options shared by the commands that read an impact. */
#define CLI_SCENE_OPTIONS                                                                          \
    {"set", "NAME=VALUE", "override a parameter of the scene (may be repeated)", 0},               \
        {"closed", "GAP", "contacts with a gap up to this are closed (1e-9)", 0},                  \
    {                                                                                              \
        "any-restitution", NULL, "accept coefficients outside [0, 1], with a warning", 0           \
    }

#endif
