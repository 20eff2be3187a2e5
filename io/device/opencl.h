/* The functions of OpenCL that are used, taken from its library when a device is asked for. */
#ifndef CAROM_IO_DEVICE_OPENCL_H
#define CAROM_IO_DEVICE_OPENCL_H

#include "carom/device.h"

/* The tolerances and answers of kernels with friction, as constants of their text; its length. */
int carom_opencl_tolerances(char *head, size_t room);

#ifdef CAROM_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define DEVICE_FUNCTIONS(X)                                                                        \
    X(clGetPlatformIDs)                                                                            \
    X(clGetPlatformInfo)                                                                           \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateContext)                                                                             \
    X(clReleaseContext)                                                                            \
    X(clCreateCommandQueue)                                                                        \
    X(clReleaseCommandQueue)                                                                       \
    X(clCreateProgramWithSource)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clGetProgramBuildInfo)                                                                       \
    X(clReleaseProgram)                                                                            \
    X(clCreateKernel)                                                                              \
    X(clReleaseKernel)                                                                             \
    X(clSetKernelArg)                                                                              \
    X(clCreateBuffer)                                                                              \
    X(clReleaseMemObject)                                                                          \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clGetEventProfilingInfo)                                                                     \
    X(clReleaseEvent)                                                                              \
    X(clFinish)

typedef struct carom_opencl {
#define DEVICE_MEMBER(name) __typeof__(&name) name;
    DEVICE_FUNCTIONS(DEVICE_MEMBER)
#undef DEVICE_MEMBER
} carom_opencl;

/* Load the library. */
carom_status carom_opencl_load(carom_opencl *cl, carom_error *error);

/* The first device with double precision whose name has the word in it; "any": accelerators before
 * processors. */
carom_status carom_opencl_choose(const carom_opencl *cl, const char *word, cl_device_id *id,
                                 carom_device_facts *facts, carom_error *error);
#endif

#endif
