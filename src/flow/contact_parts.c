/* Candidates of the contact problem, their treatment, and the linear map from forces to
 * accelerations. */
#include "flow/contact_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/parts.h"
#include "carom/tolerance.h"
#include "cone/cone_interior.h"
#include "linalg/dense.h"

/* What does not depend on which contacts take part. */
static carom_status take(carom_contact_parts *P, carom_arena *scratch, carom_error *error)
{
    const carom_system_shape *shape = P->shape;
    const size_t p = (size_t)shape->p, s = (size_t)shape->s, n = (size_t)shape->n, r = p + s;
    const size_t c = (size_t)(shape->m + shape->a);
    double *d;
    const carom_arena_part parts[] = {{&P->hold, c, sizeof *P->hold},
                                      {&P->contact, 3 * p + 1, sizeof *P->contact},
                                      {&P->closed, 3 * p, sizeof *P->closed},
                                      {&d, c + 2 * n + 5 * r, sizeof *d}};
    carom_status status = carom_arena_parts(scratch, parts, sizeof parts / sizeof *parts, error);
    if (status != CAROM_OK)
        return status;
    P->stuck = P->closed + p;
    P->started = P->stuck + p;
    P->treatment = P->contact + p;
    P->slip = P->treatment + p;
    P->bias = d;
    P->a = d += c;
    P->a_terms = d += n;
    P->b = d += n;
    P->norm = d += r;
    P->tolerance = d += r;
    P->x = d += r;
    P->w = d + r;
    return CAROM_OK;
}

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* What does: A, and the work space of every step, for as many rows as the candidates can have. */
static carom_status take_rows(carom_contact_parts *P, carom_arena *scratch, carom_error *error)
{
    size_t r = (size_t)P->contacts;
    for (int k = 0; k < P->contacts; k++)
        r +=
            (size_t)(P->shape->slip_start[P->contact[k] + 1] - P->shape->slip_start[P->contact[k]]);
    const size_t n = (size_t)P->n, contacts = (size_t)P->contacts;
    const size_t c = (size_t)(P->shape->m + P->shape->a);
    const size_t space = largest(4 * n + r + c /* linearise, same */, 8 * n + 6 * c /* joints */);
    const size_t cones = largest(r * r + 6 * r + contacts + carom_cone_interior_work(0, (int)r),
                                 carom_basis_numbers(P->n, P->held + (int)r) /* choose */);
    const size_t numbers = r * r + space + cones + r, counts = 2 * contacts + 1 + r;
    const carom_status status = carom_arena_reserve(scratch,
                                                    carom_arena_bytes(numbers, sizeof *P->A) +
                                                        carom_arena_bytes(r, sizeof *P->vector) +
                                                        carom_arena_bytes(counts, sizeof *P->block),
                                                    error);
    if (status != CAROM_OK)
        return status;
    P->A = carom_arena_reserved(scratch, numbers, sizeof *P->A);
    P->vector = carom_arena_reserved(scratch, r, sizeof *P->vector);
    P->block = carom_arena_reserved(scratch, counts, sizeof *P->block);
    P->before = P->A + r * r;
    P->cones = P->before + r;
    P->space = P->cones + cones;
    return CAROM_OK;
}

/* Take one row more into the response, unless it depends on those held. */
static void hold_row(carom_contact_parts *P, carom_motion_row row, int number, double *work)
{
    P->bias[number] = carom_motion_bias(P->motion, row);
    if (carom_response_take(&P->response, carom_motion_vector(P->motion, row), number, work))
        P->hold[P->held++] = row;
}

/* The response with the joints held, and the accelerations without contact forces. */
static carom_status hold_joints(carom_contact_parts *P, carom_arena *scratch, carom_error *error)
{
    const carom_system_shape *shape = P->shape;
    const carom_state *x = &P->motion->state;
    const int n = P->n, c = shape->m + shape->a;
    const size_t numbers = 2 * (size_t)n + 6 * (size_t)(n + c);
    carom_status status = carom_arena_reserve(
        scratch, carom_arena_bytes(numbers, sizeof(double)) + carom_response_bytes(n, c), error);
    if (status != CAROM_OK)
        return status;
    double *root = carom_arena_reserved(scratch, numbers, sizeof *root);
    double *unit = root + n, *work = unit + n;
    const carom_response_list lists[] = {
        {shape->p, x->W}, {shape->s, x->H}, {shape->m, x->B}, {shape->a, x->A}};
    carom_response_units(n, shape->mass_is_diagonal, x->M, lists, 4, unit);
    for (int i = 0; i < n && shape->mass_is_diagonal; i++)
        root[i] = sqrt(x->M[i]);
    carom_response_create(n, shape->mass_is_diagonal, x->M,
                          shape->mass_is_diagonal ? root : P->motion->L, unit, c, scratch,
                          &P->response);
    for (int j = 0; j < shape->m; j++)
        hold_row(P, (carom_motion_row){CAROM_MOTION_JOINT, j}, j, work);
    for (int j = 0; j < shape->a; j++)
        hold_row(P, (carom_motion_row){CAROM_MOTION_ROLLING, j}, shape->m + j, work);
    memcpy(P->a, P->motion->a_free, sizeof(double) * (size_t)P->n);
    for (int i = 0; i < n; i++)
        P->a_terms[i] = fabs(P->a[i]);
    if (P->held > 0)
        carom_response_project(&P->response, c, P->bias, P->a, P->a_terms, work);
    return CAROM_OK;
}

/* Friction data of the candidates: who slides already, who is at rest. */
static void classify(carom_contact_parts *P, const unsigned char *candidate, const double *slow)
{
    carom_motion *motion = P->motion;
    const carom_system_shape *shape = P->shape;
    P->contacts = 0;
    for (int i = 0; i < shape->p; i++) {
        motion->mode[i] = CAROM_MODE_OPEN;
        motion->sliding[i] = motion->implied[i] = 0;
        motion->slack[i] = 0;
        if (!candidate[i]) {
            motion->onset[i] = 0;
            continue;
        }
        const carom_contact *c = &shape->contacts[i];
        const int j = shape->slip_start[i], k = P->contacts++;
        P->contact[k] = i;
        P->treatment[k] = CAROM_CONTACT_PARTS_SMOOTH;
        if (shape->slip_start[i + 1] == j || !(c->friction_static > 0))
            continue;
        double v[2] = {carom_motion_slip(motion, j), 0};
        bool planar = shape->slip_start[i + 1] - j == 1;
        if (!planar)
            v[1] = carom_motion_slip(motion, j + 1);
        double speed = hypot(v[0], v[1]);
        if (!(speed > 2 * slow[i])) {
            P->treatment[k] = CAROM_CONTACT_PARTS_REST;
            P->started[k] = motion->broken[i];
            motion->mu[i] = motion->broken[i] ? c->friction_dynamic : c->friction_static;
            motion->onset[i] = 0;
            continue;
        }
        P->treatment[k] = CAROM_CONTACT_PARTS_SLIDING;
        motion->mu[i] = c->friction_dynamic;
        motion->sliding[i] = 1;
        if (speed < motion->onset[i])
            continue; /* slip that has just started keeps its direction */
        motion->onset[i] = 0;
        for (int l = 0; l < (planar ? 1 : 2); l++)
            motion->direction[j + l] = motion->heading[j + l] = v[l] / speed;
    }
}

/* Normals, then slips of contacts at rest. */
static void number_rows(carom_contact_parts *P)
{
    P->slip[0] = P->contacts;
    for (int k = 0; k < P->contacts; k++) {
        const int *start = P->shape->slip_start + P->contact[k];
        const bool rest = P->treatment[k] == CAROM_CONTACT_PARTS_REST;
        P->slip[k + 1] = P->slip[k] + (rest ? start[1] - start[0] : 0);
    }
    P->rows = P->slip[P->contacts];
}

carom_status carom_contact_parts_create(carom_motion *motion, const unsigned char *candidate,
                                        const double *slow, carom_arena *scratch,
                                        carom_contact_parts *parts, carom_error *error)
{
    carom_contact_parts P = {.motion = motion, .shape = motion->shape, .n = motion->shape->n};
    carom_status status = take(&P, scratch, error);
    if (status == CAROM_OK)
        status = hold_joints(&P, scratch, error);
    if (status != CAROM_OK)
        return status;
    classify(&P, candidate, slow);
    number_rows(&P);
    status = take_rows(&P, scratch, error);
    *parts = P;
    return status;
}

carom_motion_row carom_contact_parts_row(const carom_contact_parts *P, int i)
{
    if (i < P->contacts)
        return (carom_motion_row){CAROM_MOTION_NORMAL, P->contact[i]};
    int k = 0;
    while (P->slip[k + 1] <= i)
        k++;
    return (carom_motion_row){CAROM_MOTION_SLIP,
                              P->shape->slip_start[P->contact[k]] + i - P->slip[k]};
}

/* What cancels in a row's acceleration, within joints too. */
static double row_size(const carom_contact_parts *P, const double *v, double bias)
{
    double sum = fabs(bias);
    for (int i = 0; i < P->n; i++)
        sum += fabs(v[i]) * P->a_terms[i];
    return sum;
}

/* y = M_c^-1 v, which is zero where the joints hold v: rounding of it would be a row of its own. */
static void respond(const carom_contact_parts *P, const double *v, double *y, double *work)
{
    if (P->held > 0 && carom_response_depends(&P->response, v, work))
        memset(y, 0, sizeof *y * (size_t)P->n);
    else
        carom_response_apply(&P->response, v, y, work);
}

void carom_contact_parts_linearise(carom_contact_parts *P, double force_rest)
{
    const int n = P->n;
    number_rows(P);
    const int r = P->rows;
    double *column = P->space, *y = column + n, *work = y + n;
    const double **v = P->vector;
    for (int i = 0; i < r; i++)
        v[i] = carom_motion_vector(P->motion, carom_contact_parts_row(P, i));
    for (int j = 0; j < r; j++) {
        respond(P, v[j], y, work);
        P->norm[j] = sqrt(fmax(carom_dense_dot(n, v[j], y), 0));
        if (j < P->contacts && P->motion->sliding[P->contact[j]]) {
            carom_motion_column(P->motion, P->contact[j], column);
            respond(P, column, y, work);
        }
        for (int i = 0; i < r; i++)
            P->A[i + (size_t)j * r] = carom_dense_dot(n, v[i], y);
    }
    for (int i = 0; i < r; i++) /* what joints hold no force moves */
        for (int j = 0; j < r && P->norm[i] == 0; j++)
            P->A[i + (size_t)j * r] = 0;
    /* couplings that are rounding only would spoil the scaling of the problem */
    for (int j = 0; j < r; j++)
        for (int i = 0; i < r; i++)
            if (i != j &&
                fabs(P->A[i + (size_t)j * r]) <= 4 * DBL_EPSILON * P->norm[i] * P->norm[j])
                P->A[i + (size_t)j * r] = 0;
    for (int i = 0; i < r; i++) {
        double bias = carom_motion_bias(P->motion, carom_contact_parts_row(P, i));
        P->b[i] = carom_dense_dot(n, v[i], P->a) + bias;
        P->tolerance[i] = force_rest * row_size(P, v[i], bias);
        if (fabs(P->b[i]) <= P->tolerance[i])
            P->b[i] = 0;
    }
}

double carom_contact_parts_slipping(const carom_contact_parts *P, int k)
{
    double size = 0, tolerance = 0;
    for (int i = P->slip[k]; i < P->slip[k + 1]; i++) {
        size = hypot(size, P->w[i]);
        tolerance = hypot(tolerance, P->tolerance[i]);
    }
    return size > tolerance ? size : 0;
}

void carom_contact_parts_accelerations(carom_contact_parts *P)
{
    for (int i = 0; i < P->rows; i++) {
        double sum = P->b[i], size = fabs(P->b[i]);
        for (int j = 0; j < P->rows; j++) {
            sum += P->A[i + (size_t)j * P->rows] * P->x[j];
            size += fabs(P->A[i + (size_t)j * P->rows] * P->x[j]);
        }
        P->w[i] = fabs(sum) > CAROM_TOLERANCE_SUM * size ? sum : 0;
    }
}

/* force += sum of the columns times x, sliding contacts with their friction. column: n. */
static void add_forces(const carom_contact_parts *P, const double *x, double *column, double *force)
{
    for (int i = 0; i < P->rows; i++) {
        const carom_motion_row row = carom_contact_parts_row(P, i);
        const double *v = column;
        if (i < P->contacts)
            carom_motion_column(P->motion, row.index, column);
        else
            v = carom_motion_vector(P->motion, row);
        carom_dense_axpy(P->n, x[i], v, force);
    }
}

bool carom_contact_parts_same(const carom_contact_parts *P, const double *x, const double *y,
                              double same)
{
    const size_t n = (size_t)P->n, rows = (size_t)P->rows;
    double *force = P->space;
    memset(force, 0, n * sizeof *force);
    double *column = force + n, *a = column + n, *off = a + n, *work = off + rows, size = 0;
    for (size_t i = 0; i < rows; i++) {
        off[i] = x[i] - y[i];
        size += P->norm[i] * (fabs(x[i]) + fabs(y[i]));
    }
    add_forces(P, off, column, force);
    carom_response_apply(&P->response, force, a, work);
    return carom_dense_dot(P->n, force, a) <= same * same * size * size;
}

void carom_contact_parts_joints(const carom_contact_parts *P, double *out)
{
    const size_t n = (size_t)P->n, c = (size_t)(P->shape->m + P->shape->a);
    doubled *a = (doubled *)P->space;
    double *force = P->space + 4 * (n + c), *column = force + n;
    doubled *moved = a + n, *bias = moved + n, *impulse = bias + c;
    memcpy(force, P->motion->state.h, sizeof *force * n);
    add_forces(P, P->x, column, force);
    carom_motion_inverse_mass(P->motion, force);
    for (size_t i = 0; i < n; i++)
        a[i] = (doubled){force[i], 0};
    for (size_t j = 0; j < c; j++)
        bias[j] = (doubled){P->bias[j], 0};
    carom_response_meet(&P->response, bias, a, NULL, moved, impulse, column + n);
    for (int k = 0; k < P->held; k++)
        out[k] = impulse[P->response.number[k]].hi;
}
