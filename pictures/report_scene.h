/* The last section of a report: what was asked. */
#ifndef CAROM_SRC_FIGURE_REPORT_SCENE_H
#define CAROM_SRC_FIGURE_REPORT_SCENE_H

#include "pictures/page.h"
#include "pictures/report.h"

/* Parameters, overrides and the text of the scene; nothing when none is known. */
void carom_report_scene_write(carom_page *page, const carom_report_scene *scene);

#endif
