/* Ctrl-C and progress. */
#include "watch.h"

#include "cli.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

/* The command did not look in time. */
static void give_up(int signal_number)
{
    static const char text[] = "\ncarom: stopped\n";
    (void)signal_number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(CLI_NO_ANSWER);
}

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
    alarm(1);
}

void cli_watch_signals(void)
{
    interrupted = 0;
    struct sigaction action = {.sa_handler = interrupt};
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART); /* the second one ends the program */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction late = {.sa_handler = give_up};
    sigaction(SIGALRM, &late, NULL);
}

bool cli_watch_stopped(void)
{
    if (interrupted)
        alarm(0);
    return interrupted;
}

double cli_watch_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_progress_begin(cli_progress *progress)
{
    *progress = (cli_progress){.began = cli_watch_seconds(), .terminal = isatty(STDERR_FILENO)};
}

double cli_progress_elapsed(const cli_progress *progress)
{
    return cli_watch_seconds() - progress->began;
}

bool cli_progress_due(cli_progress *progress)
{
    if (!progress->terminal)
        return false;
    double now = cli_watch_seconds();
    if (now - progress->began < 1 || now - progress->shown < 0.1)
        return false;
    progress->shown = now;
    return true;
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->shown > 0)
        fprintf(stderr, "\r%78s\r", "");
    progress->shown = 0;
}
