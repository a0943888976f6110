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

/* The first edge of the core's clock from `t` on, and the edge `cycles` after it. */
static des_time edge_after(const struct kernel_runner *k, des_time t, uint64_t cycles)
{
    uint64_t hz = k->core->ledger.core_hz;

    return des_edge(des_edge_index(t, hz) + cycles, hz);
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

des_time kernel_runner_fold(struct des *sim, struct kernel_runner *k, bool *late)
{
    struct ledger *l = &k->core->ledger;
    des_time now = des_now(sim);
    bool answers;

    /* waves and timelines show the units' wires and states, which the shortcut leaves out */
    if (des_watched(sim, k->core->parent) || (k->walk.step.feed && !k->serve.cmem.serve) ||
        k->step_overhead == 0)
        return 0;
    des_time edge = edge_after(k, later_of(now, k->tiles.flagged), 0);
    ledger_book(l, edge, CAUSE_HBM);
    edge = edge_after(k, edge, kernel_runner_control(k));
    ledger_book(l, edge, CAUSE_LAUNCH);
    des_time end = serve_units(k, edge, &answers);
    des_time issued = edge_after(k, edge, kernel_runner_bundles(k)), done = edge_after(k, end, 0);
    ledger_book(l, done, k->last);
    *late = answers && done == end && issued <= done;
    done = later_of(done, issued);
    ledger_book(l, done, CAUSE_VPU);
    return done - now;
}
