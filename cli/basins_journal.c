/* The finished cells of `carom basins` in a file, so that a job that was ended goes on: a line that
 * says what is computed, then task after task their rows, each closed by a line of its own. What is
 * behind the last of these was cut off, and is computed again. */
#include "basins.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t mix(uint64_t hash, const char *text)
{
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211ULL;
    return (hash ^ 0xff) * 1099511628211ULL; /* the end counts too */
}

/* All that the fates of cells depend on: the scene and the options, but not where answers go. */
static void describe(const cli_basins *b, char line[80])
{
    static const char *const elsewhere[] = {"output", "journal", "resume", "force",
                                            "json",   "width",   "device"};
    uint64_t hash = mix(14695981039346656037ULL, b->orbit.content->text);
    for (int k = 0; k < b->arguments->given_count; k++) {
        const struct cli_given *given = &b->arguments->given[k];
        bool counts = true;
        for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
            counts = counts && strcmp(given->option->name, elsewhere[i]) != 0;
        hash = counts ? mix(mix(hash, given->option->name), given->value) : hash;
    }
    snprintf(line, 80, "basins,%d,%016" PRIx64 "\n", b->cells, hash);
}

/* "cell,number,...": false: it is not whole. */
static bool read_row(char *line, cli_sweep_rows *rows)
{
    char *at = line, *end = strpbrk(line, ",\n");
    double value;
    if (!end || *end != ',')
        return false;
    *end = '\0';
    if (!carom_number_parse(at, &value) || !(value >= 0 && value < 1024))
        return false;
    double *row = cli_sweep_task_row(rows, (int)value);
    for (int k = 0; row && k < rows->width; k++) {
        at = end + 1;
        end = strpbrk(at, ",\n");
        if (!end || (*end == '\n') != (k + 1 == rows->width))
            return false;
        *end = '\0';
        if (*at && !carom_number_parse(at, &row[k]))
            return false;
    }
    return row != NULL;
}

/* Take the tasks that are whole; *size: how long the file is up to there. */
static int read_tasks(cli_basins *b, FILE *file, const cli_sweep_taker *taker, long *first,
                      long *size)
{
    const cli_sweep_job job = cli_basins_job(b);
    cli_sweep_rows rows = {.width = job.width};
    char *line = NULL, closing[40];
    size_t room = 0;
    int status = CLI_ANSWERED;
    while (!status && *first < job.tasks && getline(&line, &room, file) > 0) {
        snprintf(closing, sizeof closing, "done,%ld\n", *first);
        if (strcmp(line, closing) != 0) {
            if (!read_row(line, &rows))
                break;
            continue;
        }
        status = taker->take(taker->self, (*first)++, &rows);
        *size = ftell(file);
        rows.count = 0;
    }
    status = rows.memory ? cli_message_memory() : status;
    cli_sweep_task_free(&rows);
    free(line);
    return status;
}

static int resume(cli_basins *b, const char *path, const cli_sweep_taker *taker, long *first)
{
    char wanted[80], found[80] = "";
    FILE *file = fopen(path, "r");
    long size = 0;
    if (!file)
        return CLI_ANSWERED; /* nothing was finished */
    describe(b, wanted);
    int status = CLI_ANSWERED;
    if (fgets(found, sizeof found, file) && strcmp(found, wanted) != 0)
        status =
            cli_message_usage("basins: --journal %s is of another scene or other options", path);
    size = ftell(file);
    if (!status && found[0])
        status = read_tasks(b, file, taker, first, &size);
    fclose(file);
    if (!status && truncate(path, size) != 0)
        status = cli_message_usage("basins: --journal %s cannot be shortened", path);
    return status;
}

int cli_basins_journal_open(cli_basins *b, const cli_sweep_taker *taker, long *first)
{
    const char *path = cli_option_value(b->arguments, "journal", 0);
    const bool goes_on = cli_option_given(b->arguments, "resume");
    char line[80];
    *first = 0;
    if (!path)
        return goes_on ? cli_message_usage("basins: --resume needs --journal FILE.cells")
                       : CLI_ANSWERED;
    int status = goes_on ? resume(b, path, taker, first) : CLI_ANSWERED;
    if (status)
        return status;
    b->journal = fopen(path, goes_on ? "a" : "w");
    if (!b->journal)
        return cli_message_usage("basins: --journal %s cannot be written", path);
    describe(b, line);
    if (ftell(b->journal) == 0)
        fputs(line, b->journal);
    return CLI_ANSWERED;
}

void cli_basins_journal_add(const cli_basins *b, long task, const cli_sweep_rows *rows)
{
    for (long k = 0; k < rows->count; k++) {
        fprintf(b->journal, "%d", rows->cell[k]);
        for (int i = 0; i < rows->width; i++) {
            char number[40] = "";
            if (!isnan(rows->values[k * rows->width + i]))
                carom_number_print(rows->values[k * rows->width + i], number);
            fprintf(b->journal, ",%s", number);
        }
        fputc('\n', b->journal);
    }
    fprintf(b->journal, "done,%ld\n", task);
}

int cli_basins_journal_flush(const cli_basins *b)
{
    if (!b->journal || (fflush(b->journal) == 0 && !ferror(b->journal)))
        return CLI_ANSWERED;
    fprintf(stderr, "carom: the journal cannot be written\n");
    return CLI_MACHINE;
}
