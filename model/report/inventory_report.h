/* inventory_report.h - the contents of a trace, for `cyclotron trace info`. */
#ifndef REPORT_INVENTORY_REPORT_H
#define REPORT_INVENTORY_REPORT_H

#include <stdio.h>

#include "trace/inventory.h"

/* `v` was read from `t`.  Text: one screen and a line for each phase; JSON: one object. */
void report_inventory_text(const struct inventory *v, const struct trace *t, FILE *out);
void report_inventory_json(const struct inventory *v, const struct trace *t, FILE *out);

#endif
