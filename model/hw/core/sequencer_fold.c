/* The shortcut of sequencer.c.  Between the moment a grid step's tiles are there and the one at
 * which its last instruction is issued nothing reaches the core that it would look at: transfers
 * that come back wait in their queue.  So the step's units are served one by one, each as if its
 * command had come over the wire, and the sequencer wakes once, where it wakes last on the wires.
 */
#include <string.h>

#include "hw/core/sequencer.h"

static des_time later(des_time a, des_time b)
{
    return a > b ? a : b;
}

/* The first edge of the core's clock from `t` on. */
static des_time align(const struct sequencer *s, des_time t)
{
    return des_edge(des_edge_index(t, s->par.clock), s->par.clock);
}

static des_time after(const struct sequencer *s, des_time edge, uint64_t cycles)
{
    return des_edge(des_edge_index(edge, s->par.clock) + cycles, s->par.clock);
}

struct answer {
    des_time at;
    struct unit_done done;
};

/* Serve the matrix units; their answers in the order in which they come.  Returns how many. */
static uint32_t serve_mxus(struct sequencer *s, des_time at, struct answer *a)
{
    const struct sequencer_share *h = sequencer_shared(s);
    const struct task_kernel *k = s->walk.kernel;
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->units.mxu_count; i++) {
        struct unit_gemm cmd = { h->part[i], s->i + 1 == k->grid_steps, k->mode };
        struct answer x;
        if (!cmd.gemm.b)
            continue;
        x.at = s->serve.mxu[i].serve(s->serve.mxu[i].unit, &cmd, at, &x.done);
        uint32_t j = n++;
        for (; j && a[j - 1].at > x.at; j--)
            a[j] = a[j - 1];
        a[j] = x;
        s->mxus_idle--;
    }
    return n;
}

/* Serve the units; the moment of the last answer, `at` if there is none, and s->last. */
static des_time serve(struct sequencer *s, des_time at, bool *answers)
{
    const struct task_grid_step *w = &s->walk.step;
    struct answer mxu[SEQUENCER_MAX_MXUS];
    uint32_t n = serve_mxus(s, at, mxu);
    struct unit_done done;
    des_time end = at;

    s->last = CAUSE_VPU;
    *answers = n > 0;
    for (uint32_t i = 0; i < n; i++) {
        sequencer_mxu_done(s, mxu[i].at, &mxu[i].done);
        end = mxu[i].at;
        s->last = mxu[i].done.cause;
    }
    /* of answers at one moment the sequencer takes the vector unit's and then the XLU's last */
    if (sequencer_vector_work(w)) {
        struct unit_vector cmd;
        memcpy(cmd.ops, w->vpu, sizeof cmd.ops);
        des_time t = s->serve.vpu.serve(s->serve.vpu.unit, &cmd, at, &done);
        s->last = t >= end ? done.cause : s->last;
        end = later(end, t);
        *answers = true;
    }
    if (w->xlu) {
        struct unit_lanes cmd = { w->xlu };
        des_time t = s->serve.xlu.serve(s->serve.xlu.unit, &cmd, at, &done);
        s->last = t >= end ? done.cause : s->last;
        end = later(end, t);
        *answers = true;
    }
    return end;
}

des_time sequencer_fold(struct des *sim, struct sequencer *s, bool *late)
{
    des_time now = des_now(sim);
    bool answers;

    /* of a core that is looked at the units themselves must work */
    if (des_watched(sim, des_module_parent(sim, s->mod)) || s->walk.step.feed ||
        s->par.step_overhead <= 2 * s->units.dma_issue)
        return 0;
    des_time edge = align(s, later(now, s->flagged));
    sequencer_book(s, edge, CAUSE_HBM);
    edge = after(s, edge, sequencer_control(s));
    sequencer_book(s, edge, CAUSE_LAUNCH);
    des_time end = serve(s, edge, &answers);
    des_time issued = after(s, edge, sequencer_bundles(s)), done = align(s, end);
    sequencer_book(s, done, s->last);
    *late = answers && done == end && issued <= done;
    done = later(done, issued);
    sequencer_book(s, done, CAUSE_VPU);
    return done - now;
}
