/* The registry of shapes, and making a shape from its definition. */
#include "bodies/shape.h"
#include "base/parts.h"
#include "carom/need.h"

#include <string.h>

static const carom_shape_ops *find(carom_shape_kind kind)
{
    static const carom_shape_ops *const all[] = {
#define TABLE(NAME, name) &carom_shape_##name##_ops,
        CAROM_SHAPE_KINDS(TABLE)
#undef TABLE
    };
    return (unsigned)kind < CAROM_SHAPE_KIND_COUNT ? all[kind] : NULL;
}

const carom_shape_info *carom_shape_describe(carom_shape_kind kind)
{
    const carom_shape_ops *ops = find(kind);
    return ops ? &ops->is : NULL;
}

carom_shape_def carom_shape_def_default(carom_shape_kind kind)
{
    return (carom_shape_def){.kind = kind, .space = 3, .size = {1, 1, 1}, .normal = {0, 0, 1}};
}

const char *carom_shape_kind_text(carom_shape_kind kind, int space)
{
    const carom_shape_info *is = carom_shape_describe(kind);
    const char *word = !is          ? NULL
                       : space == 2 ? is->plane.word
                       : space == 3 ? is->space.word
                                    : NULL;
    return word ? word : "shape";
}

bool carom_shape_outline(const carom_shape_def *def, int k, carom_shape_line *line)
{
    CAROM_NEED_OR(false, def, line);
    const carom_shape_ops *ops = find(def->kind);
    return ops && ops->outline && ops->outline(def, k, line);
}

carom_shape_kind carom_shape_get_kind(const carom_shape *shape)
{
    CAROM_NEED_OR(CAROM_SHAPE_KIND_COUNT, shape);
    return shape->kind;
}

int carom_shape_get_space(const carom_shape *shape)
{
    CAROM_NEED_OR(0, shape);
    return shape->space;
}

/* A number that has to be a length. */
carom_status carom_shape_check_length(const carom_shape_def *def, const char *what, double value,
                                      carom_error *error)
{
    const char *kind = carom_shape_kind_text(def->kind, def->space);
    if (!(value > 0))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the %s of the %s is %g; it must be positive", what, kind, value);
    if (!(value >= CAROM_SHAPE_LEAST && value <= CAROM_SHAPE_LARGEST))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the %s of the %s is %g; lengths from %g to %g are allowed", what,
                               kind, value, CAROM_SHAPE_LEAST, CAROM_SHAPE_LARGEST);
    return CAROM_OK;
}

static carom_status check_points(const carom_shape_def *def, carom_error *error)
{
    for (int k = 0; k < def->point_count * def->space; k++)
        if (!(fabs(def->points[k]) <= CAROM_SHAPE_LARGEST))
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "point %d of the %s has the coordinate %g; it must be between "
                                   "%g and %g",
                                   k / def->space + 1, carom_shape_kind_text(def->kind, def->space),
                                   def->points[k], -CAROM_SHAPE_LARGEST, CAROM_SHAPE_LARGEST);
    return CAROM_OK;
}

/* The points of the definition as vectors in the shape's arena; in the plane z = 0. */
carom_status carom_shape_copy_points(const carom_shape_def *def, carom_shape *shape, v3 **points,
                                     carom_error *error)
{
    carom_status status = check_points(def, error);
    if (status)
        return status;
    v3 *made = carom_arena_array(shape->arena, (size_t)def->point_count, sizeof *made);
    if (!made)
        return carom_error_memory(error);
    for (int k = 0; k < def->point_count; k++) {
        const double *p = def->points + (size_t)k * (size_t)def->space;
        made[k] = (v3){p[0], p[1], def->space == 3 ? p[2] : 0};
    }
    *points = made;
    return CAROM_OK;
}

/* A segment between two points: one edge without faces. */
carom_status carom_shape_make_segment(carom_shape *shape, v3 a, v3 b, carom_error *error)
{
    static const carom_edge edge = {{0, 1}, {-1, -1}};
    v3 *ends = carom_arena_array(shape->arena, 2, sizeof *ends);
    if (!ends)
        return carom_error_memory(error);
    ends[0] = a;
    ends[1] = b;
    shape->polytope =
        (carom_polytope){.vertex_count = 2, .edge_count = 1, .vertex = ends, .edge = &edge};
    return carom_polytope_complete(&shape->polytope, shape->arena, error);
}

static carom_status check_kind(const carom_shape_def *def, carom_error *error)
{
    if (!find(def->kind))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "%d is no kind of shape",
                               (int)def->kind);
    if (def->space != 2 && def->space != 3)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "the space of the shape is %d; 2 (the plane) and 3 are allowed",
                               def->space);
    const carom_shape_info *is = carom_shape_describe(def->kind);
    if (!(def->space == 2 ? is->plane : is->space).word)
        return carom_error_set(error, CAROM_ERROR_INPUT, "there is no %s in %s",
                               carom_shape_kind_text(def->kind, 5 - def->space),
                               def->space == 2 ? "the plane" : "space");
    if (!(def->radius >= 0 && def->radius <= CAROM_SHAPE_LARGEST))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the rounding radius of the %s is %g; it must be 0 or positive",
                               carom_shape_kind_text(def->kind, def->space), def->radius);
    return CAROM_OK;
}

/* Pairs in the plane are known of these cores; others would pass through everything. */
static carom_status check_core(const carom_shape *shape, carom_error *error)
{
    if (shape->space == 3 || shape->core == CAROM_CORE_POLYTOPE || shape->core == CAROM_CORE_PLANE)
        return CAROM_OK;
    return carom_error_set(
        error, CAROM_ERROR_INPUT,
        "the %s cannot be used in the plane, where shapes are polygons, segments, "
        "points and half-planes, with a radius about them",
        carom_shape_kind_text(shape->kind, shape->space));
}

carom_status carom_shape_create(const carom_shape_def *def, const carom_allocator *allocator,
                                carom_shape **shape, carom_error *error)
{
    CAROM_NEED(error, def, shape);
    CAROM_NEED_LIST(error, def->point_count, def->points);
    CAROM_NEED_LIST(error, def->triangle_count, def->triangles);
    CAROM_NEED_LIST(error, def->rows, def->heights);
    carom_shape *made;
    carom_status status = check_kind(def, error);
    if (!status)
        status = carom_arena_object(allocator, sizeof *made, &made, error);
    if (status)
        return status;
    made->kind = def->kind;
    made->space = def->space;
    made->radius = def->radius;
    made->ops = find(def->kind);
    status = made->ops->make(def, made, error);
    if (!status)
        status = check_core(made, error);
    if (made->core == CAROM_CORE_POLYTOPE)
        made->size = made->polytope.size;
    if (status)
        carom_shape_destroy(made);
    else
        *shape = made;
    return status;
}

void carom_shape_destroy(carom_shape *shape)
{
    if (shape)
        carom_arena_destroy(shape->arena);
}
