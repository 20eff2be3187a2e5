/* What of a scene a device can run: its system, its law. */
#include "device.h"
#include "memory.h"

#include <string.h>

/* Devices solve Newton's inequalities without friction, with the contacts' coefficients or none:
 * the laws that say of themselves that they are that. */
int cli_device_law(const cli_arguments *arguments, const carom_law *law, bool *inelastic)
{
    carom_contact elastic = carom_contact_default();
    carom_law_step say;
    elastic.restitution = 1;
    if (law->ops->mixes && law->ops->mixes(law) && law->ops->step &&
        law->ops->step(law, &elastic, &say) && !say.rough &&
        (say.restitution == 0 || say.restitution == 1)) {
        *inelastic = say.restitution == 0;
        return CLI_ANSWERED;
    }
    return cli_message_usage("%s: --device knows the laws newton and inelastic, not %s",
                             arguments->command->name, law->ops->name);
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
