/* What `carom check` says about coefficients of restitution: margins, regions of two contacts,
 * matrices that keep the energy, the matrix of an outcome. */
#include "check.h"

#include "carom/tolerance.h"

#include <math.h>

static void print_margins(const carom_margins *m)
{
    if (isnan(m->scale_all))
        return;
    printf("\nHow far from the limit of energy\n");
    cli_table *table = cli_table_create(3);
    cli_table_cell(table, " ");
    cli_table_cell(table, "approaching velocities");
    cli_table_cell(table, "all velocities");
    cli_table_cell(table, "    E may be multiplied by");
    cli_table_number(table, m->scale_approaching);
    cli_table_number(table, m->scale_all);
    cli_table_cell(table, "    any coefficients from 0 to");
    cli_table_number(table, m->box_approaching);
    cli_table_number(table, m->box_all);
    cli_table_print(table, stdout);
}

/* Rounding of a zero is not shown; nor is its sign. */
static double clean(double x)
{
    return fabs(x) > CAROM_TOLERANCE_SAME ? x : 0;
}

/* Two contacts with diagonal E: which e2 go with e1, at a few points of the curve. */
static void print_region(const cli_check *check)
{
    const carom_pair_region *r = &check->found.region;
    const char *const *names = check->answer.contacts;
    printf("\nCoefficients of two contacts that gain no energy, E = diag(e1, e2)\n");
    printf("    cosine G12 = %.6g; max |e| <= %.6g or |e| < %.6g suffice (Prop. 6, 7)\n", r->a,
           r->half_width, r->radius);
    if (r->square)
        printf("    approaching velocities: all |e1|, |e2| <= 1\n");
    cli_table *table = cli_table_create(3);
    cli_table_cell(table, "    %s velocities: e1 of %s", r->square ? "all" : "all, approaching too",
                   names[0]);
    cli_table_cell(table, "least e2 of %s", names[1]);
    cli_table_cell(table, "most");
    for (int k = 0; k <= 4; k++) {
        const int at = (r->count - 1) / 2 + k * (r->count - 1) / 8;
        cli_table_cell(table, "    %.6g", clean(r->e1[at]));
        cli_table_number(table, r->lower[at]);
        cli_table_number(table, r->upper[at]);
    }
    cli_table_print(table, stdout);
}

/* The arc of outcomes with the energy of the scene's velocity. */
static void print_same_energy(const cli_check *check)
{
    const carom_same_energy *s = &check->found.same_energy;
    printf(
        "\nNormal velocities after the impact with the same energy (normalised, v = gamma/|w|)\n");
    if (s->count == 0) {
        printf("    none is admissible\n");
        return;
    }
    printf("    an arc from");
    for (int k = 0; k < 3; k++) {
        const double *v = s->v + 2 * (size_t)(k * (s->count - 1) / 2);
        printf(" (%.6g, %.6g)%s", clean(v[0]), clean(v[1]),
               k == 0   ? " over"
               : k == 1 ? " to"
                        : "\n");
    }
    printf("    each outcome by a set of E of dimension %d%s\n", s->matrix_freedoms,
           s->unique_diagonal ? "; contacts at right angles: one diagonal E" : "");
}

static void print_matrix(const double *E)
{
    printf("[[%.6g, %.6g], [%.6g, %.6g]]", clean(E[0]), clean(E[2]), clean(E[1]), clean(E[3]));
}

/* Matrices that keep the energy for all velocities. */
static void print_conservative(const cli_check *check)
{
    const carom_conservative *c = &check->found.conservative;
    if (c->freedoms < 0)
        return;
    printf("\nRestitution matrices that keep the energy of all velocities (E'G^-1E = G^-1)\n");
    printf("    this E %s; they are E = L O L^-1 with O orthogonal, %d freedom%s\n",
           c->conservative == CAROM_TRUE    ? "is one"
           : c->conservative == CAROM_FALSE ? "is none"
                                            : "is one within rounding",
           c->freedoms, c->freedoms == 1 ? "" : "s");
    if (check->answer.impact.p != 2)
        return;
    printf("    consistent ones, E >= 0 and G^-1(I+E) >= 0%s:\n", c->unique == CAROM_TRUE
                                                                      ? ", exactly one"
                                                                  : c->arc_count ? ""
                                                                                 : ": none");
    for (int k = 0; k < c->arc_count; k++) {
        printf("      ");
        print_matrix(c->arcs[k].E_from);
        if (c->arcs[k].from != c->arcs[k].to) {
            printf(" to ");
            print_matrix(c->arcs[k].E_to);
        }
        printf("\n");
    }
}

/* The matrix that explains an outcome. */
static void print_outcome(const cli_check *check)
{
    enum { MOST = 6 };
    const carom_outcome_matrix *o = &check->outcome;
    if (!check->has_outcome)
        return;
    printf("\nA restitution matrix for the outcome of %s%s (least Frobenius norm, Prop. 1)\n",
           check->outcome_of ? "law " : "--after", check->outcome_of ? check->outcome_of : "");
    if (!o->exists) {
        printf("    none: v- = 0, and v+ is not\n");
        return;
    }
    if (o->size > check->answer.impact.p)
        printf("    for all %d quasi-velocities, since tangential ones change\n", o->size);
    if (o->size > MOST) {
        printf("    %d x %d: --json shows it\n", o->size, o->size);
        return;
    }
    cli_table *table = cli_table_create(o->size + 1);
    for (int i = 0; i < o->size; i++) {
        cli_table_cell(table, i == 0 ? "    E =" : " ");
        for (int j = 0; j < o->size; j++)
            cli_table_number(table, o->E[i + (size_t)j * o->size]);
    }
    cli_table_print(table, stdout);
    if (!o->has_diagonal)
        return;
    printf("    diagonal:");
    for (int i = 0; i < check->answer.impact.p; i++)
        if (isnan(o->diagonal[i]))
            printf(" any");
        else
            printf(" %.6g", clean(o->diagonal[i]));
    printf("\n");
}

void cli_check_coefficients(const cli_check *check)
{
    if (check->found.has_coefficients) {
        print_margins(&check->found.margins);
        if (check->found.has_pair) {
            print_region(check);
            print_same_energy(check);
        }
        print_conservative(check);
    }
    print_outcome(check);
}
