/* OpenCL's library and its devices: looked for when they are asked for. */
#include "device/opencl.h"
#include "carom/need.h"
#include "carom/tolerance.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Newton's inequalities, with or without friction, and whose coefficients it says they have. */
static carom_law_step ask(const carom_law *law, bool *newton)
{
    const carom_contact any = carom_contact_default();
    carom_law_step say = {0};
    *newton = law->ops->mixes && law->ops->mixes(law) && law->ops->step &&
              law->ops->step(law, &any, &say);
    return say;
}

int carom_opencl_tolerances(char *head, size_t room)
{
    return snprintf(head, room,
                    "#define NONE %d\n#define SEVERAL %d\n#define FAILED %d\n"
                    "#define CARRIED %.17g\n#define SOLVED %.17g\n#define SIGN %.17g\n"
                    "#define SAME %.17g\n#define HALF %.17g\n#define REGULAR %.17g\n"
                    "#define VERDICT %.17g\n",
                    CAROM_ANSWER_NONE, CAROM_ANSWER_SEVERAL, CAROM_ANSWER_FAILED,
                    CAROM_TOLERANCE_CARRIED, CAROM_TOLERANCE_SOLVED, CAROM_TOLERANCE_SIGN,
                    CAROM_TOLERANCE_SAME, CAROM_TOLERANCE_HALF, CAROM_TOLERANCE_REGULAR,
                    CAROM_VERDICT_TOLERANCE);
}

bool carom_device_takes_law(const carom_law *law, bool *inelastic)
{
    CAROM_NEED_OR(false, law, law->ops, inelastic);
    bool newton;
    const carom_law_step say = ask(law, &newton);
    *inelastic = say.whose == CAROM_COEFFICIENTS_NONE;
    return newton && !say.rough && say.whose != CAROM_COEFFICIENTS_OF_LAW;
}

bool carom_device_takes_friction(const carom_law *law)
{
    CAROM_NEED_OR(false, law, law->ops);
    bool newton;
    const carom_law_step say = ask(law, &newton);
    return newton && say.rough && say.whose == CAROM_COEFFICIENTS_OF_CONTACT;
}

#ifndef CAROM_OPENCL
carom_status carom_device_list(carom_device_facts **facts, int *count, carom_error *error)
{
    CAROM_NEED(error, facts, count);
    *facts = NULL;
    *count = 0;
    return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                           "built without OpenCL: install ocl-icd-opencl-dev, configure with "
                           "-DCAROM_OPENCL=ON and build again");
}
#else
#include <dlfcn.h>

carom_status carom_opencl_load(carom_opencl *cl, carom_error *error)
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
    return whole ? CAROM_OK
                 : carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                                   "the library of OpenCL is missing: install ocl-icd-libopencl1, "
                                   "and a driver (pocl-opencl-icd runs on any CPU)");
}

static void find_facts(const carom_opencl *cl, cl_platform_id platform, cl_device_id id,
                       carom_device_facts *f)
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
static bool add_platform(const carom_opencl *cl, cl_platform_id platform, cl_device_id **ids,
                         carom_device_facts **facts, int *count)
{
    cl_uint more = 0;
    if (cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &more) || more == 0)
        return true;
    cl_device_id *all = realloc(*ids, ((size_t)*count + more) * sizeof *all);
    *ids = all ? all : *ids;
    carom_device_facts *told = all ? realloc(*facts, ((size_t)*count + more) * sizeof *told) : NULL;
    *facts = told ? told : *facts;
    if (!told)
        return false;
    if (cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, more, all + *count, NULL))
        return true;
    for (cl_uint k = 0; k < more; k++, ++*count)
        find_facts(cl, platform, all[*count], &told[*count]);
    return true;
}

/* The devices of all platforms, with what they say of themselves; free both. */
static carom_status list_devices(const carom_opencl *cl, cl_device_id **ids,
                                 carom_device_facts **facts, int *count, carom_error *error)
{
    cl_platform_id platforms[16];
    cl_uint found = 0;
    *ids = NULL;
    *facts = NULL;
    *count = 0;
    if (cl->clGetPlatformIDs(16, platforms, &found))
        return CAROM_OK; /* the loader has no driver to offer */
    for (cl_uint k = 0; k < found && k < 16; k++)
        if (!add_platform(cl, platforms[k], ids, facts, count))
            return carom_error_memory(error);
    return CAROM_OK;
}

static carom_status refuse(const char *word, int count, const carom_device_facts *single,
                           carom_error *error)
{
    if (single)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "device %.190s has no double precision", single->name);
    if (count == 0)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "OpenCL finds no device: install the driver of your accelerator, or "
                               "pocl-opencl-icd, which runs on any CPU");
    return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                           "there is no device '%.190s'; `carom devices` lists them", word);
}

/* Is a word part of a name, in small or capital letters? */
static bool is_part(const char *name, const char *word)
{
    for (; *name; name++) {
        size_t k = 0;
        while (word[k] && tolower((unsigned char)name[k]) == tolower((unsigned char)word[k]))
            k++;
        if (!word[k])
            return true;
    }
    return false;
}

carom_status carom_opencl_choose(const carom_opencl *cl, const char *word, cl_device_id *id,
                                 carom_device_facts *chosen, carom_error *error)
{
    cl_device_id *ids;
    carom_device_facts *facts;
    int count, best = -1, single = -1;
    if (!word || !*word)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "the name of a device must be given");
    const bool any = strlen(word) == 3 && is_part("any", word);
    carom_status status = list_devices(cl, &ids, &facts, &count, error);
    for (int k = 0; k < count && !status; k++) {
        const bool named = any || is_part(facts[k].name, word);
        const bool better = best < 0 || (any && facts[k].is_gpu && !facts[best].is_gpu);
        if (named && facts[k].doubles && better)
            best = k;
        else if (named && !facts[k].doubles)
            single = k;
    }
    if (!status && best < 0)
        status = refuse(word, count, single >= 0 ? &facts[single] : NULL, error);
    if (!status) {
        *id = ids[best];
        *chosen = facts[best];
    }
    free(ids);
    free(facts);
    return status;
}

carom_status carom_device_list(carom_device_facts **facts, int *count, carom_error *error)
{
    CAROM_NEED(error, facts, count);
    carom_opencl cl;
    cl_device_id *ids = NULL;
    *facts = NULL;
    *count = 0;
    carom_status status = carom_opencl_load(&cl, error);
    if (!status)
        status = list_devices(&cl, &ids, facts, count, error);
    free(ids);
    return status;
}
#endif
