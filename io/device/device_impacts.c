/* Batches of impacts on a device: numbers that vary go there in pieces, entry by entry, so that
 * neighbours read neighbours; answers come back the same way. Between two pieces the watch is
 * asked. */
#include "device/opencl.h"

#include "carom/tolerance.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef CAROM_OPENCL
carom_status carom_device_open(const char *name, carom_device **device, carom_error *error)
{
    carom_device_facts *facts;
    int count;
    (void)name;
    *device = NULL;
    return carom_device_list(&facts, &count, error);
}

void carom_device_close(carom_device *device)
{
    (void)device;
}

const carom_device_facts *carom_device_about(const carom_device *device)
{
    (void)device;
    return NULL;
}

carom_status carom_device_apply(carom_device *device, const carom_batch *batch,
                                const carom_batch_output *output, carom_device_cost *cost,
                                carom_error *error)
{
    carom_device_facts *facts;
    int count;
    (void)device;
    (void)batch;
    (void)output;
    (void)cost;
    return carom_device_list(&facts, &count, error);
}
#else

extern const unsigned char carom_device_text_impacts[];
extern const size_t carom_device_text_impacts_size;

enum { HEAD = 1200, PIECE = 1 << 22, PIECE_CPU = 1 << 18, INPUTS = 5, OUTPUTS = 4, INVALID = 255 };

struct carom_device {
    carom_opencl cl;
    carom_device_facts facts;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    char head[HEAD]; /* of the program that is compiled */
};

/* An array that goes, or comes back. */
typedef struct array {
    const carom_batch_input *input; /* of what goes; NULL: it comes */
    const double *fixed;            /* what the statement has, where no input gives it */
    double *to;                     /* of what comes; NULL: it is not wanted */
    int rows, columns;              /* entries of an impact */
    bool same;                      /* for all impacts */
    double *numbers;                /* here, entry by entry */
    cl_mem there;
} array;

/* One call. */
typedef struct call {
    carom_device *device;
    const carom_batch *batch;
    const carom_batch_output *output;
    long count, stride;   /* impacts; those of a piece */
    double *coefficients; /* p, of the contacts */
    array in[INPUTS], out[OUTPUTS];
    unsigned char *answer, *verdict;
    cl_mem answers, verdicts;
    carom_device_cost cost;
    carom_error *error;
} call;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static carom_status fail(const carom_device *d, const char *what, cl_int code, carom_error *error)
{
    if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
        code == CL_OUT_OF_HOST_MEMORY)
        return carom_error_set(error, CAROM_ERROR_MEMORY, "device %.190s: out of memory (%s)",
                               d->facts.name, what);
    return carom_error_set(error, CAROM_ERROR_NUMERIC, "device %.190s: %s: OpenCL's error %d",
                           d->facts.name, what, (int)code);
}

carom_status carom_device_open(const char *name, carom_device **device, carom_error *error)
{
    cl_int code = CL_SUCCESS;
    carom_device *d = *device = calloc(1, sizeof *d);
    if (!d)
        return carom_error_memory(error);
    carom_status status = name && *name ? CAROM_OK
                                        : carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                                          "the name of a device must be given");
    if (!status)
        status = carom_opencl_load(&d->cl, error);
    if (!status)
        status = carom_opencl_choose(&d->cl, name, &d->id, &d->facts, error);
    if (!status) {
        d->context = d->cl.clCreateContext(NULL, 1, &d->id, NULL, NULL, &code);
        if (!code)
            d->queue = d->cl.clCreateCommandQueue(d->context, d->id, 0, &code);
        status = code ? fail(d, "clCreateContext", code, error) : CAROM_OK;
    }
    if (status) {
        carom_device_close(d);
        *device = NULL;
    }
    return status;
}

static void forget_program(carom_device *d)
{
    if (d->kernel)
        d->cl.clReleaseKernel(d->kernel);
    if (d->program)
        d->cl.clReleaseProgram(d->program);
    d->kernel = NULL;
    d->program = NULL;
    d->head[0] = '\0';
}

void carom_device_close(carom_device *d)
{
    if (!d)
        return;
    forget_program(d);
    if (d->queue)
        d->cl.clReleaseCommandQueue(d->queue);
    if (d->context)
        d->cl.clReleaseContext(d->context);
    free(d);
}

const carom_device_facts *carom_device_about(const carom_device *device)
{
    return &device->facts;
}

/* Why a device does not decide this; NULL: it does. */
static const char *find_reason(const carom_batch *b)
{
    const carom_impact *i = b->impact;
    bool inelastic;
    if (!carom_device_takes_law(b->law, &inelastic))
        return "a device decides impacts by the laws newton and inelastic";
    if (i->n > CAROM_DEVICE_VELOCITIES || i->p > CAROM_DEVICE_CONTACTS)
        return "a device decides impacts of up to 16 velocities and 8 contacts";
    if (i->m > 0 || i->a > 0)
        return "a device knows no joints";
    if (i->region)
        return "a device knows no regions";
    for (int k = 0; k < i->p && i->contacts; k++)
        if (i->contacts[k].spread_count > 0 || i->contacts[k].slip_count > 0 || i->contacts[k].law)
            return "a device knows no friction, second-order cones, or laws of single contacts";
    return NULL;
}

static bool is_same(const carom_batch *b, const carom_batch_input *input)
{
    for (int a = 0; a < b->axes; a++)
        if (input->data && input->step[a] != 0 && b->size[a] > 1)
            return false;
    return true;
}

static array make_input(const carom_batch *b, const carom_batch_input *input, const double *fixed,
                        int rows, int columns)
{
    return (array){.input = input,
                   .fixed = fixed,
                   .rows = rows,
                   .columns = columns,
                   .same = is_same(b, input)};
}

static carom_status state(call *c)
{
    const carom_batch *b = c->batch;
    const carom_impact *i = b->impact;
    const int n = i->n, p = i->p;
    c->coefficients = calloc((size_t)p, sizeof *c->coefficients);
    if (!c->coefficients)
        return carom_error_memory(c->error);
    for (int k = 0; k < p && i->contacts; k++)
        c->coefficients[k] = i->contacts[k].restitution;
    const array in[INPUTS] = {
        make_input(b, &b->mass, i->M, n, i->mass_is_diagonal ? 1 : n),
        make_input(b, &b->velocity, i->u, n, 1),
        make_input(b, &b->normals, i->W, n, p),
        make_input(b, &b->motion, i->w_hat, p, 1),
        make_input(b, &b->restitution, c->coefficients, p, 1),
    };
    const array out[OUTPUTS] = {{.to = c->output->velocity, .rows = n, .columns = 1},
                                {.to = c->output->normal_velocity, .rows = p, .columns = 1},
                                {.to = c->output->impulse, .rows = p, .columns = 1},
                                {.to = c->output->energy_change, .rows = 1, .columns = 1}};
    memcpy(c->in, in, sizeof in);
    memcpy(c->out, out, sizeof out);
    for (int k = 0; k < INPUTS; k++)
        if (k != 3 && !in[k].input->data && !in[k].fixed)
            return carom_error_set(c->error, CAROM_ERROR_ARGUMENT,
                                   "mass, velocity and normals must be given");
    return CAROM_OK;
}

static void write_head(const call *c, char *head)
{
    const carom_impact *i = c->batch->impact;
    const int p = i->p;
    bool inelastic = false;
    carom_device_takes_law(c->batch->law, &inelastic);
    snprintf(head, HEAD,
             "#define N %d\n#define P %d\n#define DIAGONAL %d\n#define INELASTIC %d\n"
             "#define ANY_RESTITUTION %d\n#define HAS_MOTION %d\n#define SAME_MASS %d\n"
             "#define SAME_VELOCITY %d\n#define SAME_NORMALS %d\n#define SAME_MOTION %d\n"
             "#define SAME_RESTITUTION %d\n#define WANT_VELOCITY %d\n#define WANT_NORMAL %d\n"
             "#define WANT_IMPULSE %d\n#define WANT_ENERGY %d\n#define WANT_VERDICT %d\n"
             "#define TURNS %d\n#define FAILED %d\n#define INVALID %d\n#define PIVOT %.17g\n"
             "#define ROUNDING %.17g\n#define CARRIED %.17g\n#define VERDICT %.17g\n",
             i->n, p, i->mass_is_diagonal, inelastic,
             (i->flags & CAROM_IMPACT_ANY_RESTITUTION) != 0, c->batch->motion.data || i->w_hat,
             c->in[0].same, c->in[1].same, c->in[2].same, c->in[3].same, c->in[4].same,
             c->out[0].to != NULL, c->out[1].to != NULL, c->out[2].to != NULL, c->out[3].to != NULL,
             c->output->verdict != NULL, 2 * p + (2 << p), CAROM_ANSWER_FAILED, INVALID,
             CAROM_TOLERANCE_SOLVED, CAROM_TOLERANCE_SUM, CAROM_TOLERANCE_CARRIED,
             CAROM_VERDICT_TOLERANCE);
}

static carom_status complain(carom_device *d, cl_int code, carom_error *error)
{
    char log[600] = "";
    if (d->program)
        d->cl.clGetProgramBuildInfo(d->program, d->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log,
                                    NULL);
    forget_program(d);
    return carom_error_set(error, CAROM_ERROR_NUMERIC,
                           "device %.190s does not compile the kernel (OpenCL's error %d): %.500s",
                           d->facts.name, (int)code, log);
}

/* The program of this structure, unless it is the one that is there. */
static carom_status compile(call *c)
{
    carom_device *d = c->device;
    char head[HEAD];
    cl_int code;
    write_head(c, head);
    if (d->kernel && strcmp(head, d->head) == 0)
        return CAROM_OK;
    const double began = now();
    const char *parts[] = {head, (const char *)carom_device_text_impacts};
    const size_t sizes[] = {strlen(head), carom_device_text_impacts_size};
    forget_program(d);
    d->program = d->cl.clCreateProgramWithSource(d->context, 2, parts, sizes, &code);
    if (!code)
        code = d->cl.clBuildProgram(d->program, 1, &d->id, "-cl-std=CL1.2", NULL, NULL);
    if (!code)
        d->kernel = d->cl.clCreateKernel(d->program, "impacts", &code);
    if (code)
        return complain(d, code, c->error);
    memcpy(d->head, head, sizeof head);
    c->cost.compiling = now() - began;
    return CAROM_OK;
}

static size_t room_of(const call *c, const array *a)
{
    return (size_t)a->rows * (size_t)a->columns * (a->same ? 1 : (size_t)c->stride);
}

static carom_status make_buffer(call *c, size_t bytes, cl_mem *made)
{
    cl_int code;
    *made = c->device->cl.clCreateBuffer(c->device->context, CL_MEM_READ_WRITE, bytes ? bytes : 8,
                                         NULL, &code);
    return code ? fail(c->device, "clCreateBuffer", code, c->error) : CAROM_OK;
}

static carom_status allocate(call *c)
{
    carom_status status = CAROM_OK;
    for (int k = 0; k < INPUTS + OUTPUTS && !status; k++) {
        array *a = k < INPUTS ? &c->in[k] : &c->out[k - INPUTS];
        const bool used = a->input ? a->input->data || a->fixed : a->to != NULL;
        const size_t bytes = used ? room_of(c, a) * sizeof(double) : 0;
        status = make_buffer(c, bytes, &a->there);
        a->numbers = bytes ? malloc(bytes) : NULL;
        if (bytes && !a->numbers)
            status = carom_error_memory(c->error);
        c->cost.bytes += used && !a->same ? 8.0 * a->rows * a->columns : 0;
    }
    c->answer = malloc((size_t)c->stride);
    c->verdict = malloc((size_t)c->stride);
    c->cost.bytes += 1 + (c->output->verdict != NULL);
    if (!status && (!c->answer || !c->verdict))
        status = carom_error_memory(c->error);
    if (!status)
        status = make_buffer(c, (size_t)c->stride, &c->answers);
    return status ? status : make_buffer(c, (size_t)c->stride, &c->verdicts);
}

static void release(call *c)
{
    for (int k = 0; k < INPUTS + OUTPUTS; k++) {
        array *a = k < INPUTS ? &c->in[k] : &c->out[k - INPUTS];
        free(a->numbers);
        if (a->there)
            c->device->cl.clReleaseMemObject(a->there);
    }
    if (c->answers)
        c->device->cl.clReleaseMemObject(c->answers);
    if (c->verdicts)
        c->device->cl.clReleaseMemObject(c->verdicts);
    free(c->answer);
    free(c->verdict);
    free(c->coefficients);
}

/* Where the numbers of an impact begin. */
static const double *locate(const carom_batch *b, const carom_batch_input *input, long number)
{
    ptrdiff_t offset = 0;
    for (int a = b->axes - 1; a >= 0; a--) {
        offset += (ptrdiff_t)(number % b->size[a]) * input->step[a];
        number /= b->size[a];
    }
    return input->data + offset;
}

/* Entry by entry, impacts first ... first + count - 1. */
static void gather(const call *c, const array *a, long first, long count)
{
    const carom_batch_input given = {a->fixed, {0}, 1, a->rows};
    const carom_batch_input *input = a->input->data ? a->input : &given;
    const size_t step = a->same ? 1 : (size_t)c->stride;
    for (long k = 0; k < (a->same ? 1 : count); k++) {
        const double *from = locate(c->batch, input, first + k);
        for (int column = 0; column < a->columns; column++)
            for (int row = 0; row < a->rows; row++)
                a->numbers[(size_t)(row + column * a->rows) * step + (size_t)k] =
                    from[row * input->row + column * input->column];
    }
}

static carom_status send(call *c, long first, long count)
{
    cl_int code = CL_SUCCESS;
    const double began = now();
    for (int k = 0; k < INPUTS && !code; k++) {
        array *a = &c->in[k];
        if (!a->numbers || (a->same && first > 0))
            continue;
        gather(c, a, first, count);
        code = c->device->cl.clEnqueueWriteBuffer(c->device->queue, a->there, CL_TRUE, 0,
                                                  room_of(c, a) * sizeof(double), a->numbers, 0,
                                                  NULL, NULL);
    }
    c->cost.moving += now() - began;
    return code ? fail(c->device, "clEnqueueWriteBuffer", code, c->error) : CAROM_OK;
}

static carom_status launch(call *c, long count)
{
    enum { GROUP = 64 };
    carom_device *d = c->device;
    const cl_long counts[2] = {count, c->stride};
    const size_t items = ((size_t)count + GROUP - 1) / GROUP * GROUP, group = GROUP;
    cl_int code = CL_SUCCESS;
    const double began = now();
    for (cl_uint k = 0; k < 2 && !code; k++)
        code = d->cl.clSetKernelArg(d->kernel, k, sizeof counts[k], &counts[k]);
    for (cl_uint k = 0; k < INPUTS + OUTPUTS && !code; k++)
        code = d->cl.clSetKernelArg(d->kernel, 2 + k, sizeof(cl_mem),
                                    k < INPUTS ? &c->in[k].there : &c->out[k - INPUTS].there);
    if (!code)
        code = d->cl.clSetKernelArg(d->kernel, 2 + INPUTS + OUTPUTS, sizeof(cl_mem), &c->answers);
    if (!code)
        code = d->cl.clSetKernelArg(d->kernel, 3 + INPUTS + OUTPUTS, sizeof(cl_mem), &c->verdicts);
    if (!code)
        code = d->cl.clEnqueueNDRangeKernel(d->queue, d->kernel, 1, NULL, &items, &group, 0, NULL,
                                            NULL);
    if (!code)
        code = d->cl.clFinish(d->queue);
    c->cost.computing += now() - began;
    return code ? fail(d, "the kernel", code, c->error) : CAROM_OK;
}

static cl_int receive_bytes(call *c, cl_mem from, size_t bytes, void *to)
{
    return c->device->cl.clEnqueueReadBuffer(c->device->queue, from, CL_TRUE, 0, bytes, to, 0, NULL,
                                             NULL);
}

/* The error of an impact that is no valid statement, as the processor tells it. */
static carom_status explain(call *c, long number)
{
    carom_batch one = *c->batch;
    carom_batch_input *const inputs[] = {&one.mass, &one.velocity, &one.normals, &one.motion,
                                         &one.restitution};
    one.axes = 0;
    one.watch = NULL;
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++)
        if (inputs[k]->data)
            inputs[k]->data = locate(c->batch, inputs[k], number);
    carom_status status = carom_batch_apply(&one, &(carom_batch_output){0}, c->error);
    const char *colon = c->error ? strchr(c->error->text, ':') : NULL;
    char text[800] = "a number is not finite, or a mass not positive, for the device";
    if (status && colon)
        snprintf(text, sizeof text, "%.780s", colon + 2);
    return carom_error_set(c->error, status ? status : CAROM_ERROR_ARGUMENT, "impact %ld: %s",
                           number, text);
}

static carom_status receive(call *c, long first, long count)
{
    const double began = now();
    cl_int code = receive_bytes(c, c->answers, (size_t)count, c->answer);
    if (!code && c->output->verdict)
        code = receive_bytes(c, c->verdicts, (size_t)count, c->verdict);
    for (int k = 0; k < OUTPUTS && !code; k++) {
        const array *a = &c->out[k];
        if (!a->to)
            continue;
        code = receive_bytes(c, a->there, room_of(c, a) * sizeof(double), a->numbers);
        for (long i = 0; i < count && !code; i++)
            for (int row = 0; row < a->rows; row++)
                a->to[(first + i) * a->rows + row] = a->numbers[row * c->stride + i];
    }
    c->cost.moving += now() - began;
    if (code)
        return fail(c->device, "clEnqueueReadBuffer", code, c->error);
    for (long i = 0; i < count; i++)
        if (c->answer[i] == INVALID)
            return explain(c, first + i);
    if (c->output->answer)
        memcpy(c->output->answer + first, c->answer, (size_t)count);
    if (c->output->verdict)
        memcpy(c->output->verdict + first, c->verdict, (size_t)count);
    return CAROM_OK;
}

static carom_status run(call *c)
{
    const carom_watch *watch = c->batch->watch;
    carom_status status = CAROM_OK;
    for (long first = 0; first < c->count && !status; first += c->stride) {
        const long count = c->count - first < c->stride ? c->count - first : c->stride;
        if (watch && !watch->go_on(watch->self, "impacts", (double)first / (double)c->count))
            return CAROM_STOPPED;
        status = send(c, first, count);
        if (!status)
            status = launch(c, count);
        if (!status)
            status = receive(c, first, count);
    }
    return status;
}

carom_status carom_device_apply(carom_device *device, const carom_batch *batch,
                                const carom_batch_output *output, carom_device_cost *cost,
                                carom_error *error)
{
    if (!device || !batch || !output || !batch->impact || !batch->law || batch->impact->n < 1 ||
        batch->impact->p < 1)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "device, batch, its impact and law, and output must be given");
    const char *reason = find_reason(batch);
    if (reason)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED, "%s", reason);
    call c = {.device = device, .batch = batch, .output = output, .error = error};
    c.count = carom_batch_count(batch);
    c.stride = device->facts.is_gpu ? PIECE : PIECE_CPU;
    c.stride = c.count < c.stride ? c.count : c.stride;
    if (c.count < 0)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "the sizes of the axes are too large");
    carom_status status = c.count > 0 ? state(&c) : CAROM_OK;
    if (!status && c.count > 0)
        status = compile(&c);
    if (!status && c.count > 0)
        status = allocate(&c);
    if (!status)
        status = run(&c);
    release(&c);
    if (cost)
        *cost = c.cost;
    return status;
}
#endif
