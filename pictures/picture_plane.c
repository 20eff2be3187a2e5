/* The picture of velocity space in two directions: T, its polar, S and the outcomes. */
#include "pictures/picture.h"

#include "carom/tolerance.h"
#include "pictures/plane_cone.h"
#include "pictures/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 460, HEIGHT = 428, CIRCLE = 240 };

typedef struct drawing {
    const carom_report_impact *report;
    const carom_velocity_view *view;
    carom_plot plot;
    carom_picture_parts *parts;
    double x[2];    /* u- */
    double *a, *b;  /* polygons */
    double *angles; /* work of find_sector */
    carom_error *error;
    carom_status status;
} drawing;

static void area(drawing *d, const char *style, int count, const double *polygon)
{
    if (count > 2)
        carom_plot_area(&d->plot, style, count, polygon);
}

static void curve(drawing *d, const char *style, int count, const double *line)
{
    if (count > 1)
        carom_plot_curve(&d->plot, style, count, line);
}

/* The frame with a margin, so that sides along it stay out of sight. */
static int frame(const drawing *d, double margin, double *polygon)
{
    const carom_plot *p = &d->plot;
    double w = margin * (p->x_most - p->x_least), h = margin * (p->y_most - p->y_least);
    double x[] = {p->x_least - w, p->x_most + w}, y[] = {p->y_least - h, p->y_most + h};
    const double corners[] = {x[0], y[0], x[1], y[0], x[1], y[1], x[0], y[1]};
    memcpy(polygon, corners, sizeof corners);
    return 4;
}

static int disc(double radius, double *polygon)
{
    for (int k = 0; k < CIRCLE; k++) {
        polygon[2 * k] = radius * cos(2 * CAROM_PI * k / CIRCLE);
        polygon[2 * k + 1] = radius * sin(2 * CAROM_PI * k / CIRCLE);
    }
    return CIRCLE;
}

static int cut(drawing *d, int count, const double *normal, double bound)
{
    count = carom_picture_clip(count, d->a, normal, bound, d->b);
    double *swap = d->a;
    d->a = d->b;
    d->b = swap;
    return count;
}

static int cut_by_group(drawing *d, int count, int group)
{
    const carom_velocity_view *v = d->view;
    for (int k = v->group_start[group]; k < v->group_start[group + 1]; k++) {
        const carom_velocity_half *half = &v->T[v->group_half[k]];
        count = cut(d, count, half->normal, half->bound);
    }
    return count;
}

/* Is c inside another group of the union than this one? */
static bool covered(const carom_velocity_view *v, int group, const double *c)
{
    for (int g = 0; g < v->group_count; g++) {
        bool inside = g != group;
        for (int k = v->group_start[g]; k < v->group_start[g + 1] && inside; k++) {
            const carom_velocity_half *h = &v->T[v->group_half[k]];
            inside = h->normal[0] * c[0] + h->normal[1] * c[1] > h->bound;
        }
        if (inside)
            return true;
    }
    return false;
}

/* One side of T, without what lies inside another group: cut where it crosses their lines. */
static void side(drawing *d, int group, const double *a, const double *b)
{
    const carom_velocity_view *v = d->view;
    double from = 0;
    while (from < 1) {
        double to = 1;
        for (int k = 0; k < v->count && v->group_count > 1; k++) {
            const carom_velocity_half *h = &v->T[k];
            double p = h->normal[0] * a[0] + h->normal[1] * a[1] - h->bound;
            double q = h->normal[0] * b[0] + h->normal[1] * b[1] - h->bound;
            double at = p != q ? p / (p - q) : 2;
            if (at > from + CAROM_TOLERANCE_SAME && at < to)
                to = at;
        }
        double part[4], middle[2];
        for (int j = 0; j < 2; j++) {
            part[j] = a[j] + from * (b[j] - a[j]);
            part[2 + j] = a[j] + to * (b[j] - a[j]);
            middle[j] = (part[j] + part[2 + j]) / 2;
        }
        if (!covered(v, group, middle))
            curve(d, "c2", 2, part);
        from = to;
    }
}

/* Sides of the polygon in d->a that lie on the lines of a group. */
static void sides(drawing *d, int count, int group)
{
    const carom_velocity_view *v = d->view;
    double scale = 1e-7 * (d->plot.x_most - d->plot.x_least);
    for (int k = 0; k < count; k++) {
        const double *a = d->a + 2 * k, *b = d->a + 2 * ((k + 1) % count);
        bool on = false;
        for (int j = v->group_start[group]; j < v->group_start[group + 1] && !on; j++) {
            const carom_velocity_half *h = &v->T[v->group_half[j]];
            on = fabs(h->normal[0] * a[0] + h->normal[1] * a[1] - h->bound) < scale &&
                 fabs(h->normal[0] * b[0] + h->normal[1] * b[1] - h->bound) < scale;
        }
        if (on)
            side(d, group, a, b);
    }
}

/* One path for all groups: where they overlap the colour stays the same. */
static void draw_tangent_cone(drawing *d)
{
    const carom_velocity_view *v = d->view;
    carom_svg *svg = d->plot.svg;
    carom_svg_raw(svg, "<path class=\"f2\" d=\"");
    for (int g = 0; g < v->group_count; g++) {
        int count = cut_by_group(d, frame(d, 0, d->a), g);
        for (int k = 0; k < count; k++)
            carom_svg_raw(svg, "%s%.2f %.2f", k ? "L" : "M", carom_plot_x(&d->plot, d->a[2 * k]),
                          carom_plot_y(&d->plot, d->a[2 * k + 1]));
        carom_svg_raw(svg, count ? "Z" : "");
        d->parts->T = d->parts->T || count > 2;
    }
    carom_svg_raw(svg, "\"/>\n");
    for (int g = 0; g < v->group_count; g++)
        sides(d, cut_by_group(d, frame(d, 1, d->a), g), g);
}

/* Draw a cone with its tip at `tip`; outline: sides only. */
static void draw_cone(drawing *d, const carom_plane_cone *s, const double *tip, const char *fill,
                      const char *line)
{
    double far = 4 * (d->plot.x_most - d->plot.x_least);
    if (s->shape == CAROM_PLANE_NOTHING || s->shape == CAROM_PLANE_ALL)
        return;
    int count = frame(d, 1, d->a);
    for (int k = 0; k < s->count; k++)
        count = cut(d, count, s->normal[k], s->normal[k][0] * tip[0] + s->normal[k][1] * tip[1]);
    if (fill && s->count)
        area(d, fill, count, d->a);
    double ends[2] = {s->from, s->to};
    for (int k = 0; k < 2; k++) {
        double side[] = {tip[0], tip[1], tip[0] + far * cos(ends[k]), tip[1] + far * sin(ends[k])};
        if (k == 0 || s->shape != CAROM_PLANE_RAY)
            curve(d, line, 2, side);
    }
}

/* The part of a ray from x that T and the energy ball keep. */
static void draw_segment(drawing *d, double angle)
{
    const carom_velocity_view *v = d->view;
    double e[2] = {cos(angle), sin(angle)}, from = 0, to = 2 * v->radius * 1.0000001 + DBL_MIN;
    for (int k = 0; k < v->count; k++) {
        const carom_velocity_half *h = &v->T[k];
        double rate = h->normal[0] * e[0] + h->normal[1] * e[1];
        double slack = h->normal[0] * d->x[0] + h->normal[1] * d->x[1] - h->bound;
        if (rate > CAROM_TOLERANCE_CARRIED)
            from = fmax(from, -slack / rate);
        else if (rate < -CAROM_TOLERANCE_CARRIED)
            to = fmin(to, slack / -rate);
        else if (slack < -CAROM_TOLERANCE_SAME * v->speed)
            return;
    }
    double along = e[0] * d->x[0] + e[1] * d->x[1];
    to = fmin(to, fmax(0, -2 * along)); /* |x + t e| <= |x| */
    if (to < from)
        return;
    double line[] = {d->x[0] + from * e[0], d->x[1] + from * e[1], d->x[0] + to * e[0],
                     d->x[1] + to * e[1]};
    curve(d, "c6 thick", 2, line);
    d->parts->S = true;
}

/* The slice of S when it is not given by generators: half-spaces of the whole set. */
static int cut_by_facets(drawing *d, int count, const carom_admissible *set, carom_arena *arena)
{
    const carom_velocity_view *v = d->view;
    const carom_geometry *g = v->geometry;
    size_t n = (size_t)g->impact->n, k = (size_t)set->k;
    double *to = carom_arena_doubles(arena, 3 * k + 1);
    if (!to) {
        d->status = carom_error_memory(d->error);
        return 0;
    }
    double inside[2] = {0, 0};
    for (size_t i = 0; i < k; i++) {
        const double *axis = set->basis + i * n;
        for (size_t j = 0; j < 2; j++) {
            to[i + j * k] = carom_geometry_dot(g, axis, v->basis + j * n);
            inside[j] += to[i + j * k] * to[i + j * k];
        }
        to[i + 2 * k] = carom_geometry_dot(g, axis, v->x_0);
    }
    if (inside[0] < 1 - CAROM_TOLERANCE_SAME || inside[1] < 1 - CAROM_TOLERANCE_SAME)
        return 0; /* the slice leaves what normal impulses can reach */
    for (int f = 0; f < set->facets; f++) {
        const double *facet = set->facet + (size_t)f * k;
        double normal[2] = {0, 0}, bound = set->bound[f];
        for (size_t i = 0; i < k; i++) {
            normal[0] += facet[i] * to[i];
            normal[1] += facet[i] * to[i + k];
            bound -= facet[i] * to[i + 2 * k];
        }
        /* rounding must not cut away what touches a facet */
        count = cut(d, count, normal, bound - CAROM_TOLERANCE_SAME * v->speed);
    }
    return count;
}

static void draw_admissible(drawing *d, const carom_plane_cone *push, const carom_admissible *set,
                            carom_arena *arena)
{
    const carom_velocity_view *v = d->view;
    if (v->geometry->impact->region)
        return;
    if (push->shape == CAROM_PLANE_RAY && (v->exact || (set && set->polyhedral))) {
        draw_segment(d, push->from);
        return;
    }
    int count = disc(v->radius, d->a);
    if (v->exact) {
        count = cut_by_group(d, count, 0);
        for (int k = 0; k < push->count; k++)
            count = cut(d, count, push->normal[k],
                        push->normal[k][0] * d->x[0] + push->normal[k][1] * d->x[1]);
    } else if (set && set->polyhedral)
        count = cut_by_facets(d, count, set, arena);
    else if (set)
        d->status = carom_plane_cone_outline(v, set, CIRCLE, d->a, arena, d->error);
    else
        count = 0;
    area(d, "paper", count, d->a); /* its own colour, whatever is below */
    area(d, "f6 c6 strong", count, d->a);
    d->parts->S = count > 2;
}

/* A circle around the origin, cut by the frame. */
static void circle(drawing *d, const char *style, double radius)
{
    int count = disc(radius, d->a);
    d->a[2 * count] = d->a[0];
    d->a[2 * count + 1] = d->a[1];
    curve(d, style, count + 1, d->a);
}

static void draw_spheres(drawing *d, const carom_admissible *set)
{
    const carom_velocity_view *v = d->view;
    double all = v->radius * v->radius, offset2 = v->speed * v->speed - all;
    circle(d, "ink", v->radius);
    if (!set)
        return;
    double r = carom_admissible_radius(set, 0.5, CAROM_READING_ENERGY);
    double z2 = set->least * set->least - offset2, half2 = r * r - offset2;
    d->parts->z_sphere = z2 > CAROM_PICTURE_UNSEEN * all && z2 < 0.9999 * all;
    d->parts->half_sphere = half2 > CAROM_PICTURE_UNSEEN * all && half2 < 0.9999 * all;
    if (d->parts->z_sphere)
        circle(d, "c7 dashed thin", sqrt(z2));
    if (d->parts->half_sphere)
        circle(d, "c7 dotted", sqrt(half2));
}

static bool visible(const drawing *d, const double *c)
{
    const carom_plot *p = &d->plot;
    return c[0] >= p->x_least && c[0] <= p->x_most && c[1] >= p->y_least && c[1] <= p->y_most;
}

/* u- as an arrow from the origin; in a close-up whatever of it is in sight. */
static void draw_before(drawing *d, carom_picture_labels *labels)
{
    carom_svg *svg = d->plot.svg;
    const double origin[2] = {0, 0}, line[4] = {0, 0, d->x[0], d->x[1]};
    double x = carom_plot_x(&d->plot, d->x[0]), y = carom_plot_y(&d->plot, d->x[1]);
    double o[2] = {carom_plot_x(&d->plot, 0), carom_plot_y(&d->plot, 0)};
    if (visible(d, origin) && visible(d, d->x))
        carom_svg_arrow(svg, "ink thick", o[0], o[1], x, y);
    else
        curve(d, "ink thick", 2, line);
    if (visible(d, origin))
        carom_svg_circle(svg, "dot", o[0], o[1], 2.5);
    for (int k = 2; k <= 8; k++)
        if (visible(d, d->x))
            carom_picture_avoid(labels, x + (o[0] - x) * (8 - k) / 12,
                                y + (o[1] - y) * (8 - k) / 12);
}

static void draw_points(drawing *d, const carom_outcome_marks *marks)
{
    const carom_velocity_view *v = d->view;
    carom_picture_labels labels = {0};
    carom_svg *svg = d->plot.svg;
    draw_before(d, &labels);
    for (int k = 0; k < marks->count; k++) {
        double c[3] = {0, 0, 0}, out = carom_velocity_view_place(v, marks->u[k], c);
        bool away = out > CAROM_PICTURE_UNSEEN * v->speed;
        double x = carom_plot_x(&d->plot, c[0]), y = carom_plot_y(&d->plot, c[1]);
        carom_svg_circle(svg, away ? "paper-mark c1" : "c1 f1 solid", x, y, 4);
        carom_picture_avoid(&labels, x, y);
        d->parts->projected = d->parts->projected || away;
    }
    if (visible(d, d->x))
        carom_picture_label(&labels, svg, "ink bold", carom_plot_x(&d->plot, d->x[0]),
                            carom_plot_y(&d->plot, d->x[1]), carom_picture_before(d->report));
    for (int k = 0; k < marks->count; k++) {
        double c[3] = {0, 0, 0};
        char letter[4];
        carom_velocity_view_place(v, marks->u[k], c);
        carom_picture_label(&labels, svg, "c1 bold", carom_plot_x(&d->plot, c[0]),
                            carom_plot_y(&d->plot, c[1]), carom_outcome_marks_letter(k, letter));
    }
}

/* Corners of the box around the outcomes; false when there is none. */
static bool box(const carom_velocity_view *view, const carom_outcome_marks *marks, double *least,
                double *most)
{
    for (int k = 0; k < marks->count; k++) {
        double c[3] = {0, 0, 0};
        carom_velocity_view_place(view, marks->u[k], c);
        for (int j = 0; j < 2; j++) {
            least[j] = k ? fmin(least[j], c[j]) : c[j];
            most[j] = k ? fmax(most[j], c[j]) : c[j];
        }
    }
    return marks->count > 0;
}

bool carom_picture_plane_crowded(const carom_velocity_view *view, const carom_outcome_marks *marks)
{
    double least[2], most[2];
    return view->k == 2 && marks->count > 1 && box(view, marks, least, most) &&
           fmax(most[0] - least[0], most[1] - least[1]) < 0.3 * view->radius;
}

/* Everything within sight, with a margin; close: only the outcomes. */
static carom_plot make_plot(const drawing *d, const carom_outcome_marks *marks, bool close,
                            carom_svg *svg)
{
    double radius = d->view->radius, least[2] = {0, 0}, most[2] = {0, 0};
    box(d->view, marks, least, most);
    for (int j = 0; j < 2 && !close; j++) {
        least[j] = fmin(least[j], -radius);
        most[j] = fmax(most[j], radius);
    }
    double margin = (close ? 0.2 : 0.09) * fmax(most[0] - least[0], most[1] - least[1]);
    if (!(margin > 0))
        margin = 1;
    return carom_plot_make(svg, 56, 10, WIDTH - 66, HEIGHT - 60, least[0] - margin,
                           most[0] + margin, least[1] - margin, most[1] + margin, true);
}

/* T_perp, and what impulses can add to u-: by their generators, or by asking. */
static void find_cones(drawing *d, const carom_admissible *set, carom_arena *arena,
                       carom_plane_cone *normal, carom_plane_cone *push)
{
    const carom_velocity_view *v = d->view;
    *normal = *push = (carom_plane_cone){.shape = CAROM_PLANE_NOTHING};
    if (v->exact) {
        double *opposite = d->angles + v->pushes + 1;
        for (int k = 0; k < 2 * v->normals; k++)
            opposite[k] = -v->N[k];
        *normal = carom_plane_cone_generate(v->normals, opposite, d->angles);
        *push = carom_plane_cone_generate(v->pushes, v->K, d->angles);
    } else if (set && !d->status) {
        d->status = carom_plane_cone_ask(v, set, arena, push, d->error);
        const double turned[4] = {-cos(push->from), -sin(push->from), -cos(push->to),
                                  -sin(push->to)};
        if (push->shape != CAROM_PLANE_NOTHING && push->shape != CAROM_PLANE_ALL)
            *normal = carom_plane_cone_generate(2, turned, d->angles);
    }
}

carom_status carom_picture_plane(const carom_report_impact *report, const carom_velocity_view *view,
                                 const carom_outcome_marks *marks, bool close, carom_arena *arena,
                                 const carom_allocator *allocator, carom_svg *svg,
                                 carom_picture_parts *parts, carom_error *error)
{
    static const char about[] =
        "Velocities in the kinetic metric: the tangent cone T, the normal cone, the energy sphere, "
        "the velocity before the impact and the outcome of every law, marked with letters.";
    drawing d = {.report = report, .view = view, .parts = parts, .error = error};
    *parts = (carom_picture_parts){0};
    size_t halves = (size_t)view->count + (size_t)view->pushes + 4;
    carom_admissible set;
    carom_status made = carom_admissible_make(view->geometry, arena, &set, NULL);
    d.a = carom_arena_doubles(arena, 2 * (CIRCLE + halves + 256));
    d.b = carom_arena_doubles(arena, 2 * (CIRCLE + halves + 256));
    d.angles = carom_arena_doubles(arena, 3 * halves);
    if (!d.a || !d.b || !d.angles || made == CAROM_ERROR_MEMORY)
        return carom_error_memory(error);
    const carom_admissible *known = made == CAROM_OK ? &set : NULL;
    double place[3] = {0, 0, 0};
    carom_velocity_view_place(view, view->geometry->u, place);
    memcpy(d.x, place, sizeof d.x);
    carom_svg_begin(svg, allocator, WIDTH, HEIGHT, "Velocity space", about);
    d.plot = make_plot(&d, marks, close, svg);
    carom_plot_axes(&d.plot, "", "");
    draw_tangent_cone(&d);
    carom_plane_cone normal, push;
    find_cones(&d, known, arena, &normal, &push);
    if (!view->geometry->impact->region) {
        const double origin[2] = {0, 0};
        draw_cone(&d, &normal, origin, "f1", "c1 thin");
        draw_cone(&d, &push, d.x, NULL, "c6 dashed thin");
        parts->T_perp = normal.shape != CAROM_PLANE_NOTHING;
        parts->reach = push.shape != CAROM_PLANE_NOTHING && push.shape != CAROM_PLANE_ALL;
    }
    draw_admissible(&d, &push, known, arena);
    draw_spheres(&d, known);
    draw_points(&d, marks);
    char name[128];
    for (int j = 0; j < view->k && j < 2; j++) {
        carom_picture_axis_name(report, view, j, name, sizeof name);
        carom_svg_text_label(svg, "ink", j ? 14 : 56 + (WIDTH - 66) / 2.0,
                             j ? 10 + (HEIGHT - 60) / 2.0 : HEIGHT - 10, 'm', 13, j ? -90 : 0, 48,
                             name);
    }
    return d.status;
}
