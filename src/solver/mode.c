/* The names of what a contact does. */
#include "carom/mode.h"

const char *carom_mode_text(carom_mode mode)
{
    static const char *const texts[] = {"open", "closed", "stick", "slip+", "slip-", "slip"};
    return (unsigned)mode < 6 ? texts[mode] : "unknown";
}
