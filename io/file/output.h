/* Files that the library and the program write.
 *
 * A file is written aside and takes its place in one step, so that at every moment there is the old
 * file or the new one, whole. What is there already is lost only when the caller says `replace`,
 * and only after the new one is complete and on the disk. Devices and pipes are written in place.
 */
#ifndef CAROM_IO_FILE_OUTPUT_H
#define CAROM_IO_FILE_OUTPUT_H

#include "carom/base.h"

#include <stdio.h>

enum { CAROM_OUTPUT_PATH = 4096 };

/* A file being written. Memory of the caller's; fields but `stream` are private. */
typedef struct carom_output {
    FILE *stream; /* write here; NULL when nothing is open */
    bool replace, in_place;
    char path[CAROM_OUTPUT_PATH];  /* where it goes, links followed */
    char aside[CAROM_OUTPUT_PATH]; /* where it is meanwhile; "": without a name, or in place */
} carom_output;

/* May the path be written? CAROM_ERROR_ARGUMENT: there is a file, and replace was not said;
 * CAROM_ERROR_OUTPUT: the machine refuses (a folder, a folder that is missing or protected). */
carom_status carom_output_examine(const char *path, bool replace, carom_error *error);

/* Open a file to be written. Then write to its stream, and end with finish or discard. */
carom_status carom_output_open(const char *path, bool replace, carom_output *output,
                               carom_error *error);

/* The same for a file that grows for long: a new one is visible under its own name from the start,
 * so that a process that is killed leaves what it had. One that is replaced stays until finish. */
carom_status carom_output_open_growing(const char *path, bool replace, carom_output *output,
                                       carom_error *error);

/* Put the file in its place, once all of it is on the disk. On failure the old one is still there;
 * the stream is closed in any case. */
carom_status carom_output_finish(carom_output *output, carom_error *error);

/* Close and forget what was written; a growing file that is visible keeps what it has. */
void carom_output_discard(carom_output *output);

/* A whole text in one call. */
carom_status carom_output_write(const char *path, bool replace, const void *bytes, size_t size,
                                carom_error *error);

/* The name under which the system knows an open file, whatever stands under its own by now. */
enum { CAROM_OUTPUT_NAME = 64 };
void carom_output_name(int file, char name[CAROM_OUTPUT_NAME]);

/* For writers that open files by name: create an empty file beside the path under a name of its own
 * (nobody else's file, no link is followed), and put it in its place later. */
carom_status carom_output_reserve(const char *path, char aside[CAROM_OUTPUT_PATH],
                                  carom_error *error);
carom_status carom_output_place(const char *aside, const char *path, bool replace,
                                carom_error *error);

/* The file that a path leads to, links followed; the path itself when there is none yet. */
void carom_output_follow(const char *path, char real[CAROM_OUTPUT_PATH]);

/* Do two names lead to one file, or would they once it is written? */
bool carom_output_same(const char *a, const char *b);

/* Is there something that is no file with contents: a device, a pipe? */
bool carom_output_is_special(const char *path);

/* "PATH: cannot WHAT: reason" by errno; want of memory is CAROM_ERROR_MEMORY whatever was tried. */
carom_status carom_output_error(carom_error *error, carom_status status, const char *path,
                                const char *what, int problem);

#endif
