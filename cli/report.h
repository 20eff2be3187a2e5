/* --report OUT.html of `carom impact` and `carom run`. */
#ifndef CAROM_CLI_REPORT_H
#define CAROM_CLI_REPORT_H

#include "answer.h"
#include "run.h"

/* Write the report asked for by --report; without it nothing. */
int cli_report_impact(const cli_arguments *arguments, const cli_answer *answer);
int cli_report_motion(const cli_arguments *arguments, const cli_motion *motion);

/* The picture of velocity space alone, to -o or standard output. */
int cli_report_velocity_space(const cli_arguments *arguments, const cli_answer *answer);

#define CLI_REPORT_OPTION                                                                          \
    {                                                                                              \
        "report", "OUT.html", "write a report: one self-contained page with tables and pictures",  \
            0                                                                                      \
    }

#endif
