/* Messages over MPI. Nobody waits inside MPI, which keeps a core busy: messages are looked for,
 * with naps between. */
#include "post.h"

#include "watch.h"

#include <mpi.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RESULTS = 1, WORK, END };
enum { LEADER = 0 };

/* Seconds that helpers have to answer at the end; after Ctrl-C everything is being ended. */
static const double patience = 2, patience_stopped = 0.5;

static int processes, self;
static bool *gone;  /* processes */
static bool silent; /* the leader has failed itself and told why */

void cli_post_nap(void)
{
    const struct timespec moment = {0, 100000};
    nanosleep(&moment, NULL);
}

void cli_post_open(int *argc, char ***argv, int *rank, int *size)
{
    int provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    gone = calloc((size_t)processes, sizeof *gone);
    if (!gone)
        MPI_Abort(MPI_COMM_WORLD, CLI_MACHINE);
    *rank = self;
    *size = processes;
}

int cli_post_helpers(void)
{
    return processes - 1;
}

bool cli_post_gone(int helper)
{
    return gone[helper];
}

/* Room for `size` more bytes; NULL: there is none. */
static char *extend(cli_post *p, size_t size)
{
    if (p->size + size > p->room) {
        const size_t room = 2 * p->room + size + 1024;
        char *bytes = room <= INT_MAX ? realloc(p->bytes, room) : NULL; /* what MPI can count */
        p->failed = p->failed || !bytes;
        if (!bytes)
            return NULL;
        p->bytes = bytes;
        p->room = room;
    }
    p->size += size;
    return p->bytes + p->size - size;
}

static void append(cli_post *p, size_t size, const void *from)
{
    char *to = extend(p, size);
    if (to && size > 0)
        memcpy(to, from, size);
}

bool cli_post_read(cli_post *p, size_t size, void *to)
{
    p->failed = p->failed || size > p->size - p->at;
    if (p->failed)
        return false;
    if (size > 0)
        memcpy(to, p->bytes + p->at, size);
    p->at += size;
    return true;
}

void cli_post_numbers(cli_post *post, size_t count, const double *numbers)
{
    append(post, count * sizeof *numbers, numbers);
}

void cli_post_pack(cli_post *p, const cli_sweep_rows *r)
{
    const size_t length = r->text ? r->length : 0;
    const double head[] = {(double)r->count, r->cells,   (double)r->failures,
                           r->memory,        r->stopped, (double)length};
    append(p, sizeof head, head);
    append(p, (size_t)r->count * (size_t)r->width * sizeof *r->values, r->values);
    append(p, (size_t)r->count * sizeof *r->cell, r->cell);
    append(p, r->memory ? 0 : (size_t)r->cells * sizeof *r->status, r->status);
    append(p, length, r->text);
}

bool cli_post_unpack(cli_post *p, int width, cli_sweep_rows *r)
{
    double head[6];
    *r = (cli_sweep_rows){.width = width};
    if (!cli_post_read(p, sizeof head, head))
        return false;
    r->count = r->room = (long)head[0];
    r->cells = (int)head[1];
    r->failures = (long)head[2];
    r->memory = head[3] != 0;
    r->stopped = head[4] != 0;
    r->length = (size_t)head[5];
    const size_t count = (size_t)r->count;
    r->values = malloc(count * (size_t)width * sizeof *r->values + 1);
    r->cell = malloc(count * sizeof *r->cell + 1);
    r->status = calloc((size_t)r->cells + 1, sizeof *r->status);
    r->text = r->length > 0 ? malloc(r->length) : NULL;
    if (!r->values || !r->cell || !r->status || (r->length > 0 && !r->text))
        return false;
    return cli_post_read(p, count * (size_t)width * sizeof *r->values, r->values) &&
           cli_post_read(p, count * sizeof *r->cell, r->cell) &&
           (r->memory || cli_post_read(p, (size_t)r->cells * sizeof *r->status, r->status)) &&
           cli_post_read(p, r->length, r->text);
}

void cli_post_free(cli_post *post)
{
    free(post->bytes);
    *post = (cli_post){0};
}

bool cli_post_send(const cli_post *post)
{
    return MPI_Send(post->bytes, (int)post->size, MPI_BYTE, LEADER, RESULTS, MPI_COMM_WORLD) ==
           MPI_SUCCESS;
}

/* Is there a message with this tag (MPI_ANY_TAG: with any) from this process? */
static bool find(int from, int tag, MPI_Status *status)
{
    int there = 0;
    return MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, status) == MPI_SUCCESS && there;
}

bool cli_post_receive(cli_post_work *work)
{
    MPI_Status status;
    while (!find(LEADER, WORK, &status)) {
        if (cli_watch_stopped())
            return false;
        cli_post_nap();
    }
    return MPI_Recv(work, (int)sizeof *work, MPI_BYTE, LEADER, WORK, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

void cli_post_answer(int helper, cli_post_work work)
{
    MPI_Send(&work, (int)sizeof work, MPI_BYTE, helper, WORK, MPI_COMM_WORLD);
}

/* A helper has ended; one that could not help says so with its status. */
static void let_go(int helper)
{
    int status = 0;
    MPI_Recv(&status, 1, MPI_INT, helper, END, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    gone[helper] = true;
    if ((status == CLI_USAGE || status == CLI_MACHINE) && !silent)
        cli_message_warning(
            "process %d does not help: status %d; are the scene and the same program "
            "there?",
            helper, status);
}

bool cli_post_next(cli_post *post, int *from)
{
    MPI_Status status;
    int size = 0;
    post->size = post->at = 0;
    post->failed = false;
    while (find(MPI_ANY_SOURCE, END, &status))
        let_go(status.MPI_SOURCE);
    if (!find(MPI_ANY_SOURCE, RESULTS, &status))
        return false;
    *from = status.MPI_SOURCE;
    MPI_Get_count(&status, MPI_BYTE, &size);
    char *bytes = extend(post, (size_t)size);
    return bytes && MPI_Recv(bytes, size, MPI_BYTE, *from, RESULTS, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

/* Everybody still there is told that there is no more; true: all are gone in time. */
static bool dismiss(void)
{
    cli_post post = {0};
    int left = cli_post_helpers();
    const double until = cli_watch_seconds() + (cli_watch_stopped() ? patience_stopped : patience);
    while (left > 0 && cli_watch_seconds() < until) {
        int helper;
        if (cli_post_next(&post, &helper))
            cli_post_answer(helper, (cli_post_work){0, 0});
        else
            cli_post_nap();
        left = 0;
        for (int k = 1; k < processes; k++)
            left += !gone[k];
    }
    cli_post_free(&post);
    return left == 0;
}

void cli_post_close(int status)
{
    fflush(NULL);
    silent = status == CLI_USAGE || status == CLI_MACHINE;
    if (self != LEADER)
        MPI_Send(&status, 1, MPI_INT, LEADER, END, MPI_COMM_WORLD);
    else if (!dismiss()) /* MPI would wait for them for ever */
        MPI_Abort(MPI_COMM_WORLD, status);
    free(gone);
    MPI_Finalize();
}
