/* Recognises impacts that accumulate and gives their limit. */
#include "flow/zeno.h"

#include "base/larger.h"

#include <math.h>
#include <string.h>

/* How much the ratio may change from one interval to the next in a progression, as a part of its
 * distance to 1. Only the length of the run before an accumulation may be declared depends on it.
 */
static const double steady = 0.25;

/* Impacts in pattern k. */
static int length_of(int k)
{
    return k < CAROM_ZENO_PERIODS - 1 ? k + 1 : CAROM_ZENO_ANY;
}

void carom_zeno_reset(carom_zeno *zeno)
{
    memset(zeno, 0, sizeof *zeno);
}

int carom_zeno_progress(const carom_zeno *zeno, int contact, const carom_flow_options *options,
                        carom_flow_accumulation *accumulation, bool *near)
{
    *near = false;
    for (int k = 0; k < CAROM_ZENO_PERIODS && zeno->count > 2 * length_of(k); k++) {
        const double ratio = zeno->period[k].ratio, t = zeno->t[0];
        if (zeno->contact[0] != contact || zeno->period[k].impacts < options->accumulation_impacts)
            continue;
        double left = (t - zeno->t[length_of(k)]) * ratio / (1 - ratio), limit = t + left;
        *accumulation = (carom_flow_accumulation){.contact = contact,
                                                  .t_first = zeno->period[k].first,
                                                  .t_last = t,
                                                  .t_limit = limit,
                                                  .ratio = ratio,
                                                  .impacts = zeno->period[k].impacts};
        *near = left <= options->accumulation * (limit - zeno->period[k].first);
        return length_of(k); /* the shortest pattern speaks */
    }
    return 0;
}

int carom_zeno_add(carom_zeno *zeno, double t, int contact, double speed,
                   const carom_flow_options *options, carom_flow_accumulation *accumulation,
                   bool *near)
{
    memmove(zeno->t + 1, zeno->t, sizeof(double) * (CAROM_ZENO_MEMORY - 1));
    memmove(zeno->contact + 1, zeno->contact, sizeof(int) * (CAROM_ZENO_MEMORY - 1));
    memmove(zeno->speed + 1, zeno->speed, sizeof(double) * (CAROM_ZENO_MEMORY - 1));
    zeno->t[0] = t;
    zeno->speed[0] = speed;
    zeno->contact[0] = contact;
    if (zeno->count < CAROM_ZENO_MEMORY)
        zeno->count++;
    for (int k = 0; k < CAROM_ZENO_PERIODS && zeno->count > 2 * length_of(k); k++) {
        const int P = length_of(k);
        double last = zeno->t[0] - zeno->t[P], before = zeno->t[P] - zeno->t[2 * P];
        double ratio = last / before;
        bool same = P == CAROM_ZENO_ANY || (zeno->contact[0] == zeno->contact[P] &&
                                            zeno->contact[P] == zeno->contact[2 * P]);
        bool falls = ratio > 0 && ratio < 1 && same;
        bool goes_on = falls && zeno->period[k].impacts > 0 &&
                       fabs(ratio - zeno->period[k].ratio) <= steady * (1 - ratio);
        if (!goes_on)
            zeno->period[k].impacts = falls ? 2 * P : 0;
        if (!goes_on && falls) { /* a progression begins */
            zeno->period[k].first = zeno->t[2 * P];
            zeno->period[k].speed = 0;
            for (int j = P; j < 2 * P; j++)
                zeno->period[k].speed = larger(zeno->period[k].speed, zeno->speed[j]);
        }
        zeno->period[k].impacts += falls;
        zeno->period[k].ratio = ratio;
    }
    return carom_zeno_progress(zeno, contact, options, accumulation, near);
}

bool carom_zeno_rests(const carom_zeno *zeno, int pattern, const carom_flow_options *options)
{
    const int k = pattern < CAROM_ZENO_PERIODS ? pattern - 1 : CAROM_ZENO_PERIODS - 1;
    double now = 0;
    for (int j = 0; j < pattern; j++)
        now = larger(now, zeno->speed[j]);
    return now * now <= options->accumulation * zeno->period[k].speed * zeno->period[k].speed;
}

double carom_zeno_limit(const carom_zeno *zeno, int pattern, double limit, int *from)
{
    const int P = pattern, k = P < CAROM_ZENO_PERIODS ? P - 1 : CAROM_ZENO_PERIODS - 1;
    double best = limit, least = INFINITY;
    int steadiest = 0;
    for (int j = 0; j + 3 * P < zeno->count && j + 3 * P < zeno->period[k].impacts; j++) {
        const double *t = zeno->t + j;
        const double last = t[0] - t[P], before = t[P] - t[2 * P], first = t[2 * P] - t[3 * P];
        const double ratio = last / before, off = fabs(ratio - before / first);
        if (ratio < 1 && off < least) {
            least = off;
            steadiest = j;
            best = t[0] + last * ratio / (1 - ratio);
        }
    }
    const bool near = fabs(best - limit) <= 0.25 * (limit - zeno->t[0]);
    *from = near ? steadiest : 0;
    return near ? best : limit;
}

bool carom_zeno_falls(const carom_zeno *zeno, double *limit)
{
    const double *t = zeno->t, ratio = (t[0] - t[1]) / (t[1] - t[2]);
    if (zeno->count < 3 || zeno->contact[0] != zeno->contact[1] ||
        zeno->contact[1] != zeno->contact[2] || !(ratio > 0 && ratio < 1))
        return false;
    *limit = t[0] + (t[0] - t[1]) * ratio / (1 - ratio);
    return true;
}
