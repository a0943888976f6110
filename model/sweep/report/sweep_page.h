/* sweep_page.h - the page of a sweep for a browser.
 *
 * The script of the page, report/html/sweep.js, draws this JSON:
 *
 *     name, plan     of the database, as text          count     {all, done, failed}
 *     verdict        sentences                          front     why it has one point, or ""
 *     noise          of each goal, a share (noise.h)     strict    pareto_strict of the front
 *     columns        [{name, heading, unit, parameter}] goals     [{column, most}], best: one
 *     points         [{id, values: [number or null], texts: [of parameters], bound, front,
 *                      baseline, fits}], best first, then those that do not fit
 *     fits           [{goal, points, explained}]
 *     effects        [{parameter, fits: [{elasticity, low, high}]}]: low and high are the changes
 * of the goal at the ends of the parameter steps          [{parameter, from, to, pairs, ratios}]
 *     failures       [{id, error}]
 */
#ifndef SWEEP_REPORT_SWEEP_PAGE_H
#define SWEEP_REPORT_SWEEP_PAGE_H

#include "sweep/report/ask.h"

/* Write the page.  `name` and `plan` are those of the database. */
void sweep_page(const struct ask_answer *a, const char *name, const char *plan, FILE *out);

#endif
