/* The shortcut of kernel_runner.c.  Between the moment a grid step's tile is there and the one at
 * which its last bundle is issued nothing reaches the core that it would look at: transfers that
 * come back wait in their queue.  So the units of the grid step are served one by one, each as if
 * its command had come over the wire, and the core wakes once, when it wakes last on the wires. */
#include <string.h>

#include "hw/core/kernel_runner.h"

static des_time later_of(des_time a, des_time b)
{
    return a > b ? a : b;
}

/* Book everything up to an edge of the core's clock; returns its time. */
static des_time book_to_edge(struct kernel_runner *k, uint64_t edge, enum cause cause)
{
    struct ledger *l = &k->core->ledger;
    des_time at = des_edge(edge, l->core_hz);

    ledger_book_to_edge(l, at, edge, cause);
    return at;
}

struct answer {
    des_time at;
    struct unit_done done;
};

/* Serve the matrix units; their answers in the order in which they come.  Returns how many. */
static uint32_t serve_mxus(struct kernel_runner *k, des_time at, struct answer *a)
{
    const struct kernel_share *h = kernel_runner_share(k);
    uint32_t n = 0;

    for (uint32_t i = 0; i < k->units.mxu_count; i++) {
        struct unit_gemm cmd = kernel_runner_command(k, &h->part[i]);
        struct answer x;
        if (!cmd.gemm.b)
            continue;
        x.at = k->serve.mxu[i].serve(k->serve.mxu[i].unit, &cmd, at, &x.done);
        uint32_t j = n++;
        for (; j && a[j - 1].at > x.at; j--)
            a[j] = a[j - 1];
        a[j] = x;
        ledger_unit_starts(&k->core->ledger);
    }
    return n;
}

/* Serve the units; the moment of the last answer, `at` if there is none, and k->last. */
static des_time serve_units(struct kernel_runner *k, des_time at, bool *answers)
{
    const struct task_grid_step *w = &k->walk.step;
    struct answer mxu[KERNEL_MAX_MXUS];
    uint32_t n = serve_mxus(k, at, mxu);
    struct unit_done done;
    des_time end = at;

    k->last = CAUSE_VPU;
    *answers = n > 0;
    for (uint32_t i = 0; i < n; i++) {
        ledger_unit_done(&k->core->ledger, mxu[i].at, &mxu[i].done);
        end = mxu[i].at;
        k->last = mxu[i].done.cause;
    }
    /* answers of one moment are taken in this order: MXUs, vector unit, XLU, memory */
    if (kernel_runner_has_vector_work(w)) {
        struct unit_vector cmd;
        memcpy(cmd.ops, w->vpu, sizeof cmd.ops);
        des_time t = k->serve.vpu.serve(k->serve.vpu.unit, &cmd, at, &done);
        k->last = t >= end ? done.cause : k->last;
        end = later_of(end, t);
        *answers = true;
    }
    if (w->xlu) {
        struct unit_lanes cmd = { w->xlu };
        des_time t = k->serve.xlu.serve(k->serve.xlu.unit, &cmd, at, &done);
        k->last = t >= end ? done.cause : k->last;
        end = later_of(end, t);
        *answers = true;
    }
    if (w->feed) {
        struct unit_feed cmd = { w->feed };
        des_time t = k->serve.cmem.serve(k->serve.cmem.unit, &cmd, at, &done);
        k->last = t >= end ? done.cause : k->last;
        end = later_of(end, t);
        *answers = true;
    }
    return end;
}

des_time kernel_runner_fold(struct des *sim, struct kernel_runner *k, des_time now, bool *late)
{
    uint64_t hz = k->core->ledger.core_hz;
    bool answers;

    /* waves and timelines show the units' wires and states, which the shortcut leaves out */
    if (des_watched(sim, k->core->parent) || (k->walk.step.feed && !k->serve.cmem.serve) ||
        k->step_overhead == 0)
        return 0;
    uint64_t edge = des_edge_index(later_of(now, k->tiles.flagged), hz);
    book_to_edge(k, edge, CAUSE_HBM);
    edge += kernel_runner_control(k);
    des_time end = serve_units(k, book_to_edge(k, edge, CAUSE_LAUNCH), &answers);
    uint64_t issued = edge + kernel_runner_bundles(k), done = des_edge_index(end, hz);
    des_time over = book_to_edge(k, done, k->last);
    *late = answers && over == end && issued <= done;
    if (issued > done)
        over = book_to_edge(k, issued, CAUSE_VPU);
    else
        ledger_book_to_edge(&k->core->ledger, over, done, CAUSE_VPU);
    return over - now;
}
