/* Batches of impacts on a device: numbers that vary go there in pieces, entry by entry, so that
 * neighbours read neighbours; answers come back the same way. Between two pieces the watch is
 * asked. */
#include "carom/need.h"
#include "device/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No declaration is left of this file without OpenCL. */
typedef int carom_device_impacts_is_a_file;

#ifdef CAROM_OPENCL

/* The texts of the kernels, embedded. */
#define TEXT(name)                                                                                 \
    extern const unsigned char carom_device_text_##name[];                                         \
    extern const size_t carom_device_text_##name##_size
TEXT(statement);
TEXT(smooth);
TEXT(newton);
TEXT(doubled);
TEXT(exact);
TEXT(modes);
TEXT(nullspace);
TEXT(dependent);
TEXT(combinations);
TEXT(rows);
TEXT(respond);
TEXT(sharp);
TEXT(coulomb);

#define ADD(texts, name)                                                                           \
    add_text(texts, (const char *)carom_device_text_##name, carom_device_text_##name##_size)

enum {
    PIECE = 1 << 22,
    PIECE_CPU = 1 << 18,
    ARRAYS = (int)CAROM_DEVICE_INPUTS + (int)CAROM_DEVICE_OUTPUTS
};

static void add_text(carom_device_texts *texts, const char *text, size_t size)
{
    texts->text[texts->count] = text;
    texts->size[texts->count++] = size;
}

static carom_status compile(carom_device_call *c, int which)
{
    char head[CAROM_DEVICE_HEAD];
    const bool usual = which == CAROM_DEVICE_USUAL;
    carom_device_texts texts = {.small = usual && !c->rough &&
                                         c->batch->impact->n * c->batch->impact->p <= 20};
    ADD(&texts, statement);
    if (c->rough && !usual) {
        static const char sharp[] = "#define SHARP 1\n#define RESPONSES (2 * P)\n";
        add_text(&texts, sharp, sizeof sharp - 1);
        ADD(&texts, doubled);
        ADD(&texts, respond);
    }
    if (c->rough) {
        ADD(&texts, modes);
        ADD(&texts, nullspace);
        ADD(&texts, dependent);
        ADD(&texts, rows);
        if (!usual)
            ADD(&texts, sharp);
        ADD(&texts, combinations);
        ADD(&texts, coulomb);
    } else if (usual) {
        ADD(&texts, smooth);
        ADD(&texts, newton);
    } else {
        ADD(&texts, smooth);
        ADD(&texts, doubled);
        ADD(&texts, respond);
        ADD(&texts, nullspace);
        ADD(&texts, exact);
    }
    carom_device_head(c, head);
    return carom_device_compile(c->device, which, head, &texts, &c->cost.compiling, c->error);
}

static carom_device_array *array_of(carom_device_call *c, int k)
{
    return k < CAROM_DEVICE_INPUTS ? &c->in[k] : &c->out[k - CAROM_DEVICE_INPUTS];
}

static size_t room_of(const carom_device_call *c, const carom_device_array *a)
{
    return (size_t)a->rows * (size_t)a->columns * (a->same ? 1 : (size_t)c->stride);
}

static carom_status make_buffer(carom_device_call *c, size_t bytes, cl_mem *made)
{
    cl_int code;
    *made = c->device->cl.clCreateBuffer(c->device->context, CL_MEM_READ_WRITE, bytes ? bytes : 8,
                                         NULL, &code);
    return code ? carom_device_fail(c->device, "clCreateBuffer", code, c->error) : CAROM_OK;
}

static carom_status allocate(carom_device_call *c)
{
    carom_status status = CAROM_OK;
    for (int k = 0; k < ARRAYS && !status; k++) {
        carom_device_array *a = array_of(c, k);
        const bool used = a->input.data || a->to;
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

static void release(carom_device_call *c)
{
    for (int k = 0; k < ARRAYS; k++) {
        carom_device_array *a = array_of(c, k);
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
    free(c->own);
}

/* Entry by entry, impacts first ... first + count - 1. */
static void gather(const carom_device_call *c, const carom_device_array *a, long first, long count)
{
    const carom_batch_input *input = &a->input;
    const size_t step = a->same ? 1 : (size_t)c->stride;
    for (long k = 0; k < (a->same ? 1 : count); k++) {
        const double *from = carom_device_locate(c->batch, input, first + k);
        for (int column = 0; column < a->columns; column++)
            for (int row = 0; row < a->rows; row++)
                a->numbers[(size_t)(row + column * a->rows) * step + (size_t)k] =
                    from[row * input->row + column * input->column];
    }
}

static carom_status send(carom_device_call *c, long first, long count)
{
    cl_int code = CL_SUCCESS;
    const double began = carom_device_clock();
    for (int k = 0; k < CAROM_DEVICE_INPUTS && !code; k++) {
        carom_device_array *a = &c->in[k];
        if (!a->numbers || (a->same && first > 0))
            continue;
        gather(c, a, first, count);
        code = c->device->cl.clEnqueueWriteBuffer(c->device->queue, a->there, CL_TRUE, 0,
                                                  room_of(c, a) * sizeof(double), a->numbers, 0,
                                                  NULL, NULL);
    }
    c->cost.moving += carom_device_clock() - began;
    return code ? carom_device_fail(c->device, "clEnqueueWriteBuffer", code, c->error) : CAROM_OK;
}

/* Seconds of the device for what an event stands for; it is released. */
static double time_of(carom_device *d, cl_event event)
{
    cl_ulong start = 0, end = 0;
    cl_int code = d->cl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start,
                                                &start, NULL);
    if (!code)
        code =
            d->cl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    d->cl.clReleaseEvent(event);
    return code ? 0 : 1e-9 * (double)(end - start);
}

static carom_status launch(carom_device_call *c, int which, long count)
{
    enum { GROUP = 64, EACH_ITEM = 8 }; /* impacts that one item decides, after one response */
    carom_device *d = c->device;
    cl_kernel kernel = d->programs[which].kernel;
    const cl_long counts[2] = {count, c->stride};
    const bool several = which == CAROM_DEVICE_USUAL && !c->rough;
    const size_t share = (size_t)GROUP * (several ? EACH_ITEM : 1), group = GROUP;
    const size_t items = ((size_t)count + share - 1) / share * GROUP;
    cl_int code = CL_SUCCESS;
    cl_event done = NULL;
    for (cl_uint k = 0; k < 2 && !code; k++)
        code = d->cl.clSetKernelArg(kernel, k, sizeof counts[k], &counts[k]);
    for (int k = 0; k < ARRAYS && !code; k++)
        code = d->cl.clSetKernelArg(kernel, 2 + (cl_uint)k, sizeof(cl_mem), &array_of(c, k)->there);
    if (!code)
        code = d->cl.clSetKernelArg(kernel, 2 + ARRAYS, sizeof(cl_mem), &c->answers);
    if (!code)
        code = d->cl.clSetKernelArg(kernel, 3 + ARRAYS, sizeof(cl_mem), &c->verdicts);
    if (!code)
        code =
            d->cl.clEnqueueNDRangeKernel(d->queue, kernel, 1, NULL, &items, &group, 0, NULL, &done);
    if (!code)
        code = d->cl.clFinish(d->queue);
    if (done)
        c->cost.computing += time_of(d, done);
    return code ? carom_device_fail(d, "the kernel", code, c->error) : CAROM_OK;
}

static cl_int receive_bytes(carom_device_call *c, cl_mem from, size_t bytes, void *to)
{
    return c->device->cl.clEnqueueReadBuffer(c->device->queue, from, CL_TRUE, 0, bytes, to, 0, NULL,
                                             NULL);
}

/* The error of an impact that is no valid statement, as the processor tells it. */
static carom_status explain(carom_device_call *c, long number)
{
    carom_batch one = *c->batch;
    carom_batch_input *const inputs[] = {&one.mass,        &one.velocity,    &one.normals,
                                         &one.motion,      &one.restitution, &one.slips,
                                         &one.slip_motion, &one.friction};
    one.axes = 0;
    one.watch = NULL;
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++)
        if (inputs[k]->data)
            inputs[k]->data = carom_device_locate(c->batch, inputs[k], number);
    carom_status status = carom_batch_apply(&one, &(carom_batch_output){0}, c->error);
    const char *colon = c->error ? strchr(c->error->text, ':') : NULL;
    char text[800] = "a number is not finite, or a mass not positive, for the device";
    if (status && colon)
        snprintf(text, sizeof text, "%.780s", colon + 2);
    return carom_error_set(c->error, status ? status : CAROM_ERROR_ARGUMENT, "impact %ld: %s",
                           number, text);
}

/* The answers; where contacts are nearly dependent the other program decides before. */
static carom_status finish(carom_device_call *c, long count)
{
    carom_status status = CAROM_OK;
    const double began = carom_device_clock();
    cl_int code = receive_bytes(c, c->answers, (size_t)count, c->answer);
    c->cost.moving += carom_device_clock() - began;
    if (!code && memchr(c->answer, CAROM_DEVICE_NEARLY, (size_t)count)) {
        status = compile(c, CAROM_DEVICE_EXACT);
        if (!status)
            status = launch(c, CAROM_DEVICE_EXACT, count);
        if (!status)
            code = receive_bytes(c, c->answers, (size_t)count, c->answer);
    }
    return code ? carom_device_fail(c->device, "clEnqueueReadBuffer", code, c->error) : status;
}

static carom_status receive(carom_device_call *c, long first, long count)
{
    const double began = carom_device_clock();
    cl_int code = CL_SUCCESS;
    if (c->output->verdict)
        code = receive_bytes(c, c->verdicts, (size_t)count, c->verdict);
    for (int k = 0; k < CAROM_DEVICE_OUTPUTS && !code; k++) {
        const carom_device_array *a = &c->out[k];
        if (!a->to)
            continue;
        code = receive_bytes(c, a->there, room_of(c, a) * sizeof(double), a->numbers);
        for (long i = 0; i < count && !code; i++)
            for (int row = 0; row < a->rows; row++)
                a->to[(first + i) * a->rows + row] = a->numbers[row * c->stride + i];
    }
    c->cost.moving += carom_device_clock() - began;
    if (code)
        return carom_device_fail(c->device, "clEnqueueReadBuffer", code, c->error);
    for (long i = 0; i < count; i++)
        if (c->answer[i] == CAROM_DEVICE_INVALID)
            return explain(c, first + i);
    if (c->output->answer)
        memcpy(c->output->answer + first, c->answer, (size_t)count);
    if (c->output->verdict)
        memcpy(c->output->verdict + first, c->verdict, (size_t)count);
    return CAROM_OK;
}

static carom_status run(carom_device_call *c)
{
    const carom_watch *watch = c->batch->watch;
    carom_status status = CAROM_OK;
    for (long first = 0; first < c->count && !status; first += c->stride) {
        const long count = c->count - first < c->stride ? c->count - first : c->stride;
        if (watch && !watch->go_on(watch->self, "impacts", (double)first / (double)c->count))
            return CAROM_STOPPED;
        status = send(c, first, count);
        if (!status)
            status = launch(c, CAROM_DEVICE_USUAL, count);
        if (!status)
            status = finish(c, count);
        if (!status)
            status = receive(c, first, count);
    }
    return status;
}

carom_status carom_device_apply(carom_device *device, const carom_batch *batch,
                                const carom_batch_output *output, carom_device_cost *cost,
                                carom_error *error)
{
    CAROM_NEED(error, device, batch, batch->impact, batch->law, output);
    if (!device || !batch || !output || !batch->impact || !batch->law || batch->impact->n < 1 ||
        batch->impact->p < 1)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "device, batch, its impact and law, and output must be given");
    carom_device_call c = {.device = device, .batch = batch, .output = output, .error = error};
    c.count = carom_batch_count(batch);
    c.stride = device->facts.is_gpu ? PIECE : PIECE_CPU;
    c.stride = c.count < c.stride ? c.count : c.stride;
    if (c.count < 0)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "the sizes of the axes are too large");
    carom_status status = carom_device_state(&c);
    if (!status && c.count > 0)
        status = compile(&c, CAROM_DEVICE_USUAL);
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
