/* The contact problem of planar contacts: a scalar one, one without friction, or all modes. */
#include "flow/contact_planar.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "carom/tolerance.h"
#include "flow/contact_instant.h"
#include "flow/contact_smooth.h"

/* One sliding or frictionless contact: a scalar problem with its four classes; A is zero where the
 * enumeration would call it so. */
static void scalar(carom_contact_parts *P, carom_contact_problem_answer *answer)
{
    const double least = CAROM_TOLERANCE_SOLVED * P->norm[0] * P->norm[0], b = P->b[0];
    const double A = fabs(P->A[0]) > least ? P->A[0] : 0;
    P->x[0] = 0;
    P->w[0] = b;
    answer->A = A;
    answer->b = b;
    answer->contact = P->contact[0];
    if (b < 0 && A > 0) {
        P->x[0] = -b / A;
        P->w[0] = 0;
    } else if (b < 0) {
        answer->class = CAROM_CONTACT_PROBLEM_NONE;
        snprintf(answer->text, sizeof answer->text,
                 "inconsistent: acceleration %.6g*force %+.6g cannot be made >= 0 by a force >= 0",
                 A, b);
    } else if (b > 0 && A < 0) {
        answer->class = CAROM_CONTACT_PROBLEM_SEVERAL;
        snprintf(answer->text, sizeof answer->text,
                 "indeterminate: acceleration %.6g*force %+.6g allows no force and force %.6g", A,
                 b, -b / A);
    }
}

/* Does any contact slide or feel friction? */
static bool has_friction(const carom_contact_parts *P)
{
    bool any = P->rows > P->contacts;
    for (int k = 0; k < P->contacts; k++)
        any = any || P->motion->sliding[P->contact[k]];
    return any;
}

static void say(carom_contact_problem_answer *answer, carom_contact_problem_class class,
                const char *what, int contacts, const char *more)
{
    answer->class = class;
    snprintf(answer->text, sizeof answer->text, "%s: contact problem of %d closed contacts%s", what,
             contacts, more);
}

/* Forces and accelerations of the motion found, zeros where the modes say so. */
static void take(carom_contact_parts *P, const carom_contact_instant *instant, const double *r,
                 const double *u, const unsigned char *mode)
{
    const carom_instant *f = &instant->problem;
    for (int j = 0; j < f->N; j++) {
        P->x[instant->order[j]] = r[j] / instant->scale[j];
        P->w[instant->order[j]] = u[j] * instant->scale[j];
    }
    for (int k = 0; k < P->contacts; k++) {
        if (mode[k] != CAROM_MODE_OPEN)
            P->w[k] = 0;
        for (int l = P->slip[k]; l < P->slip[k + 1] && mode[k] == CAROM_MODE_STICK; l++)
            P->w[l] = 0;
        if (mode[k] >= CAROM_MODE_SLIP_PLUS) {
            P->started[k] = 1;
            P->motion->mu[P->contact[k]] = P->shape->contacts[P->contact[k]].friction_dynamic;
        }
    }
}

/* Contacts that slide or may: the first of the motions that the laws allow. */
static carom_status solve_rough(carom_contact_parts *P, carom_arena *scratch,
                                carom_contact_problem_answer *answer, carom_error *error)
{
    carom_contact_instant instant;
    carom_instant_outcome outcome;
    double *r = carom_arena_doubles(scratch, 2 * (size_t)P->rows);
    unsigned char *mode = carom_arena_array(scratch, (size_t)P->contacts, 1);
    carom_status status = carom_contact_instant_state(P, scratch, &instant, error);
    if (status != CAROM_OK || !r || !mode)
        return status != CAROM_OK ? status : carom_error_memory(error);
    double *u = r + P->rows;
    status = carom_instant_first(&instant.problem, scratch, r, u, mode, &outcome, error);
    if (status != CAROM_OK)
        return status;
    if (outcome == CAROM_INSTANT_NONE)
        say(answer, CAROM_CONTACT_PROBLEM_NONE, "inconsistent", P->contacts,
            ", no motion satisfies the laws of contact and friction");
    else if (outcome == CAROM_INSTANT_UNSOLVED)
        say(answer, CAROM_CONTACT_PROBLEM_UNSOLVED, "unsolved", P->contacts, "");
    else
        take(P, &instant, r, u, mode);
    for (int k = 0; k < P->contacts && outcome == CAROM_INSTANT_SEVERAL && answer->contact < 0; k++)
        if (mode[k] != CAROM_MODE_OPEN)
            answer->contact = P->contact[k];
    if (outcome == CAROM_INSTANT_SEVERAL && answer->contact < 0)
        answer->contact = P->contact[0];
    if (outcome == CAROM_INSTANT_SEVERAL)
        say(answer, CAROM_CONTACT_PROBLEM_SEVERAL, "indeterminate", P->contacts,
            ", several motions satisfy the laws of contact and friction");
    return CAROM_OK;
}

/* Accelerations that are the rounding of forces, or of the places where they act, are none. Slip at
 * the edge of a steep cone starts almost as slowly: there only what the rounding of the forces
 * makes of it, each of which is known to that of the largest, in kinetic units. */
static void drop_rounding(carom_contact_parts *P)
{
    const int c = P->contacts, r = P->rows;
    double most = 0;
    for (int j = 0; j < r; j++)
        most = fmax(most, P->norm[j] * fabs(P->x[j]));
    for (int k = 0; k < r; k++) {
        double sum = fabs(P->b[k]), size = sum;
        for (int j = 0; j < r; j++) {
            const double A = fabs(P->A[k + (size_t)j * r]);
            sum += P->norm[j] > 0 ? A * most / P->norm[j] : A * fabs(P->x[j]);
            size += P->norm[k] * P->norm[j] * fabs(P->x[j]);
        }
        if (fabs(P->w[k]) <= (k < c ? CAROM_TOLERANCE_CARRIED * size : CAROM_TOLERANCE_SUM * sum))
            P->w[k] = 0;
    }
}

carom_status carom_contact_planar_solve(carom_contact_parts *P, carom_arena *scratch,
                                        carom_contact_problem_answer *answer, carom_error *error)
{
    if (P->rows == 1) {
        scalar(P, answer);
        return CAROM_OK;
    }
    if (!has_friction(P))
        return carom_contact_smooth_solve(P, scratch, answer, error);
    carom_status status = solve_rough(P, scratch, answer, error);
    if (status == CAROM_OK && answer->class != CAROM_CONTACT_PROBLEM_NONE)
        drop_rounding(P);
    return status;
}
