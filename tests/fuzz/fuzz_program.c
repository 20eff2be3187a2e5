/* Fuzzing of the whole program: a command line and a scene. The first byte of the input chooses the
 * command, the second its options, the rest is the scene. Built with main() called cli_main, and
 * with _exit, alarm and sigaction wrapped: a command that ends the program ends its thread here,
 * and what it owned stays, since threads that it left at work still use it.
 *
 * Checked besides the absence of crashes: the exit status is one of those that are documented. */
#include "carom/io.h"
#include "watch.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int cli_main(int argc, char **argv);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
int __real_sigaction(int signal, const struct sigaction *action, struct sigaction *old);
int __wrap_sigaction(int signal, const struct sigaction *action, struct sigaction *old);
unsigned __wrap_alarm(unsigned seconds);

static volatile bool inside;
static volatile int status;
static sem_t ended;

_Noreturn void __wrap__exit(int given)
{
    if (!inside)
        __real__exit(given);
    status = given;
    sem_post(&ended);
    for (;;)
        pause();
}

/* The alarm is the fuzzer's: it finds inputs that take too long. */
int __wrap_sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
    return inside && signal == SIGALRM ? 0 : __real_sigaction(signal, action, old);
}

unsigned __wrap_alarm(unsigned seconds)
{
    (void)seconds;
    return 0;
}

static char folder[64], scene[96], trace[96], report[96];

/* Whoever computes for more than a second is asked to stop, as by Ctrl-C, once: the second time
 * ends the program. */
static atomic_long started;

static void *watch(void *nothing)
{
    for (long seen = -1, asked = -1;;) {
        nanosleep(&(struct timespec){1, 0}, NULL);
        long now = atomic_load(&started);
        if (now == seen && now != asked && inside) {
            asked = now;
            kill(getpid(), SIGINT);
        }
        seen = now;
    }
    return nothing;
}

static void prepare(void)
{
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, sizeof folder, "%s/carom-fuzz-XXXXXX", place);
    if (!mkdtemp(folder))
        abort();
    snprintf(scene, sizeof scene, "%s/s.yaml", folder);
    snprintf(trace, sizeof trace, "%s/t.csv", folder);
    snprintf(report, sizeof report, "%s/r.html", folder);
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    pthread_t thread;
    if (sem_init(&ended, 0, 0) || pthread_create(&thread, NULL, watch, NULL))
        abort();
}

/* Problems of any size take any time; here small ones are tried, for a short while. */
static bool is_small(const char *text, size_t size)
{
    carom_scene *read;
    if (carom_scene_read_text(text, size, NULL, &read, NULL))
        return true;
    const carom_scene_content *content = carom_scene_get(read);
    int n = content->impact ? content->impact->n : 0, p = content->impact ? content->impact->p : 0;
    if (content->system) {
        n = carom_system_get_shape(content->system)->n;
        p = carom_system_get_shape(content->system)->p;
    }
    bool small = n <= 6 && p <= 4;
    if (content->run && content->run->method == CAROM_FLOW_TIME_STEPPING)
        small = small && content->run->step > 1e-4;
    carom_scene_destroy(read);
    return small;
}

typedef struct call {
    int count;
    char *words[24];
} call;

static void *work(void *self)
{
    call *c = self;
    status = cli_main(c->count, c->words);
    free(c);
    sem_post(&ended);
    return NULL;
}

static int run(int argc, const char *const *words)
{
    call *c = calloc(1, sizeof *c);
    c->count = argc;
    memcpy(c->words, words, sizeof *words * (size_t)argc);
    atomic_fetch_add(&started, 1);
    status = -1;
    inside = true;
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, c) || pthread_detach(thread))
        abort();
    while (sem_wait(&ended)) /* a signal may come between */
        ;
    inside = false;
    fflush(stdout);
    if (status < 0 || status > 3)
        abort();
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const commands[] = {"impact", "inspect", "check", "run",
                                           "sweep",  "run",     "impact"};
    if (!folder[0])
        prepare();
    if (size < 2 || !is_small((const char *)data + 2, size - 2))
        return 0;
    unsigned command = data[0] % 7, options = data[1];
    FILE *file = fopen(scene, "wb");
    fwrite(data + 2, 1, size - 2, file);
    fclose(file);
    const char *words[24] = {"carom", commands[command], scene};
    int count = 3;
    if (options & 1 && command != 4)
        words[count++] = "--json";
    if (options & 2)
        words[count++] = "--any-restitution";
    if (options & 4)
        words[count++] = "--set", words[count++] = "e=0.5";
    if (command == 3 || command == 5)
        words[count++] = "--until", words[count++] = "0.5";
    if (command == 4)
        words[count++] = "--vary", words[count++] = "e=0,0.5,2";
    if (command == 5)
        words[count++] = "-o", words[count++] = trace;
    if (command == 6)
        words[count++] = "--report", words[count++] = report;
    run(count, words);
    if (command == 5 && access(trace, R_OK) == 0)
        run(6, (const char *const[]){"carom", "view", trace, "--no-open", "--out", report});
    unlink(trace);
    unlink(report);
    return 0;
}
