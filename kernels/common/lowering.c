#include "kernels/common/lowering.h"

#include "base/memory.h"
#include "base/plain.h"

#include <stdarg.h>

struct task *lowering_task(struct lowering *l, enum task_kind kind, uint32_t row)
{
    struct task_program *p = l->p;

    MEMORY_GROW(p->task, p->n_tasks + 1, l->cap_tasks);
    p->task[p->n_tasks] = (struct task){
        .kind = kind,
        .row = row,
        .stage = l->stage == TRACE_NO_STAGE ? TASK_ALL_STAGES : (uint32_t)l->stage,
    };
    return &p->task[p->n_tasks++];
}

struct task_call *lowering_call(struct lowering *l)
{
    struct task_program *p = l->p;

    MEMORY_GROW(p->call, p->n_calls + 1, l->cap_calls);
    return &p->call[p->n_calls++];
}

int lowering_refuse(struct lowering *l, const struct step_node *n, const char *fmt, ...)
{
    char why[256];
    va_list ap;

    va_start(ap, fmt);
    plain_text_list(why, sizeof why, fmt, ap);
    va_end(ap);
    return err_set(l->err, ERR_FIT, "%s:%u: %s '%s': %s", l->file, n->line,
                   step_text(l->step, n->kind_text), step_text(l->step, n->title), why);
}

enum task_async lowering_async(enum trace_async a)
{
    return a == TRACE_START ? TASK_START : a == TRACE_DONE ? TASK_DONE : TASK_SYNC;
}

uint32_t lowering_start(const struct lowering *l, const struct step_op *op)
{
    return l->task_of[l->step->value[l->step->ref[op->first_in]].def];
}
