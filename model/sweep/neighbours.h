/* neighbours.h - points beside a point of a sweep, which show by how much its step moves by chance.
 *
 * A parameter of the machine is set to 0.96, 0.98, 1.02 and 1.04 of its value.  Tiles and places
 * are chosen anew at each, so that a step may turn where the machine does not. */
#ifndef SWEEP_NEIGHBOURS_H
#define SWEEP_NEIGHBOURS_H

#include <stddef.h>

#define NEIGHBOURS_AXES 2 /* axes that are varied: of the first whose values have a unit */

/* The largest share by which the step of point `point` of the plan of a database turns beside it:
 * at a value whose neighbours both are longer, or both are shorter, the nearer of them.  0: it does
 * not turn, or no axis can be varied so finely.  Costs four replays an axis. */
double neighbours_swing(const char *plan, size_t point);

#endif
