/* The equations of a system of formulas as LaTeX: mass matrix, forces, gaps, slips, constraints,
 * with parameters by their names. */
#include "carom/need.h"
#include "expr/tex.h"
#include "system/formulas.h"

#include <stdio.h>
#include <stdlib.h>

enum { MATRIX_MOST = 6 }; /* larger matrices are written entry by entry */

typedef struct writer {
    const carom_formulas *statement;
    carom_tex *tex;
    const carom_formulas_read *read;
    const carom_formulas_derived *derived;
    carom_node zero;
} writer;

static carom_node find_entry(const writer *w, carom_formulas_field field, size_t index)
{
    for (size_t k = 0; k < w->derived->count; k++)
        if (w->derived->entries[k].field == field && w->derived->entries[k].index == index)
            return w->derived->entries[k].node;
    return w->zero;
}

static carom_node mass_entry(const writer *w, int i, int j)
{
    const size_t n = (size_t)w->read->n;
    if (!w->derived->mass_is_diagonal)
        return find_entry(w, CAROM_FIELD_M, (size_t)i + (size_t)j * n);
    return i == j ? find_entry(w, CAROM_FIELD_M, (size_t)i) : w->zero;
}

static void write_equation(writer *w)
{
    const carom_formulas_read *r = w->read;
    carom_tex_put(w->tex, "M\\ddot{q} = h");
    carom_tex_put(w->tex, r->p ? " + W\\lambda" : "");
    carom_tex_put(w->tex, r->s ? " + H\\lambda_T" : "");
    carom_tex_put(w->tex, r->m ? " + B\\beta" : "");
    carom_tex_put(w->tex, r->a ? " + A\\alpha" : "");
    carom_tex_put(w->tex, ", \\qquad q = \\left(");
    for (int i = 0; i < r->n; i++) {
        carom_tex_put(w->tex, i ? ", " : "");
        carom_tex_symbol(w->tex, w->statement->coordinates[i].text);
    }
    carom_tex_put(w->tex, "\\right)^{T}");
}

static void write_matrices(writer *w)
{
    const int n = w->read->n;
    carom_tex_put(w->tex, "M = \\begin{pmatrix}\n");
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            carom_tex_put(w->tex, j ? " & " : "  ");
            carom_tex_node(w->tex, mass_entry(w, i, j));
        }
        carom_tex_put(w->tex, i + 1 < n ? " \\\\\n" : "\n");
    }
    carom_tex_put(w->tex, "\\end{pmatrix}, \\qquad\nh = \\begin{pmatrix}\n");
    for (int i = 0; i < n; i++) {
        carom_tex_put(w->tex, "  ");
        carom_tex_node(w->tex, find_entry(w, CAROM_FIELD_H_FORCE, (size_t)i));
        carom_tex_put(w->tex, i + 1 < n ? " \\\\\n" : "\n");
    }
    carom_tex_put(w->tex, "\\end{pmatrix}");
}

/* What does not vanish, one line each. */
static void write_entries(writer *w)
{
    const int n = w->read->n;
    char name[64];
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            carom_node entry = mass_entry(w, i, j);
            if (entry == w->zero)
                continue;
            snprintf(name, sizeof name, "M_{%d,%d} &= ", i + 1, j + 1);
            carom_tex_put(w->tex, name);
            carom_tex_node(w->tex, entry);
            carom_tex_put(w->tex, " \\\\\n");
        }
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "h_{%d} &= ", i + 1);
        carom_tex_put(w->tex, name);
        carom_tex_node(w->tex, find_entry(w, CAROM_FIELD_H_FORCE, (size_t)i));
        carom_tex_put(w->tex, i + 1 < n ? " \\\\\n" : "\n");
    }
}

/* letter_{\text{label}} &= node */
static void write_line(writer *w, const char *letter, const char *label, int number,
                       carom_node node, bool *first)
{
    char digits[16];
    carom_tex_put(w->tex, *first ? "\\begin{align*}\n" : " \\\\\n");
    *first = false;
    carom_tex_put(w->tex, letter);
    carom_tex_put(w->tex, "_{\\text{");
    carom_tex_words(w->tex, label ? label : "");
    carom_tex_put(w->tex, "}");
    if (number > 0) {
        snprintf(digits, sizeof digits, ",%d", number);
        carom_tex_put(w->tex, digits);
    }
    carom_tex_put(w->tex, "} &= ");
    carom_tex_node(w->tex, node);
}

static void write_functions(writer *w)
{
    const carom_formulas_read *r = w->read;
    const carom_formulas *s = w->statement;
    bool first = true;
    for (int i = 0; i < r->p; i++)
        write_line(w, "g", r->contacts[i].name, 0, r->gaps[i], &first);
    for (int i = 0, slip = 0; i < r->p; i++)
        for (int j = 0; j < r->contacts[i].slip_count; j++, slip++)
            write_line(w, "v", r->contacts[i].name, r->contacts[i].slip_count > 1 ? j + 1 : 0,
                       r->slips[slip], &first);
    for (int k = 0; k < r->m; k++)
        write_line(w, "f", s->bilateral[k].name.text, 0, r->joints[k], &first);
    for (int k = 0; k < r->a; k++)
        write_line(w, "\\varphi", s->permanent[k].name.text, 0, r->rollings[k], &first);
    carom_tex_put(w->tex, first ? "" : "\n\\end{align*}\n");
}

static void write_all(writer *w)
{
    const bool small = w->read->n <= MATRIX_MOST;
    carom_tex_put(w->tex, "\\begin{gather*}\n");
    write_equation(w);
    carom_tex_put(w->tex, small ? " \\\\\n" : "\n\\end{gather*}\n\\begin{align*}\n");
    if (small)
        write_matrices(w);
    else
        write_entries(w);
    carom_tex_put(w->tex, small ? "\n\\end{gather*}\n" : "\\end{align*}\n");
    write_functions(w);
}

carom_status carom_system_formulas_tex(const carom_formulas *statement, carom_arena *arena,
                                       const char **tex, carom_error *error)
{
    CAROM_NEED(error, statement, arena, tex);
    double *values;
    carom_formulas_opened opened;
    carom_tex text;
    carom_status status = carom_formulas_values(statement, arena, &values, error);
    if (!status)
        status = carom_formulas_open(statement, values, arena, &opened, error);
    if (status)
        return status;
    carom_scope *scope = opened.read.scope;
    status = carom_tex_begin(&text, scope, arena, error);
    if (!status) {
        writer w = {statement, &text, &opened.read, &opened.derived, scope->graph.zero};
        write_all(&w);
        status = carom_tex_check(&text, error);
        *tex = text.text;
    }
    carom_formulas_close(&opened);
    return status;
}
