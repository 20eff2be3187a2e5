/* Batches of motions where the program was built without OpenCL: there is no device, and the list
 * of devices says so. */
#include "device_program.h"

#ifndef CAROM_OPENCL
int cli_device_open(const cli_device_task *task, cli_device **device)
{
    carom_device_facts *facts;
    int count;
    (void)task;
    *device = NULL;
    return cli_device_list(&facts, &count);
}

void cli_device_close(cli_device *device)
{
    (void)device;
}

const char *cli_device_name(const cli_device *device)
{
    (void)device;
    return "";
}

long cli_device_room(const cli_device *device)
{
    (void)device;
    return 0;
}

void cli_device_set(cli_device *device, long k, const cli_device_start *start)
{
    (void)device;
    (void)k;
    (void)start;
}

int cli_device_run(cli_device *device, long count, void (*progress)(void *self, long ended),
                   void *self)
{
    (void)device;
    (void)count;
    (void)progress;
    (void)self;
    return CLI_MACHINE;
}

void cli_device_get(const cli_device *device, long k, cli_device_motion *motion)
{
    (void)device;
    (void)k;
    *motion = (cli_device_motion){0};
}
#endif
