/* What of a scene a device can run: its system, its law. */
#include "device.h"
#include "memory.h"

#include <string.h>

int cli_device_law(const cli_arguments *arguments, const carom_law *law, cli_device_task *task)
{
    task->coulomb = carom_device_takes_friction(law);
    if (task->options.paradox != CAROM_FLOW_PARADOX_STOP)
        return cli_message_usage("%s: --device knows no jam where contact forces do not exist "
                                 "(paradox: stop)",
                                 arguments->command->name);
    if (task->coulomb || carom_device_takes_law(law, &task->inelastic))
        return CLI_ANSWERED;
    return cli_message_usage("%s: --device knows the laws newton, inelastic and coulomb (form "
                             "complementarity), not %s",
                             arguments->command->name, law->ops->name);
}

const char *cli_device_friction(const carom_system_shape *shape)
{
    for (int i = 0; i < shape->p; i++)
        if (shape->contacts[i].friction_static > 0 && shape->p > CAROM_KERNEL_ROUGH)
            return "friction and more than 4 contacts: not on a device";
    return NULL;
}

int cli_device_scene(const cli_arguments *arguments, const carom_scene *scene, carom_scene **read)
{
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_scene_options options = {.allocator = cli_memory(),
                                         .sets = content->sets,
                                         .set_count = content->set_count,
                                         .kernel = true,
                                         .any_restitution =
                                             cli_option_given(arguments, "any-restitution")};
    carom_error error = {0};
    if (carom_scene_read_text(content->text, strlen(content->text), &options, read, &error))
        return cli_message_error(arguments->files[0], &error);
    content = carom_scene_get(*read);
    if (content->kernel)
        return CLI_ANSWERED;
    return cli_message_usage("%s: --device: %s", arguments->command->name,
                             content->no_kernel ? content->no_kernel
                                                : "bodies and rigid bodies cannot be run on a "
                                                  "device, only systems in formulas");
}

int cli_device_list(carom_device_facts **facts, int *count)
{
    carom_error error = {0};
    if (carom_device_list(facts, count, &error)) {
        fprintf(stderr, "carom: %s\n", error.text);
        return CLI_MACHINE;
    }
    return CLI_ANSWERED;
}
