/* Messages between the processes of carom-mpi. Process 0 leads, the others help: a helper sends
 * results (at first none) and is told which tasks are next; none means the end. All processes run
 * the same program on the same kind of machine, so numbers travel as they are. */
#ifndef CAROM_CLI_MPI_POST_H
#define CAROM_CLI_MPI_POST_H

#include "sweep_task.h"

/* Tasks first ... first + count - 1. */
typedef struct cli_post_work {
    long first, count;
} cli_post_work;

/* A growing message. */
typedef struct cli_post {
    char *bytes;
    size_t size, room, at; /* at: read so far */
    bool failed;           /* no memory, or too little was sent */
} cli_post;

/* Begin and end MPI; *rank and *size. */
void cli_post_open(int *argc, char ***argv, int *rank, int *size);
int cli_post_helpers(void); /* processes besides the first */
/* After the command: 0 says farewell to the helpers, which say with what status they end. Does not
 * return when some of them do not answer. */
void cli_post_close(int status);

/* The rows of a task, appended; read again, in the same order. False: no memory, or not whole. */
void cli_post_pack(cli_post *post, const cli_sweep_rows *rows);
bool cli_post_unpack(cli_post *post, int width, cli_sweep_rows *rows);
void cli_post_numbers(cli_post *post, size_t count, const double *numbers);
bool cli_post_read(cli_post *post, size_t size, void *to);
void cli_post_free(cli_post *post);

/* The helper's side. False: the leader does not answer, or the user wants the end. */
bool cli_post_send(const cli_post *post);
bool cli_post_receive(cli_post_work *work);

/* The leader's side: the next message, of helper *from (1 ...), if there is one. A helper that ends
 * is gone. */
bool cli_post_next(cli_post *post, int *from);
bool cli_post_gone(int helper);
void cli_post_answer(int helper, cli_post_work work);

/* Wait for a moment, without keeping the processor from others. */
void cli_post_nap(void);

#endif
