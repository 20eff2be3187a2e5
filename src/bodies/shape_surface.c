/* A surface of triangles that shows a shape by its core alone: the triangles of a mesh, the faces
 * of a polytope; where there are none, or the shape is round, the farthest points along directions
 * in rings about z, and at the poles. */
#include "bodies/support.h"
#include "carom/need.h"

enum { ROUND = 24, RINGS = 11 };

static carom_status take_room(int points, int triangles, carom_arena *arena, carom_shape_surface *s,
                              carom_error *error)
{
    double(*p)[3] = carom_arena_array(arena, (size_t)points, sizeof *p);
    int(*t)[3] = carom_arena_array(arena, (size_t)triangles, sizeof *t);
    if (!p || !t)
        return carom_error_memory(error);
    *s = (carom_shape_surface){
        .point_count = points, .triangle_count = triangles, .points = p, .triangles = t};
    return CAROM_OK;
}

static carom_status copy_mesh(const carom_mesh *mesh, carom_arena *arena, carom_shape_surface *s,
                              carom_error *error)
{
    carom_status status = take_room(mesh->vertex_count, mesh->triangle_count, arena, s, error);
    for (int k = 0; k < mesh->vertex_count && !status; k++)
        v3_to(mesh->vertex[k], s->points[k]);
    for (int k = 0; k < mesh->triangle_count && !status; k++)
        for (int j = 0; j < 3; j++)
            s->triangles[k][j] = mesh->triangle[k].v[j];
    return status;
}

/* A face of n corners is n - 2 triangles about its first. */
static carom_status cut_faces(const carom_polytope *p, carom_arena *arena, carom_shape_surface *s,
                              carom_error *error)
{
    int count = 0;
    carom_status status = take_room(
        p->vertex_count, p->loop_start[p->face_count] - 2 * p->face_count, arena, s, error);
    for (int k = 0; k < p->vertex_count && !status; k++)
        v3_to(p->vertex[k], s->points[k]);
    for (int f = 0; f < p->face_count && !status; f++)
        for (int k = p->loop_start[f] + 1; k + 1 < p->loop_start[f + 1]; k++, count++) {
            s->triangles[count][0] = p->loop_vertex[p->loop_start[f]];
            s->triangles[count][1] = p->loop_vertex[k];
            s->triangles[count][2] = p->loop_vertex[k + 1];
        }
    return status;
}

static void put_point(const carom_shape *shape, double down, double around, double to[3])
{
    const v3 d = {sin(down) * cos(around), sin(down) * sin(around), cos(down)};
    const carom_support side = {.p = shape->core == CAROM_CORE_POLYTOPE ? &shape->polytope : NULL,
                                .shape = shape,
                                .at = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    int vertex = 0;
    v3_to(v3_along(carom_support_point(&side, d, &vertex), shape->radius, d), to);
}

/* Point k of ring i; rings 0 and RINGS + 1 are the poles. */
static int point_at(int i, int k)
{
    return i == 0 ? 0 : i > RINGS ? ROUND * RINGS + 1 : 1 + ROUND * (i - 1) + k % ROUND;
}

static carom_status go_round(const carom_shape *shape, carom_arena *arena, carom_shape_surface *s,
                             carom_error *error)
{
    int count = 0;
    carom_status status = take_room(ROUND * RINGS + 2, 2 * ROUND * RINGS, arena, s, error);
    for (int i = 0; i <= RINGS + 1 && !status; i++)
        for (int k = 0; k < ROUND; k++)
            put_point(shape, CAROM_PI * i / (RINGS + 1), 2 * CAROM_PI * k / ROUND,
                      s->points[point_at(i, k)]);
    for (int i = 0; i <= RINGS && !status; i++)
        for (int k = 0; k < ROUND; k++) {
            const int a = point_at(i, k), b = point_at(i + 1, k), c = point_at(i + 1, k + 1),
                      d = point_at(i, k + 1);
            const int two[2][3] = {{a, b, c}, {a, c, d}};
            for (int t = i == RINGS; t < (i == 0 ? 1 : 2); t++, count++)
                for (int j = 0; j < 3; j++)
                    s->triangles[count][j] = two[t][j];
        }
    return status;
}

carom_status carom_shape_get_surface(const carom_shape *shape, carom_arena *arena,
                                     carom_shape_surface *surface, carom_error *error)
{
    CAROM_NEED(error, shape, arena, surface);
    carom_status status = CAROM_OK;
    *surface = (carom_shape_surface){0};
    if (shape->space == 2 || shape->core == CAROM_CORE_PLANE)
        return CAROM_OK;
    if (shape->core == CAROM_CORE_MESH)
        return copy_mesh(&shape->mesh, arena, surface, error);
    if (shape->core == CAROM_CORE_POLYTOPE && shape->radius == 0 && shape->polytope.face_count > 0)
        return cut_faces(&shape->polytope, arena, surface, error);
    status = go_round(shape, arena, surface, error);
    surface->smooth = shape->core == CAROM_CORE_CONVEX || shape->radius > 0;
    return status;
}
