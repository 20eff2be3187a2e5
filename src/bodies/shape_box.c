/* A box about the origin: its full lengths. */
#include "bodies/shape.h"

/* Vertex k has the signs of the bits of k: x is bit 0. */
static carom_status make_box_in_space(const double h[3], carom_shape *shape, carom_error *error)
{
    static const int start[7] = {0, 4, 8, 12, 16, 20, 24};
    static const int loop[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    v3 *vertices = carom_arena_array(shape->arena, 8, sizeof *vertices);
    if (!vertices)
        return carom_error_memory(error);
    for (int k = 0; k < 8; k++)
        vertices[k] = (v3){k & 1 ? h[0] : -h[0], k & 2 ? h[1] : -h[1], k & 4 ? h[2] : -h[2]};
    shape->polytope = (carom_polytope){.vertex_count = 8,
                                       .face_count = 6,
                                       .vertex = vertices,
                                       .loop_start = start,
                                       .loop_vertex = loop};
    return carom_polytope_complete(&shape->polytope, shape->arena, error);
}

static carom_status make(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    static const char *const names[3] = {"first length", "second length", "third length"};
    for (int k = 0; k < def->space; k++) {
        carom_status status = carom_shape_check_length(def, names[k], def->size[k], error);
        if (status)
            return status;
        shape->half[k] = def->size[k] / 2;
    }
    const double *h = shape->half;
    shape->is_box = true;
    if (def->space == 3)
        return make_box_in_space(h, shape, error);
    v3 *vertices = carom_arena_array(shape->arena, 4, sizeof *vertices);
    if (!vertices)
        return carom_error_memory(error);
    vertices[0] = (v3){-h[0], -h[1], 0};
    vertices[1] = (v3){h[0], -h[1], 0};
    vertices[2] = (v3){h[0], h[1], 0};
    vertices[3] = (v3){-h[0], h[1], 0};
    return carom_shape_make_loop(shape, 4, vertices, error);
}

/* One line that runs along all edges. */
static bool outline(const carom_shape_def *def, int k, carom_shape_line *line)
{
    static const int flat[] = {0, 1, 3, 2, 0}, corners[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const int *order = def->space == 2 ? flat : corners;
    *line = (carom_shape_line){.count = def->space == 2 ? 5 : 8, .corners = def->space == 3};
    for (int j = 0; j < line->count; j++)
        for (int i = 0; i < def->space; i++)
            line->points[j][i] = (order[j] >> i & 1 ? 0.5 : -0.5) * def->size[i];
    return k == 0;
}

/* Half the extent of a rotated box along the axes: |R| h. */
static void bounds(const carom_shape *shape, const frame *f, v3 *lower, v3 *upper)
{
    const v3 extent = carom_shape_extent_of_box(&f->R, shape->half);
    *lower = v3_sub(f->p, extent);
    *upper = v3_add(f->p, extent);
}

const carom_shape_ops carom_shape_box_ops = {
    .is = {.space = {"box", "two or three numbers > 0", "full lengths", 3},
           .plane = {"box", "two or three numbers > 0", "full lengths", 2},
           .drawn = true},
    .make = make,
    .bounds = bounds,
    .outline = outline,
};
