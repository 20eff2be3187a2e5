/* A device with the program that it compiled last, and one call of carom_device_apply. */
#ifndef CAROM_IO_DEVICE_DEVICE_H
#define CAROM_IO_DEVICE_DEVICE_H

#include "device/opencl.h"

#ifdef CAROM_OPENCL
enum { CAROM_DEVICE_HEAD = 3200 };

/* A program that is compiled, and the head that it was compiled with. */
typedef struct carom_device_program {
    cl_program program;
    cl_kernel kernel;
    char head[CAROM_DEVICE_HEAD];
} carom_device_program;

/* Which: that of impacts, and that of those whose contacts are nearly dependent. */
enum { CAROM_DEVICE_USUAL, CAROM_DEVICE_EXACT, CAROM_DEVICE_PROGRAMS };

struct carom_device {
    carom_opencl cl;
    carom_device_facts facts;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    carom_device_program programs[CAROM_DEVICE_PROGRAMS];
};

/* The error of a call of OpenCL. */
carom_status carom_device_fail(const carom_device *device, const char *what, cl_int code,
                               carom_error *error);

enum { CAROM_DEVICE_TEXTS = 11 };

/* The texts of a program, after its head. */
typedef struct carom_device_texts {
    int count;
    const char *text[CAROM_DEVICE_TEXTS];
    size_t size[CAROM_DEVICE_TEXTS];
    bool small; /* its numbers fit into few registers */
} carom_device_texts;

/* The kernel `impacts` of the texts after the head, unless it is the one that is there. */
carom_status carom_device_compile(carom_device *device, int which, const char *head,
                                  const carom_device_texts *texts, double *seconds,
                                  carom_error *error);

/* Seconds of a clock that runs on. */
double carom_device_clock(void);

/* What goes to a device, and what comes back, in the order of the kernels' arguments. */
enum {
    CAROM_DEVICE_MASS,
    CAROM_DEVICE_VELOCITY,
    CAROM_DEVICE_NORMALS,
    CAROM_DEVICE_MOTION,
    CAROM_DEVICE_RESTITUTION,
    CAROM_DEVICE_SLIPS,
    CAROM_DEVICE_SLIP_MOTION,
    CAROM_DEVICE_FRICTION, /* static */
    CAROM_DEVICE_OWN, /* of contacts: dynamic friction (< 0: as static), tangential restitution */
    CAROM_DEVICE_INPUTS,
    CAROM_DEVICE_OUTPUTS = 6,
    CAROM_DEVICE_NEARLY = 254, /* the answer where contacts are nearly dependent, until the other
                                * program has decided */
    CAROM_DEVICE_INVALID = 255 /* the answer to what is no impact */
};

/* An array that goes, or comes back. */
typedef struct carom_device_array {
    carom_batch_input input; /* of what goes; data NULL: there is none */
    double *to;              /* of what comes; NULL: it is not wanted */
    int rows, columns;       /* entries of an impact */
    bool same;               /* for all impacts */
    double *numbers;         /* here, entry by entry */
    cl_mem there;
} carom_device_array;

/* One call. */
typedef struct carom_device_call {
    carom_device *device;
    const carom_batch *batch;
    const carom_batch_output *output;
    bool rough, inelastic;
    long count, stride; /* impacts; those of a piece */
    int s;              /* slips */
    double *own;        /* 4 p, of the contacts: restitution, friction, CAROM_DEVICE_OWN */
    carom_device_array in[CAROM_DEVICE_INPUTS], out[CAROM_DEVICE_OUTPUTS];
    unsigned char *answer, *verdict;
    cl_mem answers, verdicts;
    carom_device_cost cost;
    carom_error *error;
} carom_device_call;

/* Which arrays there are; an error with the reason for what a device does not decide. own is to be
 * freed. */
carom_status carom_device_state(carom_device_call *call);

/* The constants of the program: sizes, what varies, what is wanted, tolerances. */
void carom_device_head(const carom_device_call *call, char *head);

/* Where the numbers of an impact begin. */
const double *carom_device_locate(const carom_batch *batch, const carom_batch_input *input,
                                  long number);
#endif

#endif
