/* Strobe pictures: what moves at several instants, what stands still once, paths in between. */
#include "pictures/course_strobe.h"

#include "pictures/course_path.h"
#include "pictures/plot.h"
#include "pictures/sketch.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 640, INSTANTS = 12, CROWD = 40, ELEMENTS = 8, ROUND = 48, COILS = 9 };

typedef struct strobe {
    carom_course_path path;
    int count;                       /* shapes */
    const carom_scene_shape *shapes; /* of the scene */
    int *start;                      /* where the numbers of each begin */
    bool *moves;      /* has been seen to move: drawn at every instant, the others once */
    bool *loose;      /* moves, or could: what is at rest is no ground */
    int *order;       /* in which they are drawn: what is near comes last */
    double *nearness; /* of each */
    int *colour;      /* of each that is free */
    double *now;      /* numbers at an instant */
    double *first;    /* at the start */
    int points;       /* of the paths */
    float *centres;   /* points x shapes x 2: the ways of the centres */
    double box[4];    /* least x, y, most x, y of everything */
    double free[2];   /* where the bodies are: hatching goes to the other side */
    carom_plot plot;
} strobe;

bool carom_course_strobe_possible(const carom_course *course)
{
    return carom_course_is_of_scene(course) && carom_scene_get(course->scene)->shape_count > 0 &&
           course->trace->rows > 0;
}

static bool has_corners(carom_scene_shape_kind kind)
{
    return kind == CAROM_SCENE_LINE || kind == CAROM_SCENE_SPRING;
}

/* A corner of a box of which x, y, width, height, angle are given. */
static void box_corner(const double *n, int k, double *x, double *y)
{
    double dx = (k == 1 || k == 2 ? 0.5 : -0.5) * n[2], dy = (k >= 2 ? 0.5 : -0.5) * n[3];
    *x = n[0] + cos(n[4]) * dx - sin(n[4]) * dy;
    *y = n[1] + sin(n[4]) * dx + cos(n[4]) * dy;
}

static void extend(strobe *s, double x, double y, double radius)
{
    if (!isfinite(x + y + radius))
        return;
    s->box[0] = fmin(s->box[0], x - radius);
    s->box[1] = fmin(s->box[1], y - radius);
    s->box[2] = fmax(s->box[2], x + radius);
    s->box[3] = fmax(s->box[3], y + radius);
}

static void extend_shape(strobe *s, const carom_scene_shape *shape, const double *n)
{
    if (shape->kind == CAROM_SCENE_CIRCLE)
        extend(s, n[0], n[1], fabs(n[2]));
    else if (shape->kind == CAROM_SCENE_BOX)
        for (int k = 0; k < 4; k++) {
            double x, y;
            box_corner(n, k, &x, &y);
            extend(s, x, y, 0);
        }
    else
        for (int k = 0; k + 1 < shape->count; k += 2)
            extend(s, n[k], n[k + 1], 0);
}

static bool is_nobodys_line(const carom_scene_shape *shape)
{
    return shape->kind == CAROM_SCENE_LINE && shape->body == 0;
}

/* Colours of bodies in their order, all shapes of one alike; springs are grey, and many lines that
 * are nobody's are those of one large body. */
static void choose_colours(strobe *s)
{
    int bodies = 0, lines = 0;
    for (int k = 0; k < s->count; k++)
        lines += s->loose[k] && is_nobodys_line(&s->shapes[k]);
    for (int k = 0; k < s->count; k++) {
        const carom_scene_shape *shape = &s->shapes[k];
        const bool element = is_nobodys_line(shape) && lines > ELEMENTS && lines <= CROWD;
        const bool same = k > 0 && shape->body > 0 && shape->body == s->shapes[k - 1].body;
        if (s->loose[k])
            s->colour[k] = shape->kind == CAROM_SCENE_SPRING ? 7
                           : element                         ? 0
                           : same                            ? s->colour[k - 1]
                                                             : bodies++ % 7;
    }
}

/* Takes one moment in: what has moved, how large everything is, where the centres are. */
static void take_in(strobe *s, double t, const double *q, const double *u)
{
    double *numbers = s->points ? s->now : s->first;
    carom_scene_shapes_evaluate(s->path.course->scene, t, q, u, numbers);
    for (int k = 0; k < s->count; k++) {
        const double *n = numbers + s->start[k];
        if (memcmp(n, s->first + s->start[k], (size_t)s->shapes[k].count * sizeof *n) != 0)
            s->moves[k] = true;
        extend_shape(s, &s->shapes[k], n);
        float *centre = s->centres + 2 * ((size_t)s->points * (size_t)s->count + (size_t)k);
        centre[0] = (float)n[0];
        centre[1] = (float)n[1];
    }
    s->points++;
}

/* Where the bodies are on the whole. */
static void find_middle(strobe *s)
{
    double sum[2] = {0, 0}, terms = 0;
    for (int i = 0; i < s->points; i++)
        for (int k = 0; k < s->count; k++) {
            const float *c = s->centres + 2 * ((size_t)i * (size_t)s->count + (size_t)k);
            if (s->loose[k] && isfinite(c[0] + c[1])) {
                sum[0] += c[0];
                sum[1] += c[1];
                terms++;
            }
        }
    for (int j = 0; j < 2; j++)
        s->free[j] = terms > 0 ? sum[j] / terms : 0;
}

/* The whole motion, moment by moment. */
static carom_status survey(strobe *s, carom_arena *arena, carom_error *error)
{
    const carom_course_moments *m = &s->path.moments;
    s->centres =
        carom_arena_array(arena, (size_t)m->count * (size_t)s->count + 1, 2 * sizeof *s->centres);
    if (!s->centres)
        return carom_error_memory(error);
    memcpy(s->box, (double[]){INFINITY, INFINITY, -INFINITY, -INFINITY}, sizeof s->box);
    for (int k = 0; k < m->count; k++)
        take_in(s, m->t[k], m->q[k], m->u[k]);
    for (int k = 0; k < s->count; k++)
        s->loose[k] = s->moves[k] || s->shapes[k].free;
    choose_colours(s);
    find_middle(s);
    return CAROM_OK;
}

/* The numbers at a time. */
static void sample(strobe *s, double t)
{
    carom_course_path_at(&s->path, t);
    carom_scene_shapes_evaluate(s->path.course->scene, t, s->path.q, s->path.u, s->now);
}

static void draw_spring(strobe *s, const char *style, const double *n)
{
    double dx = n[2] - n[0], dy = n[3] - n[1], length = hypot(dx, dy), xy[2 * (2 * COILS + 4)];
    double wide = 0.025 * fmax(s->box[2] - s->box[0], s->box[3] - s->box[1]);
    int points = 0;
    for (int k = 0; k <= 2 * COILS + 2; k++) {
        bool end = k == 0 || k == 2 * COILS + 2;
        double part = k == 0 ? 0 : end ? 1 : (k - 0.5) / (2 * COILS + 1);
        double side = end || !(length > 0) ? 0 : (k % 2 ? wide : -wide) / length;
        xy[2 * points] = n[0] + part * dx - side * dy;
        xy[2 * points++ + 1] = n[1] + part * dy + side * dx;
    }
    carom_plot_curve(&s->plot, style, points, xy);
}

static void draw_circle(strobe *s, const char *fill, const char *line, const double *n)
{
    double xy[2 * ROUND];
    const double seen = 0.05; /* pixels that an edge may miss the circle by */
    const double pixels = fabs(n[2]) * s->plot.width / (s->plot.x_most - s->plot.x_least);
    const int corners =
        pixels > seen ? (int)fmin(fmax(ceil(CAROM_PI * sqrt(pixels / (2 * seen))), 12), ROUND) : 12;
    for (int k = 0; k < corners; k++) {
        double angle = 2 * CAROM_PI * k / corners;
        xy[2 * k] = n[0] + n[2] * cos(angle);
        xy[2 * k + 1] = n[1] + n[2] * sin(angle);
    }
    carom_plot_area(&s->plot, fill, corners, xy);
    if (n[3] != 0)
        carom_plot_line(&s->plot, line, n[0], n[1], n[0] + n[2] * cos(n[3]),
                        n[1] + n[2] * sin(n[3]));
}

/* Ground with its stripes on the side away from `free`. */
static void draw_ground(strobe *s, const double *a, const double *b, const double free[2])
{
    double side = (b[0] - a[0]) * (free[1] - a[1]) - (b[1] - a[1]) * (free[0] - a[0]);
    if (side < 0)
        carom_sketch_ground(&s->plot, b[0], b[1], a[0], a[1]);
    else
        carom_sketch_ground(&s->plot, a[0], a[1], b[0], b[1]);
}

/* A line that stands still: stripes are on the side that no body is on, of an outline inside. */
static void draw_grounds(strobe *s, const carom_scene_shape *shape, const double *n)
{
    double middle[2] = {0};
    for (int j = 0; shape->closed && j + 2 < shape->count; j++)
        middle[j % 2] += n[j] / (shape->count / 2 - 1);
    for (int j = 0; j + 3 < shape->count; j += 2) {
        const double outside[2] = {2 * n[j] - middle[0], 2 * n[j + 1] - middle[1]};
        draw_ground(s, n + j, n + j + 2, shape->closed ? outside : s->free);
    }
}

/* Does a line that stands still end in the middle of a body? Then it is a string or a rod. */
static bool is_link(const strobe *s, int k)
{
    const double *n = s->now + s->start[k];
    double near = CAROM_PICTURE_UNSEEN * fmax(s->box[2] - s->box[0], s->box[3] - s->box[1]);
    for (int j = 0; j < s->count; j++) {
        carom_scene_shape_kind kind = s->shapes[j].kind;
        const double *c = s->now + s->start[j];
        if (kind != CAROM_SCENE_CIRCLE && kind != CAROM_SCENE_BOX && kind != CAROM_SCENE_POINT)
            continue;
        for (int end = 0; end <= s->shapes[k].count - 2; end += s->shapes[k].count - 2)
            if (hypot(n[end] - c[0], n[end + 1] - c[1]) <= near)
                return true;
    }
    return false;
}

/* How far a line from a through b goes until it leaves the picture, in lengths of a b; at least 1.
 */
static double leave(const strobe *s, const double *a, const double *b)
{
    double reach = INFINITY;
    for (int i = 0; i < 2; i++) {
        const double way = b[i] - a[i], room = (way > 0 ? s->box[2 + i] : s->box[i]) - a[i];
        if (way != 0)
            reach = fmin(reach, room / way);
    }
    return isfinite(reach) ? fmax(reach, 1) : 1;
}

/* A line with its open ends at the edge of the picture. */
static void stretch(const strobe *s, const carom_scene_shape *shape, const double *n,
                    double ends[4])
{
    for (int e = 0; e < 2; e++) {
        const double *a = n + (e ? 0 : 2), *b = n + (e ? 2 : 0);
        const double reach = shape->open[e] ? leave(s, a, b) : 1;
        for (int i = 0; i < 2; i++)
            ends[2 * e + i] = a[i] + reach * (b[i] - a[i]);
    }
}

static void draw_shape(strobe *s, int k)
{
    const carom_scene_shape *shape = &s->shapes[k];
    const double *n = s->now + s->start[k];
    char line[48], fill[48];
    const char *dash = shape->dashed ? " dashed" : "", *wide = shape->width >= 3 ? " thick" : "";
    if (s->loose[k])
        carom_text_format(line, sizeof line, "c%d%s%s", s->colour[k], dash, wide);
    else
        carom_text_format(line, sizeof line, "ink%s%s", dash, wide);
    if (shape->hollow)
        memcpy(fill, line, sizeof line);
    else if (s->loose[k])
        carom_text_format(fill, sizeof fill, "f%d %s", s->colour[k], line);
    else
        carom_text_format(fill, sizeof fill, "body %s", line);
    if (shape->solid && shape->kind == CAROM_SCENE_CIRCLE)
        draw_circle(s, "paper", line, n);
    else if (shape->solid)
        carom_plot_area(&s->plot, "paper", shape->count / 2, n);
    carom_svg_colour(s->plot.svg, shape->color);
    if ((shape->solid || (shape->closed && s->loose[k])) && shape->kind == CAROM_SCENE_LINE) {
        carom_plot_area(&s->plot, fill, shape->count / 2, n);
    } else if (shape->kind == CAROM_SCENE_CIRCLE) {
        draw_circle(s, fill, line, n);
    } else if (shape->kind == CAROM_SCENE_BOX) {
        double xy[8];
        for (int c = 0; c < 4; c++)
            box_corner(n, c, &xy[2 * c], &xy[2 * c + 1]);
        carom_plot_area(&s->plot, fill, 4, xy);
    } else if (shape->kind == CAROM_SCENE_POINT) {
        carom_text_format(fill, sizeof fill, s->loose[k] ? "f%d solid" : "dot", s->colour[k]);
        carom_plot_point(&s->plot, fill, n[0], n[1], 3.5);
    } else if (shape->kind == CAROM_SCENE_SPRING) {
        draw_spring(s, line, n);
    } else if (shape->kind == CAROM_SCENE_LINE) {
        double ends[4];
        if ((shape->open[0] || shape->open[1]) && shape->count == 4) {
            stretch(s, shape, n, ends);
            n = ends;
        }
        bool ground = !s->loose[k] && !shape->hollow && !shape->dashed && !is_link(s, k);
        if (ground)
            draw_grounds(s, shape, n);
        else
            carom_plot_curve(&s->plot, line, shape->count / 2, n);
    }
    carom_svg_colour(s->plot.svg, NULL);
}

/* What moves, or what stands still; bodies in space from the farthest to the nearest. */
static void draw_shapes(strobe *s, bool moving)
{
    for (int k = 0; k < s->count; k++) {
        int at = k;
        s->nearness[k] = carom_scene_shape_nearness(s->path.course->scene, k);
        for (; at > 0 && s->nearness[s->order[at - 1]] > s->nearness[k]; at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = k;
    }
    for (int k = 0; k < s->count; k++)
        if (s->moves[s->order[k]] == moving)
            draw_shape(s, s->order[k]);
}

/* Labels of what stands still, and of the last position of what moves. */
static void draw_labels(strobe *s)
{
    for (int k = 0; k < s->count; k++) {
        const double *n = s->now + s->start[k];
        const carom_scene_shape *shape = &s->shapes[k];
        if (!shape->label || !isfinite(n[0] + n[1]))
            continue;
        bool text = shape->kind == CAROM_SCENE_TEXT;
        carom_svg_text_label(s->plot.svg, "ink", carom_plot_x(&s->plot, n[0]) + (text ? 0 : 7),
                             carom_plot_y(&s->plot, n[1]) + (text ? 4 : -7), text ? 'm' : 's', 12,
                             0, 40, shape->label);
    }
}

/* The way of a body's centre through the whole motion. */
static carom_status draw_path(strobe *s, int k, carom_arena *arena, carom_error *error)
{
    double *xy = carom_arena_doubles(arena, 2 * (size_t)s->points);
    if (!xy)
        return carom_error_memory(error);
    for (int i = 0; i < s->points; i++)
        for (int j = 0; j < 2; j++)
            xy[2 * i + j] = s->centres[2 * ((size_t)i * (size_t)s->count + (size_t)k) + (size_t)j];
    char style[24];
    carom_text_format(style, sizeof style, "c%d thin dotted", s->colour[k]);
    carom_plot_way(&s->plot, style, s->points, xy);
    return CAROM_OK;
}

static bool has_path(const strobe *s, int k)
{
    return s->moves[k] && !has_corners(s->shapes[k].kind) && s->shapes[k].kind != CAROM_SCENE_TEXT;
}

/* The ways of all bodies, but those of a crowd, which would hide it: then the picture says so. */
static carom_status draw_paths(strobe *s, carom_arena *arena, int *left_out, carom_error *error)
{
    int bodies = 0;
    carom_status status = CAROM_OK;
    for (int k = 0; k < s->count; k++)
        bodies += has_path(s, k);
    for (int k = 0; k < s->count && bodies <= CROWD && !status; k++)
        if (has_path(s, k))
            status = draw_path(s, k, arena, error);
    *left_out = bodies > CROWD ? bodies : 0;
    if (*left_out) {
        char text[64];
        carom_text_format(text, sizeof text, "the ways of %d bodies are left out", bodies);
        carom_svg_text(s->plot.svg, "faint", s->plot.left + s->plot.width,
                       s->plot.top + s->plot.height + 31, 'e', 11, 0, text);
    }
    return status;
}

/* A frame around everything, as wide as the picture, not too high. */
static void make_plot(strobe *s, double top, const char *title, const carom_allocator *allocator,
                      carom_svg *svg)
{
    const double left = 58, right = 16, bottom = 34;
    double w = fmax(s->box[2] - s->box[0], 0), h = fmax(s->box[3] - s->box[1], 0);
    double margin = 0.05 * fmax(w, h) + (w + h > 0 ? 0 : 1);
    w += 2 * margin, h += 2 * margin;
    double inner = WIDTH - left - right;
    double height = fmin(fmax(inner * h / w, 120), 520);
    carom_svg_begin(svg, allocator, WIDTH, top + 12 + height + bottom, title,
                    "The bodies at equal steps of time, fainter the longer ago, with their paths.");
    s->plot = carom_plot_make(svg, left, top + 12, inner, height, s->box[0] - margin,
                              s->box[2] + margin, s->box[1] - margin, s->box[3] + margin, true);
    carom_plot_axes(&s->plot, "", "");
}

static carom_status make_strobe(const carom_course *course, carom_arena *arena, strobe *s,
                                carom_error *error)
{
    const carom_scene_content *content = carom_scene_get(course->scene);
    size_t count = (size_t)content->shape_count;
    *s = (strobe){.count = content->shape_count,
                  .shapes = content->shapes,
                  .start = carom_arena_zeros(arena, count + 1, sizeof *s->start),
                  .moves = carom_arena_zeros(arena, count + 1, sizeof *s->moves),
                  .loose = carom_arena_zeros(arena, count + 1, sizeof *s->loose),
                  .order = carom_arena_zeros(arena, count + 1, sizeof *s->order),
                  .nearness = carom_arena_doubles(arena, count + 1),
                  .colour = carom_arena_zeros(arena, count + 1, sizeof *s->colour)};
    if (!s->start || !s->moves || !s->loose || !s->order || !s->nearness || !s->colour)
        return carom_error_memory(error);
    for (int k = 0; k < s->count; k++)
        s->start[k + 1] = s->start[k] + s->shapes[k].count;
    s->now = carom_arena_doubles(arena, (size_t)s->start[count]);
    s->first = carom_arena_doubles(arena, (size_t)s->start[count]);
    if (!s->now || !s->first)
        return carom_error_memory(error);
    carom_status status = carom_course_path_make(course, s->count, arena, &s->path, error);
    if (!status)
        status = survey(s, arena, error);
    if (status)
        return status;
    if (!(s->box[0] <= s->box[2]))
        memcpy(s->box, (double[]){-1, -1, 1, 1}, sizeof s->box);
    return CAROM_OK;
}

/* Has anything moved by more than an eye sees since it was drawn last? */
static bool has_moved(const strobe *s, const double *drawn)
{
    const double seen = 3; /* pixels */
    double scale = s->plot.width / (s->plot.x_most - s->plot.x_least);
    for (int k = 0; k < s->count; k++)
        for (int j = s->start[k]; s->moves[k] && j < s->start[k] + s->shapes[k].count; j++)
            if (!(fabs(s->now[j] - drawn[j]) * scale < seen))
                return true;
    return false;
}

carom_status carom_course_strobe_draw(const carom_course *course, int instants, double top,
                                      const char *title, carom_arena *arena,
                                      const carom_allocator *allocator, carom_svg *svg,
                                      int *left_out, carom_error *error)
{
    strobe s;
    carom_status status = make_strobe(course, arena, &s, error);
    if (status)
        return status;
    size_t columns = (size_t)s.start[s.count];
    double *drawn = carom_arena_doubles(arena, columns);
    if (!drawn)
        return carom_error_memory(error);
    int usual = s.count > CROWD ? 2 : INSTANTS; /* a crowd hides itself */
    int last = (instants > 1 ? instants : usual) - 1;
    const carom_course_moments *m = &s.path.moments;
    double from = m->t[0], to = m->t[m->count - 1];
    make_plot(&s, top, title, allocator, svg);
    sample(&s, to);
    draw_shapes(&s, false);
    status = draw_paths(&s, arena, left_out, error);
    for (int i = 0; i <= last && !status; i++) {
        sample(&s, from + (to - from) * i / last);
        if (i > 0 && i < last && !has_moved(&s, drawn))
            continue; /* positions on top of each other say nothing */
        memcpy(drawn, s.now, columns * sizeof *drawn);
        carom_svg_raw(svg, "<g opacity=\"%.2f\">\n", i == last ? 1.0 : 0.18 + 0.42 * i / last);
        draw_shapes(&s, true);
        carom_svg_raw(svg, "</g>\n");
    }
    draw_labels(&s);
    return status;
}
