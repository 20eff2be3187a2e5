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
    carom_flow_options options;
    carom_flow_result result;
    carom_report_recorder *recorder; /* for --report, NULL without */
    bool ended_early;
    unsigned long long hash; /* of the trace */
    const char *trace;       /* path, NULL: none written */
} cli_motion;

/* Read the scene, choose the law (--law, else the scene's, else newton) and run, writing the trace
 * when asked (-o, --force). CLI_ANSWERED, CLI_NO_ANSWER when the motion ended early, or another
 * status after saying what is wrong. End with cli_motion_free. */
int cli_motion_run(const cli_arguments *arguments, cli_motion *motion);
void cli_motion_free(cli_motion *motion);

const char *cli_motion_contact(const cli_motion *motion, int contact, char text[16]);

/* run_show.c */
int cli_motion_json(const cli_motion *motion);
void cli_motion_summary(const cli_motion *motion);

#endif
