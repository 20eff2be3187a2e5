/* Every key of a scene file, in one place: what the reader accepts, and what help, the manual page
 * and the schema say about it. */
#ifndef CAROM_SRC_SCENE_KEYS_H
#define CAROM_SRC_SCENE_KEYS_H

#include "carom/scene.h"

/* Tables of keys, each ending with a NULL name. */
extern const carom_scene_key carom_keys_scene[], carom_keys_impact[], carom_keys_impact_contact[],
    carom_keys_row[], carom_keys_system[], carom_keys_contact[], carom_keys_event[],
    carom_keys_section[], carom_keys_repeat[], carom_keys_body_system[], carom_keys_rigid_body[],
    carom_keys_body_contact[], carom_keys_run[], carom_keys_circle[], carom_keys_box[],
    carom_keys_line[], carom_keys_world[], carom_keys_pair[], carom_keys_body[],
    carom_keys_body_shape[], carom_keys_heights[], carom_keys_turn[], carom_keys_joint[],
    carom_keys_point[], carom_keys_spring[], carom_keys_text[];

/* One of these tables with the keys that kinds of shapes and joints add to it, ending with a NULL
 * name. */
enum { CAROM_KEYS_ROOM = CAROM_SCENE_KEYS_MOST + 1 };
void carom_keys_gather(const carom_scene_key *table, carom_scene_key keys[CAROM_KEYS_ROOM]);

#endif
