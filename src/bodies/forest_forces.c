/* Forces of trees by the recursive algorithm of Newton and Euler: what the links need for the
 * accelerations that they have when the velocities do not change, minus gravity. */
#include "bodies/joint.h"

/* The wrench that a link needs beyond gravity, about its origin. */
static wrench load_of(const carom_link *l, const frame *place, v3 origin, motion V, motion A,
                      const double gravity[3])
{
    v3 c = v3_sub(frame_point(place, l->centre), origin), mg = v3_scale(l->mass, v3_of(gravity));
    inertia I = carom_forest_inertia(l, place, origin);
    wrench load = wrench_add(inertia_apply(&I, A), wrench_carried(V, inertia_apply(&I, V)));
    load.m = v3_sub(load.m, v3_cross(c, mg));
    load.f = v3_sub(load.f, mg);
    return load;
}

/* A single free body in its own axes: h = (m g, -W x J W). */
static void free_forces(const carom_link *l, const double gravity[3], v3 W, double *h)
{
    for (int k = 0; k < 3; k++)
        h[k] = l->mass * gravity[k];
    v3_to(v3_cross(m3_apply(l->inertia, W), W), h + 3);
}

static void tree_forces(const carom_forest *f, int tree, carom_forest_work *w, double *h)
{
    int from = f->branch_start[tree], to = f->branch_start[tree + 1];
    const carom_link *root = &f->link[f->branch[from]];
    if (to - from == 1 && root->ops == &carom_link_free) {
        v3 W = m3_back(w->place[f->branch[from]].R, w->V[f->branch[from]].w);
        free_forces(root, f->gravity, W, h + root->u);
        return;
    }
    for (int k = from; k < to; k++) {
        int i = f->branch[k];
        w->load[i] = load_of(&f->link[i], &w->place[i], w->origin[i], w->V[i], w->A[i], f->gravity);
    }
    for (int k = to - 1; k >= from; k--) {
        int i = f->branch[k], parent = f->link[i].parent;
        const carom_link *l = &f->link[i];
        for (int j = 0; j < carom_forest_velocities(l); j++)
            h[l->u + j] = -power_of(w->column[l->u + j], w->load[i]);
        if (parent >= 0 && f->link[parent].tree == tree)
            w->load[parent] = wrench_add(w->load[parent], w->load[i]);
    }
}

void carom_forest_forces(const carom_forest *f, carom_forest_work *w, double *h)
{
    for (int tree = 0; tree < f->tree_count; tree++)
        tree_forces(f, tree, w, h);
}

double carom_forest_kinetic(const carom_forest *f, const carom_forest_work *w)
{
    double sum = 0;
    for (int k = 0; k < f->branch_start[f->tree_count]; k++) {
        int i = f->branch[k];
        const carom_link *l = &f->link[i];
        v3 c = v3_sub(frame_point(&w->place[i], l->centre), w->origin[i]);
        v3 v = motion_at(w->V[i], c), W = m3_back(w->place[i].R, w->V[i].w);
        sum += (l->mass * v3_norm2(v) + v3_dot(W, m3_apply(l->inertia, W))) / 2;
    }
    return sum;
}

double carom_forest_potential(const carom_forest *f, const carom_forest_work *w)
{
    double sum = 0;
    for (int k = 0; k < f->branch_start[f->tree_count]; k++) {
        int i = f->branch[k];
        v3 c = frame_point(&w->place[i], f->link[i].centre);
        sum -= f->link[i].mass * v3_dot(v3_of(f->gravity), c);
    }
    return sum;
}
