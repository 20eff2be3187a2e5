/* What a contact does: in an impact, at one instant of a motion, in a row of a trace. */
#ifndef CAROM_MODE_H
#define CAROM_MODE_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_mode {
    CAROM_MODE_OPEN,       /* no impulse, no force */
    CAROM_MODE_CLOSED,     /* it may push; no friction considered */
    CAROM_MODE_STICK,      /* it may push, zero slip (impacts: after tangential restitution) */
    CAROM_MODE_SLIP_PLUS,  /* planar: slips with v_T > 0 */
    CAROM_MODE_SLIP_MINUS, /* planar: slips with v_T < 0 */
    CAROM_MODE_SLIP        /* spatial: slips */
} carom_mode;

/* "open", "closed", "stick", "slip+", "slip-", "slip" */
CAROM_API const char *carom_mode_text(carom_mode mode);

#ifdef __cplusplus
}
#endif
#endif
