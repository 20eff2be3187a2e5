/* Pictures as files, in the format that their ending asks for. */
#ifndef CAROM_CLI_PICTURE_H
#define CAROM_CLI_PICTURE_H

#include "cli.h"

/* Before the work: can the picture that the ending names (.svg, .pdf, .png) be made here? NULL:
 * standard output, always. */
int cli_picture_check(const cli_arguments *arguments, const char *path);

/* Write an SVG document as its ending asks: .svg as it is, .pdf and .png through rsvg-convert.
 * NULL: the SVG to standard output. */
int cli_picture_write(const cli_arguments *arguments, const char *path, const char *svg,
                      size_t size);

/* --width of a picture: a number with px, mm, cm, in or pt, pixels without. Without the option 0.
 */
int cli_picture_width(const cli_arguments *arguments, double *width, char unit[4]);

#define CLI_PICTURE_WIDTH                                                                          \
    {                                                                                              \
        "width", "W", "width of the picture in pixels, or with a unit as in 85mm", 0               \
    }

#endif
