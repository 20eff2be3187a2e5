/* Springs, dampers and motors of joints. */
#include "bodies/joint_forces.h"

#include <math.h>
#include <string.h>

double carom_joint_forces(const carom_bodies *b, double t, const double *q, const double *u,
                          double *h, double *applied)
{
    double power = 0;
    for (int k = 0; k < b->joint_count; k++) {
        const carom_joint *j = &b->joint[k];
        if (j->loop >= 0)
            continue;
        int count = carom_forest_velocities(&b->forest.link[j->link]);
        for (int i = 0; i < count && j->is.damping > 0; i++) {
            double force = -j->is.damping * u[j->u + i];
            h[j->u + i] += force;
            power += force * u[j->u + i];
            if (applied)
                applied[j->u + i] += force;
        }
        if (count != 1)
            continue;
        h[j->u] -= j->is.spring * (q[j->q] - j->is.rest);
        if (j->is.motor) {
            double force = j->is.motor(j->is.motor_self, t, q, u);
            h[j->u] += force;
            power += force * u[j->u];
            if (applied)
                applied[j->u] += force;
        }
    }
    return power;
}

double carom_joint_springs(const carom_bodies *b, const double *q)
{
    double sum = 0;
    for (int k = 0; k < b->joint_count; k++) {
        const carom_joint *j = &b->joint[k];
        if (j->loop < 0 && j->is.spring > 0) {
            double stretch = q[j->q] - j->is.rest;
            sum += j->is.spring * stretch * stretch / 2;
        }
    }
    return sum;
}

/* The derivative of a motor's force along u_j = 1, q_j = h/2, by a central difference. */
static double motor_slope(const carom_joint *j, double t, double h, double *q, double *u)
{
    static const double part = 0x1p-17; /* the third root of rounding */
    const double q_j = q[j->q], u_j = u[j->u];
    const double move = part * fmax(1, fmax(fabs(u_j), fabs(q_j) / h));
    double force[2];
    for (int side = 0; side < 2; side++) {
        const double by = side ? move : -move;
        u[j->u] = u_j + by;
        q[j->q] = q_j + h / 2 * by;
        force[side] = j->is.motor(j->is.motor_self, t, q, u);
    }
    u[j->u] = u_j;
    q[j->q] = q_j;
    return (force[1] - force[0]) / (2 * move);
}

void carom_joint_give(const carom_bodies *b, double t, double h, double *q, double *u, double *give)
{
    memset(give, 0, (size_t)b->forest.n * sizeof *give);
    for (int k = 0; k < b->joint_count; k++) {
        const carom_joint *j = &b->joint[k];
        if (j->loop >= 0)
            continue;
        int count = carom_forest_velocities(&b->forest.link[j->link]);
        for (int i = 0; i < count; i++)
            give[j->u + i] += h / 2 * j->is.damping;
        if (count != 1)
            continue;
        double slope = -h / 2 * j->is.spring;
        if (j->is.motor)
            slope += motor_slope(j, t, h, q, u);
        give[j->u] = fmax(give[j->u] - h / 2 * slope, 0); /* not a number: a force that is none */
    }
}
