/* Trees of links: numbering, places, columns and velocities (docs/theory/trees.md). */
#include "bodies/forest.h"
#include "bodies/joint.h"

#include <string.h>

int carom_forest_velocities(const carom_link *link)
{
    return link->ops->is.velocities;
}

int carom_forest_coordinates(const carom_link *link)
{
    return link->ops->is.coordinates;
}

int carom_forest_quaternion(const carom_link *link)
{
    return link->ops->quaternion;
}

/* Paths: those of the parent, then the link's own velocities. */
static carom_status number_paths(carom_forest *f, carom_arena *arena, carom_error *error)
{
    int *start = carom_arena_array(arena, (size_t)f->link_count + 1, sizeof *start);
    int *link_of = carom_arena_array(arena, (size_t)f->n, sizeof *link_of);
    if (!start || !link_of)
        return carom_error_memory(error);
    start[0] = 0;
    for (int i = 0; i < f->link_count; i++) {
        const carom_link *l = &f->link[i];
        int above = l->parent < 0 ? 0 : start[l->parent + 1] - start[l->parent];
        start[i + 1] = start[i] + above + carom_forest_velocities(l);
    }
    int *path = carom_arena_array(arena, (size_t)start[f->link_count], sizeof *path);
    if (!path)
        return carom_error_memory(error);
    for (int i = 0; i < f->link_count; i++) {
        const carom_link *l = &f->link[i];
        int above = l->parent < 0 ? 0 : start[l->parent + 1] - start[l->parent];
        if (above)
            memcpy(path + start[i], path + start[l->parent], (size_t)above * sizeof *path);
        for (int k = 0; k < carom_forest_velocities(l); k++) {
            path[start[i] + above + k] = l->u + k;
            link_of[l->u + k] = i;
        }
    }
    f->path_start = start;
    f->path = path;
    f->link_of = link_of;
    return CAROM_OK;
}

/* A tree begins at a link with velocities whose parent has none on its way to the ground. */
static void number_trees(carom_forest *f, carom_link *links)
{
    f->tree_count = 0;
    for (int i = 0; i < f->link_count; i++) {
        int parent = links[i].parent;
        links[i].tree = parent < 0 ? -1 : links[parent].tree;
        if (links[i].tree < 0 && carom_forest_velocities(&links[i]))
            links[i].tree = f->tree_count++;
    }
}

/* The velocities and the links of each tree: counted, then filled in order. */
static carom_status list_trees(carom_forest *f, carom_arena *arena, carom_error *error)
{
    size_t trees = (size_t)f->tree_count;
    int *u_start = carom_arena_zeros(arena, trees + 2, sizeof *u_start);
    int *l_start = carom_arena_zeros(arena, trees + 2, sizeof *l_start);
    int *tree_u = carom_arena_array(arena, (size_t)f->n, sizeof *tree_u);
    int *place = carom_arena_array(arena, (size_t)f->n, sizeof *place);
    int *branch = carom_arena_array(arena, (size_t)f->link_count, sizeof *branch);
    if (!u_start || !l_start || !tree_u || !place || !branch)
        return carom_error_memory(error);
    for (int k = 0; k < f->n; k++)
        u_start[f->link[f->link_of[k]].tree + 2]++;
    for (int i = 0; i < f->link_count; i++)
        if (f->link[i].tree >= 0)
            l_start[f->link[i].tree + 2]++;
    for (int t = 0; t < f->tree_count; t++) {
        u_start[t + 2] += u_start[t + 1];
        l_start[t + 2] += l_start[t + 1];
    }
    for (int k = 0; k < f->n; k++) {
        int tree = f->link[f->link_of[k]].tree;
        tree_u[u_start[tree + 1]++] = k;
    }
    for (int i = 0; i < f->link_count; i++)
        if (f->link[i].tree >= 0)
            branch[l_start[f->link[i].tree + 1]++] = i;
    for (int t = 0; t < f->tree_count; t++)
        for (int k = u_start[t]; k < u_start[t + 1]; k++)
            place[tree_u[k]] = k - u_start[t];
    f->tree_start = u_start;
    f->tree_u = tree_u;
    f->place_of = place;
    f->branch_start = l_start;
    f->branch = branch;
    return CAROM_OK;
}

carom_status carom_forest_complete(carom_forest *forest, carom_link *links, carom_arena *arena,
                                   carom_error *error)
{
    forest->link = links;
    number_trees(forest, links);
    carom_status status = number_paths(forest, arena, error);
    return status ? status : list_trees(forest, arena, error);
}

carom_status carom_forest_work_create(const carom_forest *f, carom_arena *arena,
                                      carom_forest_work *w, carom_error *error)
{
    size_t links = (size_t)f->link_count, n = (size_t)f->n;
    w->origin = carom_arena_zeros(arena, links, sizeof *w->origin);
    w->place = carom_arena_zeros(arena, links, sizeof *w->place);
    w->column = carom_arena_zeros(arena, n, sizeof *w->column);
    w->V = carom_arena_zeros(arena, links, sizeof *w->V);
    w->A = carom_arena_zeros(arena, links, sizeof *w->A);
    w->whole = carom_arena_zeros(arena, links, sizeof *w->whole);
    w->load = carom_arena_zeros(arena, links, sizeof *w->load);
    w->driven = carom_arena_zeros(arena, links, sizeof *w->driven);
    if (!w->origin || !w->place || !w->column || !w->V || !w->A || !w->whole || !w->load ||
        !w->driven)
        return carom_error_memory(error);
    return CAROM_OK;
}

/* A jointed link from its parent: moved along the joint, turned about its point. */
static bool place_jointed(const carom_link *l, const frame *parent, const double *q, frame *place)
{
    m3 R = l->turn;
    v3 at = l->at;
    if (l->ops->move && !l->ops->move(l, q, &at, &R))
        return false;
    place->R = m3_times(parent->R, R);
    place->p = v3_sub(frame_point(parent, at), m3_apply(place->R, l->in_link));
    return true;
}

static bool place_link(const carom_link *l, const frame *parent, const double *q,
                       const carom_driven *driven, frame *place)
{
    if (l->ops == &carom_link_driven) {
        *place = driven->place;
        return true;
    }
    return l->ops->place ? l->ops->place(l, q, place) : place_jointed(l, parent, q, place);
}

bool carom_forest_place(const carom_forest *f, const double *q, carom_forest_work *w)
{
    static const frame ground = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int i = 0; i < f->link_count; i++) {
        const carom_link *l = &f->link[i];
        const frame *parent = l->parent < 0 ? &ground : &w->place[l->parent];
        if (!place_link(l, parent, q + l->q, &w->driven[i], &w->place[i]))
            return false;
        bool root = l->tree < 0 || l->parent < 0 || f->link[l->parent].tree < 0;
        w->origin[i] = root ? frame_point(&w->place[i], l->centre) : w->origin[l->parent];
    }
    return true;
}

void carom_forest_columns(const carom_forest *f, const double *q, carom_forest_work *w)
{
    static const frame ground = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int i = 0; i < f->link_count; i++) {
        const carom_link *l = &f->link[i];
        if (carom_forest_velocities(l))
            l->ops->columns(l, l->parent < 0 ? &ground : &w->place[l->parent], &w->place[i],
                            frame_point(&w->place[i], l->in_link), w->origin[i], q + l->q,
                            w->column + l->u);
    }
}

/* The same velocity field about another point. */
static motion moved(motion V, v3 from, v3 to)
{
    return (motion){V.w, motion_at(V, v3_sub(to, from))};
}

/* A prescribed motion about the origin o. The rate of the field at the fixed point p is the
 * acceleration of the body's point there less w x v. */
static void drive(const carom_driven *d, v3 o, motion *V, motion *A)
{
    motion here = {d->w, d->v}, rate = {d->dw, v3_sub(d->dv, v3_cross(d->w, d->v))};
    *V = moved(here, d->place.p, o);
    *A = moved(rate, d->place.p, o);
}

/* The rate of a link's motion with its velocities held: columns fixed in the parent are carried
 * along by it and by the columns before them. */
static void add_own_motion(const carom_link *l, const double *u, const motion *column, motion *V,
                           motion *A)
{
    if (l->ops->carry) {
        l->ops->carry(u, column, V, A);
        return;
    }
    for (int k = 0; k < carom_forest_velocities(l); k++) {
        *A = motion_along(*A, u[k], motion_cross(*V, column[k]));
        *V = motion_along(*V, u[k], column[k]);
    }
}

void carom_forest_velocity(const carom_forest *f, const double *u, carom_forest_work *w)
{
    for (int i = 0; i < f->link_count; i++) {
        const carom_link *l = &f->link[i];
        motion V = {{0, 0, 0}, {0, 0, 0}}, A = V;
        if (l->ops == &carom_link_driven) {
            drive(&w->driven[i], w->origin[i], &V, &A);
        } else if (l->parent >= 0) {
            V = moved(w->V[l->parent], w->origin[l->parent], w->origin[i]);
            A = moved(w->A[l->parent], w->origin[l->parent], w->origin[i]);
        }
        if (carom_forest_velocities(l))
            add_own_motion(l, u + l->u, w->column + l->u, &V, &A);
        w->V[i] = V;
        w->A[i] = A;
    }
}

v3 carom_forest_velocity_at(const carom_forest *f, const carom_forest_work *w, int link, v3 x)
{
    (void)f;
    return link < 0 ? (v3){0, 0, 0} : motion_at(w->V[link], v3_sub(x, w->origin[link]));
}

v3 carom_forest_bias_at(const carom_forest *f, const carom_forest_work *w, int link, v3 x)
{
    (void)f;
    if (link < 0)
        return (v3){0, 0, 0};
    return acceleration_at(w->V[link], w->A[link], v3_sub(x, w->origin[link]));
}

static void add_row(const carom_forest *f, const carom_forest_work *w, int link, wrench load,
                    double s, double *row)
{
    for (int k = f->path_start[link]; k < f->path_start[link + 1]; k++)
        row[f->path[k]] += s * power_of(w->column[f->path[k]], load);
}

void carom_forest_row_point(const carom_forest *f, const carom_forest_work *w, int link, v3 x, v3 d,
                            double s, double *row)
{
    if (link >= 0)
        add_row(f, w, link, (wrench){v3_cross(v3_sub(x, w->origin[link]), d), d}, s, row);
}

void carom_forest_row_turn(const carom_forest *f, const carom_forest_work *w, int link, v3 d,
                           double s, double *row)
{
    if (link >= 0)
        add_row(f, w, link, (wrench){d, {0, 0, 0}}, s, row);
}

/* e' = 1/2 e (0, W) for a quaternion, W the angular velocity in the turned axes. */
static void quaternion_rates(const double e[4], double *N, int nq)
{
    const double half[4][3] = {
        {-e[1], -e[2], -e[3]}, {e[0], -e[3], e[2]}, {e[3], e[0], -e[1]}, {-e[2], e[1], e[0]}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            N[i + (size_t)nq * (size_t)j] = half[i][j] / 2;
}

void carom_forest_kinematics(const carom_forest *f, const double *q, double *N)
{
    size_t nq = (size_t)f->nq;
    for (int i = 0; i < f->link_count; i++) {
        const carom_link *l = &f->link[i];
        int turns = l->ops->quaternion;
        int straight = turns < 0 ? carom_forest_velocities(l) : turns;
        for (int k = 0; k < straight; k++)
            N[(size_t)(l->q + k) + nq * (size_t)(l->u + k)] = 1;
        if (turns >= 0)
            quaternion_rates(q + l->q + turns,
                             N + (size_t)(l->q + turns) + nq * (size_t)(l->u + turns), f->nq);
    }
}

void carom_forest_rates(const carom_forest *f, const double *q, const double *u, double *rate)
{
    for (int i = 0; i < f->link_count; i++) {
        const carom_link *l = &f->link[i];
        int turns = l->ops->quaternion;
        int straight = turns < 0 ? carom_forest_velocities(l) : turns;
        double N[12];
        for (int k = 0; k < straight; k++)
            rate[l->q + k] = u[l->u + k];
        if (turns < 0)
            continue;
        quaternion_rates(q + l->q + turns, N, 4);
        for (int k = 0; k < 4; k++)
            rate[l->q + turns + k] = N[k] * u[l->u + turns] + N[4 + k] * u[l->u + turns + 1] +
                                     N[8 + k] * u[l->u + turns + 2];
    }
}
