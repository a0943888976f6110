#include "hw/sparse/sparse_runner.h"

#include "hw/program/core_show.h"
#include "hw/sparse/sparsecore.h"

/* True once the first `n` kernels are answered. */
static bool has_answers(struct des *sim, struct sparse_runner *r, uint64_t n)
{
    struct unit_done d;

    while (r->answered < n && des_get(sim, r->done, &d)) {
        r->answered++;
        r->last = d.cause;
    }
    return r->answered >= n;
}

/* Hand over the kernel at hand; false: as many wait as there may be. */
static bool hand_over(struct des *sim, struct sparse_runner *r)
{
    const struct task_sparse *t = &core_task(r->core)->sparse;
    struct unit_sparse cmd = {
        t->in, t->out, t->operations, { core_show_reads(r->core), core_show_writes(r->core) }
    };

    has_answers(sim, r, r->sent);
    if (r->sent - r->answered == SPARSECORE_PLACES)
        return false;
    BUG_ON(!des_put(sim, r->cmd, &cmd)); /* the wire has room for all that wait */
    r->sent_at[r->core->cursor.pc] = ++r->sent;
    return true;
}

/* Kernels that the task at hand waits for: up to its own where it does both. */
static uint64_t count_awaited(const struct sparse_runner *r)
{
    const struct task *t = core_task(r->core);

    return r->sent_at[t->async == TASK_DONE ? t->start : r->core->cursor.pc];
}

uint32_t sparse_runner_run(struct des *sim, void *self, uint32_t at)
{
    struct sparse_runner *r = self;
    struct core_context *c = r->core;

    DES_BEGIN(at);
    r->last = CAUSE_HBM;
    core_show_state(sim, c, SHOW_COMPUTE);
    if (core_task(c)->async != TASK_DONE)
        DES_WAIT_UNTIL(hand_over(sim, r));
    if (core_task(c)->async != TASK_START)
        DES_WAIT_UNTIL(has_answers(sim, r, count_awaited(r)));
    CORE_ALIGN(sim, c);
    core_book(sim, c, r->last);
    DES_END;
}

void sparse_runner_init(struct sparse_runner *r, struct des *sim, struct core_context *core)
{
    *r = (struct sparse_runner){ .core = core };
    r->cmd = des_out_new(sim, core->mod, "sparse", sizeof(struct unit_sparse));
    r->done = des_in_new(sim, core->mod, "sparse_done", sizeof(struct unit_done));
    des_sensitive(sim, core->thread, r->done);
}
