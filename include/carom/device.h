/* Batches of impacts on an accelerator, through OpenCL, in double precision. The library of OpenCL
 * is looked for when a device is asked for: programs run without it.
 *
 * What a device cannot decide is refused with the reason (CAROM_ERROR_UNSUPPORTED), as are a device
 * that is missing, has no double precision or does not compile; nothing is computed elsewhere. */
#ifndef CAROM_DEVICE_H
#define CAROM_DEVICE_H

#include "carom/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a device says of itself. */
typedef struct carom_device_facts {
    char name[200], platform[100], version[100];
    bool doubles; /* numbers of 64 bits */
    unsigned units;
    unsigned long long memory; /* bytes */
    bool is_gpu;
} carom_device_facts;

/* All devices; free the list with free(). There may be none. */
CAROM_API carom_status carom_device_list(carom_device_facts **facts, int *count,
                                         carom_error *error);

typedef struct carom_device carom_device;

/* The first device whose name has `name` in it; "any": the first, accelerators before processors.
 * One thread at a time may use it. */
CAROM_API carom_status carom_device_open(const char *name, carom_device **device,
                                         carom_error *error);
CAROM_API void carom_device_close(carom_device *device); /* NULL is allowed */
CAROM_API const carom_device_facts *carom_device_about(const carom_device *device);

/* Devices solve Newton's inequalities without friction, with the contacts' coefficients or none:
 * the laws that say of themselves that they are that (carom_law_step.whose). */
CAROM_API bool carom_device_takes_law(const carom_law *law, bool *inelastic);

/* Is it the law of friction that devices decide impacts by: coulomb, form complementarity? */
CAROM_API bool carom_device_takes_friction(const carom_law *law);

enum {
    CAROM_DEVICE_VELOCITIES = 16, /* n at most */
    CAROM_DEVICE_CONTACTS = 8,    /* p at most */
    CAROM_DEVICE_ROUGH = 4        /* with friction: every combination of their modes is tried */
};

/* What the work cost. */
typedef struct carom_device_cost {
    double compiling, moving; /* seconds, of the host */
    double computing;         /* and of the device alone, by its own clock */
    double bytes;             /* an impact: read and written by the kernel */
} carom_device_cost;

/* The same as carom_batch_apply, on the device, for the laws `newton` and `inelastic` without
 * friction and `coulomb` of planar contacts, without joints, regions and second-order cones; the
 * numbers agree but for rounding. CAROM_ANSWER_FAILED is the answer where contacts without
 * friction depend on each other. cost may be NULL. The program of a structure (n, p, law, what
 * varies) is compiled once; the watch is asked between launches. */
CAROM_API carom_status carom_device_apply(carom_device *device, const carom_batch *batch,
                                          const carom_batch_output *output, carom_device_cost *cost,
                                          carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
