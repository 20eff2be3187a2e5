/* What the pictures of reports share: names, labels that keep clear, clipping. */
#include "pictures/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void carom_picture_axis_name(const carom_report_impact *report, const carom_velocity_view *view,
                             int axis, char *text, size_t size)
{
    int of = view->axis_of[axis];
    switch (view->axis[axis]) {
    case CAROM_VELOCITY_COORDINATE:
        snprintf(text, size, "along %.40s", report->coordinates[of]);
        break;
    case CAROM_VELOCITY_GRADIENT:
        snprintf(text, size, "along the gradient of %.40s", report->contacts[of]);
        break;
    case CAROM_VELOCITY_PUSH:
        snprintf(text, size, "from u\xE2\x81\xBB to z, maximum dissipation");
        break;
    case CAROM_VELOCITY_OUTCOME:
        snprintf(text, size, "towards the outcome farthest away");
        break;
    default:
        snprintf(text, size, view->k == 2 ? "orthogonal to it" : "orthogonal to the others");
    }
}

const char *carom_picture_before(const carom_report_impact *report)
{
    const carom_geometry *g = report->geometry;
    for (int i = 0; i < g->impact->n; i++)
        if (g->b[i] != 0)
            return "`u`^{−} − `b`";
    return "`u`^{−}";
}

double carom_picture_step(double wanted)
{
    double power = pow(10, floor(log10(wanted))), lead = wanted / power;
    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

void carom_picture_avoid(carom_picture_labels *l, double x, double y)
{
    int room = (int)(sizeof l->x / sizeof *l->x);
    if (l->count < room) {
        l->x[l->count] = x;
        l->y[l->count++] = y;
    }
}

void carom_picture_label(carom_picture_labels *l, carom_svg *svg, const char *style, double x,
                         double y, const char *text)
{
    /* up right, up left, down right, down left, up, right, left, down */
    static const double way[8][2] = {{0.8, -0.8}, {-0.8, -0.8}, {0.8, 0.8}, {-0.8, 0.8},
                                     {0, -1.1},   {1.1, 0},     {-1.1, 0},  {0, 1.1}};
    double best = INFINITY, at[2] = {x, y};
    for (int ring = 0; ring < 3; ring++)
        for (int k = 0; k < 8; k++) {
            double far = 12 + 9 * ring, lx = x + far * way[k][0], ly = y + far * way[k][1];
            double cost = 0.3 * ring + 0.01 * k;
            for (int j = 0; j < l->count; j++) {
                double d = hypot(lx - l->x[j], ly - l->y[j]);
                cost += d < 22 ? (22 - d) / 11 : 0;
            }
            if (cost < best) {
                best = cost;
                at[0] = lx;
                at[1] = ly;
            }
        }
    carom_svg_text(svg, style, at[0], at[1] + 4.5, 'm', 13, 0, text);
    carom_picture_avoid(l, at[0], at[1]);
}

int carom_picture_clip(int count, const double *in, const double *normal, double bound, double *out)
{
    int kept = 0;
    for (int k = 0; k < count; k++) {
        const double *a = in + 2 * k, *b = in + 2 * ((k + 1) % count);
        double da = normal[0] * a[0] + normal[1] * a[1] - bound;
        double db = normal[0] * b[0] + normal[1] * b[1] - bound;
        if (da >= 0) {
            out[2 * kept] = a[0];
            out[2 * kept++ + 1] = a[1];
        }
        if ((da > 0 && db < 0) || (da < 0 && db > 0)) {
            double part = da / (da - db);
            out[2 * kept] = a[0] + part * (b[0] - a[0]);
            out[2 * kept++ + 1] = a[1] + part * (b[1] - a[1]);
        }
    }
    return kept;
}
