/* Task collision: a million pairs of boxes, random and degenerate, against ODE's box-box function,
 * which is exact in double precision but for one rule: it prefers faces to crossing edges by 5 %.
 * So both must agree on whether boxes overlap; where both take the same direction the depths must
 * agree, and elsewhere ours must be the lesser. Rows: pairs of a kind, how many disagree. */
#include "carom/collision.h"
#include "contest.h"
#include "peers/peers.h"

#include <stdint.h>

enum { PAIRS = 250000 };

/* What rounding can make of a depth: rotations, sums and products of about ten operations each, of
 * the size of the pair. */
#define ROUNDING (64 * 2.3e-16)

static uint64_t seed = 88172645463325252u;

static double between(double low, double high)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

/* How the second box stands: anyhow, turned by quarters (faces flush, edges parallel), turned about
 * one axis, or thin. */
static const char *const kinds[] = {"random", "parallel", "turned about an axis", "thin"};

static void draw(placed_box box[2], int kind)
{
    double reach = 0;
    for (int k = 0; k < 2; k++) {
        double turn[4] = {1};
        carom_pose pose;
        for (int i = 0; i < 3; i++) {
            box[k].size[i] = between(0.2, 2) * (kind == 3 && i == 0 ? 1e-3 : 1);
            reach += box[k].size[i] / 4;
        }
        for (int i = 0; i < 4 && (kind == 0 || kind == 3); i++)
            turn[i] = between(-1, 1);
        if (kind == 2)
            turn[0] = between(-1, 1), turn[1 + k] = between(-1, 1);
        for (int i = 0; i < 3; i++)
            box[k].at[i] = k == 0 ? 0 : between(-reach, reach);
        carom_pose_set(&pose, box[k].at, turn);
        memcpy(box[k].rotation, pose.rotation, sizeof box[k].rotation);
    }
    if (kind == 1) /* flush: the gap is a whole number of quarters of a length */
        box[1].at[0] =
            (box[0].size[0] + box[1].size[0]) / 2 - floor(between(0, 4)) * box[0].size[0] / 4;
}

typedef struct score {
    long overlapping, touching, same, wrong;
    double worst; /* difference of depths where the direction is the same, of the size */
} score;

#ifdef WITH_ODE
static carom_shape *make(const placed_box *box, carom_pose *pose)
{
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_BOX);
    carom_shape *shape = NULL;
    memcpy(def.size, box->size, sizeof def.size);
    memcpy(pose->position, box->at, sizeof pose->position);
    memcpy(pose->rotation, box->rotation, sizeof pose->rotation);
    return carom_shape_create(&def, NULL, &shape, NULL) == CAROM_OK ? shape : NULL;
}

static void compare(const placed_box box[2], score *s)
{
    carom_pose at[2];
    carom_shape *a = make(&box[0], &at[0]), *b = make(&box[1], &at[1]);
    carom_touch ours;
    double depth, n[3], large = 0, along = 0;
    for (int i = 0; i < 3; i++)
        large = fmax(large, fmax(box[0].size[i], box[1].size[i]));
    carom_shape_distance(a, &at[0], b, &at[1], &ours);
    int found = ode_boxes(&box[0], &box[1], &depth, n);
    for (int i = 0; i < 3; i++)
        along += n[i] * ours.normal[i];
    s->overlapping += ours.gap < 0;
    if (fabs(ours.gap) <= ROUNDING * large) {
        s->touching++; /* either answer is right */
    } else if (found > 0 && along > 1 - 1e-12) {
        double off = fabs(depth + ours.gap) / large;
        s->same++;
        s->worst = fmax(s->worst, off);
        s->wrong += off > ROUNDING;
    } else {
        s->wrong +=
            (found > 0) != (ours.gap < 0) || (found > 0 && -ours.gap > depth + ROUNDING * large);
    }
    carom_shape_destroy(a);
    carom_shape_destroy(b);
}
#endif

int main(void)
{
#ifdef WITH_ODE
    for (int kind = 0; kind < 4; kind++) {
        score s = {0};
        placed_box box[2];
        for (long k = 0; k < PAIRS; k++) {
            draw(box, kind);
            compare(box, &s);
        }
        printf("collision,boxes: %s,ode,%s,box-box,,,,%.2g,%.2g,,ok,%d|%ld|%ld|%ld|%ld\n",
               kinds[kind], contest_version("ode"), s.worst, ROUNDING, PAIRS, s.overlapping,
               s.touching, s.same, s.wrong);
    }
#else
    contest_skip("collision", "boxes", "ode", "not installed");
    (void)draw;
    (void)kinds;
#endif
    return 0;
}
