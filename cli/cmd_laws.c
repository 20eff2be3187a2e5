/* carom laws: what there is, from the library's own tables. */
#include "cli.h"

#include <math.h>

static void print_default(char *text, size_t size, const carom_parameter *q)
{
    if (q->kind == CAROM_PARAMETER_CHOICE)
        snprintf(text, size, "%s", q->choices);
    else if (q->kind == CAROM_PARAMETER_NUMBER && isfinite(q->number))
        snprintf(text, size, "%g", q->number);
    else
        snprintf(text, size, "-");
}

static int run_laws(const cli_arguments *arguments)
{
    (void)arguments;
    for (int i = 0; i < carom_law_count(); i++) {
        const carom_law_ops *law = carom_law_at(i);
        printf("%s%s%s\n", cli_table_colour() ? "\033[1m" : "", law->name,
               cli_table_colour() ? "\033[0m" : "");
        cli_table *table = cli_table_create(2);
        cli_table_cell(table, "  ");
        cli_table_cell(table, "%s", law->summary);
        cli_table_cell(table, "  ");
        cli_table_cell(table, "Reference: %s", law->reference);
        cli_table_print(table, stdout);
        table = cli_table_create(4);
        for (const carom_parameter *q = law->parameters; q && q->name; q++) {
            char text[128];
            print_default(text, sizeof text, q);
            cli_table_cell(table, "   ");
            cli_table_cell(table, "%s", q->name);
            cli_table_cell(table, "%s", text);
            cli_table_cell(table, "%s", q->doc);
        }
        cli_table_print(table, stdout);
    }
    return CLI_ANSWERED;
}

const cli_command cli_laws = {
    .name = "laws",
    .arguments = "",
    .summary = "list the impact laws: name, one line, parameters with defaults, reference",
    .run = run_laws,
};
