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

/* The keys that the kinds of joints bring along: their words, then numbers of their own. Returns
 * their number; only the first `room` are written. */
int carom_keys_joint_kinds(int room, carom_scene_key *keys);

/* The same for one of these tables with what belongs to it, ending with a NULL name. */
enum { CAROM_KEYS_ROOM = CAROM_SCENE_KEYS_MOST + 1 };
void carom_keys_gather(const carom_scene_key *table, carom_scene_key keys[CAROM_KEYS_ROOM]);

#endif
