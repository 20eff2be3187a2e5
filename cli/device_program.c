/* The program of a device: its text, in the order it is compiled in. */
#include "device_program.h"

#include <string.h>

/* The texts of cli/device/, and of io/device/ those that motions share with impacts, embedded. */
extern const unsigned char cli_device_text_series[], cli_device_text_ranges[],
    cli_device_text_motion[], cli_device_text_flight[], cli_device_text_doubled[],
    cli_device_text_exact[], cli_device_text_impact[], cli_device_text_steps[];
extern const size_t cli_device_text_series_size, cli_device_text_ranges_size,
    cli_device_text_motion_size, cli_device_text_flight_size, cli_device_text_doubled_size,
    cli_device_text_exact_size, cli_device_text_impact_size, cli_device_text_steps_size;

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

int cli_device_program_parts(const cli_device_task *task, bool unrolled,
                             const char *parts[CLI_PROGRAM_PARTS], size_t sizes[CLI_PROGRAM_PARTS],
                             char *head, size_t room)
{
    const bool small = unrolled && rows_of(task->kernel) <= MOST_UNROLLED;
    const int length =
        snprintf(head, room,
                 "#define ORDER %d\n#define PARAMETERS %d\n#define KEEP %d\n#define "
                 "FEW %s\n#define APART %s\n#define WRITTEN_OUT %d\n",
                 ORDER, task->parameters, (int)task->keep,
                 small ? "_Pragma(\"unroll\")" : "_Pragma(\"unroll 1\")",
                 small ? "__attribute__((always_inline))" : "__attribute__((noinline))", small);
    const void *texts[CLI_PROGRAM_PARTS] = {head,
                                            cli_device_text_series,
                                            cli_device_text_ranges,
                                            task->kernel,
                                            cli_device_text_motion,
                                            cli_device_text_doubled,
                                            cli_device_text_exact,
                                            cli_device_text_impact,
                                            cli_device_text_flight,
                                            cli_device_text_steps};
    const size_t lengths[CLI_PROGRAM_PARTS] = {(size_t)length,
                                               cli_device_text_series_size,
                                               cli_device_text_ranges_size,
                                               strlen(task->kernel),
                                               cli_device_text_motion_size,
                                               cli_device_text_doubled_size,
                                               cli_device_text_exact_size,
                                               cli_device_text_impact_size,
                                               cli_device_text_flight_size,
                                               cli_device_text_steps_size};
    for (int k = 0; k < CLI_PROGRAM_PARTS; k++) {
        parts[k] = texts[k];
        sizes[k] = lengths[k];
    }
    return CLI_PROGRAM_PARTS;
}

void cli_device_print(const cli_device_task *task)
{
    const char *parts[CLI_PROGRAM_PARTS];
    size_t sizes[CLI_PROGRAM_PARTS];
    char head[CLI_PROGRAM_HEAD];
    cli_device_program_parts(task, true, parts, sizes, head, sizeof head);
    for (int k = 0; k < CLI_PROGRAM_PARTS; k++)
        fwrite(parts[k], 1, sizes[k], stdout);
}

const char *cli_device_end_text(cli_device_end end)
{
    switch (end) {
    case CLI_DEVICE_RUNNING:
        return "stopped";
    case CLI_DEVICE_REACHED:
    case CLI_DEVICE_ENOUGH:
        return "ok";
    case CLI_DEVICE_BAD_FORCE:
        return "bad force: a force, gap or mass is not a finite number";
    case CLI_DEVICE_UNDERFLOW:
        return "underflow: the step fell below min_step, or the end is too many steps away";
    case CLI_DEVICE_NO_OUTCOME:
        return "no outcome: a contact problem has no solution";
    case CLI_DEVICE_DEPENDENT:
        return "closed contacts depend on each other: run this cell on the CPU";
    case CLI_DEVICE_LOST:
        return "no points";
    case CLI_DEVICE_EVENT_LIMIT:
        return "event-limit";
    case CLI_DEVICE_PENETRATION:
        return "a contact penetrates at the start";
    }
    return "";
}
