/* The table of `carom impact`: a row per outcome with the laws that lead to it, velocities after
 * the impact, energy change, the three verdicts; notes below. Systems too wide for the terminal get
 * their velocities on lines of their own. */
#include "answer.h"
#include "carom/text.h"
#include "memory.h"
#include "pictures/outcome_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the table is made from. */
typedef struct sheet {
    const cli_answer *a;
    carom_arena *arena; /* of its own: after Ctrl-C the answer's is in use */
    carom_report_impact report;
    carom_outcome_marks marks;
    carom_outcome_groups groups;
    char (*labels)[128]; /* of the entries */
} sheet;

static const char *paint(const char *code)
{
    return cli_table_colour() ? code : "";
}

/* A mark for each requirement: kinematic, kinetic, energetic. */
static void write_verdict(char *text, size_t size, const carom_verdict *v)
{
    const bool holds[] = {v->kinematic, v->kinetic, v->energetic};
    text[0] = '\0';
    for (int k = 0; k < 3; k++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s%s%s", k ? " " : "",
                 holds[k] ? paint("\033[32m") : paint("\033[31m"), holds[k] ? "✓" : "✗",
                 paint("\033[0m"));
    }
}

void cli_answer_print_instant(const cli_answer *a)
{
    if (!a->instant.given)
        return;
    if (a->instant.impact)
        printf("impact %ld of the motion, t = %.10g", a->instant.impact, a->instant.t);
    else
        printf("t = %.10g of the motion", a->instant.t);
    if (a->instant.law)
        printf("; up to there by law %s", a->instant.law);
    putchar('\n');
}

static void print_header(const cli_answer *a)
{
    printf("%s%s%s\n", paint("\033[1m"), a->title ? a->title : cli_message_file(a->file),
           paint("\033[0m"));
    cli_answer_print_instant(a);
    printf("%d degree%s of freedom, %d closed contact%s", a->impact.n, a->impact.n == 1 ? "" : "s",
           a->impact.p, a->impact.p == 1 ? "" : "s");
    if (a->impact.m)
        printf(", %d bilateral", a->impact.m);
    if (a->impact.a)
        printf(", %d permanent", a->impact.a);
    printf("; energy before %.6g\n", a->geometry.energy);
    if (!a->geometry.approaching)
        puts("not all contacts approach: some guarantees of the laws need gamma <= 0");
    if (a->geometry.dependent)
        puts("the contacts are dependent: impulses need not be unique");
    putchar('\n');
}

/* An energy change that the verdict takes for none is shown as none. */
static double clean_energy(double change, double energy)
{
    return fabs(change) <= CAROM_VERDICT_TOLERANCE * energy ? 0 : change;
}

/* Cells of the velocities: one each, or none (digits 0) when they are printed below. */
static void add_velocity(cli_table *table, const cli_answer *a, int digits, const double *u)
{
    double scale = 0;
    for (int i = 0; i < a->impact.n && u; i++)
        scale = fmax(scale, fmax(fabs(u[i]), fabs(a->impact.u[i])));
    for (int i = 0; i < a->impact.n && digits; i++)
        cli_table_digits(table, u ? carom_number_clean(u[i], scale) : NAN, digits);
}

static void add_header(cli_table *table, const cli_answer *a, int digits)
{
    cli_table_cell(table, "law");
    for (int i = 0; i < a->impact.n && digits; i++)
        cli_table_heading(table, a->velocities[i]);
    cli_table_heading(table, "energy");
    cli_table_cell(table, "verdict");
    cli_table_cell(table, "%s", "");
    cli_table_cell(table, "before");
    add_velocity(table, a, digits, a->impact.u);
    for (int k = 0; k < 3; k++)
        cli_table_cell(table, "%s", "");
}

/* The number of the note of entry k: equal messages share one; 0: it has none. */
static int note_of(const cli_answer *a, int k)
{
    int note = 0;
    if (!a->entries[k].outcome.message[0])
        return 0;
    for (int i = 0; i <= k; i++) {
        if (!a->entries[i].outcome.message[0])
            continue;
        bool first = true;
        for (int j = 0; j < i; j++)
            first = first && strcmp(a->entries[j].outcome.message, a->entries[i].outcome.message);
        note += first;
        if (strcmp(a->entries[i].outcome.message, a->entries[k].outcome.message) == 0)
            return note;
    }
    return note;
}

/* Is entry k in the group by its own outcome? */
static bool is_member(const sheet *s, const carom_outcome_group *group, int k)
{
    for (int i = 0; i < group->count; i++) {
        carom_outcome_member m = s->groups.members[group->first + i];
        if (m.entry == k && m.alternative < 0)
            return true;
    }
    return false;
}

/* Are all variants of the law of entry k in the group, with the same note? Then the law stands for
 * them. */
static bool is_whole(const sheet *s, const carom_outcome_group *group, int k)
{
    const cli_answer *a = s->a;
    int variants = 0;
    for (int i = 0; i < a->count; i++)
        variants += a->entries[i].law.ops == a->entries[k].law.ops;
    if (variants == 1)
        return false;
    for (int i = 0; i < a->count; i++)
        if (a->entries[i].law.ops == a->entries[k].law.ops &&
            (!is_member(s, group, i) || note_of(a, i) != note_of(a, k) ||
             a->entries[i].outcome.answer != a->entries[k].outcome.answer))
            return false;
    return true;
}

/* The note that all members of a group share, -1: they differ. */
static int shared_note(const sheet *s, const carom_outcome_group *group)
{
    int note = note_of(s->a, s->groups.members[group->first].entry);
    for (int i = 1; i < group->count; i++)
        if (note_of(s->a, s->groups.members[group->first + i].entry) != note)
            return -1;
    return note;
}

/* The name of a member of a group; "": its law was named before. */
static void name_member(const sheet *s, const carom_outcome_group *group, int i, bool notes,
                        char text[160])
{
    carom_outcome_member m = s->groups.members[group->first + i];
    const cli_entry *entry = &s->a->entries[m.entry];
    const char *name = s->labels[m.entry];
    text[0] = '\0';
    if (m.alternative < 0 && is_whole(s, group, m.entry)) {
        for (int j = 0; j < m.entry; j++)
            if (s->a->entries[j].law.ops == entry->law.ops)
                return;
        name = entry->law.ops->name;
    }
    int note = note_of(s->a, m.entry);
    bool several = m.alternative < 0 && entry->outcome.answer == CAROM_ANSWER_SEVERAL;
    snprintf(text, 160, "%s%s", name, m.alternative >= 0 ? " (or)" : several ? " (several)" : "");
    size_t used = strlen(text);
    if (notes && note)
        snprintf(text + used, 160 - used, " [%d]", note);
}

/* The longest name of all groups, and a reasonable width at least. */
static int label_width(const sheet *s)
{
    int width = 16;
    for (int k = 0; k < s->groups.count; k++)
        for (int i = 0; i < s->groups.list[k].count; i++) {
            const carom_outcome_group *group = &s->groups.list[k];
            char name[160];
            name_member(s, group, i, shared_note(s, group) < 0, name);
            int length = (int)strlen(name) + 1; /* with its comma */
            width = length > width ? length : width;
        }
    return width;
}

/* The names of a group, in lines of at most `width` letters; the k-th line, false: there is none.
 */
static bool name_line(const sheet *s, const carom_outcome_group *group, int width, int k,
                      char line[256])
{
    char all[256] = "";
    int lines = 0;
    for (int i = 0; i < group->count; i++) {
        char name[160];
        name_member(s, group, i, shared_note(s, group) < 0, name);
        if (!name[0])
            continue;
        bool more = false; /* something follows, so that a comma does */
        for (int j = i + 1; j < group->count && !more; j++) {
            char next[160];
            name_member(s, group, j, false, next);
            more = next[0] != '\0';
        }
        size_t used = strlen(all), length = strlen(name) + more;
        if (used && used + 1 + length > (size_t)width) {
            if (lines++ == k)
                break;
            used = 0;
        }
        snprintf(all + used, sizeof all - used, "%s%s%s", used || lines ? " " : "", name,
                 more ? "," : "");
    }
    snprintf(line, 256, "%s", all);
    return k <= lines;
}

static void add_outcome(cli_table *table, const sheet *s, int digits,
                        const carom_outcome_group *group)
{
    const carom_outcome *o = group->outcome;
    char verdict[64] = "n/a";
    bool exists = cli_answer_exists(o);
    int note = shared_note(s, group);
    if (exists)
        write_verdict(verdict, sizeof verdict, &o->verdict);
    else if (o->answer != CAROM_ANSWER_INAPPLICABLE)
        snprintf(verdict, sizeof verdict, "%s", carom_answer_text(o->answer));
    add_velocity(table, s->a, digits, exists ? o->u : NULL);
    cli_table_digits(table, exists ? clean_energy(o->energy_change, s->a->geometry.energy) : NAN,
                     digits ? digits : 6);
    cli_table_cell(table, "%s", verdict);
    if (note > 0)
        cli_table_cell(table, "[%d]", note);
    else
        cli_table_cell(table, "%s", "");
}

/* A group: the names of its laws in the first column, its outcome beside the first line of them. */
static void add_group(cli_table *table, const sheet *s, int digits, int width,
                      const carom_outcome_group *group)
{
    char line[256];
    for (int k = 0; name_line(s, group, width, k, line); k++) {
        cli_table_cell(table, "%s", line);
        if (k == 0)
            add_outcome(table, s, digits, group);
        else
            for (int i = 0; i < (digits ? s->a->impact.n : 0) + 3; i++)
                cli_table_cell(table, "%s", "");
    }
}

static cli_table *make_table(const sheet *s, int digits, int width)
{
    cli_table *table = cli_table_create(digits ? s->a->impact.n + 4 : 4);
    add_header(table, s->a, digits);
    for (int k = 0; k < s->groups.count; k++)
        add_group(table, s, digits, width, &s->groups.list[k]);
    return table;
}

/* Velocities of wide systems, a paragraph per outcome. */
static void print_velocities(const sheet *s)
{
    enum { MOST = 48 };
    const cli_answer *a = s->a;
    for (int k = -1; k < s->groups.count; k++) {
        char label[256] = "before";
        const double *u = a->impact.u;
        if (k >= 0) {
            if (!cli_answer_exists(s->groups.list[k].outcome))
                continue;
            name_line(s, &s->groups.list[k], sizeof label - 1, 0, label);
            u = s->groups.list[k].outcome->u;
        }
        printf("\n%s\n", label);
        int column = 0;
        double scale = 0;
        for (int i = 0; i < a->impact.n; i++)
            scale = fmax(scale, fmax(fabs(u[i]), fabs(a->impact.u[i])));
        for (int i = 0; i < a->impact.n && i < MOST; i++) {
            char cell[96];
            int length = snprintf(cell, sizeof cell, "%s = %.5g", a->velocities[i],
                                  carom_number_clean(u[i], scale));
            int room = (length + 3) / 20 * 20 + 20, left = a->impact.n - 1 - i;
            bool last = left == 0 || i == MOST - 1 || column + 2 * room > cli_table_width();
            if (column && column + room > cli_table_width()) {
                putchar('\n');
                column = 0;
                last = left == 0 || i == MOST - 1 || 2 * room > cli_table_width();
            }
            printf("  %-*s", last ? 0 : room - 2, cell);
            column += room;
        }
        if (a->impact.n > MOST)
            printf("\n  ... %d more (--json shows all)", a->impact.n - MOST);
        putchar('\n');
    }
}

static void print_notes(const cli_answer *a)
{
    int printed = 0;
    cli_table *table = cli_table_create(2);
    for (int k = 0; k < a->count; k++) {
        int note = note_of(a, k);
        if (note > printed) {
            printed = note;
            cli_table_cell(table, "[%d]", note);
            cli_table_cell(table, "%s", a->entries[k].outcome.message);
        }
    }
    if (printed)
        putchar('\n');
    cli_table_print(table, stdout);
}

/* Do all variants of the law of entry k have the same promise? */
static bool is_shared(const cli_answer *a, int k)
{
    const cli_entry *entry = &a->entries[k];
    for (int i = 0; i < a->count; i++)
        if (a->entries[i].law.ops == entry->law.ops &&
            strcmp(a->entries[i].certificate, entry->certificate) != 0)
            return false;
    return true;
}

/* What theory promises, a line per law; variants of one law share it where they can. */
static void print_certificates(const sheet *s)
{
    const cli_answer *a = s->a;
    cli_table *table = cli_table_create(2);
    bool any = false;
    for (int k = 0; k < a->count; k++) {
        const cli_entry *entry = &a->entries[k], *before = k ? entry - 1 : NULL;
        if (!entry->certificate[0] || (before && before->law.ops == entry->law.ops &&
                                       strcmp(before->certificate, entry->certificate) == 0))
            continue;
        if (!any)
            puts("\ncertificates (carom check gives the full account)");
        any = true;
        cli_table_cell(table, "  %s", is_shared(a, k) ? entry->law.ops->name : s->labels[k]);
        cli_table_cell(table, "%s", entry->certificate);
    }
    cli_table_print(table, stdout);
}

/* Group the outcomes. */
static carom_status make_sheet(const cli_answer *a, sheet *s, carom_error *error)
{
    carom_status status = carom_arena_create(cli_memory(), &s->arena, error);
    if (status)
        return status;
    carom_report_entry *entries = carom_arena_array(s->arena, (size_t)a->count, sizeof *entries);
    s->labels = carom_arena_array(s->arena, (size_t)a->count, sizeof *s->labels);
    if (!entries || !s->labels)
        return carom_error_memory(error);
    for (int k = 0; k < a->count; k++) {
        cli_answer_label(a, k, s->labels[k], sizeof s->labels[k]);
        entries[k] = (carom_report_entry){
            .label = s->labels[k], .law = &a->entries[k].law, .outcome = &a->entries[k].outcome};
    }
    s->report =
        (carom_report_impact){.geometry = &a->geometry, .count = a->count, .entries = entries};
    status = carom_outcome_marks_find(&s->report, s->arena, &s->marks, error);
    if (!status)
        status =
            carom_outcome_groups_find(&s->report, &s->marks, false, s->arena, &s->groups, error);
    return status;
}

static void print_sheet(const sheet *s)
{
    enum { WIDEST = 40 };
    const cli_answer *a = s->a;
    print_header(a);
    int digits = a->impact.n > 40 ? 0 : 6; /* as many as fit; 0: velocities below the table */
    int width = label_width(s), terminal = cli_table_width();
    cli_table *table = make_table(s, digits, width);
    while (digits && cli_table_measure(table) > terminal) {
        cli_table_print(table, NULL);
        digits = digits > 3 ? digits - 1 : 0;
        table = make_table(s, digits, width);
    }
    width += terminal - cli_table_measure(table); /* names take what room is left */
    cli_table_print(table, NULL);
    cli_table_print(make_table(s, digits, width < WIDEST ? width : WIDEST), stdout);
    if (!digits)
        print_velocities(s);
    puts("\nvelocities after the impact; energy: after - before; verdict: contacts do not\n"
         "penetrate, impulses push within the friction cone, no energy is gained");
    print_notes(a);
    print_certificates(s);
    if (a->stopped)
        puts("\nstopped: laws without an answer were not asked, or not to the end");
}

int cli_answer_table(const cli_answer *a)
{
    carom_error error = {0};
    sheet s = {.a = a};
    carom_status status = make_sheet(a, &s, &error);
    if (!status)
        print_sheet(&s);
    carom_arena_destroy(s.arena);
    return status ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}
