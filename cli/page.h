/* The browser page with data in it. */
#ifndef CAROM_CLI_PAGE_H
#define CAROM_CLI_PAGE_H

#include "cli.h"

/* Is there a file that is not a page of this kind (and would be lost)? */
bool cli_page_other(const char *path);

/* Write the page for some traces to a file; an existing one is replaced. */
int cli_page_write(const char *path, int count, const carom_trace *traces,
                   const char *const *files);

#endif
