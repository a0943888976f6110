#include "machine/folds.h"

/* Cores run one program from one moment on, and their hosts hand out input to all at once.  So only
 * a collective could tell chips apart, by what they send and over which links. */
bool alike_fold(const struct machine_spec *spec, const struct task_program *program)
{
    uint32_t chips = spec_slice_chips(spec);

    if (fault_any(&spec->fault) || program->stages > 1)
        return false;
    if (chips > spec->slice.chips_per_host && chips % spec->slice.chips_per_host)
        return false;
    for (uint32_t i = 0; i < program->n_tasks; i++)
        if (program->task[i].kind == TASK_HOST && program->task[i].work.client)
            return false;
    for (uint32_t i = 0; i < program->n_calls; i++)
        if (!schedule_uniform(&program->call[i].schedule))
            return false;
    return true;
}
