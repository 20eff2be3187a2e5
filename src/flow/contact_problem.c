/* The contact problem at acceleration level: solved, then made into rows and columns of motion. */
#include "flow/contact_problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "flow/contact_parts.h"
#include "flow/contact_planar.h"
#include "flow/contact_rows.h"
#include "flow/contact_spatial.h"
#include "flow/motion_onset.h"

static bool failed(const carom_contact_problem_answer *answer)
{
    return answer->class == CAROM_CONTACT_PROBLEM_NONE ||
           answer->class == CAROM_CONTACT_PROBLEM_UNSOLVED;
}

/* Forces and accelerations of the candidates, by the method that fits them. */
static carom_status solve_once(carom_contact_parts *P, carom_arena *scratch,
                               carom_contact_problem_answer *answer, carom_error *error)
{
    bool spatial = false;
    for (int k = 0; k < P->contacts; k++)
        spatial = spatial || P->slip[k + 1] - P->slip[k] == 2;
    return spatial ? carom_contact_spatial_solve(P, scratch, answer, error)
                   : carom_contact_planar_solve(P, scratch, answer, error);
}

/* Contacts at rest that start to slip take the dynamic coefficient from here on. Returns whether
 * that changes anything. */
static bool start_slipping(carom_contact_parts *P)
{
    bool again = false;
    for (int k = 0; k < P->contacts; k++) {
        const int i = P->contact[k];
        const carom_contact *c = &P->shape->contacts[i];
        if (P->started[k] || !(P->x[k] > 0) || !(c->friction_dynamic < c->friction_static) ||
            !(carom_contact_parts_slipping(P, k) > 0))
            continue;
        P->started[k] = 1;
        P->motion->mu[i] = c->friction_dynamic;
        again = true;
    }
    return again;
}

/* Could a force at candidate k hold it closed in spite of the friction that comes with it? Where it
 * slides (or starts to) against d, acceleration = (A_kk - mu d A_kT) force must grow. */
static bool can_hold(const carom_contact_parts *P, int k)
{
    double own = P->A[k + (size_t)k * P->rows];
    const double slipping = carom_contact_parts_slipping(P, k);
    const double mu = P->shape->contacts[P->contact[k]].friction_dynamic;
    for (int l = P->slip[k]; l < P->slip[k + 1] && slipping > 0; l++)
        own -= mu * P->w[l] / slipping * P->A[k + (size_t)l * P->rows];
    return own > CAROM_TOLERANCE_SUM * (1 + mu) * P->norm[k] * P->norm[k];
}

/* Modes from forces and accelerations: who stays closed, who sticks, who slips where. */
static void find_modes(carom_contact_parts *P)
{
    carom_motion *motion = P->motion;
    double load =
        0; /* what a contact without load now may have to carry when forces are distributed anew */
    for (int k = 0; k < P->contacts; k++)
        load = fmax(load, P->x[k]);
    for (int k = 0; k < P->contacts; k++) {
        const int i = P->contact[k], j = P->shape->slip_start[i];
        const bool planar = P->shape->slip_start[i + 1] - j == 1;
        P->closed[k] = P->x[k] > 0 || (P->w[k] <= P->tolerance[k] && can_hold(P, k));
        P->stuck[k] = 0;
        if (!P->closed[k]) {
            motion->sliding[i] = 0;
            continue;
        }
        motion->mode[i] = CAROM_MODE_CLOSED;
        if (P->treatment[k] == CAROM_CONTACT_PARTS_SMOOTH)
            continue;
        const double slipping = carom_contact_parts_slipping(P, k);
        if (P->treatment[k] == CAROM_CONTACT_PARTS_REST && !(slipping > 0)) {
            P->stuck[k] = 1;
            motion->mode[i] = CAROM_MODE_STICK;
            continue;
        }
        /* against the friction, which is known better than a slip that only just starts */
        double friction = 0;
        for (int l = P->slip[k]; l < P->slip[k + 1]; l++)
            friction = hypot(friction, P->x[l]);
        for (int l = P->slip[k]; l < P->slip[k + 1]; l++)
            motion->direction[j + l - P->slip[k]] =
                friction > 0 ? -P->x[l] / friction : P->w[l] / slipping;
        motion->sliding[i] = 1;
        motion->mu[i] = P->shape->contacts[i].friction_dynamic;
        if (P->treatment[k] == CAROM_CONTACT_PARTS_REST && !planar)
            carom_motion_onset_begin(motion, i, load);
        motion->mode[i] = !planar                    ? CAROM_MODE_SLIP
                          : motion->direction[j] > 0 ? CAROM_MODE_SLIP_PLUS
                                                     : CAROM_MODE_SLIP_MINUS;
    }
}

/* A closed contact that carries nothing: what the others make of its acceleration is too little to
 * tell whether it opens, so its force may be a little negative before that is an event. */
static void allow_weak(const carom_contact_parts *P)
{
    const double part = 4e-9;
    double load = 0; /* in kinetic units */
    for (int k = 0; k < P->contacts; k++)
        load = fmax(load, P->x[k] * P->norm[k]);
    for (int k = 0; k < P->contacts; k++) {
        double *slack = P->motion->slack + P->contact[k];
        if (P->closed[k] && P->norm[k] > 0 && P->x[k] * P->norm[k] <= part * load)
            *slack = fmax(*slack, part * load / P->norm[k]);
    }
}

/* Does friction of some closed contact act with full strength? */
static bool slides(const carom_contact_parts *P)
{
    bool any = false;
    for (int k = 0; k < P->contacts; k++)
        any = any || (P->closed[k] && P->motion->sliding[P->contact[k]]);
    return any;
}

/* Those at rest that slip are now sliding: their friction goes into the normal's column. */
static void settle(carom_contact_parts *P, double force_rest)
{
    bool slid = false;
    const int rows = P->rows;
    double *x = P->before;
    find_modes(P);
    allow_weak(P);
    for (int k = 0; k < P->contacts; k++)
        if (P->treatment[k] == CAROM_CONTACT_PARTS_REST && !P->stuck[k]) {
            P->treatment[k] =
                P->closed[k] ? CAROM_CONTACT_PARTS_SLIDING : CAROM_CONTACT_PARTS_SMOOTH;
            slid = true;
        }
    carom_contact_rows_choose(P);
    const bool hyperstatic = P->motion->column_count > 0;
    if (!(hyperstatic || slides(P)))
        return;
    if (slid) { /* the forces move to the new numbers of their rows */
        int *slip = P->block;
        memcpy(x, P->x, sizeof *x * (size_t)rows);
        memcpy(slip, P->slip, sizeof *slip * ((size_t)P->contacts + 1));
        carom_contact_parts_linearise(P, force_rest);
        for (int k = 0; k < P->contacts; k++)
            for (int l = P->slip[k]; l < P->slip[k + 1]; l++)
                P->x[l] = x[slip[k] + l - P->slip[k]];
    }
    if (!hyperstatic) { /* as many columns as rows may be dependent if some slide */
        carom_contact_rows_follow(P);
        return;
    }
    /* a distribution of the forces that leaves the motion as it was found: where contacts slide the
     * motion depends on it, and it must not close what opens */
    memcpy(x, P->x, sizeof *x * (size_t)P->rows);
    bool found = carom_contact_rows_distribute(P, false);
    for (int k = 0; k < P->contacts; k++)
        found = found && (P->closed[k] || P->w[k] > 0);
    if (found && (!slides(P) || carom_contact_parts_same(P, x, P->x, CAROM_TOLERANCE_SAME)))
        return;
    memcpy(P->x, x, sizeof *x * (size_t)P->rows);
    carom_contact_rows_follow(P);
}

carom_status carom_contact_problem_solve(carom_motion *motion, const unsigned char *candidate,
                                         const double *slow, double force_rest,
                                         carom_arena *scratch, carom_contact_problem_answer *answer,
                                         carom_error *error)
{
    carom_contact_parts P;
    memset(answer, 0, sizeof *answer);
    answer->contact = -1;
    carom_status status = carom_contact_parts_create(motion, candidate, slow, scratch, &P, error);
    for (int round = 0; round < 4 && status == CAROM_OK; round++) {
        carom_contact_parts_linearise(&P, force_rest);
        if (P.contacts > 0)
            status = solve_once(&P, scratch, answer, error);
        if (status != CAROM_OK || failed(answer) || !start_slipping(&P))
            break;
    }
    if (status != CAROM_OK || failed(answer))
        return status;
    settle(&P, force_rest);
    motion->want = motion->row_count > 0 ? CAROM_WANT_NORMALS | CAROM_WANT_SLIPS |
                                               CAROM_WANT_JOINTS | CAROM_WANT_BIASES
                                         : 0;
    return CAROM_OK;
}

carom_status carom_contact_problem_rest(carom_motion *motion, const unsigned char *candidate,
                                        const double *slow, carom_arena *scratch, bool *moving,
                                        carom_error *error)
{
    carom_contact_parts P;
    carom_status status = carom_contact_parts_create(motion, candidate, slow, scratch, &P, error);
    if (status != CAROM_OK)
        return status;
    *moving = false;
    for (int k = 0; k < P.contacts; k++) {
        P.closed[k] = 1;
        P.stuck[k] = P.treatment[k] == CAROM_CONTACT_PARTS_REST;
        for (int i = P.slip[k]; i < P.slip[k + 1]; i++)
            *moving =
                *moving || carom_motion_slip(motion, carom_contact_parts_row(&P, i).index) != 0;
    }
    carom_contact_rows_choose(&P);
    motion->column_count = 0;
    return CAROM_OK;
}
