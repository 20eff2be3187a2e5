/* A surface of triangles: neighbours over edges, and what makes it a surface at all. */
#include "bodies/mesh.h"
#include "bodies/half_edge.h"
#include "carom/tolerance.h"

#include <float.h>

static v3 corner(const carom_mesh *mesh, const carom_mesh_triangle *t, int k)
{
    return mesh->vertex[t->v[k % 3]];
}

/* Copy the triangles with their normals. */
static carom_status read_triangles(carom_mesh *mesh, const int *given, carom_mesh_triangle *made,
                                   carom_error *error)
{
    for (int k = 0; k < mesh->triangle_count; k++) {
        carom_mesh_triangle *t = &made[k];
        for (int j = 0; j < 3; j++) {
            t->v[j] = given[3 * k + j];
            if (t->v[j] < 0 || t->v[j] >= mesh->vertex_count)
                return carom_error_set(error, CAROM_ERROR_INPUT,
                                       "triangle %d of the mesh names point %d; there are points 0 "
                                       "to %d",
                                       k + 1, t->v[j], mesh->vertex_count - 1);
            t->beside[j] = -1;
        }
        v3 a = corner(mesh, t, 0);
        v3 area = v3_cross(v3_sub(corner(mesh, t, 1), a), v3_sub(corner(mesh, t, 2), a));
        if (!(v3_max(area) > 0))
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "triangle %d of the mesh has no area: its points are (%g, %g, "
                                   "%g), (%g, %g, %g) and another on their line",
                                   k + 1, a.x, a.y, a.z, corner(mesh, t, 1).x, corner(mesh, t, 1).y,
                                   corner(mesh, t, 1).z);
        t->normal = v3_unit(area);
        t->offset = v3_dot(t->normal, a);
    }
    return CAROM_OK;
}

static void list_halves(const carom_mesh *mesh, const carom_mesh_triangle *triangles,
                        half_edge *halves)
{
    for (int k = 0; k < mesh->triangle_count; k++)
        for (int side = 0; side < 3; side++) {
            int a = triangles[k].v[side], b = triangles[k].v[(side + 1) % 3];
            halves[3 * k + side] = half_edge_between(a, b, k, side);
        }
}

/* Where an edge stands, for messages. */
static carom_status refuse_edge(const carom_mesh *mesh, const half_edge *h, const char *what,
                                carom_error *error)
{
    v3 a = mesh->vertex[h->low], b = mesh->vertex[h->high];
    return carom_error_set(error, CAROM_ERROR_INPUT,
                           "the mesh %s at the edge from (%g, %g, %g) to (%g, %g, %g) of triangle "
                           "%d",
                           what, a.x, a.y, a.z, b.x, b.y, b.z, h->number + 1);
}

/* Join triangles over their edges. */
static carom_status pair_edges(carom_mesh *mesh, carom_mesh_triangle *triangles, bool open,
                               half_edge *halves, int (*ends)[2], carom_error *error)
{
    int count = 3 * mesh->triangle_count, edges = 0;
    list_halves(mesh, triangles, halves);
    half_edge_sort(halves, count);
    for (int k = 0, size; k < count; k += size, edges++) {
        const half_edge *a = &halves[k], *b = a + 1;
        for (size = 1;
             k + size < count && halves[k + size].low == a->low && halves[k + size].high == a->high;
             size++)
            ;
        if (size > 2)
            return refuse_edge(mesh, a, "has more than two triangles", error);
        triangles[a->number].edge[a->detail] = edges;
        ends[edges][0] = a->low;
        ends[edges][1] = a->high;
        if (size == 1) {
            if (!open)
                return refuse_edge(mesh, a, "is open (an edge with one triangle only)", error);
            continue;
        }
        if (triangles[a->number].v[a->detail] == triangles[b->number].v[b->detail])
            return refuse_edge(mesh, a, "has two neighbours that run the same way round", error);
        triangles[b->number].edge[b->detail] = edges;
        triangles[a->number].beside[a->detail] = b->number;
        triangles[b->number].beside[b->detail] = a->number;
    }
    mesh->edge_count = edges;
    return CAROM_OK;
}

/* The neighbours of each vertex, each edge once. */
static carom_status list_stars(carom_mesh *mesh, carom_arena *arena, carom_error *error)
{
    int *start = carom_arena_zeros(arena, (size_t)mesh->vertex_count + 2, sizeof *start);
    int *neighbour = carom_arena_array(arena, 2 * (size_t)mesh->edge_count, sizeof *neighbour);
    if (!start || !neighbour)
        return carom_error_memory(error);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < mesh->triangle_count; k++)
            for (int side = 0; side < 3; side++) {
                const carom_mesh_triangle *t = &mesh->triangle[k];
                if (t->beside[side] > k)
                    continue;
                int a = t->v[side], b = t->v[(side + 1) % 3];
                if (pass == 0) {
                    start[a + 2]++;
                    start[b + 2]++;
                } else {
                    neighbour[start[a + 1]++] = b;
                    neighbour[start[b + 1]++] = a;
                }
            }
        for (int v = 0; pass == 0 && v < mesh->vertex_count; v++)
            start[v + 2] += start[v + 1];
    }
    mesh->star_start = start;
    mesh->star_vertex = neighbour;
    return CAROM_OK;
}

/* Which edges stand out, by the sine of the angle between the normals; below rounding they are
 * flat. */
static carom_status mark_ridges(carom_mesh *mesh, carom_mesh_triangle *triangles,
                                carom_arena *arena, carom_error *error)
{
    bool *corner = carom_arena_zeros(arena, (size_t)mesh->vertex_count, sizeof *corner);
    if (!corner)
        return carom_error_memory(error);
    for (int k = 0; k < mesh->triangle_count; k++)
        for (int side = 0; side < 3; side++) {
            carom_mesh_triangle *t = &triangles[k];
            v3 e = v3_unit(mesh_side(mesh, t, side)), m = mesh_across(mesh, t, side);
            t->ridge[side] = v3_dot(e, v3_cross(t->normal, m)) > CAROM_TOLERANCE_SUM;
            if (t->ridge[side])
                corner[t->v[side]] = corner[t->v[(side + 1) % 3]] = true;
        }
    mesh->corner = corner;
    return CAROM_OK;
}

/* Six times the volume, about the first vertex. */
static double volume_of(const carom_mesh *mesh)
{
    double sum = 0;
    for (int k = 0; k < mesh->triangle_count; k++) {
        const carom_mesh_triangle *t = &mesh->triangle[k];
        v3 o = mesh->vertex[0], a = v3_sub(corner(mesh, t, 0), o);
        sum += v3_dot(a, v3_cross(v3_sub(corner(mesh, t, 1), o), v3_sub(corner(mesh, t, 2), o)));
    }
    return sum;
}

carom_status carom_mesh_build(int vertex_count, const v3 *vertices, int triangle_count,
                              const int *triangles, bool open, carom_arena *arena, carom_mesh *mesh,
                              carom_error *error)
{
    size_t count = (size_t)triangle_count;
    *mesh = (carom_mesh){
        .vertex_count = vertex_count, .triangle_count = triangle_count, .vertex = vertices};
    carom_mesh_triangle *made = carom_arena_array(arena, count, sizeof *made);
    half_edge *halves = carom_arena_array(arena, 3 * count, sizeof *halves);
    int(*ends)[2] = carom_arena_array(arena, 3 * count, sizeof *ends);
    if (!made || !halves || !ends)
        return carom_error_memory(error);
    mesh->triangle = made;
    mesh->edge = (const int(*)[2])ends;
    carom_status status = read_triangles(mesh, triangles, made, error);
    if (!status)
        status = pair_edges(mesh, made, open, halves, ends, error);
    if (!status && !open && !(volume_of(mesh) > 0))
        status = carom_error_set(error, CAROM_ERROR_INPUT,
                                 "the mesh is inverted: its volume is %g; triangles must run "
                                 "counter-clockwise seen from outside",
                                 volume_of(mesh) / 6);
    if (!status)
        status = list_stars(mesh, arena, error);
    if (!status)
        status = mark_ridges(mesh, made, arena, error);
    return status ? status : carom_mesh_tree(mesh, arena, error);
}
