/* Bricks and balls for tests and measurements of friction problems: walls, towers and packings of
 * rigid bodies in space, as statements with bodies. Everything follows from a seed. */
#ifndef CAROM_TESTS_FRICTION_PILES_H
#define CAROM_TESTS_FRICTION_PILES_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "carom/friction.h"

typedef struct pile {
    int bodies, contacts, room;
    double *place; /* 3 for each body: centre */
    double *M, *f; /* 36 and 6 for each body */
    int *start, *body;
    double *H, *w, *mu;
    size_t used; /* doubles of H */
    int ends;    /* entries of body */
    uint64_t state;
    carom_friction_problem problem;
} pile;

/* Uniform in [-1, 1). */
static inline double pile_random(pile *p)
{
    uint64_t x = p->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    p->state = x;
    return (double)((x * 0x2545F4914F6CDD1Du) >> 11) * 0x1p-52 - 1;
}

static inline pile *pile_create(int bodies, int contacts, uint64_t seed)
{
    pile *p = calloc(1, sizeof *p);
    size_t b = (size_t)bodies, c = (size_t)contacts;
    p->room = contacts;
    p->state = seed * 0x9E3779B97F4A7C15u + 1;
    p->place = calloc(3 * b, sizeof(double));
    p->M = calloc(36 * b, sizeof(double));
    p->f = calloc(6 * b, sizeof(double));
    p->start = calloc(c + 1, sizeof(int));
    p->body = calloc(2 * c, sizeof(int));
    p->H = calloc(36 * c, sizeof(double));
    p->w = calloc(3 * c, sizeof(double));
    p->mu = calloc(c, sizeof(double));
    return p;
}

static inline void pile_free(pile *p)
{
    void *parts[] = {p->place, p->M, p->f, p->start, p->body, p->H, p->w, p->mu};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        free(parts[k]);
    free(p);
}

/* A box (or, with equal sides and `ball`, a ball) of given sides and mass at a place; returns its
 * number. */
static inline int pile_body(pile *p, const double *at, const double *sides, double mass, int ball)
{
    int b = p->bodies++;
    double *M = p->M + 36 * b;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        p->place[3 * b + k] = at[k];
        M[7 * k] = mass;
        M[7 * (3 + k)] = ball ? mass * sides[0] * sides[0] / 10
                              : mass * (sides[i] * sides[i] + sides[j] * sides[j]) / 12;
    }
    return b;
}

/* The rows of one body: velocity of the point `at` along n, t1, t2, times sign. */
static inline void pile_rows(pile *p, int b, const double *at, double frame[3][3], double sign)
{
    double arm[3], *H = p->H + p->used;
    for (int k = 0; k < 3; k++)
        arm[k] = at[k] - p->place[3 * b + k];
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            H[6 * c + k] = sign * frame[c][k];
            H[6 * c + 3 + k] = sign * (arm[i] * frame[c][j] - arm[j] * frame[c][i]);
        }
    p->body[p->ends++] = b;
    p->used += 18;
}

/* A contact at a point with the normal from body a (-1: the ground) to body b. */
static inline void pile_contact(pile *p, int a, int b, const double *at, const double *normal,
                                double mu)
{
    double f[3][3] = {{normal[0], normal[1], normal[2]}};
    int least = fabs(f[0][0]) <= fabs(f[0][1]) && fabs(f[0][0]) <= fabs(f[0][2]) ? 0
                : fabs(f[0][1]) <= fabs(f[0][2])                                 ? 1
                                                                                 : 2;
    double norm = 0;
    f[1][least] = 1;
    for (int k = 0; k < 3; k++)
        f[1][k] -= normal[least] * normal[k];
    for (int k = 0; k < 3; k++)
        norm += f[1][k] * f[1][k];
    for (int k = 0; k < 3; k++)
        f[1][k] /= sqrt(norm);
    for (int k = 0; k < 3; k++)
        f[2][k] = f[0][(k + 1) % 3] * f[1][(k + 2) % 3] - f[0][(k + 2) % 3] * f[1][(k + 1) % 3];
    if (a >= 0)
        pile_rows(p, a, at, f, -1);
    pile_rows(p, b, at, f, 1);
    p->start[p->contacts + 1] = p->ends;
    p->mu[p->contacts++] = mu;
}

/* Momentum of a step of gravity and, with slip > 0, of random velocities and spins. */
static inline void pile_push(pile *p, double gravity, double slip)
{
    for (int b = 0; b < p->bodies; b++)
        for (int k = 0; k < 6; k++)
            p->f[6 * b + k] = p->M[36 * b + 7 * k] *
                              (slip * pile_random(p) * (k < 3 ? 1 : 5) - (k == 2 ? gravity : 0));
}

static inline const carom_friction_problem *pile_state(pile *p)
{
    p->problem = (carom_friction_problem){.contacts = p->contacts,
                                          .dimension = 3,
                                          .mu = p->mu,
                                          .form = CAROM_FRICTION_BODIES,
                                          .q = p->w,
                                          .bodies = {.count = p->bodies,
                                                     .M = p->M,
                                                     .f = p->f,
                                                     .start = p->start,
                                                     .body = p->body,
                                                     .H = p->H}};
    return &p->problem;
}

/* Four contacts on the rectangle [x0, x1] x [y0, y1] at height z, upwards from a to b. */
static inline void pile_face(pile *p, int a, int b, double x0, double x1, double y0, double y1,
                             double z, double mu)
{
    const double up[3] = {0, 0, 1};
    for (int k = 0; k < 4; k++)
        pile_contact(p, a, b, (double[]){k & 1 ? x1 : x0, k & 2 ? y1 : y0, z}, up, mu);
}

/* A wall in running bond: `layers` of `wide` bricks 0.2 x 0.1 x 0.06, each on the halves of two
 * below; eight contacts a brick. */
static inline pile *pile_wall(int layers, int wide, double mu, double slip, uint64_t seed)
{
    pile *p = pile_create(layers * wide, 8 * layers * wide, seed);
    const double side[3] = {0.2, 0.1, 0.06};
    for (int l = 0; l < layers; l++)
        for (int i = 0; i < wide; i++) {
            double left = i * side[0] + (l % 2 ? side[0] / 2 : 0), z = l * side[2];
            double middle = left + side[0] / 2;
            int b = pile_body(p, (double[]){middle, 0, z + side[2] / 2}, side, 2.4, 0);
            int first = l % 2 ? i : i - 1; /* the brick below its left half */
            for (int h = 0; h < 2; h++) {
                int below = first + h;
                double x0 = left + h * side[0] / 2, x1 = x0 + side[0] / 2;
                if (l == 0)
                    pile_face(p, -1, b, x0, x1, -0.05, 0.05, z, mu);
                else if (below >= 0 && below < wide)
                    pile_face(p, (l - 1) * wide + below, b, x0, x1, -0.05, 0.05, z, mu);
            }
        }
    pile_push(p, 9.81 * 0.005, slip);
    return p;
}

/* `towers` columns of `high` bricks, each column an island. */
static inline pile *pile_towers(int towers, int high, double mu, double slip, uint64_t seed)
{
    pile *p = pile_create(towers * high, 4 * towers * high, seed);
    const double side[3] = {0.2, 0.1, 0.06};
    for (int t = 0; t < towers; t++)
        for (int l = 0; l < high; l++) {
            double x = t, z = l * side[2];
            int b = pile_body(p, (double[]){x, 0, z + side[2] / 2}, side, 2.4, 0);
            pile_face(p, l ? b - 1 : -1, b, x - 0.1, x + 0.1, -0.05, 0.05, z, mu);
        }
    pile_push(p, 9.81 * 0.005, slip);
    return p;
}

/* Balls of diameter 1 in layers: each lies on four below and touches two beside it, jittered, with
 * a share of the contacts left out; the lowest lie on the ground. Six contacts a ball before that.
 */
static inline pile *pile_balls(int layers, int wide, double mu, double slip, uint64_t seed)
{
    pile *p = pile_create(layers * wide * wide, 6 * layers * wide * wide, seed);
    const double side[3] = {1, 1, 1};
    for (int l = 0; l < layers; l++)
        for (int i = 0; i < wide; i++)
            for (int j = 0; j < wide; j++) {
                double at[3] = {i + 0.5 * (l % 2), j + 0.5 * (l % 2), 0.5 + l * sqrt(0.5)};
                for (int k = 0; k < 3; k++)
                    at[k] += 0.05 * pile_random(p);
                int b = pile_body(p, at, side, 1 + 0.3 * pile_random(p), 1);
                int beside[6][3] = {{-1, 0, 0}, {0, -1, 0}};
                for (int k = 0; k < 4; k++) {
                    beside[2 + k][0] = (l % 2 ? 1 : -1) * (k & 1);
                    beside[2 + k][1] = (l % 2 ? 1 : -1) * (k >> 1);
                    beside[2 + k][2] = -1;
                }
                for (int k = 0; k < 6; k++) {
                    int x = i + beside[k][0], y = j + beside[k][1], z = l + beside[k][2];
                    if (z < 0 && k == 2)
                        pile_contact(p, -1, b, (double[]){at[0], at[1], at[2] - 0.5},
                                     (double[]){0, 0, 1}, mu);
                    if (x < 0 || y < 0 || x >= wide || y >= wide || z < 0 || pile_random(p) > 0.9)
                        continue;
                    int a = (z * wide + x) * wide + y;
                    double n[3], norm = 0, middle[3];
                    for (int c = 0; c < 3; c++) {
                        n[c] = at[c] - p->place[3 * a + c];
                        norm += n[c] * n[c];
                        middle[c] = (at[c] + p->place[3 * a + c]) / 2;
                    }
                    for (int c = 0; c < 3; c++)
                        n[c] /= sqrt(norm);
                    pile_contact(p, a, b, middle, n, mu);
                }
            }
    pile_push(p, 9.81 * 0.005, slip);
    return p;
}

#endif
