/* One thread of OpenBLAS while Carom is at work. numpy of Debian uses the same library, so its
 * count is put back. */
#include "bridge.h"

#include <pthread.h>

/* Only where the BLAS is OpenBLAS. */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int count) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int at_work, before;

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
    if (--at_work == 0)
        openblas_set_num_threads(before);
    pthread_mutex_unlock(&lock);
}
