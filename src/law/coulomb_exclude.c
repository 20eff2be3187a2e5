/* Does a spatial frictional impact have a solution at all? Cells of slip directions, each excluded
 * by linear inequalities or cut in two (docs/theory/coulomb.md, "Existence").
 *
 * In a cell every contact is open, sticks or slips, with directions of its friction in a sector of
 * the circle. Impulses are then x = G s and velocities xi = V v with s, v >= 0, where G generates a
 * cone around the arc of friction and V one of velocities; a cell without s, v such that
 * A G s - V v = -b has no solution, and least squares tell. A cell that is small enough is a start
 * for Newton's method. */
#include "carom/tolerance.h"
#include "cone/nnls.h"
#include "law/coulomb_newton.h"
#include "law/coulomb_separate.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* The work that is spent, in products of least squares: below a second. */
static const double work_limit = 3e7;

enum { EDGES = 8, CUTS = 10 }; /* edges around a whole cone; the most a quadrant is halved */

typedef struct cell {
    carom_mode mode; /* where decided */
    bool decided;
    double middle, half; /* directions of slip or, of stick, against friction; half = pi: all */
    int cuts;
} cell;

typedef struct search {
    const carom_coulomb *f;
    carom_arena *arena;
    carom_error *error;
    cell *cells; /* p */
    int rows, columns;
    int *at;          /* N: the equation of each row, -1: none */
    double *G;        /* N x room, generators of impulses: the first columns */
    double *B, *c;    /* N x room, N: A G s - V v = -b */
    double *s, *left; /* room, N */
    double *damped;   /* (N + room) x (room + 2), where rows are known; else NULL */
    carom_coulomb_newton newton;
    carom_coulomb_separate proof;
    double *x, size, work;
    bool found, undecided;
    carom_status status;
} search;

/* The next column of B, and of G in *g: zero where it is one of velocities. */
static double *new_column(search *w, double **g)
{
    const size_t N = (size_t)w->f->N;
    double *column = w->B + (size_t)w->columns * N;
    *g = w->G + (size_t)w->columns++ * N;
    memset(column, 0, sizeof *column * N);
    memset(*g, 0, sizeof **g * N);
    return column;
}

/* Impulses normal times (1, t) of contact i. */
static void add_impulse(search *w, int i, double normal, double t0, double t1)
{
    const carom_coulomb *f = w->f;
    const int r = f->row[i], rows = f->row[i + 1] - r;
    double *g;
    double *column = new_column(w, &g);
    g[r] = normal;
    if (rows > 1)
        g[r + 1] = t0;
    if (rows > 2)
        g[r + 2] = t1;
    for (int e = 0; e < f->N; e++)
        for (int k = r; k < r + rows && w->at[e] >= 0; k++)
            column[w->at[e]] += f->A[e + (size_t)k * f->N] * g[k];
}

/* Impulses in the sector of the cell, up to mu; edge: on the arc alone. */
static void add_sector(search *w, int i, double mu, bool edge)
{
    const cell *c = &w->cells[i];
    if (!edge)
        add_impulse(w, i, 1, 0, 0);
    for (int k = -1; k <= 1; k++) {
        const double a = c->middle + k * c->half, out = k ? mu : mu / cos(c->half);
        add_impulse(w, i, 1, -out * cos(a), -out * sin(a));
    }
}

/* All impulses that friction up to mu allows contact i. */
static void add_cone(search *w, int i, double mu)
{
    const int slips = w->f->row[i + 1] - w->f->row[i] - 1;
    if (slips == 0 || isinf(mu))
        add_impulse(w, i, 1, 0, 0);
    for (int k = -1; k <= 1 && slips > 0; k += 2) {
        if (isinf(mu) || slips == 1)
            add_impulse(w, i, isfinite(mu), isinf(mu) ? k : k * mu, 0);
        if (isinf(mu) && slips == 2)
            add_impulse(w, i, 0, 0, k);
    }
    for (int k = 0; k < EDGES && slips == 2 && isfinite(mu); k++) {
        const double a = (2 * k + 1) * CAROM_PI / EDGES, out = mu / cos(CAROM_PI / EDGES);
        add_impulse(w, i, 1, out * cos(a), out * sin(a));
    }
}

/* Velocities v >= 0 along (t0, t1) of the slip of contact i, or of its normal. */
static void add_velocity(search *w, int row, double t0, double t1)
{
    double *g, *column = new_column(w, &g);
    column[w->at[row]] = -t0;
    if (t1 != 0)
        column[w->at[row + 1]] = -t1;
}

static bool is_slip(carom_mode mode)
{
    return mode >= CAROM_MODE_SLIP_PLUS;
}

/* The generators of contact i. */
static void add_contact(search *w, int i)
{
    const carom_coulomb *f = w->f;
    const cell *c = &w->cells[i];
    const int r = f->row[i], slips = f->row[i + 1] - r - 1;
    const double mu = slips ? f->mu_s[i] : 0;
    if ((!c->decided || c->mode == CAROM_MODE_OPEN) && !f->equality[i])
        add_velocity(w, r, 1, 0);
    if (!c->decided || c->mode == CAROM_MODE_CLOSED) {
        add_cone(w, i, mu);
    } else if (c->mode == CAROM_MODE_STICK) {
        if (slips == 2 && c->half < CAROM_PI)
            add_sector(w, i, mu, false);
        else
            add_cone(w, i, mu);
    } else if (c->mode == CAROM_MODE_SLIP) {
        add_sector(w, i, f->mu_d[i], true);
        for (int k = -1; k <= 1; k += 2)
            add_velocity(w, r + 1, cos(c->middle + k * c->half), sin(c->middle + k * c->half));
    } else if (is_slip(c->mode)) {
        const double side = c->mode == CAROM_MODE_SLIP_PLUS ? 1 : -1;
        add_impulse(w, i, 1, -side * f->mu_d[i], 0);
        add_velocity(w, r + 1, side, 0);
    }
}

/* Is there a proof in what the least squares leave? What a search forgives solutions is none; where
 * every combination of modes was tried it is asked about the numbers as they are given. */
static bool separates(search *w)
{
    const carom_coulomb_cell empty = {.rows = w->rows,
                                      .columns = w->columns,
                                      .at = w->at,
                                      .G = w->G,
                                      .B = w->B,
                                      .s = w->s,
                                      .y = w->left,
                                      .size = w->size,
                                      .least = w->x ? CAROM_TOLERANCE_SAME : 0};
    return carom_coulomb_separates(&w->proof, &empty);
}

/* Columns that A, rounded, tells apart although they are dependent reach anything, by impulses that
 * are as large as rounding is small. Where there are such the least squares are damped, min |c - B
 * s|^2 + |e s|^2, and leave what the columns in use do not span. */
static bool separates_damped(search *w)
{
    static const double far = 0x1p20, damping = 0x1p-30;
    const int m = w->rows, tall = m + w->columns;
    double *c = w->damped + (size_t)tall * (size_t)w->columns, *left = c + tall;
    bool strays = false;
    for (int j = 0; j < w->columns; j++) {
        double *column = w->damped + (size_t)j * (size_t)tall;
        const double impulse = carom_dense_norm(w->f->N, w->G + (size_t)j * (size_t)w->f->N);
        strays = strays || w->s[j] * impulse > far * w->size;
        memset(column, 0, sizeof *column * (size_t)tall);
        carom_dense_copy(m, w->B + (size_t)j * (size_t)m, column);
        column[m + j] = damping * impulse;
    }
    if (!strays)
        return false;
    memset(c, 0, sizeof *c * (size_t)tall);
    carom_dense_copy(m, w->c, c);
    carom_nnls_info info;
    carom_nnls_solve(tall, w->columns, w->damped, c, w->size, w->arena, w->s, left, &info);
    carom_dense_copy(m, left, w->left);
    return info.converged && separates(w);
}

/* Is the cell without a solution? */
static bool excludes(search *w)
{
    const carom_coulomb *f = w->f;
    w->rows = w->columns = 0;
    for (int i = 0; i < f->p; i++)
        for (int k = f->row[i]; k < f->row[i + 1]; k++) {
            const bool slip = k > f->row[i];
            const bool free = slip && (!w->cells[i].decided || w->cells[i].mode == CAROM_MODE_OPEN);
            w->at[k] = free ? -1 : w->rows++;
            if (!free)
                w->c[w->at[k]] = -f->b[k];
        }
    for (int i = 0; i < f->p; i++)
        add_contact(w, i);
    for (int j = 0; j < w->columns; j++) /* close the ranks: rows x columns */
        memmove(w->B + (size_t)j * w->rows, w->B + (size_t)j * f->N,
                sizeof *w->B * (size_t)w->rows);
    w->work += (double)w->rows * w->rows * w->columns;
    carom_nnls_info info;
    w->status = carom_arena_reserve(
        w->arena, carom_nnls_bytes(w->rows + (w->damped ? w->columns : 0), w->columns), w->error);
    if (w->status)
        return false;
    carom_nnls_solve(w->rows, w->columns, w->B, w->c, w->size, w->arena, w->s, w->left, &info);
    return info.converged && (separates(w) || (w->damped && separates_damped(w)));
}

/* Newton's method from the least squares of the cell. */
static void pursue(search *w)
{
    const carom_coulomb *f = w->f;
    carom_coulomb_newton *n = &w->newton;
    double *direction = w->left; /* read no more */
    memset(n->x, 0, sizeof *n->x * (size_t)f->N);
    for (int j = 0; j < w->columns; j++)
        carom_dense_axpy(f->N, w->s[j], w->G + (size_t)j * f->N, n->x);
    for (int i = 0; i < f->p; i++) {
        const int r = f->row[i];
        n->mode[i] = w->cells[i].mode;
        if (n->mode[i] == CAROM_MODE_SLIP) {
            direction[r + 1] = cos(w->cells[i].middle);
            direction[r + 2] = sin(w->cells[i].middle);
        }
    }
    carom_coulomb_newton_start(n, n->x, direction, 1);
    double best = INFINITY;
    carom_dense_copy(f->N, n->x, w->x);
    w->status = carom_coulomb_newton_pursue(n, w->arena, w->x, &best, w->error);
    w->found = !w->status && carom_coulomb_satisfied(f, w->x);
}

static void visit(search *w);

/* Below the present cell, contact i in this mode and sector. */
static void descend(search *w, int i, carom_mode mode, double middle, double half, int cuts)
{
    const cell kept = w->cells[i];
    w->cells[i] = (cell){mode, true, middle, half, cuts};
    visit(w);
    w->cells[i] = kept;
}

/* The modes of contact i; slip in space by quadrants. */
static void decide(search *w, int i)
{
    const carom_coulomb *f = w->f;
    const int slips = f->row[i + 1] - f->row[i] - 1;
    if (!f->equality[i])
        descend(w, i, CAROM_MODE_OPEN, 0, CAROM_PI, 0);
    descend(w, i, slips ? CAROM_MODE_STICK : CAROM_MODE_CLOSED, 0, CAROM_PI, 0);
    if (slips == 0 || isinf(f->mu_d[i]))
        return;
    if (slips == 1) {
        descend(w, i, CAROM_MODE_SLIP_PLUS, 0, 0, 0);
        descend(w, i, CAROM_MODE_SLIP_MINUS, 0, 0, 0);
    }
    for (int k = 0; k < 4 && slips == 2; k++)
        descend(w, i, CAROM_MODE_SLIP, (2 * k + 1) * CAROM_PI / 4, CAROM_PI / 4, 0);
}

/* Halve the widest sector; a whole circle is four quadrants. */
static void cut(search *w, int i)
{
    const cell c = w->cells[i];
    const int parts = c.half < CAROM_PI ? 2 : 4;
    for (int k = 0; k < parts; k++)
        descend(w, i, c.mode, c.middle + (2 * k + 1 - parts) * c.half / parts, c.half / parts,
                c.cuts + 1);
}

static void visit(search *w)
{
    const carom_coulomb *f = w->f;
    if (w->status || w->found || w->work > work_limit || excludes(w) || w->status)
        return;
    int widest = -1;
    for (int i = 0; i < f->p; i++) {
        const cell *c = &w->cells[i];
        if (!c->decided) {
            decide(w, i);
            return;
        }
        const bool sector = f->row[i + 1] - f->row[i] == 3 && isfinite(f->mu_s[i]) &&
                            c->mode != CAROM_MODE_OPEN && c->cuts < CUTS;
        if (sector && (widest < 0 || c->half > w->cells[widest].half))
            widest = i;
    }
    if (w->x && (widest < 0 || w->cells[widest].half < CAROM_PI / 4))
        pursue(w);
    if (w->found || w->status)
        return;
    if (widest >= 0)
        cut(w, widest);
    else
        w->undecided = true;
}

static bool make_room(const carom_coulomb *f, carom_arena *arena, search *w)
{
    const size_t N = (size_t)f->N, room = (size_t)f->p * (EDGES + 3);
    w->cells = carom_arena_zeros(arena, (size_t)f->p, sizeof *w->cells);
    w->at = carom_arena_array(arena, N, sizeof *w->at);
    w->G = carom_arena_zeros(arena, 2 * N * room + 2 * N + room, sizeof *w->G);
    if (!w->cells || !w->at || !w->G)
        return false;
    w->B = w->G + N * room;
    w->c = w->B + N * room;
    w->left = w->c + N;
    w->s = w->left + N;
    return true;
}

carom_status carom_coulomb_exclude(const carom_coulomb *problem, carom_arena *arena, double *x,
                                   bool *found, bool *none, carom_error *error)
{
    const carom_coulomb *f = problem;
    search w = {.f = f, .arena = arena, .error = error, .x = x};
    carom_mark mark = carom_arena_mark(arena);
    *found = *none = false;
    w.size = carom_coulomb_size(f, NULL);
    if (!make_room(f, arena, &w))
        return carom_error_memory(error);
    carom_status status = carom_coulomb_newton_room(f, arena, &w.newton, error);
    const int room = f->p * (EDGES + 3);
    if (!status)
        status = carom_coulomb_separate_make(f, room, arena, &w.proof, error);
    if (!status && w.proof.known) {
        w.damped = carom_arena_doubles(arena, (size_t)(f->N + room) * (size_t)(room + 2));
        status = w.damped ? CAROM_OK : carom_error_memory(error);
    }
    if (!status && w.size > 0)
        visit(&w);
    carom_arena_rewind(arena, mark);
    *found = w.found;
    *none = w.size > 0 && !w.found && !w.undecided && w.work <= work_limit;
    return status ? status : w.status;
}
