/* Ctrl-C and progress: for work that takes longer than a moment.
 *
 * The first SIGINT (or SIGTERM) asks the command to end in good order: it looks at
 * cli_watch_stopped(). One that has not looked within a second is ended, a second Ctrl-C ends it at
 * once. So every command can be stopped, whatever it computes. */
#ifndef CAROM_CLI_WATCH_H
#define CAROM_CLI_WATCH_H

#include <stdbool.h>

/* From now on signals are caught; once, in main. */
void cli_watch_signals(void);

/* Does the user want the work to end? Who asks and is told so ends it himself. */
bool cli_watch_stopped(void);

/* Seconds on a clock that only goes forward. */
double cli_watch_seconds(void);

/* A line on stderr about work over a second, on a terminal only. */
typedef struct cli_progress {
    double began, shown; /* seconds */
    bool terminal;
} cli_progress;

void cli_progress_begin(cli_progress *progress);
/* Seconds since it began. */
double cli_progress_elapsed(const cli_progress *progress);
/* Is it time to write the line anew (with a carriage return in front)? */
bool cli_progress_due(cli_progress *progress);
/* Take the line away. */
void cli_progress_end(cli_progress *progress);

#endif
