/* carom scenes [NAME]: the bundled scenes, or the text of one. */
#include "bundled.h"
#include "cli.h"

#include <string.h>

const cli_bundled *cli_bundled_find(const char *name)
{
    static const char folder[] = "scenes/", ending[] = ".yaml";
    if (strncmp(name, folder, sizeof folder - 1) == 0)
        name += sizeof folder - 1;
    size_t length = strlen(name), cut = sizeof ending - 1;
    if (length > cut && strcmp(name + length - cut, ending) == 0)
        length -= cut;
    for (const cli_bundled *s = cli_bundled_scenes; s->name; s++)
        if (strlen(s->name) == length && strncmp(s->name, name, length) == 0)
            return s;
    return NULL;
}

const char *cli_bundled_name(int k)
{
    return cli_bundled_scenes[k].name; /* the last is NULL */
}

/* The line after `title: `, the name when there is none. */
static void print_title(cli_table *table, const cli_bundled *scene)
{
    static const char key[] = "\ntitle: ";
    const char *title = strstr(scene->text, key);
    if (title)
        title += sizeof key - 1;
    cli_table_cell(table, "%.*s", title ? (int)strcspn(title, "\n") : 0, title ? title : "");
}

static int print_list(void)
{
    cli_table *table = cli_table_create(2);
    for (const cli_bundled *s = cli_bundled_scenes; s->name; s++) {
        cli_table_cell(table, "%s", s->name);
        print_title(table, s);
    }
    cli_table_print(table, stdout);
    return CLI_ANSWERED;
}

static int run(const cli_arguments *arguments)
{
    if (arguments->file_count == 0)
        return print_list();
    const char *name = arguments->files[0], *names[256];
    const cli_bundled *scene = cli_bundled_find(name);
    if (scene) {
        fputs(scene->text, stdout);
        return CLI_ANSWERED;
    }
    int count = 0;
    while (count < 256 && cli_bundled_scenes[count].name) {
        names[count] = cli_bundled_scenes[count].name;
        count++;
    }
    return cli_message_unknown(name, names, count, "; 'carom scenes' lists them",
                               "there is no bundled scene '%s'", name);
}

const cli_command cli_scenes = {
    .name = "scenes",
    .arguments = "[NAME]",
    .summary = "list the bundled scenes, or print one",
    .text = "Bundled scenes can be used by their names wherever a scene file is read:\n"
            "`carom impact cradle`, as long as there is no file of that name. To change one:\n"
            "`carom scenes cradle > mine.yaml`.",
    .most_files = 1,
    .candidate = cli_bundled_name,
    .run = run,
};
