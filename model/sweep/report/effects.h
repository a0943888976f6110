/* effects.h - tables of what a change of a parameter does to the goals. */
#ifndef SWEEP_REPORT_EFFECTS_H
#define SWEEP_REPORT_EFFECTS_H

#include "sweep/report/ask.h"
#include "sweep/report/text_grid.h"

/* effects_grid: 10 % more of each parameter, by the power law.  effects_steps_grid: each step along
 * an axis, all else equal.  false: there is nothing to show, and the grid is not initialised. */
bool effects_grid(struct text_grid *g, const struct ask_answer *a);
bool effects_steps_grid(struct text_grid *g, const struct ask_answer *a);

/* True if a change of goal f by `ratio` is within the noise of what-ifs.  `s`: of a step, else
 * NULL; between two machines it is covered by their errors to expect too, or if nobody knows these.
 */
bool effects_covers(const struct ask_answer *a, size_t f, double ratio, const struct pairs_step *s);

#endif
