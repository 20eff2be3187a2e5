/* OpenCL's library and its devices: looked for when they are asked for. */
#include "device_opencl.h"

#include <stdlib.h>
#include <string.h>

#ifndef CAROM_OPENCL
int cli_device_list(cli_device_facts **facts, int *count)
{
    *facts = NULL;
    *count = 0;
    fputs("carom: this program was built without OpenCL: install ocl-icd-opencl-dev, configure "
          "with -DCAROM_OPENCL=ON and build again\n",
          stderr);
    return CLI_MACHINE;
}
#else
#include <dlfcn.h>

int cli_opencl_load(cli_opencl *cl)
{
    static const char *const libraries[] = {"libOpenCL.so.1", "libOpenCL.so"};
    void *library = NULL;
    for (int k = 0; k < 2 && !library; k++)
        library = dlopen(libraries[k], RTLD_NOW | RTLD_LOCAL);
    bool whole = library != NULL;
#define DEVICE_LOOK(name)                                                                          \
    if (whole) {                                                                                   \
        void *found = dlsym(library, #name);                                                       \
        memcpy(&cl->name, &found, sizeof found);                                                   \
        whole = found != NULL;                                                                     \
    }
    DEVICE_FUNCTIONS(DEVICE_LOOK)
#undef DEVICE_LOOK
    if (whole)
        return CLI_ANSWERED;
    fputs("carom: the library of OpenCL is missing: install ocl-icd-libopencl1, and a driver "
          "(pocl-opencl-icd runs on any CPU)\n",
          stderr);
    return CLI_MACHINE;
}

static void find_facts(const cli_opencl *cl, cl_platform_id platform, cl_device_id id,
                       cli_device_facts *f)
{
    cl_uint units = 0;
    cl_ulong memory = 0;
    cl_device_type type = 0;
    cl_device_fp_config doubles = 0;
    memset(f, 0, sizeof *f);
    cl->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof f->platform - 1, f->platform, NULL);
    cl->clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof f->name - 1, f->name, NULL);
    cl->clGetDeviceInfo(id, CL_DRIVER_VERSION, sizeof f->version - 1, f->version, NULL);
    cl->clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    cl->clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    cl->clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    cl->clGetDeviceInfo(id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL);
    f->units = units;
    f->memory = memory;
    f->is_gpu = (type & CL_DEVICE_TYPE_CPU) == 0;
    f->doubles = doubles != 0;
}

/* The devices of one platform, after those that are there. */
static bool add_platform(const cli_opencl *cl, cl_platform_id platform, cl_device_id **ids,
                         cli_device_facts **facts, int *count)
{
    cl_uint more = 0;
    if (cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &more) || more == 0)
        return true;
    cl_device_id *all = realloc(*ids, ((size_t)*count + more) * sizeof *all);
    *ids = all ? all : *ids;
    cli_device_facts *told = all ? realloc(*facts, ((size_t)*count + more) * sizeof *told) : NULL;
    *facts = told ? told : *facts;
    if (!told)
        return false;
    if (cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, more, all + *count, NULL))
        return true;
    for (cl_uint k = 0; k < more; k++, ++*count)
        find_facts(cl, platform, all[*count], &told[*count]);
    return true;
}

int cli_opencl_devices(const cli_opencl *cl, cl_device_id **ids, cli_device_facts **facts,
                       int *count)
{
    cl_platform_id platforms[16];
    cl_uint found = 0;
    *ids = NULL;
    *facts = NULL;
    *count = 0;
    if (cl->clGetPlatformIDs(16, platforms, &found))
        return CLI_ANSWERED; /* the loader has no driver to offer */
    for (cl_uint k = 0; k < found && k < 16; k++)
        if (!add_platform(cl, platforms[k], ids, facts, count))
            return cli_message_memory();
    return CLI_ANSWERED;
}

int cli_device_list(cli_device_facts **facts, int *count)
{
    cli_opencl cl;
    cl_device_id *ids = NULL;
    *facts = NULL;
    *count = 0;
    int status = cli_opencl_load(&cl);
    if (!status)
        status = cli_opencl_devices(&cl, &ids, facts, count);
    free(ids);
    return status;
}
#endif
