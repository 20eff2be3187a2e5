/* A model of bodies: defaults of definitions, where everything is at a state. */
#include "bodies/bodies.h"
#include "carom/need.h"

carom_body_def carom_body_def_default(const char *name)
{
    return (carom_body_def){.name = name, .turn = {1}, .density = 1000};
}

carom_rope_def carom_rope_def_default(const char *name, int a, int b)
{
    return (carom_rope_def){.name = name, .a = a, .b = b, .contact = carom_contact_default()};
}

carom_world_def carom_world_def_default(int space)
{
    return (carom_world_def){.space = space, .contact = carom_contact_default()};
}

/* The prescribed motions at time t. */
static void drive(carom_bodies *bodies, double t)
{
    for (int k = 0; k < bodies->body_count && bodies->drives; k++) {
        const carom_body_def *d = &bodies->body[k];
        carom_body_motion m = {.turn = {bodies->space == 3}};
        if (!d->drive)
            continue;
        d->drive(d->drive_self, t, &m);
        carom_driven *to = &bodies->work.driven[bodies->link_of[k]];
        carom_body_def here = {.position = {m.position[0], m.position[1], m.position[2]},
                               .turn = {m.turn[0], m.turn[1], m.turn[2], m.turn[3]}};
        to->place = carom_bodies_reference(&here, bodies->space);
        to->v = v3_of(m.velocity);
        to->w = v3_of(m.spin);
        to->dv = v3_of(m.acceleration);
        to->dw = v3_of(m.spin_rate);
        if (bodies->space == 2) {
            to->place.p.z = to->v.z = to->dv.z = 0;
            to->w = (v3){0, 0, m.spin[0]};
            to->dw = (v3){0, 0, m.spin_rate[0]};
        }
    }
}

/* Which body has a zero quaternion, for the message. */
static carom_status refuse_turn(const carom_bodies *bodies, const double *q, carom_error *error)
{
    for (int k = 0; k < bodies->body_count; k++) {
        const carom_link *l = &bodies->forest.link[bodies->link_of[k]];
        const int first = carom_forest_quaternion(l);
        const double *e = q + l->q + (first < 0 ? 0 : first);
        if (first >= 0 && !(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] > 0))
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "the quaternion of body `%s` is zero; no rotation is (1, 0, 0, "
                                   "0)",
                                   bodies->body[k].name ? bodies->body[k].name : "");
    }
    return carom_error_set(error, CAROM_ERROR_INPUT, "a quaternion is zero or not a number");
}

carom_status carom_bodies_move(carom_bodies *bodies, double t, const double *q, const double *u,
                               carom_error *error)
{
    drive(bodies, t);
    if (!carom_forest_place(&bodies->forest, q, &bodies->work))
        return refuse_turn(bodies, q, error);
    carom_forest_columns(&bodies->forest, q, &bodies->work);
    if (u)
        carom_forest_velocity(&bodies->forest, u, &bodies->work);
    return CAROM_OK;
}

carom_status carom_bodies_pose(const carom_bodies *bodies, int body, double t, const double *q,
                               carom_pose *pose, carom_error *error)
{
    CAROM_NEED(error, bodies, q, pose);
    carom_bodies *work = (carom_bodies *)bodies; /* its work space: one thread at a time */
    drive(work, t);
    if (!carom_forest_place(&work->forest, q, &work->work))
        return refuse_turn(bodies, q, error);
    const frame *f = &work->work.place[bodies->link_of[body]];
    const v3 column[3] = {f->R.x, f->R.y, f->R.z};
    v3_to(f->p, pose->position);
    for (int k = 0; k < 3; k++)
        v3_to(column[k], pose->rotation + 3 * k);
    return CAROM_OK;
}

bool carom_bodies_closes_loop(const carom_bodies *bodies, int joint)
{
    CAROM_NEED_OR(false, bodies);
    return bodies->joint[joint].loop >= 0;
}

void carom_bodies_start(const carom_bodies *bodies, double *q, double *u)
{
    CAROM_NEED_OR(, bodies, q, u);
    for (int k = 0; k < bodies->forest.nq; k++)
        q[k] = bodies->q[k];
    for (int k = 0; k < bodies->forest.n; k++)
        u[k] = bodies->u[k];
}

void carom_bodies_rates(const carom_bodies *bodies, const double *q, const double *u, double *rate)
{
    CAROM_NEED_OR(, bodies, q, u, rate);
    carom_forest_rates(&bodies->forest, q, u, rate);
}

void carom_bodies_poses(const carom_bodies *bodies, double t, const double *q, double *poses)
{
    CAROM_NEED_OR(, bodies, q, poses);
    carom_bodies *work = (carom_bodies *)bodies; /* its work space: one thread at a time */
    drive(work, t);
    bool placed = carom_forest_place(&work->forest, q, &work->work);
    for (int k = 0; k < bodies->body_count; k++, poses += CAROM_BODIES_POSE) {
        const frame *f = &work->work.place[bodies->link_of[k]];
        v3_to(f->p, poses);
        carom_bodies_quaternion(&f->R, poses + 3);
        for (int i = 0; i < CAROM_BODIES_POSE && !placed; i++)
            poses[i] = NAN;
    }
}
