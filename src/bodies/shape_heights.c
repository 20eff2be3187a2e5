/* A field of heights over a grid: ground. */
#include "bodies/shape.h"

#include <string.h>

/* Points and triangles of a field of heights: two triangles a cell, cut from corner (i, j) to
 * (i + 1, j + 1). */
static void fill_heights(const carom_shape_def *def, v3 *points, int *triangles)
{
    int rows = def->rows, columns = def->columns;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            points[i * columns + j] =
                (v3){(j - (columns - 1) / 2.0) * def->size[0],
                     (i - (rows - 1) / 2.0) * def->size[1], def->heights[i * columns + j]};
    for (int i = 0; i + 1 < rows; i++)
        for (int j = 0; j + 1 < columns; j++) {
            int a = i * columns + j, b = a + 1, c = a + columns, d = c + 1;
            const int two[6] = {a, b, d, a, d, c};
            memcpy(triangles, two, sizeof two);
            triangles += 6;
        }
}

static carom_status check_heights(const carom_shape_def *def, carom_error *error)
{
    if (def->rows < 2 || def->columns < 2)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the field of heights has %d rows and %d columns; it needs at least "
                               "2 of each",
                               def->rows, def->columns);
    if ((double)def->rows * def->columns > 1e8)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the field of heights has %d rows and %d columns; at most 1e8 "
                               "heights are allowed",
                               def->rows, def->columns);
    for (int k = 0; k < def->rows * def->columns; k++)
        if (!(fabs(def->heights[k]) <= CAROM_SHAPE_LARGEST))
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "the height of row %d, column %d is %g; it must be finite",
                                   k / def->columns + 1, k % def->columns + 1, def->heights[k]);
    carom_status status = carom_shape_check_length(def, "distance of columns", def->size[0], error);
    return status ? status : carom_shape_check_length(def, "distance of rows", def->size[1], error);
}

static carom_status make(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    carom_status status = check_heights(def, error);
    if (status)
        return status;
    int count = def->rows * def->columns, cells = (def->rows - 1) * (def->columns - 1);
    v3 *points = carom_arena_array(shape->arena, (size_t)count, sizeof *points);
    int *triangles = carom_arena_array(shape->arena, 6 * (size_t)cells, sizeof *triangles);
    if (!points || !triangles)
        return carom_error_memory(error);
    fill_heights(def, points, triangles);
    shape->core = CAROM_CORE_MESH;
    status = carom_mesh_build(count, points, 2 * cells, triangles, true, shape->arena, &shape->mesh,
                              error);
    shape->size = status ? 0 : carom_shape_size_of(&shape->mesh);
    return status;
}

const carom_shape_ops carom_shape_heights_ops = {
    .is = {.space = {"heights", "map", "field of heights; in space", 0},
           .form = CAROM_SHAPE_OF_HEIGHTS,
           .endless = true,
           .drawn = true},
    .make = make,
};
