/* Springs, dampers and motors of joints. */
#include "bodies/joint_forces.h"

double carom_joint_forces(const carom_bodies *b, double t, const double *q, const double *u,
                          double *h, double *applied)
{
    double power = 0;
    for (int k = 0; k < b->joint_count; k++) {
        const carom_joint *j = &b->joint[k];
        if (j->loop >= 0)
            continue;
        int count = carom_forest_velocities(b->forest.link[j->link].kind);
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
