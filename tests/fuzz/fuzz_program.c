/* Fuzzing of the whole program: a command line and a scene. The first byte of the input chooses the
 * command, the second its options, the rest is the scene. Built with main()
 * called cli_main, and with _exit and alarm wrapped: a command that ends the program comes back
 * here.
 *
 * Checked besides the absence of crashes: the exit status is one of those that are documented. */
#include "carom/io.h"
#include "watch.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
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
unsigned __wrap_alarm(unsigned seconds);

static jmp_buf back;
static volatile bool inside;
static volatile int status;

_Noreturn void __wrap__exit(int given)
{
    if (!inside)
        __real__exit(given);
    status = given;
    longjmp(back, 1);
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
    if (pthread_create(&thread, NULL, watch, NULL))
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

static int run(int argc, const char *const *words)
{
    char *argv[24];
    for (int k = 0; k < argc; k++)
        argv[k] = (char *)words[k];
    argv[argc] = NULL;
    atomic_fetch_add(&started, 1);
    status = -1;
    inside = true;
    if (setjmp(back) == 0)
        status = cli_main(argc, argv);
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
