/* The account of `carom check` for people. */
#include "check.h"

#include <math.h>
#include <string.h>

enum { MOST_SHOWN = 12 }; /* contacts, numbers of a vector */

/* Words of text, folded to the width, each line indented. */
static void paragraph(int indent, const char *text)
{
    int width = cli_table_width() - indent, used = 0;
    printf("%*s", indent, "");
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (used > 0 && used + 1 + length > width) {
            printf("\n%*s", indent, "");
            used = 0;
        }
        printf("%s%.*s", used ? " " : "", length, text);
        used += length + (used > 0);
        text += length;
        while (*text == ' ')
            text++;
    }
    printf("\n");
}

static const char *verdict(const carom_certificate *c)
{
    return !c->applies               ? "n/a"
           : c->holds == CAROM_TRUE  ? "holds"
           : c->holds == CAROM_FALSE ? "fails"
                                     : "undecided";
}

static void print_certificate(const cli_check *check, const carom_certificate *c)
{
    const char *colour = !cli_table_colour()       ? ""
                         : !c->applies             ? "\033[2m"
                         : c->holds == CAROM_TRUE  ? "\033[32m"
                         : c->holds == CAROM_FALSE ? "\033[31m"
                                                   : "\033[33m";
    printf("  %-22s %s%-9s%s  ", c->name, colour, verdict(c), *colour ? "\033[0m" : "");
    if (c->applies)
        printf("%s", carom_validity_text(c->scope));
    if (c->applies && !isnan(c->value))
        printf("; value %.6g", c->value);
    if (c->applies && !isnan(c->bound) && !isnan(c->value))
        printf(", bound %.6g", c->bound);
    printf("\n");
    paragraph(6, c->text);
    if (c->counterexample) {
        printf("      counter-example%s: velocity [", c->verified ? " (run and confirmed)" : "");
        int n = check->answer.impact.n, shown = n > MOST_SHOWN ? MOST_SHOWN : n;
        for (int k = 0; k < shown; k++)
            printf("%s%.10g", k ? ", " : "", c->counterexample[k]);
        printf(shown < n ? ", ... %d more: --json]\n" : "]\n", n - shown);
    }
}

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* One or two sentences before the details. */
static void print_conclusion(const cli_check *check)
{
    const carom_certificates *all = &check->all;
    const carom_certificate *signs = carom_certificates_find(all, "kinematic");
    const carom_certificate *push = carom_certificates_find(all, "kinetic");
    const carom_certificate *energy = carom_certificates_find(all, "energy-copositive");
    const carom_certificate *every = carom_certificates_find(all, "energy-semidefinite");
    const carom_certificate *full = carom_certificates_find(all, "energy-full");
    if (full) { /* E prescribes the tangential velocities too */
        paragraph(0, !full->applies              ? "No velocity has impulses that give v+ = -E v-."
                     : full->holds == CAROM_TRUE ? "Energy is never gained, for any velocity."
                     : full->holds == CAROM_FALSE
                         ? "Not consistent for all velocities: it can gain energy."
                         : "Energy is gained at most by rounding, for any velocity.");
        return;
    }
    if (!signs || !push || !energy || !every)
        return;
    bool consistent =
        signs->holds == CAROM_TRUE && push->holds == CAROM_TRUE && energy->holds == CAROM_TRUE;
    bool broken =
        signs->holds == CAROM_FALSE || push->holds == CAROM_FALSE || energy->holds == CAROM_FALSE;
    if (!energy->applies)
        paragraph(0, "The contacts are dependent: a restitution matrix cannot be prescribed for "
                     "all of them; laws in inequality form (newton, moreau) still apply.");
    else if (consistent)
        paragraph(0, every->holds == CAROM_TRUE
                         ? "Consistent: for every approaching velocity the contacts separate, only "
                           "push, and no energy is gained; energy is never gained for any velocity."
                         : "Consistent: for every approaching velocity the contacts separate, only "
                           "push, and no energy is gained.");
    else if (broken) {
        char text[256];
        snprintf(text, sizeof text, "Not consistent for all approaching velocities: it %s%s%s%s%s.",
                 signs->holds == CAROM_FALSE ? "can penetrate" : "",
                 signs->holds == CAROM_FALSE && push->holds == CAROM_FALSE ? ", " : "",
                 push->holds == CAROM_FALSE ? "can pull" : "",
                 energy->holds == CAROM_FALSE &&
                         (signs->holds == CAROM_FALSE || push->holds == CAROM_FALSE)
                     ? ", "
                     : "",
                 energy->holds == CAROM_FALSE ? "can gain energy" : "");
        paragraph(0, text);
    } else
        paragraph(0, "Undecided: a condition is met or missed only within rounding.");
}

static bool member(const carom_certificate *c, const char *const *prefixes)
{
    for (int k = 0; prefixes[k]; k++)
        if (starts(c->name, prefixes[k]))
            return true;
    return false;
}

/* Certificates that apply one by one, then the others gathered by reason. */
static void print_group(const cli_check *check, const char *title, const char *const *prefixes)
{
    const carom_certificates *all = &check->all;
    printf("\n%s\n", title);
    for (int i = 0; i < all->count; i++)
        if (member(&all->list[i], prefixes) && all->list[i].applies)
            print_certificate(check, &all->list[i]);
    for (int i = 0; i < all->count; i++) {
        const carom_certificate *c = &all->list[i];
        bool told = !member(c, prefixes) || c->applies;
        for (int k = 0; k < i && !told; k++)
            told = !all->list[k].applies && member(&all->list[k], prefixes) &&
                   strcmp(all->list[k].text, c->text) == 0;
        if (told)
            continue;
        char text[1024];
        size_t used = (size_t)snprintf(text, sizeof text, "%s", c->name);
        for (int k = i + 1; k < all->count && used < 600; k++)
            if (!all->list[k].applies && member(&all->list[k], prefixes) &&
                strcmp(all->list[k].text, c->text) == 0)
                used +=
                    (size_t)snprintf(text + used, sizeof text - used, ", %s", all->list[k].name);
        snprintf(text + used, sizeof text - used, ": %s", c->text);
        paragraph(2, text);
    }
}

static void print_solution(const cli_check *check, int k)
{
    const cli_answer *a = &check->answer;
    const carom_painleve_solution *x = &check->problem.solutions[k];
    cli_table *table = cli_table_create(5);
    cli_table_cell(table, k == 0 ? "    contact" : "    or");
    cli_table_cell(table, "mode");
    cli_table_cell(table, "force");
    cli_table_cell(table, "friction");
    cli_table_cell(table, "gap acceleration");
    for (int i = 0; i < a->impact.p; i++) {
        cli_table_cell(table, "    %s", a->contacts[i]);
        cli_table_cell(table, "%s", carom_mode_text(x->mode[i]));
        cli_table_number(table, x->force[i]);
        int first = a->geometry.slip_start[i], count = a->geometry.slip_start[i + 1] - first;
        if (count == 1)
            cli_table_number(table, x->tangential_force[first]);
        else if (count == 2)
            cli_table_cell(table, "%.6g, %.6g", x->tangential_force[first],
                           x->tangential_force[first + 1]);
        else
            cli_table_cell(table, "-");
        cli_table_number(table, x->acceleration[i]);
    }
    cli_table_print(table, stdout);
}

static void print_problem(const cli_check *check)
{
    static const char *const meaning[] = {
        "one solution: the motion goes on in one way only",
        "one motion; the forces are not determined (statically indeterminate)",
        ("no solution (Painlevé, inconsistent): the motion can go on only by an impact without "
         "collision"),
        "several solutions (Painlevé, indeterminate): the equations do not choose", "not decided"};
    const carom_painleve *problem = &check->problem;
    if (!check->has_problem)
        return;
    printf("\nContact problem at this state: %s\n", carom_painleve_text(problem->kind));
    paragraph(4, meaning[problem->kind]);
    if (problem->message[0])
        paragraph(4, problem->message);
    for (int k = 0; k < problem->count && k < 8; k++)
        print_solution(check, k);
    if (problem->count > 8)
        printf("    ... %d more (--json has all)\n", problem->count - 8);
}

static void print_critical(const cli_check *check)
{
    const cli_answer *a = &check->answer;
    if (check->has_critical && a->geometry.s > 0) {
        printf("\nCritical friction\n");
        const carom_critical *c = &check->critical;
        if (isnan(c->common))
            printf("    not computed\n");
        else if (isinf(c->common))
            paragraph(4, c->exact ? "none: however large a common friction coefficient, contact "
                                    "forces are unique"
                                  : "none was found; not all minors and directions were looked at");
        else if (c->common == 0)
            paragraph(4, "0: the contacts are dependent, their forces are not unique even without "
                         "friction");
        else
            printf("    %.10g common to all contacts%s: from there on forces can be missing or not "
                   "unique\n",
                   c->common, c->exact ? "" : " (the smallest found)");
        if (!c->exact && c->lower > 0 && c->lower < c->common)
            printf("    below %.10g forces are unique\n", c->lower);
        for (int i = 0; i < a->impact.p && a->impact.p > 1; i++)
            if (isfinite(check->critical.per_contact[i]) && check->critical.common > 0)
                printf("    %.10g at %s alone\n", check->critical.per_contact[i], a->contacts[i]);
    }
    if (!check->along)
        return;
    printf("\nCritical friction along %s from %g to %g\n", check->along, check->along_from,
           check->along_to);
    if (isnan(check->path.least))
        printf("    none\n");
    else
        printf("    least %.12g at %s = %.12g%s\n", check->path.least, check->along, check->path.at,
               check->path.inside ? "" : " (at the end of the range, or where directions change)");
}

static void print_margins(const cli_check *check)
{
    const carom_margins *m = &check->margins;
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

/* "ab, then bc + cd" */
static void order_text(const cli_answer *a, const int *group, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < a->impact.p && used < size; k++) {
        bool first = true;
        for (int i = 0; i < a->impact.p && used < size; i++)
            if (group[i] == k) {
                used += (size_t)snprintf(text + used, size - used, "%s%s",
                                         !first  ? " + "
                                         : k > 0 ? ", then "
                                                 : "",
                                         a->contacts[i]);
                first = false;
            }
    }
}

static void print_micro(const cli_check *check)
{
    enum { SHOWN = 12 };
    const carom_micro_gaps *m = &check->micro;
    const cli_answer *a = &check->answer;
    if (a->impact.p < 2)
        return;
    printf("\nMicro-gaps: what if the contacts close one after the other? (law %s)\n",
           check->micro_law);
    if (m->count == 0) {
        paragraph(4, m->message[0] ? m->message : "no order of closing has an outcome");
        return;
    }
    char text[512];
    snprintf(text, sizeof text, "%d orders of closing lead to %d different outcome%s%s.", m->orders,
             m->count, m->count == 1 ? "" : "s",
             m->count == 1 ? ": the order does not matter" : "");
    paragraph(4, text);
    if (m->failed) {
        snprintf(text, sizeof text, "%d orders have no outcome (%s).", m->failed,
                 m->message[0] ? m->message : "collisions without end");
        paragraph(4, text);
    }
    for (int k = 0; k < m->count && m->count > 1 && k < SHOWN; k++) {
        const carom_micro_outcome *o = &m->list[k];
        order_text(a, o->group, text, sizeof text);
        printf("    [");
        for (int i = 0; i < a->impact.n; i++)
            printf("%s%.6g", i ? ", " : "", fabs(o->u[i]) < 1e-13 ? 0 : o->u[i]);
        printf("]  %d order%s, e.g. %s\n", o->orders, o->orders == 1 ? "" : "s",
               o->simultaneous ? "all at once" : text);
    }
    if (m->count > SHOWN)
        printf("    ... %d more (--json has all)\n", m->count - SHOWN);
}

void cli_check_text(const cli_check *check)
{
    static const char *const restitution[] = {"kinematic", "kinetic", "energy-", "continuity",
                                              NULL};
    static const char *const contact[] = {"contact-", NULL};
    static const char *const friction[] = {"friction-", NULL};
    const cli_answer *a = &check->answer;
    if (a->title)
        printf("%s\n", a->title);
    printf("%d closed contact%s:", a->impact.p, a->impact.p == 1 ? "" : "s");
    for (int i = 0; i < a->impact.p && i < MOST_SHOWN; i++)
        printf("%s %s", i ? "," : "", a->contacts[i]);
    if (a->impact.p > MOST_SHOWN)
        printf(", ...");
    printf("; restitution: %s\n",
           check->E ? "the matrix E of the scene's law" : "the contacts' own coefficients");
    if (check->note[0])
        paragraph(0, check->note);
    if (!a->geometry.approaching)
        paragraph(0, "Note: the velocity of the scene is not an approaching one (some contact "
                     "separates); certificates for approaching velocities do not cover it.");
    print_conclusion(check);
    print_group(check, "Restitution, v+ = -E v- in normalised normal velocities", restitution);
    print_group(check, "Contact forces with friction, D = G - n'H_T mu_bar", contact);
    print_group(check, "Impacts with friction", friction);
    print_margins(check);
    print_micro(check);
    print_problem(check);
    print_critical(check);
    if (check->stopped)
        printf("\nStopped early: what is undecided above was not finished.\n");
}
