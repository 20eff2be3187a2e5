/* `carom impact --details`: below the table, for every law what happens at every contact, and what
 * the law adds to its outcome. */
#include "answer.h"

#include <math.h>

/* The length of the numbers of contact i in an array of slip rows, NaN: it has none. */
static double along(const carom_geometry *g, int i, const double *x)
{
    double length = 0;
    for (int j = g->slip_start[i]; j < g->slip_start[i + 1]; j++)
        length = g->slip_start[i + 1] - g->slip_start[i] == 1 ? x[j] : hypot(length, x[j]);
    return g->slip_start[i + 1] > g->slip_start[i] && x ? length : NAN;
}

static void print_contacts(const cli_answer *a, const carom_outcome *o)
{
    static const char *const headings[] = {"mode", "impulse", "friction", "velocity", "slip"};
    cli_table *table = cli_table_create(6);
    cli_table_cell(table, "  contact");
    cli_table_cell(table, "%s", headings[0]);
    for (int k = 1; k < 5; k++)
        cli_table_heading(table, headings[k]);
    for (int i = 0; i < a->impact.p; i++) {
        cli_table_cell(table, "  %s", a->contacts[i]);
        cli_table_cell(table, "%s", carom_mode_text(o->mode[i]));
        cli_table_number(table, o->impulse[i] + 0.0);
        cli_table_number(table, along(&a->geometry, i, o->tangential_impulse) + 0.0);
        cli_table_number(table, o->gamma[i] + 0.0);
        cli_table_number(table, along(&a->geometry, i, o->slip) + 0.0);
    }
    cli_table_print(table, stdout);
}

static void print_more(const cli_answer *a, const carom_outcome *o)
{
    for (int k = 0; k < o->detail_count; k++) {
        const carom_detail *d = &o->details[k];
        printf("  %s ", d->name);
        if (d->text)
            printf("%s", d->text);
        else if (!d->vector)
            printf("%.9g", d->value + 0.0);
        for (int i = 0; i < a->impact.n && d->vector; i++)
            printf("%s%.6g", i ? ", " : "(", d->vector[i] + 0.0);
        puts(d->vector ? ")" : "");
    }
}

void cli_answer_details(const cli_answer *a)
{
    for (int k = 0; k < a->count; k++) {
        const carom_outcome *o = &a->entries[k].outcome;
        char label[128];
        if (!cli_answer_exists(o))
            continue;
        cli_answer_label(a, k, label, sizeof label);
        printf("\n%s\n", label);
        print_contacts(a, o);
        print_more(a, o);
    }
}
