/* Batches of motions on a device: starts go there, the motions advance in short launches, points
 * come back after each. Between two launches Ctrl-C is looked for. */
#include "device/opencl.h"
#include "device_program.h"
#include "watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef CAROM_OPENCL

/* Work items of a group on an accelerator; motions of a batch for each of its units, and on a CPU,
 * where short batches do as well and lose less when they are stopped. */
enum { GROUP = 128, BATCH = 4096, BATCH_CPU = 128 };

/* Seconds of a launch; bytes of points that a launch may bring. */
static const double launch_time = 0.1;
static const double points_bytes = 128e6;

/* As in cli/device/motion.cl. */
typedef struct settings {
    double tolerance, event_tolerance, closed, rest, force_rest, accumulation, min_step, max_step;
    double horizon;
    cl_int accumulation_impacts, inelastic, section, steps, room, coulomb;
    cl_long skip, limit, max_events;
} settings;

typedef struct points {
    long count, room;
    double *values;
} points;

struct cli_device {
    carom_opencl cl;
    cli_device_task task;
    carom_device_facts facts;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel start, advance, finish;
    cl_mem size, cells, parameters, restitution, starts, points, told, ends;
    size_t items; /* work items: motions of a full batch, in whole groups */
    settings settings;
    double *p, *e, *from, *got, *left; /* what goes and comes, items of each number together */
    cl_int *say;                       /* 2 x items: points of this launch, end */
    points *kept;                      /* items */
};

static int fail(const cli_device *d, const char *what, cl_int code)
{
    if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
        code == CL_OUT_OF_HOST_MEMORY)
        fprintf(stderr, "carom: device %s: out of memory (%s)\n", d->facts.name, what);
    else
        fprintf(stderr, "carom: device %s: %s failed with OpenCL's error %d\n", d->facts.name, what,
                (int)code);
    return CLI_MACHINE;
}

static int find(cli_device *d)
{
    carom_error error = {0};
    carom_status status = carom_opencl_load(&d->cl, &error);
    if (!status)
        status = carom_opencl_choose(&d->cl, d->task.device, &d->id, &d->facts, &error);
    if (status)
        fprintf(stderr, "carom: %s\n", error.text);
    return status == CAROM_ERROR_ARGUMENT ? CLI_USAGE : status ? CLI_MACHINE : CLI_ANSWERED;
}

/* What the compiler of the device has to say. */
static int complain(const cli_device *d, cl_int code)
{
    size_t size = 0;
    d->cl.clGetProgramBuildInfo(d->program, d->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = calloc(size + 1, 1);
    if (log)
        d->cl.clGetProgramBuildInfo(d->program, d->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    fprintf(stderr, "carom: device %s does not compile the kernel (--print-kernel shows it):\n%s\n",
            d->facts.name, log ? log : "");
    free(log);
    return fail(d, "clBuildProgram", code);
}

static int compile(cli_device *d)
{
    const char *parts[CLI_PROGRAM_PARTS];
    size_t sizes[CLI_PROGRAM_PARTS];
    char head[CLI_PROGRAM_HEAD];
    cl_int code;
    const int count =
        cli_device_program_parts(&d->task, d->facts.is_gpu, parts, sizes, head, sizeof head);
    d->program = d->cl.clCreateProgramWithSource(d->context, (cl_uint)count, parts, sizes, &code);
    if (!d->program)
        return fail(d, "clCreateProgramWithSource", code);
    code = d->cl.clBuildProgram(d->program, 1, &d->id, "-cl-std=CL1.2", NULL, NULL);
    if (code)
        return complain(d, code);
    d->start = d->cl.clCreateKernel(d->program, "start", &code);
    d->advance = code ? NULL : d->cl.clCreateKernel(d->program, "advance", &code);
    d->finish = code ? NULL : d->cl.clCreateKernel(d->program, "finish", &code);
    return code ? fail(d, "clCreateKernel", code) : CLI_ANSWERED;
}

/* How large the state of a motion is there. The number stays there until the end: oclgrind takes
 * what is written to a buffer for uninitialised where one was released before. */
static int measure(cli_device *d, size_t *bytes)
{
    cl_int code, size = 0;
    const size_t one = 1;
    cl_kernel kernel = d->cl.clCreateKernel(d->program, "measure", &code);
    if (kernel)
        d->size = d->cl.clCreateBuffer(d->context, CL_MEM_READ_WRITE, sizeof size, NULL, &code);
    if (d->size)
        code = d->cl.clSetKernelArg(kernel, 0, sizeof d->size, &d->size);
    if (d->size && !code)
        code = d->cl.clEnqueueNDRangeKernel(d->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    if (d->size && !code)
        code = d->cl.clEnqueueReadBuffer(d->queue, d->size, CL_TRUE, 0, sizeof size, &size, 0, NULL,
                                         NULL);
    if (kernel)
        d->cl.clReleaseKernel(kernel);
    *bytes = (size_t)size;
    return code ? fail(d, "a first kernel", code) : CLI_ANSWERED;
}

static size_t width_of(const cli_device *d)
{
    return 1 + 2 * (size_t)d->task.n;
}

enum { ENDS = 10, STARTS = 4 }; /* numbers beside q and u */

/* Of a contact: restitution, friction at rest and in motion, what of a slip comes back. */
enum { COEFFICIENTS = 4 };

static int allocate(cli_device *d)
{
    const size_t n = (size_t)d->task.n, p = (size_t)d->task.p;
    const size_t number = d->items * sizeof(double);
    const size_t parameters = (size_t)d->task.parameters + 1;
    size_t cell;
    int status = measure(d, &cell);
    if (status)
        return status;
    const double room = points_bytes / ((double)width_of(d) * (double)number);
    d->settings.room = d->task.keep == CLI_DEVICE_FINAL ? 1 : (cl_int)fmin(fmax(room, 1), 64);
    const struct {
        cl_mem *to;
        size_t bytes;
    } buffers[] = {
        {&d->cells, cell * d->items},
        {&d->parameters, parameters * number},
        {&d->restitution, (COEFFICIENTS * p + 1) * number},
        {&d->starts, (STARTS + 2 * n) * number},
        {&d->points, (size_t)d->settings.room * width_of(d) * number},
        {&d->told, 2 * d->items * sizeof(cl_int)},
        {&d->ends, (ENDS + 2 * n) * number},
    };
    cl_int code = CL_SUCCESS;
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers && !code; k++)
        *buffers[k].to =
            d->cl.clCreateBuffer(d->context, CL_MEM_READ_WRITE, buffers[k].bytes, NULL, &code);
    if (code)
        return fail(d, "clCreateBuffer", code);
    d->p = calloc(parameters, number);
    d->e = calloc(COEFFICIENTS * p + 1, number);
    d->from = calloc(STARTS + 2 * n, number);
    d->got = calloc((size_t)d->settings.room * width_of(d), number);
    d->left = calloc(ENDS + 2 * n, number);
    d->say = calloc(2 * d->items, sizeof *d->say);
    d->kept = calloc(d->items, sizeof *d->kept);
    return d->p && d->e && d->from && d->got && d->left && d->say && d->kept ? CLI_ANSWERED
                                                                             : cli_message_memory();
}

/* Taylor's remainder is below the last term that is kept: a tenth of what a step of the CPU may
 * err by. */
static settings settings_of(const cli_device_task *t)
{
    const carom_flow_options *o = &t->options;
    return (settings){.tolerance = fmax(1e-3 * o->tolerance, 1e-15),
                      .event_tolerance = o->event_tolerance,
                      .closed = o->closed,
                      .rest = o->rest,
                      .force_rest = o->force_rest,
                      .accumulation = o->accumulation,
                      .min_step = o->min_step,
                      .max_step = o->max_step,
                      .horizon = t->horizon,
                      .accumulation_impacts = o->accumulation_impacts,
                      .inelastic = t->inelastic,
                      .coulomb = t->coulomb,
                      .section = t->section,
                      .skip = t->skip,
                      .limit = t->limit,
                      .max_events = o->max_events};
}

int cli_device_open(const cli_device_task *task, cli_device **device)
{
    cl_int code = CL_SUCCESS;
    cli_device *d = *device = calloc(1, sizeof *d);
    if (!d)
        return cli_message_memory();
    d->task = *task;
    d->settings = settings_of(task);
    int status = find(d);
    if (status)
        return status;
    d->items = (size_t)d->facts.units * (d->facts.is_gpu ? BATCH : BATCH_CPU);
    if (task->most > 0 && d->items > (size_t)task->most)
        d->items = (size_t)task->most;
    d->items = (d->items + GROUP - 1) / GROUP * GROUP;
    d->context = d->cl.clCreateContext(NULL, 1, &d->id, NULL, NULL, &code);
    if (!code)
        d->queue = d->cl.clCreateCommandQueue(d->context, d->id, 0, &code);
    if (code)
        return fail(d, "clCreateContext", code);
    status = compile(d);
    return status ? status : allocate(d);
}

void cli_device_close(cli_device *d)
{
    if (!d)
        return;
    cl_mem *const buffers[] = {&d->size,   &d->cells,  &d->parameters, &d->restitution,
                               &d->starts, &d->points, &d->told,       &d->ends};
    cl_kernel *const kernels[] = {&d->start, &d->advance, &d->finish};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        if (*buffers[k])
            d->cl.clReleaseMemObject(*buffers[k]);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (*kernels[k])
            d->cl.clReleaseKernel(*kernels[k]);
    if (d->program)
        d->cl.clReleaseProgram(d->program);
    if (d->queue)
        d->cl.clReleaseCommandQueue(d->queue);
    if (d->context)
        d->cl.clReleaseContext(d->context);
    for (size_t k = 0; d->kept && k < d->items; k++)
        free(d->kept[k].values);
    free(d->p);
    free(d->e);
    free(d->from);
    free(d->got);
    free(d->left);
    free(d->say);
    free(d->kept);
    free(d);
}

const char *cli_device_name(const cli_device *device)
{
    return device->facts.name;
}

long cli_device_room(const cli_device *device)
{
    return (long)device->items;
}

void cli_device_set(cli_device *d, long k, const cli_device_start *s)
{
    const size_t items = d->items, at = (size_t)k;
    const int n = d->task.n;
    const double head[STARTS] = {s->t, s->until, s->next, s->period};
    for (int j = 0; j < STARTS; j++)
        d->from[(size_t)j * items + at] = head[j];
    for (int j = 0; j < n; j++) {
        d->from[(size_t)(STARTS + j) * items + at] = s->q[j];
        d->from[(size_t)(STARTS + n + j) * items + at] = s->u[j];
    }
    for (int j = 0; j < d->task.parameters; j++)
        d->p[(size_t)j * items + at] = s->parameters[j];
    for (int j = 0; j < d->task.p; j++) {
        const carom_contact *c = &s->contacts[j];
        const double own[COEFFICIENTS] = {c->restitution, c->friction_static, c->friction_dynamic,
                                          c->tangential_restitution};
        for (int l = 0; l < COEFFICIENTS; l++)
            d->e[(size_t)(j + l * d->task.p) * items + at] = own[l];
    }
}

typedef struct argument {
    const void *value;
    size_t size;
} argument;

/* Start a kernel for all items. */
static cl_int launch(const cli_device *d, cl_kernel kernel, const argument *arguments, int count)
{
    cl_int code = CL_SUCCESS;
    const size_t group = d->facts.is_gpu ? GROUP : 1; /* cores share nothing, and wait for nobody */
    for (int k = 0; k < count && !code; k++)
        code = d->cl.clSetKernelArg(kernel, (cl_uint)k, arguments[k].size, arguments[k].value);
    if (!code)
        code = d->cl.clEnqueueNDRangeKernel(d->queue, kernel, 1, NULL, &d->items, &group, 0, NULL,
                                            NULL);
    return code;
}

static cl_int send(const cli_device *d, cl_mem to, size_t numbers, const double *from)
{
    return numbers == 0
               ? CL_SUCCESS
               : d->cl.clEnqueueWriteBuffer(d->queue, to, CL_TRUE, 0,
                                            numbers * d->items * sizeof *from, from, 0, NULL, NULL);
}

static cl_int fetch(const cli_device *d, cl_mem from, size_t bytes, void *to)
{
    return d->cl.clEnqueueReadBuffer(d->queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
}

static cl_int begin(const cli_device *d, cl_int count)
{
    cl_int code = send(d, d->parameters, (size_t)d->task.parameters, d->p);
    if (!code)
        code = send(d, d->restitution, COEFFICIENTS * (size_t)d->task.p, d->e);
    if (!code)
        code = send(d, d->starts, STARTS + 2 * (size_t)d->task.n, d->from);
    const argument arguments[] = {{&count, sizeof count},
                                  {&d->settings, sizeof d->settings},
                                  {&d->cells, sizeof(cl_mem)},
                                  {&d->parameters, sizeof(cl_mem)},
                                  {&d->restitution, sizeof(cl_mem)},
                                  {&d->starts, sizeof(cl_mem)}};
    return code ? code : launch(d, d->start, arguments, 6);
}

static cl_int step(const cli_device *d, cl_int count)
{
    const argument arguments[] = {{&count, sizeof count},
                                  {&d->settings, sizeof d->settings},
                                  {&d->cells, sizeof(cl_mem)},
                                  {&d->parameters, sizeof(cl_mem)},
                                  {&d->restitution, sizeof(cl_mem)},
                                  {&d->points, sizeof(cl_mem)},
                                  {&d->told, sizeof(cl_mem)}};
    cl_int code = launch(d, d->advance, arguments, 7);
    return code ? code : fetch(d, d->told, 2 * d->items * sizeof *d->say, d->say);
}

/* Room for some more points of a motion. */
static bool extend(points *p, long more, size_t width)
{
    if (p->count + more <= p->room)
        return true;
    const long room = 2 * p->room + more;
    double *values = realloc(p->values, (size_t)room * width * sizeof *values);
    p->values = values ? values : p->values;
    p->room = values ? room : p->room;
    return values != NULL;
}

/* The points of a launch go to their motions. */
static int take_points(cli_device *d, long count, cl_int *code)
{
    const size_t width = width_of(d), items = d->items;
    cl_int most = 0;
    for (long k = 0; k < count; k++)
        most = d->say[2 * k] > most ? d->say[2 * k] : most;
    if (most == 0)
        return CLI_ANSWERED;
    *code = fetch(d, d->points, (size_t)most * width * items * sizeof(double), d->got);
    for (long k = 0; k < count && !*code; k++) {
        points *p = &d->kept[k];
        if (!extend(p, d->say[2 * k], width))
            return cli_message_memory();
        for (cl_int j = 0; j < d->say[2 * k]; j++, p->count++)
            for (size_t i = 0; i < width; i++)
                p->values[(size_t)p->count * width + i] =
                    d->got[((size_t)j * width + i) * items + (size_t)k];
    }
    return CLI_ANSWERED;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long count_ended(const cli_device *d, long count)
{
    long ended = 0;
    for (long k = 0; k < count; k++)
        ended += d->say[2 * k + 1] != CLI_DEVICE_RUNNING;
    return ended;
}

int cli_device_run(cli_device *d, long count, void (*progress)(void *self, long ended), void *self)
{
    long ended = 0;
    for (long k = 0; k < count; k++) {
        d->kept[k].count = 0;
        d->say[2 * k] = d->say[2 * k + 1] = 0;
    }
    d->settings.steps = 16;
    cl_int code = begin(d, (cl_int)count);
    int status = CLI_ANSWERED;
    while (!code && !status && ended < count && !cli_watch_stopped()) {
        const double began = seconds();
        code = step(d, (cl_int)count);
        const double spent = seconds() - began;
        if (!code)
            status = take_points(d, count, &code);
        ended = code ? ended : count_ended(d, count);
        if (spent < 0.5 * launch_time && d->settings.steps < 1 << 20)
            d->settings.steps *= 2;
        else if (spent > 2 * launch_time && d->settings.steps > 1)
            d->settings.steps /= 2;
        if (progress)
            progress(self, ended);
    }
    const cl_int motions = (cl_int)count;
    const argument arguments[] = {
        {&motions, sizeof motions}, {&d->cells, sizeof(cl_mem)}, {&d->ends, sizeof(cl_mem)}};
    if (!code && !status)
        code = launch(d, d->finish, arguments, 3);
    if (!code && !status)
        code =
            fetch(d, d->ends, (ENDS + 2 * (size_t)d->task.n) * d->items * sizeof(double), d->left);
    return code ? fail(d, "a launch", code) : status;
}

void cli_device_get(const cli_device *d, long k, cli_device_motion *m)
{
    const size_t items = d->items;
    const int n = d->task.n;
    const double *left = d->left + k;
    const double *rest = left + (size_t)(1 + 2 * n) * items;
    *m = (cli_device_motion){.end = (cli_device_end)d->say[2 * k + 1],
                             .t = left[0],
                             .impacts = (long)rest[0],
                             .accumulations = (long)rest[items],
                             .energy_initial = rest[2 * items],
                             .energy_final = rest[3 * items],
                             .energy_impacts = rest[4 * items],
                             .energy_forces = rest[5 * items],
                             .penetration = rest[6 * items],
                             .steps = (long)rest[7 * items],
                             .energy_friction = rest[8 * items],
                             .count = d->kept[k].count,
                             .points = d->kept[k].values};
    for (int i = 0; i < n; i++) {
        m->q[i] = left[(size_t)(1 + i) * items];
        m->u[i] = left[(size_t)(1 + n + i) * items];
    }
    m->end = cli_device_end_judge(m, d->task.options.tolerance);
}
#endif
