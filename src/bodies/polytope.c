/* The relations of a convex polytope: edges from face loops, normals, neighbours, support. */
#include "bodies/polytope.h"
#include "bodies/half_edge.h"

#include <string.h>

enum { LOOK_AT_ALL = 24 }; /* vertices up to which ascent along edges does not pay */

static void *take(carom_arena *arena, int count, size_t size)
{
    return carom_arena_array(arena, (size_t)count, size);
}

/* Newell's normal: the area vector of the loop, the best plane of one that is not quite flat. The
 * offset is the mean over its vertices. */
static void fit_plane(const carom_polytope *p, int face, v3 *normal, double *offset)
{
    int from = p->loop_start[face], to = p->loop_start[face + 1];
    v3 origin = p->vertex[p->loop_vertex[from]], sum = {0, 0, 0};
    double mean = 0;
    for (int k = from + 1; k + 1 < to; k++) {
        v3 a = v3_sub(p->vertex[p->loop_vertex[k]], origin);
        v3 b = v3_sub(p->vertex[p->loop_vertex[k + 1]], origin);
        sum = v3_add(sum, v3_cross(a, b));
    }
    *normal = v3_unit(sum);
    for (int k = from; k < to; k++)
        mean += v3_dot(*normal, p->vertex[p->loop_vertex[k]]);
    *offset = mean / (to - from);
}

static void list_halves(const carom_polytope *p, half_edge *halves)
{
    for (int f = 0; f < p->face_count; f++)
        for (int k = p->loop_start[f]; k < p->loop_start[f + 1]; k++) {
            int next = k + 1 < p->loop_start[f + 1] ? k + 1 : p->loop_start[f];
            int a = p->loop_vertex[k], b = p->loop_vertex[next];
            halves[k] = half_edge_between(a, b, k, f);
        }
}

static carom_status pair_edges(carom_polytope *p, carom_arena *arena, carom_error *error)
{
    int count = p->loop_start[p->face_count];
    half_edge *halves = take(arena, count, sizeof *halves);
    carom_edge *edges = take(arena, count / 2, sizeof *edges);
    int *loop_edge = take(arena, count, sizeof *loop_edge);
    if (!halves || !edges || !loop_edge)
        return carom_error_memory(error);
    list_halves(p, halves);
    half_edge_sort(halves, count);
    for (int k = 0; k + 1 < count; k += 2) {
        const half_edge *a = &halves[k], *b = &halves[k + 1];
        if (a->low != b->low || a->high != b->high ||
            p->loop_vertex[a->number] == p->loop_vertex[b->number])
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "the faces of the polytope do not close at the edge of points "
                                   "%d and %d",
                                   a->low + 1, a->high + 1);
        int first = p->loop_vertex[a->number];
        edges[k / 2] =
            (carom_edge){{first, first == a->low ? a->high : a->low}, {a->detail, b->detail}};
        loop_edge[a->number] = loop_edge[b->number] = k / 2;
    }
    p->edge = edges;
    p->edge_count = count / 2;
    p->loop_edge = loop_edge;
    return CAROM_OK;
}

/* The neighbours of every vertex, in the order of the edges. */
static carom_status list_stars(carom_polytope *p, carom_arena *arena, carom_error *error)
{
    int *start = carom_arena_zeros(arena, (size_t)p->vertex_count + 2, sizeof *start);
    int *neighbour = take(arena, 2 * p->edge_count, sizeof *neighbour);
    int *through = take(arena, 2 * p->edge_count, sizeof *through);
    if (!start || !neighbour || !through)
        return carom_error_memory(error);
    for (int e = 0; e < p->edge_count; e++)
        for (int k = 0; k < 2; k++)
            start[p->edge[e].v[k] + 2]++;
    for (int v = 0; v < p->vertex_count; v++)
        start[v + 2] += start[v + 1];
    for (int e = 0; e < p->edge_count; e++)
        for (int k = 0; k < 2; k++) {
            int place = start[p->edge[e].v[k] + 1]++;
            neighbour[place] = p->edge[e].v[!k];
            through[place] = e;
        }
    p->star_start = start;
    p->star_vertex = neighbour;
    p->star_edge = through;
    return CAROM_OK;
}

carom_status carom_polytope_complete(carom_polytope *p, carom_arena *arena, carom_error *error)
{
    v3 *normal = take(arena, p->face_count, sizeof *normal);
    double *offset = take(arena, p->face_count, sizeof *offset);
    if (!normal || !offset)
        return carom_error_memory(error);
    for (int f = 0; f < p->face_count; f++)
        fit_plane(p, f, &normal[f], &offset[f]);
    p->normal = normal;
    p->offset = offset;
    p->size = 0;
    p->middle = (v3){0, 0, 0};
    for (int v = 0; v < p->vertex_count; v++) {
        p->size = fmax(p->size, v3_norm(p->vertex[v]));
        p->middle = v3_along(p->middle, 1. / p->vertex_count, p->vertex[v]);
    }
    carom_status status = p->face_count ? pair_edges(p, arena, error) : CAROM_OK;
    return status ? status : list_stars(p, arena, error);
}

int carom_polytope_support(const carom_polytope *p, v3 d, int start)
{
    if (p->vertex_count <= LOOK_AT_ALL) {
        int best = 0;
        double top = v3_dot(d, p->vertex[0]);
        for (int v = 1; v < p->vertex_count; v++) {
            double here = v3_dot(d, p->vertex[v]);
            best = here > top ? v : best;
            top = here > top ? here : top;
        }
        return best;
    }
    double top = v3_dot(d, p->vertex[start]);
    for (int best = start;; start = best) {
        for (int k = p->star_start[start]; k < p->star_start[start + 1]; k++) {
            double here = v3_dot(d, p->vertex[p->star_vertex[k]]);
            if (here > top) {
                top = here;
                best = p->star_vertex[k];
            }
        }
        if (best == start)
            return best;
    }
}
