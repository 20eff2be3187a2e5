/* carom figure NAME: redraw a figure of the source papers as SVG. */
#include "picture.h"
#include "pictures/figure.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 128 };

static const char *figure_name(int k)
{
    return k < carom_figure_count() ? carom_figure_at(k)->name : NULL;
}

static int print_list(void)
{
    for (int k = 0; k < carom_figure_count(); k++) {
        const carom_figure *figure = carom_figure_at(k);
        printf("%-22s %s\n", figure->name, figure->title);
    }
    return CLI_ANSWERED;
}

/* "np-1": the panels it has; else the nearest name. */
static int unknown_figure(const char *name)
{
    const char *names[MOST];
    char panels[200] = "";
    size_t length = strlen(name);
    int count = 0;
    for (; count < carom_figure_count() && count < MOST; count++) {
        names[count] = carom_figure_at(count)->name;
        if (length >= 2 && strncmp(names[count], name, length) == 0 &&
            strlen(panels) + strlen(names[count]) + 3 < sizeof panels)
            snprintf(panels + strlen(panels), sizeof panels - strlen(panels), "%s%s",
                     *panels ? ", " : "", names[count]);
    }
    if (*panels)
        return cli_message_usage("no figure '%s'; there are %s", name, panels);
    return cli_message_unknown(name, names, count, "; 'carom figure --list' lists them",
                               "no figure '%s'", name);
}

static int run_figure(const cli_arguments *arguments)
{
    if (cli_option_given(arguments, "list"))
        return arguments->file_count ? cli_message_usage("figure: --list takes no name")
                                     : print_list();
    if (arguments->file_count == 0)
        return cli_message_usage("figure: a name is needed; 'carom figure --list' lists them");
    const char *name = arguments->files[0], *path = cli_option_value(arguments, "output", 0);
    if (!carom_figure_find(name))
        return unknown_figure(name);
    char *text, unit[4];
    size_t size;
    carom_error error = {0};
    carom_figure_options how = {.bare = cli_option_given(arguments, "bare"), .unit = unit};
    int status = cli_picture_width(arguments, &how.width, unit);
    if (!status)
        status = cli_picture_check(arguments, path);
    if (status)
        return status;
    if (carom_figure_draw(name, &how, NULL, &text, &size, &error))
        return cli_message_error(NULL, &error);
    status = cli_picture_write(arguments, path, text, size);
    free(text);
    return status;
}

static const cli_option options[] = {
    {"list", NULL, "list the figures: name, one line", 0},
    {"output", "FILE.svg|.pdf|.png", "write to a file instead of standard output", 'o'},
    {"bare", NULL, "without title and caption, cut at what is drawn", 0},
    CLI_PICTURE_WIDTH,
    {"force", NULL, "write over an existing file", 0},
    {0},
};

const cli_command cli_figure = {
    .name = "figure",
    .arguments = "NAME",
    .summary = "redraw a figure of the source papers as SVG",
    .text =
        "Names are paper, number and panel, as in g4-2 or np-1a; `carom figure --list` has all.\n"
        "Figures are computed by the library, follow light and dark screens, and come out the\n"
        "same, byte for byte, every time. PDF and PNG are made by rsvg-convert where installed.",
    .most_files = 1,
    .options = options,
    .outputs = (const char *const[]){"output", NULL},
    .candidate = figure_name,
    .run = run_figure,
};
