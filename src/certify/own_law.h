/* What the law of a scene makes of certificates that judge another one. */
#ifndef CAROM_SRC_CERTIFY_OWN_LAW_H
#define CAROM_SRC_CERTIFY_OWN_LAW_H

#include "carom/certify.h"

/* Run the law with every counter-example (`own`), and make friction-energy a statement about this
 * law: proved for it, refuted by an approaching velocity, or undecided. */
carom_status carom_own_law_judge(const carom_law *law, const carom_geometry *geometry,
                                 const carom_watch *watch, carom_arena *arena,
                                 carom_certificates *all, carom_error *error);

#endif
