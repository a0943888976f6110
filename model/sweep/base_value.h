/* base_value.h - the values that a machine and a workload have without the axes of a sweep. */
#ifndef SWEEP_BASE_VALUE_H
#define SWEEP_BASE_VALUE_H

#include "machine/spec/spec.h"
#include "sweep/plan.h"

/* The value of `k` on machine `m` under trace `t`.  Text goes to `room` of KEY_TEXT bytes.  What is
 * neither of a machine nor of a generated trace is unknown. */
struct expr_value base_value(const struct key *k, const struct machine_spec *m,
                             const struct plan_trace *t, char *room);

/* The point of a finished plan at which nothing differs from its first machine and its first trace.
 * false: there is none, or the machine is not sound without the axes. */
bool base_value_point(const struct plan *p, size_t *point);

#endif
