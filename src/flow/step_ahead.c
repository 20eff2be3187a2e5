/* Where the parts of a time step are taken (docs/theory/time-stepping.md, "Where the parts are
 * taken"): the kinematics at the theta point, joints and contacts that move by themselves at the
 * end of the step. Positions there are predicted with the velocity at hand: the error is of second
 * order, and so is what it does to the step. The mass predicted there is the one that is factored;
 * the iteration of the step corrects it. */
#include <string.h>

#include "flow/time_stepping.h"

/* The position that the present velocity leads to after the part `part` of the step, into point. */
static void predict(carom_time_stepping *s, double part)
{
    carom_state *x = &s->point;
    x->t = s->t + part * s->h;
    memcpy(x->u, s->v, sizeof(double) * (size_t)s->n);
    carom_time_step_kinematics(s, s->v, s->rate);
    for (int i = 0; i < s->nq; i++)
        x->q[i] = s->state.q[i] + part * s->h * s->rate[i];
}

/* M and N at the theta point; the start of the step is what they are known from. */
static carom_status take_inertia(carom_time_stepping *s, double theta, bool *grown,
                                 carom_error *error)
{
    const carom_system_shape *shape = s->shape;
    const bool mass = !shape->mass_is_constant, turns = !shape->kinematics_is_identity;
    const size_t n = (size_t)s->n;
    if (!(mass && theta > 0) && !turns)
        return CAROM_OK;
    predict(s, theta);
    carom_status status = carom_system_evaluate(
        s->record->system, (mass ? CAROM_WANT_MASS : 0) | (turns ? CAROM_WANT_KINEMATICS : 0),
        &s->point, error);
    if (status != CAROM_OK)
        return status;
    if (mass) {
        memcpy(s->state.M, s->point.M, sizeof(double) * (shape->mass_is_diagonal ? n : n * n));
        *grown = (!shape->mass_is_diagonal && carom_step_rows_gather(&s->response.mass)) || *grown;
    }
    if (turns)
        memcpy(s->state.N, s->point.N, sizeof(double) * n * (size_t)s->nq);
    return CAROM_OK;
}

/* Rates before the step, then normals, slips and their motions as they are at its end; positions
 * stay those of the start, so that contacts that do not move are met as ever. */
static carom_status take_contacts(carom_time_stepping *s, bool *grown, carom_error *error)
{
    carom_step_rows *rows = &s->contact.rows;
    carom_state *x = &s->point;
    for (int i = 0; i < s->p; i++)
        s->before[i] = carom_step_rows_dot(rows, i, s->v) + s->state.w_hat[i];
    for (int j = 0; j < s->shape->s; j++)
        s->before[s->p + j] = carom_step_rows_dot(rows, s->p + j, s->v) + s->state.slip_motion[j];
    predict(s, 1);
    memcpy(x->q, s->state.q, sizeof(double) * (size_t)s->nq);
    carom_status status =
        carom_system_evaluate(s->record->system, CAROM_WANT_NORMALS | CAROM_WANT_SLIPS, x, error);
    if (status != CAROM_OK)
        return status;
    *grown = carom_step_rows_gather_from(rows, x->W, x->H) || *grown;
    memcpy(s->after, x->w_hat, sizeof(double) * (size_t)s->p);
    memcpy(s->after + s->p, x->slip_motion, sizeof(double) * (size_t)s->shape->s);
    return CAROM_OK;
}

/* Joints at the part `end` of the step, where the new velocity has to obey them; their forces act
 * along the mean of the start and there, with weight `theta` for the latter. */
static carom_status take_joints(carom_time_stepping *s, double theta, double end, bool *grown,
                                carom_error *error)
{
    carom_step_response *r = &s->response;
    carom_state *x = &s->point;
    const int m = s->shape->m;
    for (int pass = 0; pass < 2; pass++) { /* again where the pattern has grown on the way */
        carom_step_response_keep_joints(r);
        predict(s, end);
        carom_status status = carom_system_evaluate(s->record->system, CAROM_WANT_JOINTS, x, error);
        if (status != CAROM_OK)
            return status;
        if (!carom_step_rows_gather_from(&r->joints, x->B, x->A))
            break;
        *grown = true;
        predict(s, 0);
        status = carom_system_evaluate(s->record->system, CAROM_WANT_JOINTS, x, error);
        if (status != CAROM_OK)
            return status;
        carom_step_rows_gather_from(&r->joints, x->B, x->A);
    }
    carom_step_response_mix_joints(r, theta);
    for (int j = 0; j < r->joints.count; j++)
        s->joint_motion[j] = j < m ? x->b_hat[j] : x->a_hat[j - m];
    return CAROM_OK;
}

carom_status carom_step_ahead(carom_time_stepping *s, bool *grown, carom_error *error)
{
    const bool paoli = s->options->scheme == CAROM_FLOW_SCHATZMAN_PAOLI;
    const double theta = paoli ? 0 : s->options->theta;
    carom_status status = CAROM_OK;
    s->response.skew = false;
    /* what moves by itself is known at the middle of a step of q_k+1 - q_k, and at the end of one
     * whose new velocity is that at t_k+1 */
    if (s->moves && s->p > 0)
        status = take_contacts(s, grown, error);
    if (status == CAROM_OK && s->response.joints.count > 0 && !s->shape->rows_are_constant)
        status = take_joints(s, theta, paoli ? 0.5 : 1, grown, error);
    if (status == CAROM_OK)
        status = take_inertia(s, paoli ? 0.5 : theta, grown, error);
    return status;
}
