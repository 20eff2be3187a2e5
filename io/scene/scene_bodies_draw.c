/* Pictures of bodies: circles and lines that follow from their shapes, in the plane as they are, in
 * space seen from a fixed direction. The page draws bodies in space from the shapes themselves. */
#include "scene/scene_bodies.h"

#include <math.h>
#include <string.h>

/* Traces of more bodies hold no drawing: the page draws from the shapes, a picture evaluates its
 * own instants. A mesh has no more lines than an eye tells apart. */
enum { BODIES_SAVED = 40, FIGURES_MOST = 4000, FIGURES_EACH = 400, ROUND = 24 };

enum { SAME = CAROM_WORLD - 1 };

/* Points of the line around what is seen of a box, and along its three edges in front. */
enum { SEEN = 12 };

/* One line or circle of a body: points in its frame. */
typedef struct carom_scene_figure {
    int body;
    int other;     /* the body of the second point, or CAROM_WORLD, or SAME */
    bool flat;     /* in the plane */
    bool solid;    /* a box in space: its corners are the points, the outline what is seen */
    bool open[2];  /* ends that are none */
    int count;     /* points of a line; 0: a circle */
    double radius; /* of a circle; of a line: its outline is that of its two ends, rounded */
    double points[CAROM_SHAPE_LINE_MOST][3];
} carom_scene_figure;

typedef struct sketch {
    carom_reader *r;
    carom_scene *scene;
    carom_scene_figure *figures;
    int count, room, limit;
    int space;
    double middle[2], reach; /* of the bodies that end somewhere */
    bool failed;
} sketch;

/* ---- seen from somewhere ---- */

/* The eye stands to the front and a little to the left and above: right and up on the paper. */
static const double right[3] = {0.90630778703665, 0.42261826174070, 0};
static const double above[3] = {-0.14454395845259, 0.30997552192194, 0.93969262078591};

/* From there to the eye: right x above. */
static const double eye[3] = {0.39713126196710, -0.85165072145955, 0.34202014332567};

static void place(const double *pose, const double x[3], double y[3])
{
    carom_pose at;
    carom_pose_set(&at, pose, pose + 3);
    for (int i = 0; i < 3; i++)
        y[i] = at.position[i] + at.rotation[i] * x[0] + at.rotation[i + 3] * x[1] +
               at.rotation[i + 6] * x[2];
}

static double nearness(const double *pose, const double x[3])
{
    double y[3];
    place(pose, x, y);
    return eye[0] * y[0] + eye[1] * y[1] + eye[2] * y[2];
}

static void project(const double *pose, const double x[3], bool flat, double out[2])
{
    double y[3];
    place(pose, x, y);
    out[0] = flat ? y[0] : right[0] * y[0] + right[1] * y[1] + right[2] * y[2];
    out[1] = flat ? y[1] : above[0] * y[0] + above[1] * y[1] + above[2] * y[2];
}

/* ---- what is drawn ---- */

static carom_scene_figure *new_figure(sketch *s, int body)
{
    if (s->count == FIGURES_MOST || s->count == s->limit)
        return NULL;
    carom_scene_figure *grown =
        carom_reader_grow(s->r, s->figures, s->count, &s->room, sizeof *grown);
    if (!grown) {
        s->failed = true;
        return NULL;
    }
    s->figures = grown;
    grown[s->count] = (carom_scene_figure){.body = body, .other = SAME, .flat = s->space == 2};
    return &grown[s->count++];
}

/* A point of a shape in the frame of its body. */
static void place_point(const sketch *s, const carom_body_shape *shape, const double *x,
                        double out[3])
{
    carom_pose pose;
    if (s->space == 2)
        carom_pose_set_plane(&pose, shape->position, shape->turn[0]);
    else
        carom_pose_set(&pose, shape->position, shape->turn);
    for (int i = 0; i < 3; i++) {
        out[i] = pose.position[i];
        for (int k = 0; k < s->space; k++)
            out[i] += pose.rotation[i + 3 * k] * x[k];
    }
}

static void add_line(sketch *s, int body, const carom_body_shape *shape, int count,
                     const double *points, int step)
{
    carom_scene_figure *f = count <= CAROM_SHAPE_LINE_MOST ? new_figure(s, body) : NULL;
    for (int k = 0; f && k < count; k++)
        place_point(s, shape, points + step * k, f->points[k]);
    if (f)
        f->count = count;
}

/* What a kind of shape draws of itself. */
static void add_outline(sketch *s, int body, const carom_body_shape *shape,
                        const carom_shape_def *d)
{
    carom_shape_line line;
    for (int k = 0; s->count < s->limit && carom_shape_outline(d, k, &line); k++) {
        const int before = s->count;
        add_line(s, body, shape, line.count, line.points[0], 3);
        if (s->count == before)
            continue;
        s->figures[before].radius = line.radius;
        s->figures[before].count = line.count == 1 ? 0 : line.count;
        s->figures[before].solid = line.corners;
    }
}

/* ---- lines without an end ---- */

/* Where a half-plane is at the start: a point of its edge, its normal, the way along the edge. */
typedef struct edge {
    double at[2], normal[2], along[2];
} edge;

static edge edge_of(const sketch *s, int body, const carom_body_shape *shape,
                    const carom_shape_def *d)
{
    const double *pose = s->scene->poses + CAROM_BODIES_POSE * body,
                 size = hypot(d->normal[0], d->normal[1]);
    const double ends[3][3] = {{0},
                               {d->normal[0] / size, d->normal[1] / size, 0},
                               {-d->normal[1] / size, d->normal[0] / size, 0}};
    double out[3][2], x[3];
    for (int k = 0; k < 3; k++) {
        place_point(s, shape, ends[k], x);
        project(pose, x, true, out[k]);
    }
    return (edge){.at = {out[0][0], out[0][1]},
                  .normal = {out[1][0] - out[0][0], out[1][1] - out[0][1]},
                  .along = {out[2][0] - out[0][0], out[2][1] - out[0][1]}};
}

/* What other half-planes leave of an edge. */
static void clip(const edge *e, const edge *by, double stretch[2])
{
    const double rate = by->normal[0] * e->along[0] + by->normal[1] * e->along[1];
    const double gap =
        by->normal[0] * (e->at[0] - by->at[0]) + by->normal[1] * (e->at[1] - by->at[1]);
    if (rate > 0)
        stretch[0] = fmax(stretch[0], -gap / rate);
    else if (rate < 0)
        stretch[1] = fmin(stretch[1], -gap / rate);
}

static bool is_half_plane(const carom_shape_def *d)
{
    return carom_shape_describe(d->kind)->form == CAROM_SHAPE_OF_NORMAL;
}

/* An edge beside what there is, and between the other edges: four cushions make a table. */
static void add_half_plane(sketch *s, int body, const carom_body_shape *shape,
                           const carom_shape_def *d)
{
    const carom_scene_content *c = &s->scene->content;
    const double size = hypot(d->normal[0], d->normal[1]);
    if (s->space != 2)
        return;
    const edge e = edge_of(s, body, shape, d);
    const double middle =
        e.along[0] * (s->middle[0] - e.at[0]) + e.along[1] * (s->middle[1] - e.at[1]);
    const double whole[2] = {middle - s->reach, middle + s->reach};
    double stretch[2] = {whole[0], whole[1]};
    for (int k = 0; k < c->body_count; k++)
        for (int i = 0; i < c->bodies[k].shape_count; i++)
            if (is_half_plane(c->bodies[k].defs[i]) && c->bodies[k].defs[i] != d) {
                const edge other = edge_of(s, k, &c->bodies[k].shapes[i], c->bodies[k].defs[i]);
                clip(&e, &other, stretch);
            }
    const double *from = stretch[0] < stretch[1] ? stretch : whole;
    double points[2][3] = {{0}};
    for (int k = 0; k < 2; k++) {
        points[k][0] = -d->normal[1] / size * from[k];
        points[k][1] = d->normal[0] / size * from[k];
    }
    const int before = s->count;
    add_line(s, body, shape, 2, points[0], 3);
    for (int k = 0; k < 2 && s->count > before; k++)
        s->figures[before].open[k] = from[k] == whole[k];
}

static void add_shape(sketch *s, int body, const carom_body_shape *shape, const carom_shape_def *d)
{
    if (is_half_plane(d))
        add_half_plane(s, body, shape, d);
    else
        add_outline(s, body, shape, d);
}

/* Where bodies are at the start, for lines without an end. */
static void find_reach(sketch *s)
{
    carom_scene *scene = s->scene;
    const carom_scene_content *c = &scene->content;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    carom_scene_bodies_pose(scene, c->initial.t, c->initial.q);
    for (int k = 0; k < c->body_count; k++)
        for (int i = 0; i < c->bodies[k].shape_count; i++) {
            const double *pose = scene->poses + CAROM_BODIES_POSE * k;
            double lower[3], upper[3];
            carom_pose at;
            carom_pose_set(&at, pose, pose + 3);
            carom_shape_bounds(c->bodies[k].shapes[i].shape, &at, lower, upper);
            for (int d = 0; d < 2; d++) {
                const bool ends = isfinite(lower[d]) && isfinite(upper[d]);
                low[d] = fmin(low[d], ends ? lower[d] : pose[d]);
                high[d] = fmax(high[d], ends ? upper[d] : pose[d]);
            }
        }
    for (int d = 0; d < 2; d++)
        s->middle[d] = (low[d] + high[d]) / 2;
    s->reach = 0.6 * hypot(high[0] - low[0], high[1] - low[1]);
    if (!(s->reach > 0 && isfinite(s->reach)))
        s->middle[0] = s->middle[1] = 0, s->reach = 1;
}

static int numbers_of(const carom_scene_figure *f)
{
    return f->count == 0 ? 4 : f->solid ? 2 * SEEN : f->radius > 0 ? 2 * (ROUND + 3) : 2 * f->count;
}

static void add_rope(sketch *s, const carom_scene_rope *rope)
{
    carom_scene_figure *f = new_figure(s, rope->body[0]);
    if (!f)
        return;
    f->other = rope->body[1];
    f->count = 2;
    memcpy(f->points, rope->at, sizeof rope->at);
}

/* Can it move? A rope can where either of its ends does. */
static bool is_free(const carom_scene_content *c, const carom_scene_figure *f)
{
    return !c->bodies[f->body].fixed || (f->other >= 0 && !c->bodies[f->other].fixed);
}

/* Does a line in the plane come back to its first point? A rounded one is the outline of its ends.
 */
static bool is_closed(const carom_scene_figure *f)
{
    const double *first = f->points[0], *last = f->points[f->count > 0 ? f->count - 1 : 0];
    return f->flat && f->count > 0 &&
           (f->radius > 0 || (f->count > 3 && first[0] == last[0] && first[1] == last[1]));
}

carom_status carom_scene_bodies_draw(carom_reader *r, carom_scene *scene)
{
    carom_scene_content *c = &scene->content;
    sketch s = {.r = r, .scene = scene};
    if (c->body_count == 0 || c->shape_count > 0)
        return CAROM_OK;
    c->shapes_unsaved = c->body_count > BODIES_SAVED;
    find_reach(&s);
    for (int k = 0; k < c->body_count; k++)
        for (int i = 0; i < c->bodies[k].shape_count; i++) {
            s.space = c->bodies[k].defs[i]->space;
            s.limit = s.count + FIGURES_EACH;
            add_shape(&s, k, &c->bodies[k].shapes[i], c->bodies[k].defs[i]);
        }
    s.limit = FIGURES_MOST;
    for (int k = 0; k < c->rope_count; k++)
        add_rope(&s, &c->ropes[k]);
    carom_scene_shape *shapes = carom_arena_zeros(r->arena, (size_t)s.count, sizeof *shapes);
    carom_scene_figure *kept = carom_arena_array(r->arena, (size_t)s.count, sizeof *kept);
    if (s.failed || !shapes || !kept)
        return carom_error_memory(r->error);
    for (int k = 0; k < s.count; k++) {
        const carom_scene_body *body = &c->bodies[s.figures[k].body];
        kept[k] = s.figures[k];
        shapes[k] = (carom_scene_shape){
            .kind = s.figures[k].count == 0 ? CAROM_SCENE_CIRCLE : CAROM_SCENE_LINE,
            .count = numbers_of(&s.figures[k]),
            .body = s.figures[k].other == SAME ? s.figures[k].body + 1 : 0,
            .solid = !s.figures[k].flat && (s.figures[k].solid || s.figures[k].radius > 0),
            .closed = is_closed(&s.figures[k]),
            .free = is_free(c, &s.figures[k]),
            .open = {s.figures[k].open[0], s.figures[k].open[1]},
            .color = s.figures[k].other != SAME ? "gray"
                     : body->colour             ? body->colour
                     : body->fixed              ? "gray"
                                                : NULL};
    }
    scene->figures = kept;
    scene->figure_count = s.count;
    c->shapes = shapes;
    c->shape_count = s.count;
    return CAROM_OK;
}

/* ---- where it is ---- */

/* The outline of two circles of one radius. */
static void outline(const double a[2], const double b[2], double radius, double *values)
{
    const double along = atan2(b[1] - a[1], b[0] - a[0]);
    for (int k = 0; k <= ROUND + 2; k++) {
        int step = k % (ROUND + 2);
        const double *centre = step <= ROUND / 2 ? b : a;
        double angle = step <= ROUND / 2
                           ? along - CAROM_PI / 2 + 2 * CAROM_PI * step / ROUND
                           : along + CAROM_PI / 2 + 2 * CAROM_PI * (step - ROUND / 2 - 1) / ROUND;
        values[2 * k] = centre[0] + radius * cos(angle);
        values[2 * k + 1] = centre[1] + radius * sin(angle);
    }
}

/* The corner of a box that is nearest to the eye: its three neighbours a, b, c and those between
 * them are the outline, the edges to a, b, c are seen. */
static void outline_box(const carom_scene_figure *f, const double *pose, double *values)
{
    int front = 0;
    for (int k = 1; k < 8; k++)
        if (nearness(pose, f->points[k]) > nearness(pose, f->points[front]))
            front = k;
    const int a = front ^ 1, b = front ^ 2, c = front ^ 4;
    const int order[SEEN] = {a, front ^ 3, b, front ^ 6, c, front ^ 5,
                             a, front,     b, front,     c, front ^ 5}; /* and back to a */
    for (int k = 0; k < SEEN; k++)
        project(pose, f->points[order[k]], false, values + 2 * k);
}

double carom_scene_bodies_nearness(const carom_scene *scene, int figure)
{
    const carom_scene_figure *f = &scene->figures[figure];
    double sum = 0;
    for (int k = 0; k < f->count; k++)
        sum += nearness(scene->poses + CAROM_BODIES_POSE * f->body, f->points[k]);
    return f->flat    ? 0
           : f->count ? sum / f->count
                      : nearness(scene->poses + CAROM_BODIES_POSE * f->body, f->points[0]);
}

void carom_scene_bodies_pose(const carom_scene *scene, double t, const double *q)
{
    carom_bodies_poses(carom_bodies_of(scene->system), t, q, scene->poses);
}

void carom_scene_bodies_evaluate(const carom_scene *scene, int figure, double *values)
{
    const carom_scene_figure *f = &scene->figures[figure];
    const double *pose = scene->poses + CAROM_BODIES_POSE * f->body;
    const bool flat = f->flat;
    double ends[2][2];
    if (f->solid) {
        outline_box(f, pose, values);
        return;
    }
    static const double still[CAROM_BODIES_POSE] = {[3] = 1};
    for (int k = 0; k < f->count && !(f->radius > 0); k++)
        project(k == 0 || f->other == SAME ? pose
                : f->other == CAROM_WORLD  ? still
                                           : scene->poses + CAROM_BODIES_POSE * f->other,
                f->points[k], flat, values + 2 * k);
    if (!(f->radius > 0))
        return;
    project(pose, f->points[0], flat, ends[0]);
    project(pose, f->points[1], flat, ends[1]);
    if (f->count > 0) {
        outline(ends[0], ends[1], f->radius, values);
        return;
    }
    values[0] = ends[0][0];
    values[1] = ends[0][1];
    values[2] = f->radius;
    values[3] = flat ? 2 * atan2(pose[6], pose[3]) : 0;
}
