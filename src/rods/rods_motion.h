/* The motion of rods on its way: what leaves and arrives at the ends, joint by joint
 * (docs/theory/rods.md). Waves are held in units of velocity, R = F/Z + u travelling right and
 * S = F/Z - u travelling left. */
#ifndef CAROM_SRC_RODS_RODS_MOTION_H
#define CAROM_SRC_RODS_RODS_MOTION_H

#include "carom/rods.h"
#include "rods/rods_number.h"

/* A quantity over time, constant between steps, that grows in the arena. */
typedef struct carom_rods_track {
    int count, room;
    carom_rods_step *steps;  /* rounded */
    carom_rods_word *number; /* the same with all bits, NULL where those are not needed */
} carom_rods_track;

typedef struct carom_rods_meeting {
    carom_rods_joint_kind kind;
    bool closed;
    double gap, rate; /* the gap grows at this rate */
    double force;
    double load;    /* F over the closing speed: Z1 Z2/(Z1 + Z2) */
    double impulse; /* integral of the force */
    double contact_time, open_time;
    int closings;
    carom_rods_track forces, rates;
    carom_rods_word *contrast; /* (Z2 - Z1)/(Z1 + Z2) */
} carom_rods_meeting;

typedef struct carom_rods_way {
    const carom_rods *rods;
    carom_arena *arena;
    carom_rods_format format, ratio; /* of velocities, and of pure numbers */
    int bits;                        /* that count; what is smaller cannot be told from zero ... */
    bool last;                       /* ... and is taken for it, since no more are to be had */
    bool unsure;                     /* ... or else is to be computed again with more */
    bool blunt;                      /* some sign was taken for zero */
    bool no_memory;
    bool touched; /* a contact opened, closed or changed its force */
    int count;
    double *travel, *Z, *mass;
    carom_rods_track *right, *left;  /* count: R leaving left ends, S leaving right ends */
    int *at_right_end, *at_left_end; /* which departure is arriving at the other end */
    carom_rods_meeting *joints;      /* count + 1 */
    bool *changed;                   /* count + 1 */
    carom_rods_word *zero, *delta, *wave, *other, *work; /* numbers at work */
    double t, speed;                                     /* now; range of the velocities */
    int events;
} carom_rods_way;

/* Joint k, for what arrives there now: force, and the waves that leave. */
void carom_rods_way_meet(carom_rods_way *way, int joint);

/* The time of the next event, and to go there. */
double carom_rods_way_next(const carom_rods_way *way);
void carom_rods_way_go(carom_rods_way *way, double t);

/* To a time before which nothing happens any more. */
void carom_rods_way_coast(carom_rods_way *way, double t);

/* The time after which no contact can close again, INFINITY when that is not known. */
double carom_rods_way_settles(const carom_rods_way *way);

/* Mean velocity of a rod; energy of its waves as seen from velocity V. */
double carom_rods_way_velocity(const carom_rods_way *way, int rod);
double carom_rods_way_waves(const carom_rods_way *way, int rod, double V);

/* Append to a track, or nothing where the value is the one it has. number: NULL for plain ones. */
void carom_rods_track_add(carom_rods_way *way, carom_rods_track *track, double t, double value,
                          const carom_rods_word *number);

#endif
