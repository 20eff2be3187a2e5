/* The functions of OpenCL that are used, taken from its library when a device is asked for. */
#ifndef CAROM_CLI_DEVICE_OPENCL_H
#define CAROM_CLI_DEVICE_OPENCL_H

#include "device.h"

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
    X(clFinish)

typedef struct cli_opencl {
#define DEVICE_MEMBER(name) __typeof__(&name) name;
    DEVICE_FUNCTIONS(DEVICE_MEMBER)
#undef DEVICE_MEMBER
} cli_opencl;

/* Load the library; CLI_MACHINE after a message where there is none. */
int cli_opencl_load(cli_opencl *cl);

/* The devices of all platforms, with what they say of themselves; free both. */
int cli_opencl_devices(const cli_opencl *cl, cl_device_id **ids, cli_device_facts **facts,
                       int *count);
#endif

#endif
