/* Files that the program writes: texts, and pictures in the format that their ending asks for. */
#ifndef CAROM_CLI_OUTPUT_H
#define CAROM_CLI_OUTPUT_H

#include "cli.h"

/* Write a text to a file; an existing one is kept unless `force`. CLI_ANSWERED, or a status after
 * saying what is wrong. */
int cli_output_text(const char *path, bool force, const char *text, size_t size);

/* Before the work: does the ending name a picture (.svg, .pdf, .png) that can be made here, and may
 * the file be written? NULL: standard output, always. */
int cli_output_check(const cli_arguments *arguments, const char *path);

/* Write an SVG document as its ending asks: .svg as it is, .pdf and .png through rsvg-convert.
 * NULL: the SVG to standard output. */
int cli_output_picture(const char *path, bool force, const char *svg, size_t size);

/* --width of a picture: a number with px, mm, cm, in or pt, pixels without. Without the option 0.
 */
int cli_output_width(const cli_arguments *arguments, double *width, char unit[4]);

#define CLI_OUTPUT_WIDTH                                                                           \
    {                                                                                              \
        "width", "W", "width of the picture in pixels, or with a unit as in 85mm", 0               \
    }

#endif
