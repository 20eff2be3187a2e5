/* One thread of OpenBLAS while Carom is at work. numpy of Debian uses the same library, so its
 * count is put back. */
#include "bridge.h"

#include <pthread.h>

/* Only where the BLAS is OpenBLAS. */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int count) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int at_work, before;

/* Threads do not go over into a forked process: what they had begun there is over. */
static void forking(void)
{
    pthread_mutex_lock(&lock);
}

static void forked(void)
{
    pthread_mutex_unlock(&lock);
}

static void forked_child(void)
{
    if (at_work > 0)
        openblas_set_num_threads(before);
    at_work = 0;
    pthread_mutex_unlock(&lock);
}

void bridge_serial_prepare(void)
{
    if (openblas_set_num_threads && openblas_get_num_threads)
        pthread_atfork(forking, forked, forked_child);
}

void bridge_serial_begin(void)
{
    if (!openblas_set_num_threads || !openblas_get_num_threads)
        return;
    pthread_mutex_lock(&lock);
    if (at_work++ == 0) {
        before = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
}

void bridge_serial_end(void)
{
    if (!openblas_set_num_threads || !openblas_get_num_threads)
        return;
    pthread_mutex_lock(&lock);
    if (at_work > 0 && --at_work == 0) /* 0: forked while at work */
        openblas_set_num_threads(before);
    pthread_mutex_unlock(&lock);
}
