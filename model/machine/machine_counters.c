/* The counters of all components of a machine. */
#include <stdio.h>
#include <string.h>

#include "hw/hbm/hbm_learnt.h"
#include "hw/hbm/hbm_moment.h"
#include "machine/folds.h"
#include "machine/machine_impl.h"
#include "machine/slice_core.h"

void machine_counters_visit(struct machine *m, component_visit *visit, void *self)
{
    for (uint32_t i = 0; i < m->cells.n; i++)
        slice_finish(&m->cells.at[i].slice, machine_time(m), m->since, m->slow_since);
    for (int group = 0; group < SLICE_N_GROUPS; group++)
        for (uint32_t i = 0; i < m->cells.n; i++)
            slice_visit(&m->cells.at[i].slice, (enum slice_group)group, visit, self);
}
