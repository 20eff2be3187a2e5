/* Carom: impacts and contact in mechanical systems. Everything, in the order the rooms build on
 * each other. */
#ifndef CAROM_CAROM_H
#define CAROM_CAROM_H

#include "carom/admissible.h"
#include "carom/base.h"
#include "carom/certify.h"
#include "carom/cone.h"
#include "carom/contact.h"
#include "carom/expr.h"
#include "carom/figure.h"
#include "carom/flow.h"
#include "carom/formulas.h"
#include "carom/impact.h"
#include "carom/json.h"
#include "carom/law.h"
#include "carom/lcp.h"
#include "carom/quasi.h"
#include "carom/report.h"
#include "carom/rods.h"
#include "carom/scene.h"
#include "carom/system.h"
#include "carom/table.h"
#include "carom/trace.h"

#endif
