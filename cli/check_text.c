/* The account of `carom check` for people. */
#include "check.h"

#include "carom/text.h"

#include <math.h>
#include <string.h>

enum { MOST_SHOWN = 12 }; /* contacts, numbers of a vector */

void cli_check_paragraph(int indent, const char *text)
{
    printf("%*s", indent, "");
    indent += text[0] == '-' && text[1] == ' ' ? 2 : 0; /* an item of a list */
    int width = cli_table_width() - indent, used = 0;
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

/* A velocity that breaks it, and what was run with it. */
static void print_counterexample(const cli_check *check, const carom_certificate *c)
{
    const char *law = check->law && check->law->ops ? check->law->ops->name : NULL;
    printf("      counter-example%s: velocity [", c->verified ? " (run and confirmed)" : "");
    int n = check->answer.impact.n, shown = n > MOST_SHOWN ? MOST_SHOWN : n;
    for (int k = 0; k < shown; k++)
        printf("%s%.10g", k ? ", " : "", c->counterexample[k]);
    if (shown < n)
        printf(", ... %d more: --json", n - shown);
    printf("]\n");
    if (c->law && law && strcmp(c->law, law) != 0) {
        char text[256];
        snprintf(text, sizeof text, "run with law %s; the scene's law %s %s", c->law, law,
                 c->own == CAROM_TRUE    ? "does the same there"
                 : c->own == CAROM_FALSE ? "does not do so there"
                                         : "has no outcome there");
        cli_check_paragraph(6, text);
    }
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
    cli_check_paragraph(6, c->text);
    if (c->counterexample)
        print_counterexample(check, c);
}

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* ---- in short ---------------------------------------------------------------------------------
 */

static carom_truth truth_of(const cli_check *check, const char *name)
{
    const carom_certificate *c = carom_certificates_find(&check->found.certificates, name);
    return c && c->applies ? c->holds : CAROM_UNDECIDED;
}

static bool applies(const cli_check *check, const char *name)
{
    const carom_certificate *c = carom_certificates_find(&check->found.certificates, name);
    return c && c->applies;
}

/* Faults of the restitution, with commas. */
static void name_faults(const cli_check *check, char *text, size_t size)
{
    static const struct {
        const char *certificate, *fault;
    } faults[] = {{"kinematic", "can penetrate"},
                  {"kinetic", "can pull"},
                  {"energy-copositive", "can gain energy"},
                  {"energy-full", "can gain energy"}};
    size_t used = 0;
    text[0] = '\0';
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        if (truth_of(check, faults[k].certificate) == CAROM_FALSE && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     faults[k].fault);
}

/* The restitution in a sentence. */
static void conclude_restitution(const cli_check *check)
{
    char faults[96], text[256];
    const bool full = carom_certificates_find(&check->found.certificates, "energy-full") != NULL;
    const carom_truth signs = truth_of(check, "kinematic"), push = truth_of(check, "kinetic");
    const carom_truth energy = truth_of(check, full ? "energy-full" : "energy-copositive");
    name_faults(check, faults, sizeof faults);
    if (full && !applies(check, "energy-full"))
        cli_check_paragraph(2, "- No velocity has impulses that give v+ = -E v-.");
    else if (check->found.certificates.count == 0)
        cli_check_paragraph(2, "- Nothing is known: stopped before the first certificate.");
    else if (!full && !applies(check, "energy-copositive"))
        cli_check_paragraph(2, "- The certificates of a restitution matrix do not apply here; laws "
                               "in inequality form (newton, moreau) still do.");
    else if (faults[0]) {
        snprintf(text, sizeof text, "- Not consistent for all %svelocities: v+ = -E v- %s.",
                 full ? "" : "approaching ", faults);
        cli_check_paragraph(2, text);
    } else if (signs == CAROM_TRUE && push == CAROM_TRUE && energy == CAROM_TRUE)
        cli_check_paragraph(
            2, full || truth_of(check, "energy-semidefinite") == CAROM_TRUE
                   ? "- Consistent: for every approaching velocity the contacts separate, only "
                     "push, and no energy is gained; energy is never gained for any velocity."
                   : "- Consistent: for every approaching velocity the contacts separate, only "
                     "push, and no energy is gained.");
    else if (full && energy == CAROM_TRUE)
        cli_check_paragraph(2, "- Energy is never gained, for any velocity.");
    else
        cli_check_paragraph(2, "- Undecided whether v+ = -E v- is consistent: see kinematic, "
                               "kinetic and the energy certificates.");
}

/* Energy with friction: what fails for the law that was judged need not fail for the scene's. */
static void conclude_friction_energy(const cli_check *check)
{
    const carom_certificate *c =
        carom_certificates_find(&check->found.certificates, "friction-energy");
    char text[256];
    if (!c || !c->applies)
        return;
    snprintf(text, sizeof text, "- With friction some approaching velocity gains energy%s%s.",
             c->own == CAROM_TRUE ? "" : " under law ", c->own == CAROM_TRUE ? "" : c->law);
    cli_check_paragraph(
        2, c->holds == CAROM_TRUE    ? "- With friction no approaching velocity gains energy."
           : c->holds == CAROM_FALSE ? text
                                     : "- Whether friction lets energy grow is undecided.");
}

/* Friction at impacts and in contact. */
static void conclude_friction(const cli_check *check)
{
    const carom_critical *c = &check->found.critical;
    char text[256];
    conclude_friction_energy(check);
    if (!check->found.has_critical || check->answer.geometry.s == 0 || isnan(c->common))
        return;
    if (isinf(c->common) && c->exact)
        cli_check_paragraph(2,
                            "- While contacts slide their forces are unique for any load, however "
                            "large a common friction coefficient.");
    else if (c->lower > 0 && isfinite(c->lower)) {
        snprintf(text, sizeof text,
                 "- While contacts slide their forces are unique for any load, as long as a common "
                 "friction coefficient stays below %.6g.",
                 c->lower);
        cli_check_paragraph(2, text);
    }
}

static const char *meaning_of(carom_painleve_class kind)
{
    static const char *const meaning[] = {
        "one solution: the motion goes on in one way only",
        "one motion; the forces are not determined (statically indeterminate)",
        ("no solution (Painlevé, inconsistent): the motion can go on only by an impact without "
         "collision"),
        "several solutions (Painlevé, indeterminate): the equations do not choose", "not decided"};
    return meaning[kind];
}

/* What to read first. */
static void print_conclusion(const cli_check *check)
{
    const carom_certificates *all = &check->found.certificates;
    char text[512];
    size_t used = 0;
    printf("\nIn short\n");
    conclude_restitution(check);
    conclude_friction(check);
    if (check->found.has_problem) {
        snprintf(text, sizeof text, "- At this state the contact problem %s%s.",
                 check->found.problem.kind == CAROM_PAINLEVE_UNKNOWN ? "is " : "has ",
                 meaning_of(check->found.problem.kind));
        cli_check_paragraph(2, text);
    }
    for (int i = 0; i < all->count && used < sizeof text - 80; i++)
        if (all->list[i].applies && all->list[i].holds == CAROM_UNDECIDED)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     used ? ", " : "- Undecided: ", all->list[i].name);
    if (used) {
        snprintf(text + used, sizeof text - used, ".");
        cli_check_paragraph(2, text);
    }
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
    const carom_certificates *all = &check->found.certificates;
    bool begun = false;
    printf("\n%s\n", title);
    for (int i = 0; i < all->count; i++) {
        begun = begun || member(&all->list[i], prefixes);
        if (member(&all->list[i], prefixes) && all->list[i].applies)
            print_certificate(check, &all->list[i]);
    }
    if (!begun)
        printf("  not begun\n");
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
        cli_check_paragraph(2, text);
    }
}

static void print_solution(const cli_check *check, int k)
{
    const cli_answer *a = &check->answer;
    const carom_painleve_solution *x = &check->found.problem.solutions[k];
    bool ranges = false; /* where forces are not determined: the least and the most of each */
    for (int i = 0; i < a->impact.p && !x->force_unique; i++)
        ranges = ranges || x->most[i] > x->least[i];
    cli_table *table = cli_table_create(ranges ? 7 : 5);
    cli_table_cell(table, k == 0 ? "    contact" : "    or");
    cli_table_cell(table, "mode");
    cli_table_cell(table, "force");
    cli_table_cell(table, "friction");
    cli_table_cell(table, "gap acceleration");
    if (ranges) {
        cli_table_cell(table, "least force");
        cli_table_cell(table, "most");
    }
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
        if (ranges) {
            cli_table_number(table, x->least[i]);
            cli_table_number(table, x->most[i]);
        }
    }
    cli_table_print(table, stdout);
}

static void print_problem(const cli_check *check)
{
    const carom_painleve *problem = &check->found.problem;
    if (!check->found.has_problem)
        return;
    printf("\nContact problem at this state: %s\n", carom_painleve_text(problem->kind));
    cli_check_paragraph(4, meaning_of(problem->kind));
    if (problem->continuum)
        cli_check_paragraph(4, "some belong to a continuum of motions, in which neither forces nor "
                               "accelerations are unique: the one of the smallest forces is shown");
    if (problem->message[0])
        cli_check_paragraph(4, problem->message);
    for (int k = 0; k < problem->count && k < 8; k++)
        print_solution(check, k);
    if (problem->count > 8)
        printf("    ... %d more (--json has all)\n", problem->count - 8);
}

static void print_critical(const cli_check *check)
{
    const cli_answer *a = &check->answer;
    if (check->found.has_critical && a->geometry.s > 0) {
        printf("\nCritical friction\n");
        const carom_critical *c = &check->found.critical;
        if (isnan(c->common))
            printf("    not computed\n");
        else if (isinf(c->common))
            cli_check_paragraph(
                4, c->exact ? "none: however large a common friction coefficient, contact "
                              "forces are unique"
                            : "none was found; not all minors and directions were looked at");
        else if (c->common == 0)
            cli_check_paragraph(
                4, "0: the contacts are dependent, their forces are not unique even without "
                   "friction");
        else
            printf("    %.10g common to all contacts%s: from there on forces can be missing or not "
                   "unique\n",
                   c->common, c->exact ? "" : " (the smallest found)");
        if (!c->exact && c->lower > 0 && c->lower < c->common)
            printf("    below %.10g forces are unique\n", c->lower);
        for (int i = 0; i < a->impact.p && a->impact.p > 1; i++)
            if (isfinite(check->found.critical.per_contact[i]) && check->found.critical.common > 0)
                printf("    %.10g at %s alone\n", check->found.critical.per_contact[i],
                       a->contacts[i]);
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
    const carom_micro_gaps *m = &check->found.micro;
    const cli_answer *a = &check->answer;
    if (!check->found.has_micro_gaps)
        return;
    printf("\nMicro-gaps: what if the contacts close one after the other? (law %s)\n",
           check->found.micro_law);
    if (m->count == 0) {
        cli_check_paragraph(4, m->message[0] ? m->message : "no order of closing has an outcome");
        return;
    }
    char text[512];
    snprintf(text, sizeof text, "%d orders of closing lead to %d different outcome%s%s.%s",
             m->orders, m->count, m->count == 1 ? "" : "s",
             m->count == 1 && !m->stopped ? ": the order does not matter" : "",
             m->stopped ? " Others were not tried." : "");
    cli_check_paragraph(4, text);
    if (m->failed) {
        snprintf(text, sizeof text, "%d orders have no outcome (%s).", m->failed,
                 m->message[0] ? m->message : "collisions without end");
        cli_check_paragraph(4, text);
    }
    for (int k = 0; k < m->count && m->count > 1 && k < SHOWN; k++) {
        const carom_micro_outcome *o = &m->list[k];
        order_text(a, o->group, text, sizeof text);
        printf("    [");
        for (int i = 0; i < a->impact.n; i++)
            printf("%s%.6g", i ? ", " : "", carom_number_clean(o->u[i], a->geometry.fastest));
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
    printf("; law %s%s; restitution: %s\n", check->law->ops->name,
           check->law_by_default ? " by default" : "",
           check->found.E ? "the matrix E of the scene's law" : "the contacts' own coefficients");
    if (check->found.note[0])
        cli_check_paragraph(0, check->found.note);
    if (!a->geometry.approaching)
        cli_check_paragraph(
            0, "Note: the velocity of the scene is not an approaching one (some contact "
               "separates); certificates for approaching velocities do not cover it.");
    print_conclusion(check);
    print_group(check, "Restitution, v+ = -E v- in normalised normal velocities", restitution);
    print_group(check, "Contact forces with friction, D = G - n'H_T mu_bar", contact);
    print_group(check, "Impacts with friction", friction);
    cli_check_coefficients(check);
    print_micro(check);
    print_problem(check);
    print_critical(check);
    if (check->found.stopped && check->out_of_budget)
        printf("\nStopped after %g s (--budget): what is missing or undecided was not finished.\n",
               check->budget);
    else if (check->found.stopped)
        printf("\nStopped early: what is missing or undecided was not finished.\n");
    else if (check->found.limited)
        printf("\nSome parts ended at the limit on their work (--effort).\n");
}
