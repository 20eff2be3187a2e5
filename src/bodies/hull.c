/* The convex hull as a polytope: triangles that lie in one plane become one face.
 *
 * Triangles are joined over an edge when the corners of one lie in the plane of the other within
 * the rounding of coordinates. Corners that end up inside a face or in the middle of a straight
 * edge are no vertices of the hull. */
#include "bodies/hull.h"
#include "carom/tolerance.h"

#include <float.h>
#include <stdlib.h>

/* Heights below this part of the size are rounding: coordinates that were rotated once carry about
 * four roundings each, and the plane of a small triangle enlarges them. */
static const double plane_rounding = CAROM_TOLERANCE_SUM;
/* A hull thinner than this part of its size is refused: its sides would have no direction. */
static const double least_thickness = 1024 * DBL_EPSILON;

typedef struct sized_facet {
    double area;
    int facet;
} sized_facet;

typedef struct joiner {
    const v3 *points;
    const carom_hull_facet *facets;
    int facet_count, group_count;
    double size;
    int *group;         /* of a facet: the face it belongs to; -1: none */
    int *first, *next;  /* members of a group: a list */
    int *stack;         /* work */
    sized_facet *sized; /* work */
    int *degree;        /* of a point: edges between different faces that start there */
    int *vertex_of;     /* of a point: its vertex; -1: none */
    int *leads_to;      /* of a point: the next one on the boundary of the present face */
} joiner;

static v3 area_vector(const joiner *j, int facet)
{
    const int *v = j->facets[facet].v;
    return v3_cross(v3_sub(j->points[v[1]], j->points[v[0]]),
                    v3_sub(j->points[v[2]], j->points[v[0]]));
}

static int largest_first(const void *x, const void *y)
{
    const sized_facet *a = x, *b = y;
    if (a->area != b->area)
        return a->area > b->area ? -1 : 1;
    return a->facet < b->facet ? -1 : a->facet > b->facet;
}

static bool in_plane(const joiner *j, v3 normal, v3 origin, int facet)
{
    double height = 0;
    for (int k = 0; k < 3; k++) {
        v3 corner = j->points[j->facets[facet].v[k]];
        height = fmax(height, fabs(v3_dot(normal, v3_sub(corner, origin))));
    }
    return height <= plane_rounding * j->size;
}

/* Grow a face from one facet over edges to all in its plane. */
static void grow(joiner *j, int seed)
{
    v3 normal = v3_unit(area_vector(j, seed)), origin = j->points[j->facets[seed].v[0]];
    int count = 0, group = j->group_count++;
    j->stack[count++] = seed;
    j->group[seed] = group;
    j->first[group] = -1;
    while (count) {
        int facet = j->stack[--count];
        j->next[facet] = j->first[group];
        j->first[group] = facet;
        for (int k = 0; k < 3; k++) {
            int other = j->facets[facet].beside[k];
            if (j->group[other] < 0 && in_plane(j, normal, origin, other)) {
                j->group[other] = group;
                j->stack[count++] = other;
            }
        }
    }
}

/* Faces grow from the largest facet that is left, for its plane is known best. */
static void group_facets(joiner *j)
{
    int count = 0;
    for (int f = 0; f < j->facet_count; f++) {
        j->group[f] = -1;
        if (!j->facets[f].gone)
            j->sized[count++] = (sized_facet){v3_norm(area_vector(j, f)), f};
    }
    qsort(j->sized, (size_t)count, sizeof *j->sized, largest_first);
    for (int k = 0; k < count; k++)
        if (j->group[j->sized[k].facet] < 0)
            grow(j, j->sized[k].facet);
}

/* Points where at least three faces meet are the vertices. */
static int number_vertices(joiner *j, int count, v3 *vertices)
{
    int made = 0;
    for (int f = 0; f < j->facet_count; f++)
        for (int k = 0; k < 3 && !j->facets[f].gone; k++)
            if (j->group[f] != j->group[j->facets[f].beside[k]])
                j->degree[j->facets[f].v[k]]++;
    for (int p = 0; p < count; p++) {
        j->vertex_of[p] = j->degree[p] >= 3 ? made : -1;
        if (j->degree[p] >= 3)
            vertices[made++] = j->points[p];
    }
    return made;
}

/* Write the loop of one face and return its length; 0 when the boundary is no simple loop. */
static int walk_boundary(joiner *j, int group, int *loop)
{
    int edges = 0, first = -1, written = 0;
    for (int m = j->first[group]; m >= 0; m = j->next[m])
        for (int k = 0; k < 3; k++)
            if (j->group[j->facets[m].beside[k]] != group) {
                first = j->facets[m].v[k];
                j->leads_to[first] = j->facets[m].v[(k + 1) % 3];
                edges++;
            }
    int at = first;
    for (int step = 0; step < edges; step++, at = j->leads_to[at]) {
        if (step && at == first)
            return 0;
        if (j->vertex_of[at] >= 0)
            loop[written++] = j->vertex_of[at];
    }
    return at == first && written >= 3 ? written : 0;
}

static carom_status prepare(joiner *j, int count, carom_arena *arena, carom_error *error)
{
    size_t facets = (size_t)j->facet_count, points = (size_t)count;
    j->group = carom_arena_array(arena, facets, sizeof(int));
    j->first = carom_arena_array(arena, facets, sizeof(int));
    j->next = carom_arena_array(arena, facets, sizeof(int));
    j->stack = carom_arena_array(arena, facets, sizeof(int));
    j->sized = carom_arena_array(arena, facets, sizeof *j->sized);
    j->degree = carom_arena_zeros(arena, points, sizeof(int));
    j->vertex_of = carom_arena_array(arena, points, sizeof(int));
    j->leads_to = carom_arena_array(arena, points, sizeof(int));
    if (!j->group || !j->first || !j->next || !j->stack || !j->sized || !j->degree ||
        !j->vertex_of || !j->leads_to)
        return carom_error_memory(error);
    return CAROM_OK;
}

static carom_status refuse_flat(int count, carom_error *error)
{
    return carom_error_set(error, CAROM_ERROR_INPUT,
                           "the %d points of the hull lie in one plane up to rounding, or some "
                           "nearly coincide; a body in space needs four that span it",
                           count);
}

/* Faces, loops and vertices into the arena of the hull. */
static carom_status join(joiner *j, int count, carom_arena *arena, carom_polytope *hull,
                         carom_error *error)
{
    group_facets(j);
    v3 *vertices = carom_arena_array(arena, (size_t)count, sizeof *vertices);
    int *start = carom_arena_array(arena, (size_t)j->group_count + 1, sizeof *start);
    int *loop = carom_arena_array(arena, 3 * (size_t)j->facet_count, sizeof *loop);
    if (!vertices || !start || !loop)
        return carom_error_memory(error);
    *hull = (carom_polytope){.vertex = vertices, .loop_start = start, .loop_vertex = loop};
    hull->vertex_count = number_vertices(j, count, vertices);
    hull->face_count = j->group_count;
    start[0] = 0;
    for (int g = 0; g < j->group_count; g++) {
        int length = walk_boundary(j, g, loop + start[g]);
        if (!length)
            return refuse_flat(count, error);
        start[g + 1] = start[g] + length;
    }
    return carom_polytope_complete(hull, arena, error);
}

/* The least distance between two parallel planes that hold the hull, one of them on a face. */
static double thickness_of(const carom_polytope *p)
{
    double least = INFINITY;
    for (int f = 0; f < p->face_count; f++) {
        int far = carom_polytope_support(p, v3_neg(p->normal[f]), 0);
        least = fmin(least, p->offset[f] - v3_dot(p->normal[f], p->vertex[far]));
    }
    return least;
}

/* The farthest corner of the box of the points: the size that rounding is measured by. */
static double size_of(int count, const v3 *points)
{
    double size = 0;
    for (int k = 0; k < count; k++)
        size = fmax(size, v3_max(v3_sub(points[k], points[0])));
    return size;
}

static carom_status build(int count, const v3 *points, carom_arena *arena, carom_arena *scratch,
                          carom_polytope *hull, carom_error *error)
{
    carom_hull_facet *facets = NULL;
    int facet_count = 0;
    bool flat = false;
    carom_status status =
        carom_hull_triangles(count, points, scratch, &facets, &facet_count, &flat, error);
    if (status || flat)
        return status ? status : refuse_flat(count, error);
    joiner j = {.points = points,
                .facets = facets,
                .facet_count = facet_count,
                .size = size_of(count, points)};
    status = prepare(&j, count, scratch, error);
    if (!status)
        status = join(&j, count, arena, hull, error);
    if (!status && !(thickness_of(hull) > least_thickness * j.size))
        status = refuse_flat(count, error);
    return status;
}

carom_status carom_hull_build(int count, const v3 *points, carom_arena *arena, carom_polytope *hull,
                              carom_error *error)
{
    carom_arena *scratch;
    if (count < 4)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the hull has %d points; a body in space needs at least four",
                               count);
    carom_status status = carom_arena_create(carom_arena_allocator(arena), &scratch, error);
    if (status)
        return status;
    status = build(count, points, arena, scratch, hull, error);
    carom_arena_destroy(scratch);
    return status;
}
