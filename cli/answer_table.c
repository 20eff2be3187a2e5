/* The table of `carom impact`: a row per law, velocities after the impact, energy change, the three
 * verdicts; notes below. Systems too wide for the terminal get their velocities on lines of their
 * own. */
#include "answer.h"

#include <math.h>
#include <string.h>

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

static void print_header(const cli_answer *a)
{
    printf("%s%s%s\n", paint("\033[1m"), a->title ? a->title : a->file, paint("\033[0m"));
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

/* Rounding around zero is shown as zero. */
static double clean(double value, double scale)
{
    return fabs(value) <= 1e-13 * scale ? 0 : value;
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
        cli_table_digits(table, u ? clean(u[i], scale) : NAN, digits);
}

static void add_outcome(cli_table *table, const cli_answer *a, int digits, const char *label,
                        const carom_outcome *o, int note)
{
    char verdict[64] = "n/a";
    bool exists = cli_answer_exists(o);
    if (exists)
        write_verdict(verdict, sizeof verdict, &o->verdict);
    else if (o->answer != CAROM_ANSWER_INAPPLICABLE)
        snprintf(verdict, sizeof verdict, "%s", carom_answer_text(o->answer));
    cli_table_cell(table, "%s", label);
    add_velocity(table, a, digits, exists ? o->u : NULL);
    cli_table_digits(table, exists ? clean_energy(o->energy_change, a->geometry.energy) : NAN,
                     digits ? digits : 6);
    cli_table_cell(table, "%s", verdict);
    if (note)
        cli_table_cell(table, "[%d]", note);
    else
        cli_table_cell(table, "%s", "");
}

static void add_header(cli_table *table, const cli_answer *a, int digits)
{
    cli_table_cell(table, "law");
    for (int i = 0; i < a->impact.n && digits; i++)
        cli_table_heading(table, a->coordinates[i]);
    cli_table_heading(table, "energy");
    cli_table_cell(table, "verdict");
    cli_table_cell(table, "%s", "");
    cli_table_cell(table, "before");
    add_velocity(table, a, digits, a->impact.u);
    for (int k = 0; k < 3; k++)
        cli_table_cell(table, "%s", "");
}

/* Velocities of wide systems, a paragraph per outcome. */
static void print_velocities(const cli_answer *a)
{
    enum { MOST = 48 };
    for (int k = -1; k < a->count; k++) {
        char label[128] = "before";
        const double *u = a->impact.u;
        if (k >= 0) {
            if (!cli_answer_exists(&a->entries[k].outcome))
                continue;
            cli_answer_label(a, k, label, sizeof label);
            u = a->entries[k].outcome.u;
        }
        printf("\n%s\n", label);
        int column = 0;
        double scale = 0;
        for (int i = 0; i < a->impact.n; i++)
            scale = fmax(scale, fmax(fabs(u[i]), fabs(a->impact.u[i])));
        for (int i = 0; i < a->impact.n && i < MOST; i++) {
            char cell[96];
            int length =
                snprintf(cell, sizeof cell, "%s = %.5g", a->coordinates[i], clean(u[i], scale));
            int room = (length + 3) / 20 * 20 + 20;
            if (column && column + room > cli_table_width()) {
                putchar('\n');
                column = 0;
            }
            printf("  %-*s", room - 2, cell);
            column += room;
        }
        if (a->impact.n > MOST)
            printf("\n  ... %d more (--json shows all)", a->impact.n - MOST);
        putchar('\n');
    }
}

/* Notes, wrapped; equal messages share a number. */
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

/* The label of a row, whole or with a long word of a variant abbreviated. */
static void write_label(const cli_answer *a, int k, bool whole, char *text, size_t size)
{
    enum { LETTERS = 6 };
    cli_answer_label(a, k, text, size);
    char *word = strchr(text, ':');
    if (!whole && word && strlen(word + 1) > LETTERS + 1)
        strcpy(word + 1 + LETTERS, ".");
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
static void print_certificates(const cli_answer *a)
{
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
        char label[128];
        write_label(a, k, false, label, sizeof label);
        cli_table_cell(table, "  %s", is_shared(a, k) ? entry->law.ops->name : label);
        cli_table_cell(table, "%s", entry->certificate);
    }
    cli_table_print(table, stdout);
}

static cli_table *make_table(const cli_answer *a, int digits, bool whole)
{
    cli_table *table = cli_table_create(digits ? a->impact.n + 4 : 4);
    add_header(table, a, digits);
    for (int k = 0; k < a->count; k++) {
        char label[128];
        const carom_outcome *o = &a->entries[k].outcome;
        write_label(a, k, whole, label, sizeof label);
        add_outcome(table, a, digits, label, o, note_of(a, k));
        for (int j = 0; j < o->alternative_count; j++)
            add_outcome(table, a, digits, "  or", &o->alternatives[j], 0);
    }
    return table;
}

void cli_answer_table(const cli_answer *a)
{
    print_header(a);
    int digits = a->impact.n > 40 ? 0 : 6; /* as many as fit; 0: velocities below the table */
    bool whole = true;
    cli_table *table = make_table(a, digits, whole);
    while (digits && cli_table_measure(table) > cli_table_width()) {
        cli_table_print(table, NULL);
        if (!whole)
            digits = digits > 3 ? digits - 1 : 0;
        whole = digits == 0; /* labels give way before digits do, but not where there are none */
        table = make_table(a, digits, whole);
    }
    cli_table_print(table, stdout);
    if (!digits)
        print_velocities(a);
    puts("\nvelocities after the impact; energy: after - before; verdict: contacts do not\n"
         "penetrate, impulses push within the friction cone, no energy is gained");
    print_notes(a);
    print_certificates(a);
}
