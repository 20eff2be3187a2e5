/* Accelerators through OpenCL: which there are, and many motions of one system on one of them. The
 * library is looked for when it is asked for, so that the program runs without it. */
#ifndef CAROM_CLI_DEVICE_H
#define CAROM_CLI_DEVICE_H

#include "carom/device.h"
#include "carom/formulas.h"
#include "cli.h"

/* All devices; free the list. CLI_ANSWERED also when there is none; CLI_MACHINE after a message
 * where OpenCL itself is missing (device_scene.c). */
int cli_device_list(carom_device_facts **facts, int *count);

/* How the motions of a batch are run, the same for all. */
typedef enum cli_device_keep {
    CLI_DEVICE_FINAL,   /* nothing but the end */
    CLI_DEVICE_IMPACTS, /* the state after every impact */
    CLI_DEVICE_CONTACT, /* after every impact that gives one contact an impulse */
    CLI_DEVICE_PERIOD   /* at the times next + k period of each motion */
} cli_device_keep;

typedef struct cli_device_task {
    const char *device; /* part of a name, or "any" */
    const char *kernel; /* the system, carom_scene_content */
    int n, p, parameters;
    long most; /* motions that there will be, 0: not known */
    cli_device_keep keep;
    int section;             /* contact */
    long skip;               /* points left out */
    long limit;              /* points at most, those left out too; 0: any number */
    double horizon;          /* longest time between points, 0: any */
    bool inelastic, coulomb; /* the law; else newton */
    carom_flow_options options;
} cli_device_task;

/* One motion. */
typedef struct cli_device_start {
    double t, until, next, period; /* next INFINITY: no points by time */
    const double *q, *u, *parameters;
    const carom_contact *contacts; /* p */
} cli_device_start;

/* How a motion ended. */
typedef enum cli_device_end {
    CLI_DEVICE_RUNNING, /* it has not: the work was stopped */
    CLI_DEVICE_REACHED,
    CLI_DEVICE_BAD_FORCE,
    CLI_DEVICE_UNDERFLOW,
    CLI_DEVICE_NO_OUTCOME,
    CLI_DEVICE_DEPENDENT,
    CLI_DEVICE_ENOUGH, /* points */
    CLI_DEVICE_LOST,   /* no points for too long */
    CLI_DEVICE_EVENT_LIMIT,
    CLI_DEVICE_PENETRATION,
    CLI_DEVICE_INCONSISTENT,
    CLI_DEVICE_ENDLESS,
    CLI_DEVICE_ENERGY /* found when motions are looked at: kernels do not know it */
} cli_device_end;

/* "reached", ... */
const char *cli_device_end_text(cli_device_end end);

/* What came of it. */
typedef struct cli_device_motion {
    cli_device_end end;
    double t, q[CAROM_KERNEL_COORDINATES], u[CAROM_KERNEL_COORDINATES];
    long steps, impacts, accumulations;
    double energy_initial, energy_final, energy_impacts, energy_friction, energy_forces;
    double penetration;
    long count;           /* points */
    const double *points; /* count x (1 + 2 n): t, q, u */
} cli_device_motion;

/* The end of a motion that arrived, unless its energy has changed without a cause on the way. */
cli_device_end cli_device_end_judge(const cli_device_motion *motion, double tolerance);

typedef struct cli_device cli_device;

/* Find the device and compile the system for it. CLI_ANSWERED, or a status after a message. Always
 * end with cli_device_close. */
int cli_device_open(const cli_device_task *task, cli_device **device);
void cli_device_close(cli_device *device); /* NULL is allowed */

const char *cli_device_name(const cli_device *device);

/* The most motions of a batch. */
long cli_device_room(const cli_device *device);

/* Set motion k (from 0) of the next batch, run `count` of them, look at motion k. Running tells how
 * many have ended; Ctrl-C ends it between two launches, CLI_ANSWERED then too. */
void cli_device_set(cli_device *device, long k, const cli_device_start *start);
int cli_device_run(cli_device *device, long count, void (*progress)(void *self, long ended),
                   void *self);
void cli_device_get(const cli_device *device, long k, cli_device_motion *motion);

/* device_scene.c. The scene once more, with the program of a device; a usage error, with the
 * reason, where it has none. And does a device know this law? */
int cli_device_scene(const cli_arguments *arguments, const carom_scene *scene, carom_scene **read);
int cli_device_law(const cli_arguments *arguments, const carom_law *law, cli_device_task *task);

/* Why the friction of these contacts is not for a device; NULL: it is. */
const char *cli_device_friction(const carom_system_shape *shape);

/* The whole text that is compiled, on stdout (--print-kernel). */
void cli_device_print(const cli_device_task *task);

#endif
