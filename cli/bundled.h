/* The bundled scenes, which are part of the program: they are found wherever it runs. */
#ifndef CAROM_CLI_BUNDLED_H
#define CAROM_CLI_BUNDLED_H

typedef struct cli_bundled {
    const char *name; /* "cradle" */
    const char *text;
} cli_bundled;

extern const cli_bundled cli_bundled_scenes[]; /* ends with a NULL name; made from scenes/ */

/* The scene meant by "cradle", "cradle.yaml" or "scenes/cradle.yaml"; NULL: there is none. */
const cli_bundled *cli_bundled_find(const char *name);

/* The k-th name, NULL after the last. */
const char *cli_bundled_name(int k);

#endif
