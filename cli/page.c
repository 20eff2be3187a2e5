/* The page of the program, embedded in it, with traces in it. */
#include "page.h"

#include "file/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const unsigned char cli_page[]; /* generated from viewer/dist/index.html */
extern const size_t cli_page_size;

bool cli_page_other(const char *path)
{
    static const char mark[] = "<title>Carom</title>";
    char start[1024];
    size_t head = 0;
    while (head + sizeof mark <= cli_page_size &&
           memcmp(cli_page + head, mark, sizeof mark - 1) != 0)
        head++;
    if (carom_output_is_special(path))
        return false; /* nothing there that could be lost */
    FILE *file = fopen(path, "rb");
    if (!file)
        return access(path, F_OK) == 0;
    const size_t size = fread(start, 1, sizeof start, file);
    fclose(file);
    return size < head || head > sizeof start || memcmp(start, cli_page, head) != 0;
}

int cli_page_write(const char *path, int count, const carom_trace *traces, const char *const *files)
{
    carom_error error = {0};
    char *page = calloc(cli_page_size + 1, 1); /* a text ends with a zero */
    long *rows = calloc((size_t)count + 1, sizeof *rows);
    int status = page && rows ? CLI_ANSWERED : cli_message_memory();
    if (!status) {
        memcpy(page, cli_page, cli_page_size);
        if (carom_trace_page(path, page, count, traces, files, rows, &error))
            status = cli_message_error(NULL, &error);
    }
    for (int k = 0; k < count && !status; k++)
        if (rows[k] < traces[k].rows)
            printf("%s: %ld of %ld rows are in the page, complete near impacts\n", files[k],
                   rows[k], traces[k].rows);
    free(rows);
    free(page);
    return status;
}
