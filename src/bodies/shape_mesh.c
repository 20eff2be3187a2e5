/* A closed surface of triangles. */
#include "bodies/shape.h"

double carom_shape_size_of(const carom_mesh *mesh)
{
    double size = 0;
    for (int k = 0; k < mesh->vertex_count; k++)
        size = fmax(size, v3_norm(mesh->vertex[k]));
    return size;
}

static carom_status make(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    v3 *points = NULL;
    if (def->triangle_count < 4)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the mesh has %d triangles; a closed one has at least four",
                               def->triangle_count);
    carom_status status = carom_shape_copy_points(def, shape, &points, error);
    if (!status)
        status = carom_mesh_build(def->point_count, points, def->triangle_count, def->triangles,
                                  false, shape->arena, &shape->mesh, error);
    shape->core = CAROM_CORE_MESH;
    shape->size = status ? 0 : carom_shape_size_of(&shape->mesh);
    return status;
}

static bool outline(const carom_shape_def *def, int k, carom_shape_line *line)
{
    *line = (carom_shape_line){0};
    for (int i = 0; k < def->triangle_count && i < 4; i++)
        carom_shape_line_add(line, def, def->triangles[3 * k + i % 3]);
    return k < def->triangle_count;
}

const carom_shape_ops carom_shape_mesh_ops = {
    .is = {.space = {"mesh", "file.stl or file.obj",
                     "closed surface of triangles, file relative to the scene; in space", 0},
           .form = CAROM_SHAPE_OF_TRIANGLES,
           .drawn = true},
    .make = make,
    .outline = outline,
};
