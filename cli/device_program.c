/* The program of a device: its text, in the order it is compiled in. */
#include "device_program.h"

#include "device/opencl.h"

#include <string.h>

/* The texts of cli/device/, and of io/device/ those that motions share with impacts, embedded. */
#define TEXT(name)                                                                                 \
    extern const unsigned char cli_device_text_##name[];                                           \
    extern const size_t cli_device_text_##name##_size
TEXT(series);
TEXT(ranges);
TEXT(motion);
TEXT(zeno);
TEXT(doubled);
TEXT(respond);
TEXT(exact);
TEXT(modes);
TEXT(nullspace);
TEXT(dependent);
TEXT(combinations);
TEXT(rows);
TEXT(holding);
TEXT(friction);
TEXT(impact);
TEXT(flight);
TEXT(roots);
TEXT(sliding);
TEXT(between);
TEXT(steps);
TEXT(kernels);

/* Coefficients of a step. Twenty make a step of a driven oscillator a third of its period. */
enum { ORDER = 20 };

/* Loops over coefficients are written out where that stays small. */
enum { MOST_UNROLLED = 24 };

/* How many rows the text of a system says it has. */
static int rows_of(const char *kernel)
{
    const char *line = strstr(kernel, "#define ROWS ");
    double rows = 0;
    size_t length;
    if (line)
        rows = carom_number_prefix(line + strlen("#define ROWS "), &length);
    return (int)rows;
}

/* The parts of a text, one after another. */
typedef struct text {
    const char **parts;
    size_t *sizes;
    int count;
} text;

static void add(text *t, const void *part, size_t size)
{
    t->parts[t->count] = part;
    t->sizes[t->count++] = size;
}

#define ADD(name) add(&t, cli_device_text_##name, cli_device_text_##name##_size)

int cli_device_program_parts(const cli_device_task *task, bool unrolled,
                             const char *parts[CLI_PROGRAM_PARTS], size_t sizes[CLI_PROGRAM_PARTS],
                             char *head, size_t room)
{
    const bool rough = strstr(task->kernel, "#define FRICTION 1\n") != NULL;
    const bool small = unrolled && !rough && rows_of(task->kernel) <= MOST_UNROLLED;
    int length =
        snprintf(head, room,
                 "#define ORDER %d\n#define PARAMETERS %d\n#define KEEP %d\n#define "
                 "FEW %s\n#define APART %s\n#define WRITTEN_OUT %d\n",
                 ORDER, task->parameters, (int)task->keep,
                 small ? "_Pragma(\"unroll\")" : "_Pragma(\"unroll 1\")",
                 small ? "__attribute__((always_inline))" : "__attribute__((noinline))", small);
    length += carom_opencl_tolerances(head + length, room - (size_t)length);
    text t = {parts, sizes, 0};
    add(&t, head, (size_t)length);
    ADD(series);
    ADD(ranges);
    add(&t, task->kernel, strlen(task->kernel));
    ADD(motion);
    ADD(zeno);
    ADD(doubled);
    ADD(respond);
    if (rough)
        ADD(modes);
    ADD(nullspace);
    ADD(exact);
    if (rough) {
        ADD(dependent);
        ADD(combinations);
        ADD(rows);
        ADD(holding);
        ADD(friction);
    }
    ADD(impact);
    ADD(flight);
    ADD(roots);
    if (rough)
        ADD(sliding);
    ADD(between);
    ADD(steps);
    ADD(kernels);
    return t.count;
}

void cli_device_print(const cli_device_task *task)
{
    const char *parts[CLI_PROGRAM_PARTS];
    size_t sizes[CLI_PROGRAM_PARTS];
    char head[CLI_PROGRAM_HEAD];
    const int count = cli_device_program_parts(task, true, parts, sizes, head, sizeof head);
    for (int k = 0; k < count; k++)
        fwrite(parts[k], 1, sizes[k], stdout);
}
