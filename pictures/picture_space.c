/* The picture of velocity space in three directions, seen along one of them. */
#include "carom/tolerance.h"
#include "pictures/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 460, HEIGHT = 428, ARC = 24 };

/* An orthographic view of three-dimensional velocity space. */
typedef struct scene {
    const carom_report_impact *report;
    const carom_velocity_view *view;
    carom_svg *svg;
    double right[3], up[3], toward[3]; /* of the reader */
    double scale;                      /* pixels */
} scene;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void turn(scene *s, double azimuth, double elevation)
{
    double ca = cos(azimuth), sa = sin(azimuth), ce = cos(elevation), se = sin(elevation);
    const double right[] = {-sa, ca, 0}, up[] = {-se * ca, -se * sa, ce};
    const double toward[] = {ce * ca, ce * sa, se};
    memcpy(s->right, right, sizeof right);
    memcpy(s->up, up, sizeof up);
    memcpy(s->toward, toward, sizeof toward);
}

static void project(const scene *s, const double *c, double *xy)
{
    xy[0] = WIDTH / 2.0 + s->scale * dot(c, s->right);
    xy[1] = HEIGHT / 2.0 - s->scale * dot(c, s->up);
}

static void segment(const scene *s, const char *style, const double *from, const double *to)
{
    double a[2], b[2];
    project(s, from, a);
    project(s, to, b);
    carom_svg_line(s->svg, style, a[0], a[1], b[0], b[1]);
}

/* The direction from which the points lie farthest apart, out of a few. */
static void choose_direction(scene *s, const carom_outcome_marks *marks)
{
    double best = -1, chosen = 0;
    for (int k = 0; k < 12; k++) {
        double azimuth = (15 + 30 * k) * CAROM_PI / 180, least = INFINITY;
        turn(s, azimuth, 24 * CAROM_PI / 180);
        for (int i = -1; i < marks->count; i++)
            for (int j = i + 1; j < marks->count; j++) {
                double a[3], b[3], p[2], q[2];
                carom_velocity_view_place(s->view, i < 0 ? s->view->geometry->u : marks->u[i], a);
                carom_velocity_view_place(s->view, marks->u[j], b);
                project(s, a, p);
                project(s, b, q);
                least = fmin(least, hypot(p[0] - q[0], p[1] - q[1]));
            }
        least = fmin(least, 60); /* far enough apart */
        if (least > best + CAROM_PICTURE_UNSEEN) {
            best = least;
            chosen = azimuth;
        }
    }
    turn(s, chosen, 24 * CAROM_PI / 180);
}

/* Two unit vectors that span the plane orthogonal to a unit vector. */
static void plane_of(const double *normal, double *e, double *f)
{
    int small = 0;
    for (int j = 1; j < 3; j++)
        if (fabs(normal[j]) < fabs(normal[small]))
            small = j;
    double norm = sqrt(1 - normal[small] * normal[small]);
    for (int j = 0; j < 3; j++)
        e[j] = ((j == small) - normal[small] * normal[j]) / norm;
    f[0] = normal[1] * e[2] - normal[2] * e[1];
    f[1] = normal[2] * e[0] - normal[0] * e[2];
    f[2] = normal[0] * e[1] - normal[1] * e[0];
}

static bool in_cone(const carom_velocity_view *v, const double *c)
{
    for (int g = 0; g < v->group_count; g++) {
        bool all = true;
        for (int k = v->group_start[g]; k < v->group_start[g + 1] && all; k++)
            all = dot(v->T[v->group_half[k]].normal, c) >= 0;
        if (all)
            return true;
    }
    return false;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A sector of a disc as a polygon with its tip at the origin. */
static void draw_sector(const scene *s, const char *style, const double *e, const double *f,
                        double from, double to, double radius)
{
    double xy[2 * (ARC + 2)], c[3] = {0, 0, 0};
    project(s, c, xy);
    for (int k = 0; k <= ARC; k++) {
        double angle = from + (to - from) * k / ARC;
        for (int j = 0; j < 3; j++)
            c[j] = radius * (cos(angle) * e[j] + sin(angle) * f[j]);
        project(s, c, xy + 2 * (k + 1));
    }
    carom_svg_polygon(s->svg, style, ARC + 2, xy);
}

/* The faces of T: in the plane of each half-space, the sectors that have T on one side only. */
static void draw_face(const scene *s, int half, double *angles)
{
    const carom_velocity_view *v = s->view;
    const double *normal = v->T[half].normal;
    double e[3], f[3];
    int used = 0;
    plane_of(normal, e, f);
    for (int k = 0; k < v->count; k++) {
        double a = dot(v->T[k].normal, e), b = dot(v->T[k].normal, f);
        if (hypot(a, b) < CAROM_TOLERANCE_SAME)
            continue;
        double angle = atan2(-a, b); /* a cos + b sin = 0 */
        angles[used++] = angle;
        angles[used++] = angle > 0 ? angle - CAROM_PI : angle + CAROM_PI;
    }
    qsort(angles, (size_t)used, sizeof *angles, compare);
    bool round = v->geometry->spread_start[v->T[half].contact + 1] >
                 v->geometry->spread_start[v->T[half].contact];
    for (int k = 0; k < (used ? used : 1); k++) {
        double from = used ? angles[k] : -CAROM_PI;
        double to = !used ? CAROM_PI : k + 1 < used ? angles[k + 1] : angles[0] + 2 * CAROM_PI;
        if (to - from < CAROM_TOLERANCE_SAME)
            continue;
        double middle = (from + to) / 2, above[3], below[3];
        for (int j = 0; j < 3; j++) {
            double c = cos(middle) * e[j] + sin(middle) * f[j];
            above[j] = c + CAROM_PICTURE_UNSEEN * normal[j];
            below[j] = c - CAROM_PICTURE_UNSEEN * normal[j];
        }
        if (in_cone(v, above) != in_cone(v, below))
            draw_sector(s, round || v->count > 24 ? "f2" : "f2 c2 thin", e, f, from, to, v->radius);
    }
}

/* Do generators i and k span a face of the normal cone: all others on one side of their plane? */
static bool is_face(const carom_velocity_view *v, int i, int k)
{
    const double *a = v->N + 3 * i, *b = v->N + 3 * k;
    const double m[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    double least = 0, most = 0;
    for (int j = 0; j < v->normals; j++) {
        const double *c = v->N + 3 * j;
        double side = dot(m, c) / sqrt(dot(m, m) * dot(c, c) + DBL_MIN);
        least = fmin(least, side);
        most = fmax(most, side);
    }
    return least > -CAROM_TOLERANCE_SAME || most < CAROM_TOLERANCE_SAME;
}

/* The normal cone: its rays, and the faces between them. */
static void draw_normal_cone(const scene *s)
{
    const carom_velocity_view *v = s->view;
    const double origin[3] = {0, 0, 0};
    bool round = v->normals > 8;
    for (int i = 0; i < v->normals; i++) {
        double e[3], f[3], norm = sqrt(dot(v->N + 3 * i, v->N + 3 * i)), end[3];
        for (int j = 0; j < 3; j++) {
            e[j] = norm > 0 ? -v->N[3 * i + j] / norm : 0;
            end[j] = v->radius * e[j];
        }
        if (!round)
            segment(s, "c1", origin, end);
        for (int k = i + 1; k < (round ? i + 2 : v->normals); k++) {
            const double *other = v->N + 3 * (k % v->normals);
            double part = -dot(other, e);
            for (int j = 0; j < 3; j++)
                f[j] = -other[j] - part * e[j];
            double across = sqrt(dot(f, f));
            for (int j = 0; j < 3 && across > 0; j++)
                f[j] /= across;
            double angle = atan2(across, part);
            if (norm > 0 && across > 0 && (round || is_face(v, i, k)))
                draw_sector(s, "f1", e, f, 0, angle, v->radius);
        }
    }
}

static void draw_axes(const scene *s)
{
    const double origin[3] = {0, 0, 0};
    for (int j = 0; j < 3; j++) {
        double c[3] = {0, 0, 0}, xy[2];
        char name[2] = {(char)('1' + j), '\0'};
        c[j] = 1.1 * s->view->radius;
        segment(s, "faint", origin, c);
        c[j] = 1.16 * s->view->radius;
        project(s, c, xy);
        carom_svg_text(s->svg, "faint bold", xy[0], xy[1] + 4, 'm', 13, 0, name);
    }
}

/* The sphere: its outline and the circle of the first two axes. */
static void draw_sphere(const scene *s)
{
    double e[3] = {1, 0, 0}, f[3] = {0, 1, 0}, xy[2 * (2 * ARC + 1)];
    double r = s->view->radius;
    for (int k = 0; k <= 2 * ARC; k++) {
        double angle = CAROM_PI * k / ARC, c[3];
        for (int j = 0; j < 3; j++)
            c[j] = r * (cos(angle) * e[j] + sin(angle) * f[j]);
        project(s, c, xy + 2 * k);
    }
    carom_svg_polyline(s->svg, "faint", 2 * ARC + 1, xy);
    carom_svg_circle(s->svg, "ink", WIDTH / 2.0, HEIGHT / 2.0, s->scale * r);
}

static void draw_points(const scene *s, const carom_outcome_marks *marks,
                        carom_picture_parts *parts)
{
    carom_picture_labels labels = {0};
    const double origin[3] = {0, 0, 0};
    double c[3], x[2], o[2];
    carom_velocity_view_place(s->view, s->view->geometry->u, c);
    project(s, c, x);
    project(s, origin, o);
    carom_svg_arrow(s->svg, "ink thick", o[0], o[1], x[0], x[1]);
    carom_picture_avoid(&labels, x[0], x[1]);
    for (int k = 0; k < marks->count; k++) {
        double xy[2], foot[3];
        bool away = carom_velocity_view_place(s->view, marks->u[k], c) >
                    CAROM_PICTURE_UNSEEN * s->view->speed;
        memcpy(foot, c, sizeof foot);
        foot[2] = 0;
        segment(s, "c1 dotted thin", c, foot);
        project(s, c, xy);
        carom_svg_circle(s->svg, away ? "paper-mark c1" : "c1 f1 solid", xy[0], xy[1], 4);
        carom_picture_avoid(&labels, xy[0], xy[1]);
        parts->projected = parts->projected || away;
    }
    carom_picture_label(&labels, s->svg, "ink bold", x[0], x[1], carom_picture_before(s->report));
    for (int k = 0; k < marks->count; k++) {
        double xy[2];
        char letter[4];
        carom_velocity_view_place(s->view, marks->u[k], c);
        project(s, c, xy);
        carom_picture_label(&labels, s->svg, "c1 bold", xy[0], xy[1],
                            carom_outcome_marks_letter(k, letter));
    }
}

carom_status carom_picture_space(const carom_report_impact *report, const carom_velocity_view *view,
                                 const carom_outcome_marks *marks, carom_arena *arena,
                                 const carom_allocator *allocator, carom_svg *svg,
                                 carom_picture_parts *parts, carom_error *error)
{
    scene s = {.report = report, .view = view, .svg = svg};
    *parts = (carom_picture_parts){0};
    double *angles = carom_arena_doubles(arena, 2 * (size_t)view->count + 2);
    if (!angles)
        return carom_error_memory(error);
    double most = view->radius;
    for (int k = 0; k < marks->count; k++) {
        double c[3];
        carom_velocity_view_place(view, marks->u[k], c);
        most = fmax(most, sqrt(dot(c, c)));
    }
    s.scale = most > 0 ? 172 / most : 1;
    carom_svg_begin(svg, allocator, WIDTH, HEIGHT, "Velocity space in three dimensions",
                    "The tangent cone within the energy sphere, the normal cone's rays, the "
                    "velocity before the impact and the outcome of every law, marked with letters; "
                    "dotted lines show heights over the plane of the first two axes.");
    choose_direction(&s, marks);
    draw_axes(&s);
    bool conic = true;
    for (int k = 0; k < view->count; k++)
        conic = conic && view->T[k].bound == 0;
    for (int k = 0; k < view->count && conic; k++)
        draw_face(&s, k, angles);
    parts->T = conic && view->count > 0;
    if (view->exact && !view->geometry->impact->region) {
        draw_normal_cone(&s);
        parts->T_perp = true;
    }
    draw_sphere(&s);
    draw_points(&s, marks, parts);
    return CAROM_OK;
}
