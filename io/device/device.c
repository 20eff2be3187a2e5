/* A device: opened, with the last program that it compiled, and closed. */
#include "device/device.h"
#include "carom/need.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef CAROM_OPENCL
carom_status carom_device_open(const char *name, carom_device **device, carom_error *error)
{
    CAROM_NEED(error, name, device);
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
    CAROM_NEED(error, device, batch, output);
    carom_device_facts *facts;
    int count;
    (void)device;
    (void)batch;
    (void)output;
    (void)cost;
    return carom_device_list(&facts, &count, error);
}
#else

double carom_device_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

carom_status carom_device_fail(const carom_device *d, const char *what, cl_int code,
                               carom_error *error)
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
    CAROM_NEED(error, name, device);
    cl_int code = CL_SUCCESS;
    carom_device *d = *device = calloc(1, sizeof *d);
    if (!d)
        return carom_error_memory(error);
    carom_status status = carom_opencl_load(&d->cl, error);
    if (!status)
        status = carom_opencl_choose(&d->cl, name, &d->id, &d->facts, error);
    if (!status) {
        d->context = d->cl.clCreateContext(NULL, 1, &d->id, NULL, NULL, &code);
        if (!code)
            d->queue =
                d->cl.clCreateCommandQueue(d->context, d->id, CL_QUEUE_PROFILING_ENABLE, &code);
        status = code ? carom_device_fail(d, "clCreateContext", code, error) : CAROM_OK;
    }
    if (status) {
        carom_device_close(d);
        *device = NULL;
    }
    return status;
}

static void forget_program(carom_device *d, carom_device_program *p)
{
    if (p->kernel)
        d->cl.clReleaseKernel(p->kernel);
    if (p->program)
        d->cl.clReleaseProgram(p->program);
    *p = (carom_device_program){0};
}

void carom_device_close(carom_device *d)
{
    if (!d)
        return;
    for (int k = 0; k < CAROM_DEVICE_PROGRAMS; k++)
        forget_program(d, &d->programs[k]);
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

static carom_status complain(carom_device *d, carom_device_program *p, cl_int code,
                             carom_error *error)
{
    char log[600] = "";
    if (p->program)
        d->cl.clGetProgramBuildInfo(p->program, d->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log,
                                    NULL);
    forget_program(d, p);
    return carom_error_set(error, CAROM_ERROR_NUMERIC,
                           "device %.190s does not compile the kernel (OpenCL's error %d): %.500s",
                           d->facts.name, (int)code, log);
}

/* Compilers of NVIDIA take as many registers as they can use, and few items are at work then: for
 * impacts of five balls 96 instead of 122 registers are a few percent faster. */
static const char *options_for(const carom_device *d, bool small)
{
    return small && strstr(d->facts.platform, "NVIDIA") ? "-cl-std=CL1.2 -cl-nv-maxrregcount=96"
                                                        : "-cl-std=CL1.2";
}

carom_status carom_device_compile(carom_device *d, int which, const char *head,
                                  const carom_device_texts *texts, double *seconds,
                                  carom_error *error)
{
    carom_device_program *p = &d->programs[which];
    const char *parts[CAROM_DEVICE_TEXTS + 1] = {head};
    size_t lengths[CAROM_DEVICE_TEXTS + 1] = {strlen(head)};
    cl_int code;
    if (p->kernel && strcmp(head, p->head) == 0)
        return CAROM_OK;
    const double began = carom_device_clock();
    memcpy(parts + 1, texts->text, sizeof texts->text);
    memcpy(lengths + 1, texts->size, sizeof texts->size);
    forget_program(d, p);
    p->program = d->cl.clCreateProgramWithSource(d->context, (cl_uint)texts->count + 1, parts,
                                                 lengths, &code);
    if (!code)
        code =
            d->cl.clBuildProgram(p->program, 1, &d->id, options_for(d, texts->small), NULL, NULL);
    if (!code)
        p->kernel = d->cl.clCreateKernel(p->program, "impacts", &code);
    if (code)
        return complain(d, p, code, error);
    memcpy(p->head, head, strlen(head) + 1);
    *seconds += carom_device_clock() - began;
    return CAROM_OK;
}
#endif
