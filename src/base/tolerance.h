/* The tolerances by the name they had before they were public. */
#include "carom/tolerance.h"
