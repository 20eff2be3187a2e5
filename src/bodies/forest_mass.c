/* The mass matrix of a tree by composite rigid bodies: M_jk = S_j . I_k S_k, I_k the inertia of the
 * link of k with all that hangs on it. In one common frame composites are sums. */
#include "bodies/joint.h"

#include <string.h>

/* A single free body: constant, and exactly so. */
static void free_mass(const carom_link *l, double *M)
{
    const v3 J[3] = {l->inertia.x, l->inertia.y, l->inertia.z};
    memset(M, 0, 36 * sizeof *M);
    for (int i = 0; i < 3; i++) {
        M[7 * i] = l->mass;
        for (int j = 0; j < 3; j++)
            M[3 + j + 6 * (3 + i)] = v3_at(J[i], j);
    }
}

static void free_plane_mass(const carom_link *l, double *M)
{
    const double made[9] = {l->mass, 0, 0, 0, l->mass, 0, 0, 0, l->inertia.z.z};
    memcpy(M, made, sizeof made);
}

/* The columns of one link: its velocities and those on the way to the ground. */
static void fill_columns(const carom_forest *f, const carom_forest_work *w, int link, int size,
                         double *M)
{
    const carom_link *l = &f->link[link];
    const int *path = f->path + f->path_start[link];
    int own = carom_forest_velocities(l), length = f->path_start[link + 1] - f->path_start[link];
    for (int k = 0; k < own; k++) {
        wrench load = inertia_apply(&w->whole[link], w->column[l->u + k]);
        int column = f->place_of[l->u + k];
        for (int j = 0; j < length - own + k + 1; j++) {
            int row = f->place_of[path[j]];
            double entry = power_of(w->column[path[j]], load);
            M[row + size * column] = M[column + size * row] = entry;
        }
    }
}

void carom_forest_mass(const carom_forest *f, int tree, carom_forest_work *w, double *M)
{
    int from = f->branch_start[tree], to = f->branch_start[tree + 1];
    int size = f->tree_start[tree + 1] - f->tree_start[tree];
    const carom_link *root = &f->link[f->branch[from]];
    if (to - from == 1 && root->ops == &carom_link_free) {
        free_mass(root, M);
    } else if (to - from == 1 && root->ops == &carom_link_free_plane) {
        free_plane_mass(root, M);
    } else {
        memset(M, 0, (size_t)size * (size_t)size * sizeof *M);
        for (int k = from; k < to; k++) {
            const carom_link *l = &f->link[f->branch[k]];
            w->whole[f->branch[k]] =
                carom_forest_inertia(l, &w->place[f->branch[k]], w->origin[f->branch[k]]);
        }
        for (int k = to - 1; k >= from; k--) {
            int i = f->branch[k], parent = f->link[i].parent;
            fill_columns(f, w, i, size, M);
            if (parent >= 0 && f->link[parent].tree == tree)
                w->whole[parent] = inertia_add(&w->whole[parent], &w->whole[i]);
        }
    }
    for (int k = 0; k < size && f->armature; k++)
        M[k + size * k] += f->armature[f->tree_u[f->tree_start[tree] + k]];
}
