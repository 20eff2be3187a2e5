/* Carom: impacts and contact in mechanical systems. The whole of libcarom; scene files and traces
 * (libcarom-io) are in carom/io.h. */
#ifndef CAROM_CAROM_H
#define CAROM_CAROM_H

#include "carom/admissible.h"
#include "carom/base.h"
#include "carom/batch.h"
#include "carom/bodies.h"
#include "carom/certify.h"
#include "carom/check.h"
#include "carom/collision.h"
#include "carom/cone.h"
#include "carom/contact.h"
#include "carom/expr.h"
#include "carom/flow.h"
#include "carom/formulas.h"
#include "carom/friction.h"
#include "carom/impact.h"
#include "carom/law.h"
#include "carom/layer.h"
#include "carom/lcp.h"
#include "carom/mode.h"
#include "carom/need.h"
#include "carom/orbit.h"
#include "carom/orders.h"
#include "carom/quasi.h"
#include "carom/rods.h"
#include "carom/sample.h"
#include "carom/system.h"
#include "carom/text.h"
#include "carom/tolerance.h"

#endif
