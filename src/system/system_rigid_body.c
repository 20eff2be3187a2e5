/* A free rigid body with one point over a plane (docs/theory/rigid-body.md).
 *
 *   q = (x, e), x the centre of mass, e = (w, x, y, z) the quaternion of the rotation R from body
 * to space axes; u = (v, Omega), v = x', Omega the angular velocity in body axes. M = diag(m, m, m,
 * J1, J2, J3),  h = (m gravity, -Omega x J Omega), gap = n.(x + R r) - offset,  W = (n, r x R'n),
 * g_bias = n.R(Omega x (Omega x r)). */
#include "base/parts.h"
#include "carom/need.h"
#include "carom/system.h"

#include <math.h>
#include <string.h>

typedef struct rigid_body {
    carom_arena *arena;
    carom_rigid_body is;
    double tangent[2][3]; /* unit, orthogonal to the normal and to each other */
} rigid_body;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* R(e/|e|), row by row: drift of the length of e does not distort the body. False if e = 0. */
static bool rotation(const double e[4], double R[3][3])
{
    double length = sqrt(e[0] * e[0] + dot(e + 1, e + 1));
    if (!(length > 0))
        return false;
    double w = e[0] / length, x = e[1] / length, y = e[2] / length, z = e[3] / length;
    const double rows[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
    };
    memcpy(R, rows, sizeof rows);
    return true;
}

/* A space direction in body axes, R'd, and a body direction in space axes, R d. */
static void to_body(double R[3][3], const double d[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = R[0][i] * d[0] + R[1][i] * d[1] + R[2][i] * d[2];
}

static void to_space(double R[3][3], const double d[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = dot(R[i], d);
}

/* The row (d, r x R'd) of the velocity of the contact point in the space direction d. */
static void point_row(const rigid_body *b, double R[3][3], const double d[3], double row[6])
{
    double body[3];
    memcpy(row, d, 3 * sizeof *row);
    to_body(R, d, body);
    cross(b->is.point, body, row + 3);
}

/* q' = N u: the centre moves with v, e' = 1/2 e (0, Omega). */
static void fill_kinematics(const double e[4], double N[42])
{
    const double half[4][3] = {
        {-e[1], -e[2], -e[3]}, {e[0], -e[3], e[2]}, {e[3], e[0], -e[1]}, {-e[2], e[1], e[0]}};
    memset(N, 0, 42 * sizeof *N);
    for (int i = 0; i < 3; i++)
        N[i + 7 * i] = 1;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            N[3 + i + 7 * (3 + j)] = half[i][j] / 2;
}

static void fill_motion(const rigid_body *b, unsigned want, carom_state *s)
{
    const double *J = b->is.inertia, *v = s->u, *omega = s->u + 3;
    const double mass = b->is.mass;
    if (want & CAROM_WANT_MASS)
        for (int i = 0; i < 3; i++) {
            s->M[i] = mass;
            s->M[3 + i] = J[i];
        }
    if (want & CAROM_WANT_FORCES) {
        for (int i = 0; i < 3; i++)
            s->h[i] = mass * b->is.gravity[i];
        s->h[3] = (J[1] - J[2]) * omega[1] * omega[2];
        s->h[4] = (J[2] - J[0]) * omega[2] * omega[0];
        s->h[5] = (J[0] - J[1]) * omega[0] * omega[1];
    }
    if (want & CAROM_WANT_ENERGY) {
        s->kinetic = mass * dot(v, v) / 2;
        for (int i = 0; i < 3; i++)
            s->kinetic += J[i] * omega[i] * omega[i] / 2;
        s->potential = -mass * dot(b->is.gravity, s->q);
        s->power = 0;
    }
}

static void fill_contact(const rigid_body *b, double R[3][3], unsigned want, carom_state *s)
{
    double arm[3], inner[3], body[3], centripetal[3];
    to_space(R, b->is.point, arm);
    if (want & CAROM_WANT_GAPS)
        s->g[0] = dot(b->is.normal, s->q) + dot(b->is.normal, arm) - b->is.offset;
    if (want & CAROM_WANT_NORMALS) {
        point_row(b, R, b->is.normal, s->W);
        s->w_hat[0] = 0;
    }
    for (int k = 0; want & CAROM_WANT_SLIPS && k < b->is.contact.slip_count; k++) {
        point_row(b, R, b->tangent[k], s->H + 6 * k);
        s->slip_motion[k] = 0;
    }
    if (want & CAROM_WANT_BIASES) {
        cross(s->u + 3, b->is.point, inner);
        cross(s->u + 3, inner, body);
        to_space(R, body, centripetal);
        s->g_bias[0] = dot(b->is.normal, centripetal);
        for (int k = 0; k < b->is.contact.slip_count; k++)
            s->slip_bias[k] = dot(b->tangent[k], centripetal);
    }
}

static carom_status evaluate(void *self, unsigned want, carom_state *state, carom_error *error)
{
    const rigid_body *b = self;
    double R[3][3];
    if (!rotation(state->q + 3, R))
        return carom_error_set(
            error, CAROM_ERROR_INPUT,
            "the quaternion of the rotation is zero; no rotation is (1, 0, 0, 0)");
    fill_motion(b, want, state);
    fill_contact(b, R, want, state);
    if (want & CAROM_WANT_KINEMATICS)
        fill_kinematics(state->q + 3, state->N);
    return CAROM_OK;
}

static void destroy(void *self)
{
    carom_arena_destroy(((rigid_body *)self)->arena);
}

/* Evaluations write to the state only: a second body is a copy. */
static carom_status share(const void *self, const carom_allocator *allocator, void **shared,
                          carom_error *error)
{
    rigid_body *made;
    carom_status status = carom_arena_object(allocator, sizeof *made, &made, error);
    if (status)
        return status;
    carom_arena *arena = made->arena;
    *made = *(const rigid_body *)self;
    made->arena = arena;
    *shared = made;
    return CAROM_OK;
}

static const carom_system_ops rigid_body_ops = {
    .name = "rigid-body",
    .evaluate = evaluate,
    .destroy = destroy,
    .share = share,
};

/* Two unit directions in the plane: the first nearest to the axis the normal has least of. */
static void choose_tangents(rigid_body *b)
{
    const double *n = b->is.normal;
    double length = sqrt(dot(n, n)), unit[3];
    int axis = 0;
    for (int i = 0; i < 3; i++) {
        unit[i] = n[i] / length;
        axis = fabs(n[i]) < fabs(n[axis]) ? i : axis;
    }
    double first[3], size;
    for (int i = 0; i < 3; i++)
        first[i] = (i == axis) - unit[axis] * unit[i];
    size = sqrt(dot(first, first));
    for (int i = 0; i < 3; i++)
        b->tangent[0][i] = first[i] / size;
    cross(unit, b->tangent[0], b->tangent[1]);
}

static carom_status check_body(const carom_rigid_body *b, carom_error *error)
{
    double length2 = dot(b->normal, b->normal);
    if (!(b->mass > 0) || !isfinite(b->mass))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the mass of the rigid body is %g; it must be positive", b->mass);
    for (int i = 0; i < 3; i++)
        if (!(b->inertia[i] > 0) || !isfinite(b->inertia[i]))
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "the principal moment of inertia %d is %g; it must be positive",
                                   i + 1, b->inertia[i]);
    if (!(length2 > 0) || !isfinite(length2))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the normal of the plane (%g, %g, %g) must be a finite vector that "
                               "is not zero",
                               b->normal[0], b->normal[1], b->normal[2]);
    if (b->contact.slip_count < 0 || b->contact.slip_count > 2)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the contact has %d slip directions; 0, 1 or 2 are allowed",
                               b->contact.slip_count);
    return CAROM_OK;
}

carom_status carom_system_rigid_body(const carom_rigid_body *body, const carom_allocator *allocator,
                                     carom_system **system, carom_error *error)
{
    CAROM_NEED(error, body, system);
    static const char *const coordinates[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    static const char *const velocities[] = {"x'", "y'", "z'", "wx", "wy", "wz"};
    rigid_body *self;
    carom_status status = check_body(body, error);
    if (!status)
        status = carom_arena_object(allocator, sizeof *self, &self, error);
    if (status)
        return status;
    self->is = *body;
    choose_tangents(self);
    const carom_system_shape shape = {
        .nq = 7,
        .n = 6,
        .p = 1,
        .s = body->contact.slip_count,
        .mass_is_diagonal = true,
        .mass_is_constant = true,
        .rows_are_timeless = true,
        .coordinates = coordinates,
        .velocities = velocities,
        .contacts = &self->is.contact,
    };
    status = carom_system_create(&rigid_body_ops, self, &shape, allocator, system, error);
    if (status)
        carom_arena_destroy(self->arena);
    return status;
}
