/* Chooses the rows and columns of the motion for contacts whose modes are known. */
#include "flow/contact_rows.h"

#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "cone/cone_interior.h"
#include "linalg/dense.h"

/* Row j of candidate k in the parts: 0 its normal, then its slips. */
static int part(const carom_contact_parts *P, int k, int j)
{
    return j == 0 ? k : P->slip[k] + j - 1;
}

/* How many of them the motion holds. */
static int part_count(const carom_contact_parts *P, int k)
{
    return P->stuck[k] ? 1 + P->slip[k + 1] - P->slip[k] : 1;
}

/* Does the row add a direction to those in the span? Masses have no say in that: beside heavy
 * bodies the rows of a light one are parallel in the kinetic metric, and what depends on them
 * cannot be told from rounding there. */
static bool adds(const carom_contact_parts *P, carom_basis *span, carom_motion_row row)
{
    const double *v = carom_motion_vector(P->motion, row);
    double *scaled = P->space;
    for (int i = 0; i < P->n; i++)
        scaled[i] = v[i] / P->response.unit[i];
    return carom_basis_add(span, scaled, sqrt(CAROM_TOLERANCE_SOLVED));
}

void carom_contact_rows_choose(const carom_contact_parts *P)
{
    carom_motion *motion = P->motion;
    carom_basis span;
    int columns = 0;
    carom_basis_extend_at(&P->response.shape, P->rows, P->cones, &span);
    for (; columns < P->held; columns++)
        motion->rows[columns] = motion->columns[columns] = P->hold[columns];
    motion->row_count = P->held;
    for (int idle = 0; idle < 2; idle++) /* rows of contacts that carry force are chosen first */
        for (int k = 0; k < P->contacts; k++)
            for (int j = 0; P->closed[k] && (P->x[k] > 0 ? 0 : 1) == idle && j < part_count(P, k);
                 j++) {
                const carom_motion_row row = carom_contact_parts_row(P, part(P, k, j));
                const bool added = adds(P, &span, row);
                if (added)
                    motion->rows[motion->row_count++] = row;
                motion->columns[columns++] = row;
                if (j == 0)
                    motion->implied[P->contact[k]] = !added;
            }
    motion->column_count = columns > motion->row_count ? columns : 0;
}

/* The number in the parts of a row of the motion that is no joint. */
static int number(const carom_contact_parts *P, carom_motion_row row)
{
    for (int k = 0; k < P->contacts; k++) {
        const int first = P->shape->slip_start[P->contact[k]];
        if (row.kind == CAROM_MOTION_NORMAL && row.index == P->contact[k])
            return k;
        if (row.kind == CAROM_MOTION_SLIP && row.index >= first &&
            row.index - first < P->slip[k + 1] - P->slip[k])
            return P->slip[k] + row.index - first;
    }
    return -1;
}

/* Reference and units of the motion: x, and how ready each column is to take a change, in
 * units of the parts' norms. unit: rows of the parts. */
static void lead(const carom_contact_parts *P, const double *unit)
{
    carom_motion *motion = P->motion;
    const int h = P->held;
    const int columns = carom_motion_columns(motion);
    carom_contact_parts_joints(P, motion->reference);
    for (int k = 0; k < h; k++) {
        const double size = P->response.basis.size[k]; /* of the joint in the kinetic metric */
        motion->unit[k] = 1 / (size * size);
    }
    for (int j = h; j < columns; j++) {
        const int i = number(P, motion->columns[j]);
        motion->reference[j] = P->x[i];
        motion->unit[j] = P->norm[i] > 0 ? unit[i] / (P->norm[i] * P->norm[i]) : 0;
    }
}

/* The norm of a block's slips in common: cones stay round. */
static double slip_norm(const carom_contact_parts *P, int k)
{
    double norm = 0;
    for (int i = P->slip[k]; i < P->slip[k + 1]; i++)
        norm = fmax(norm, P->norm[i]);
    return norm > 0 ? norm : 1;
}

/* The equations of the rows chosen and the cones of the columns, in kinetic units. Returns the work
 * space behind them. */
static double *pose(const carom_contact_parts *P, carom_cone_interior *cones, int **column,
                    double **norm)
{
    const carom_motion *motion = P->motion;
    const size_t r = (size_t)(motion->row_count - P->held), c = (size_t)P->rows;
    int *size = P->block;
    double *K = P->cones, *b = K + r * c, *mu = b + r;
    *column = size + P->contacts;
    *cones = (carom_cone_interior){.rows = (int)r, .K = K, .b = b, .size = size, .mu = mu};
    cones->unit = mu + P->contacts;
    *norm = cones->unit + c;
    for (int k = 0; k < P->contacts; k++) {
        if (!P->closed[k])
            continue;
        const double normal = P->norm[k] > 0 ? P->norm[k] : 1, slip = slip_norm(P, k);
        mu[cones->blocks] = P->motion->mu[P->contact[k]] * slip / normal;
        size[cones->blocks] = part_count(P, k);
        for (int j = 0; j < size[cones->blocks]; j++) {
            (*norm)[cones->columns] = j == 0 ? normal : slip;
            (*column)[cones->columns++] = part(P, k, j);
        }
        cones->blocks++;
    }
    for (size_t k = 0; k < r; k++) {
        const int i = number(P, motion->rows[P->held + (int)k]);
        const double scale = P->norm[i] > 0 ? P->norm[i] : 1;
        b[k] = -P->b[i] / scale;
        for (int j = 0; j < cones->columns; j++)
            K[k + (size_t)j * r] = P->A[i + (size_t)(*column)[j] * P->rows] / (scale * (*norm)[j]);
    }
    return *norm + c;
}

bool carom_contact_rows_distribute(carom_contact_parts *P, bool blunt)
{
    carom_cone_interior cones;
    int *column;
    double *norm, *x = pose(P, &cones, &column, &norm), *unit = x + P->rows;
    memset(unit, 0, sizeof *unit * (size_t)P->rows);
    const double tolerance =
        blunt || P->motion->column_count > 0 ? CAROM_TOLERANCE_SAME : CAROM_TOLERANCE_SOLVED;
    cones.tolerance = tolerance;
    const bool found = carom_cone_interior_find(&cones, x, unit + P->rows);
    memset(P->x, 0, sizeof(double) * (size_t)P->rows);
    for (int j = 0; j < cones.columns; j++) {
        P->x[column[j]] = x[j] / norm[j];
        unit[column[j]] = cones.unit[j];
    }
    if (found) {
        carom_contact_parts_accelerations(P);
        for (int j = 0; j < cones.columns; j++) /* rows that depend on those chosen too */
            P->w[column[j]] = 0;
        for (int k = 0; k < P->contacts; k++)
            if (P->closed[k] && P->norm[k] > 0)
                P->motion->slack[P->contact[k]] = fmax(P->motion->slack[P->contact[k]],
                                                       4 * tolerance * cones.largest / P->norm[k]);
        if (P->motion->column_count > 0)
            lead(P, unit);
    }
    return found;
}

void carom_contact_rows_follow(const carom_contact_parts *P)
{
    for (int i = 0; i < P->rows; i++)
        P->cones[i] = 1;
    lead(P, P->cones);
}
