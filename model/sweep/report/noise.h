/* noise.h - how far apart figures of a sweep may be and mean the same.
 *
 * Lowering chooses among tiles, orders and places, so a small change of a parameter may move a step
 * by a little, either way.  Along the values of a parameter, all else equal, a step that goes
 * against the one before it and the one after it shows by how much; machines and words are no
 * neighbours. */
#ifndef SWEEP_REPORT_NOISE_H
#define SWEEP_REPORT_NOISE_H

#include "sweep/report/sweep_table.h"

/* Better hardware may make a step slower by this much: the bar of tests/physics/test_monotonic.c.
 */
#define NOISE_LEAST 0.01

/* The noise of column c as a share of its value: the largest step that its neighbours reverse, and
 * NOISE_LEAST at least; 0 of figures that no simulated time is in.  O(p * n log n). */
double noise_of(const struct sweep_table *t, const size_t *rows, size_t n, size_t c);

/* True if simulated time is in the figure. */
bool noise_is_timed(const char *figure);

/* The noise of a point's figure over another's: is `share`, their ratio less 1, within it?  Either
 * may be the larger: of a noise of 100 % are twice and half. */
bool noise_covers(double noise, double share);

#endif
