#include "hw/core/sequencer.h"

#include <stdio.h>
#include <string.h>

#include "hw/core/sequencer_show.h"

static void book(struct des *sim, struct sequencer *s, enum cause cause)
{
    sequencer_book(s, des_now(sim), cause);
}

static const struct task *task(const struct sequencer *s)
{
    return &s->program->task[s->pc];
}

/* --- kernels ------------------------------------------------------------------------------ */

static bool empty(const struct task_move *m)
{
    return m->bytes == 0 && m->rows == 0;
}

/* Ask for a transfer; one of nothing needs no asking.  `mark` is how many must have come back by
 * then. */
static void transfer(struct des *sim, struct sequencer *s, const struct task_move *m, bool write,
                     uint64_t *mark)
{
    uint64_t *asked = write ? &s->writes : &s->reads;

    if (!empty(m)) {
        /* two reads and three writes are in flight at most, and the wire holds more */
        BUG_ON(!des_put(sim, s->dma, &(struct mem_request){ *m, write }));
        ++*asked;
        s->started += !write;
    }
    *mark = *asked;
}

/* Read up to the tile after the one at hand. */
static void read_ahead(struct des *sim, struct sequencer *s)
{
    const struct task_kernel *k = s->walk.kernel;

    for (; s->ahead < k->grid_steps && s->ahead < s->i + 2; s->ahead++) {
        struct task_move m = s->in[s->ahead % 2] = task_reads_next(&s->reader);
        if (s->ahead == 0)
            m.bytes += k->resident_in;
        transfer(sim, s, &m, false, &s->read_mark[s->ahead % 2]);
    }
}

static bool transferred(struct des *sim, struct sequencer *s, uint64_t reads, uint64_t writes)
{
    struct dma_done d;

    while (des_get(sim, s->dma_done, &d)) {
        uint64_t n = d.write ? s->writes_done++ : s->reads_done++;
        des_time *flag = s->flag[d.write], before = n ? flag[(n - 1) % SEQUENCER_FLAGS] : 0;
        flag[n % SEQUENCER_FLAGS] = d.flag > before ? d.flag : before;
    }
    if (s->reads_done < reads || s->writes_done < writes)
        return false;
    des_time read = reads ? s->flag[0][(reads - 1) % SEQUENCER_FLAGS] : 0;
    des_time written = writes ? s->flag[1][(writes - 1) % SEQUENCER_FLAGS] : 0;
    s->flagged = read > written ? read : written;
    return true;
}

/* Cycles of a kernel's launch: what is left of an operation's cost without the latency of the first
 * transfer in and the last one out. */
static uint64_t launch_cycles(const struct sequencer *s)
{
    des_time both = 2 * s->units.dma_latency;

    uint64_t extra = 0;

    if (task(s)->kind == TASK_KERNEL)
        extra = task(s)->kernel.extra_cycles;
    else
        both = 0;
    return des_edge_index(s->par.op_overhead > both ? s->par.op_overhead - both : 0, s->par.clock) +
           extra;
}

/* It includes the start of a read and a write; those it does without do not take their time. */
uint64_t sequencer_control(struct sequencer *s)
{
    uint64_t two = 2 * (uint64_t)s->units.dma_issue;
    uint64_t starts = s->started + !empty(&s->walk.step.out);

    s->started = 0;
    return (s->par.step_overhead > two ? s->par.step_overhead - two : 0) +
           starts * s->units.dma_issue;
}

bool sequencer_vector_work(const struct task_grid_step *w)
{
    for (int op = 0; op < N_VECTOR_OPS; op++)
        if (w->vpu[op])
            return true;
    return false;
}

static bool same(const struct task_gemm *a, const struct task_gemm *b)
{
    return a->b == b->b && a->m == b->m && a->k == b->k && a->n == b->n && a->useful == b->useful;
}

const struct sequencer_share *sequencer_shared(struct sequencer *s)
{
    const struct task_kernel *k = s->walk.kernel;
    const struct task_gemm *g = &s->walk.step.gemm;
    struct sequencer_share *h = &s->share[s->walk.shape];
    struct bundle_shape shape = { s->units.mxu_size,  s->units.lanes, s->units.sublanes,
                                  s->units.mxu_sums,  k->streamed,    k->stationary,
                                  k->mode.more_passes };

    if (same(&h->block, g))
        return h;
    *h = (struct sequencer_share){ .block = *g };
    for (uint32_t i = 0; g->b && i < s->units.mxu_count; i++) {
        h->part[i] = task_share(g, &k->parts, i, s->units.mxu_row_granule, s->units.mxu_size);
        if (h->part[i].b)
            bundle_gemm(&h->need, &h->part[i], &shape);
    }
    return h;
}

uint64_t sequencer_bundles(const struct sequencer *s)
{
    struct bundle_need need = s->share[s->walk.shape].need;

    bundle_step(&need, &s->walk.step, &s->bundle);
    return bundle_count(&need, &s->bundle);
}

static void start_units(struct des *sim, struct sequencer *s)
{
    const struct task_kernel *k = s->walk.kernel;
    const struct task_grid_step *w = &s->walk.step;
    const struct sequencer_share *h = sequencer_shared(s);

    s->pending = 0;
    for (uint32_t i = 0; i < s->units.mxu_count; i++)
        if (h->part[i].b) {
            struct unit_gemm cmd = { h->part[i], s->i + 1 == k->grid_steps, k->mode };
            BUG_ON(!des_put(sim, s->mxu[i], &cmd)); /* units are idle between steps */
            s->pending++;
            s->mxus_idle--;
        }
    if (sequencer_vector_work(w)) {
        struct unit_vector cmd;
        memcpy(cmd.ops, w->vpu, sizeof cmd.ops);
        BUG_ON(!des_put(sim, s->vpu, &cmd));
        s->pending++;
    }
    if (w->xlu) {
        BUG_ON(!des_put(sim, s->xlu, &(struct unit_lanes){ w->xlu }));
        s->pending++;
    }
    if (w->feed) {
        BUG_ON(!des_put(sim, s->cmem, &(struct unit_feed){ w->feed }));
        s->pending++;
    }
    s->issued = des_clock_index(sim, s->clock) + sequencer_bundles(s);
}

void sequencer_mxu_done(struct sequencer *s, des_time at, const struct unit_done *d)
{
    sequencer_count(s, des_edge_index(at, s->units.mxu_hz));
    for (int use = 0; use < N_USES; use++)
        s->book[s->row].slots[use] += d->slots[use];
    s->mxus_idle++;
}

/* Collect the units that are done; true when none is at work any more. */
static bool units_done(struct des *sim, struct sequencer *s)
{
    struct unit_done d = { .cause = s->last };

    for (uint32_t i = 0; i < s->units.mxu_count; i++)
        while (des_get(sim, s->mxu_done[i], &d)) {
            sequencer_mxu_done(s, des_now(sim), &d);
            s->pending--;
        }
    while (des_get(sim, s->vpu_done, &d))
        s->pending--;
    while (des_get(sim, s->xlu_done, &d))
        s->pending--;
    while (s->units.cmem && des_get(sim, s->cmem_done, &d))
        s->pending--;
    s->last = d.cause;
    return s->pending == 0;
}

/* --- collectives -------------------------------------------------------------------------- */

static bool replied(struct des *sim, struct sequencer *s, uint64_t calls)
{
    struct net_reply r;

    while (s->replies < calls && des_get(sim, s->net_reply, &r)) {
        s->replies++;
        s->ready = r.ready;
        sequencer_book_far(s, &r, des_now(sim));
    }
    return s->replies >= calls;
}

/* Calls wait for room; meanwhile answers to earlier ones are taken, or both sides could be full. */
static bool call_net(struct des *sim, struct sequencer *s)
{
    const struct task *t = task(s);
    struct net_call c = { .plan = &s->program->call[t->collective.first + s->sent_tensors] };

    replied(sim, s, s->calls);
    if (des_shown(sim))
        c.flow = des_flow(sim);
    if (!des_put(sim, s->net, &c))
        return false;
    sequencer_show_flow(sim, s, c.flow);
    s->calls++;
    return true;
}

/* --- transfers between stages ------------------------------------------------------------- */

static bool send(struct des *sim, struct sequencer *s)
{
    const struct task *t = task(s);
    struct net_send c = { .id = t->send.id, .away = t->send.away, .bytes = t->send.bytes };

    if (des_shown(sim))
        c.flow = des_flow(sim);
    if (!des_put(sim, s->send, &c))
        return false;
    sequencer_show_flow(sim, s, c.flow);
    return true;
}

/* Is what the task waits for in memory? */
static bool received(struct des *sim, struct sequencer *s)
{
    struct sequencer_arrival *came = &s->came[task(s)->send.id];
    struct net_arrival a;

    while (des_get(sim, s->arrived, &a)) {
        s->came[a.id].count++;
        s->came[a.id].sent = a.sent;
    }
    if (came->count == 0)
        return false;
    came->count--;
    return true;
}

/* --- loops -------------------------------------------------------------------------------- */

static bool elsewhere(const struct sequencer *s)
{
    uint32_t stage = task(s)->stage;

    return s->program->stages > 1 && stage != TASK_ALL_STAGES && stage != s->stage;
}

/* Loop brackets take no time; true when the task at hand is one. */
static bool bracket(struct sequencer *s)
{
    const struct task *t = task(s);

    if (t->kind == TASK_REPEAT) {
        s->loop[s->depth++] = t->loop.trips;
    } else if (t->kind == TASK_END) {
        if (--s->loop[s->depth - 1])
            s->pc = t->loop.begin;
        else
            s->depth--;
    } else {
        return false;
    }
    return true;
}

static void begin_kernel(struct sequencer *s)
{
    s->reads = s->writes = s->reads_done = s->writes_done = s->ahead = 0;
    s->started = 0;
    s->write_mark[0] = s->write_mark[1] = 0;
    task_reads_begin(&s->reader, &task(s)->kernel);
    task_walk_begin(&s->walk, &task(s)->kernel);
    for (uint32_t i = 0; i < TASK_WALK_SHAPES; i++)
        s->share[i].block.b = 0;
}

/* --- the thread --------------------------------------------------------------------------- */

/* Wait for the next edge of the core clock: what happens elsewhere is seen at an edge. */
#define ALIGN()                                                                                    \
    do {                                                                                           \
        if (des_clock_delay(sim, s->clock, 0))                                                     \
            DES_WAIT_FOR(sim, des_clock_delay(sim, s->clock, 0));                                  \
    } while (0)

/* Wait for the sync flags of transfers that are back. */
#define FLAGGED()                                                                                  \
    do {                                                                                           \
        if (s->flagged > des_now(sim))                                                             \
            DES_WAIT_FOR(sim, s->flagged - des_now(sim));                                          \
    } while (0)

static uint32_t run(struct des *sim, void *self, uint32_t at)
{
    struct sequencer *s = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(des_get(sim, s->go, &s->token));
        s->since = des_now(sim);
        s->cycle = des_edge_index(s->since, s->par.clock);
        s->tick = des_edge_index(s->since, s->units.mxu_hz);
        ALIGN(); /* the step before ended on an edge of another chip's clock, maybe */
        s->depth = s->row = 0;
        sequencer_show_step(sim, s, true);
        for (s->pc = 0; s->pc < s->program->n_tasks; s->pc++) {
            if (bracket(s) || elsewhere(s))
                continue;
            s->row = task(s)->row;
            s->more_rows = task(s)->kind == TASK_KERNEL ? task(s)->kernel.mode.more_rows : 0;
            sequencer_show_task(sim, s);
            if (task(s)->async != TASK_DONE) {
                DES_WAIT_FOR(sim, des_clock_delay(sim, s->clock, launch_cycles(s)));
                book(sim, s, CAUSE_LAUNCH);
            }
            if (task(s)->kind == TASK_KERNEL) {
                begin_kernel(s);
                for (s->i = 0; s->i < task(s)->kernel.grid_steps; s->i++) {
                    read_ahead(sim, s);
                    sequencer_show_grid(sim, s);
                    sequencer_show(sim, s, SHOW_READ);
                    DES_WAIT_UNTIL(
                        transferred(sim, s, s->read_mark[s->i % 2], s->write_mark[s->i % 2]));
                    task_walk_next(&s->walk);
                    s->walk.step.in = s->in[s->i % 2];
                    if (s->fold && (s->left = s->fold(sim, s, &s->late))) {
                        DES_WAIT_FOR(sim, s->left);
                        if (s->late)
                            DES_WAIT_FOR(sim, 0);
                    } else {
                        FLAGGED();
                        ALIGN();
                        book(sim, s, CAUSE_HBM);
                        sequencer_show(sim, s, SHOW_LAUNCH);
                        DES_WAIT_FOR(sim, des_clock_delay(sim, s->clock, sequencer_control(s)));
                        book(sim, s, CAUSE_LAUNCH);
                        start_units(sim, s);
                        sequencer_show(sim, s, SHOW_COMPUTE);
                        s->last = CAUSE_VPU;
                        DES_WAIT_UNTIL(units_done(sim, s));
                        ALIGN();
                        book(sim, s, s->last);
                        sequencer_show(sim, s, SHOW_ISSUE);
                        if (des_clock_index(sim, s->clock) < s->issued)
                            DES_WAIT_FOR(
                                sim, des_clock_delay(sim, s->clock,
                                                     s->issued - des_clock_index(sim, s->clock)));
                        book(sim, s, CAUSE_VPU);
                    }
                    transfer(sim, s, &s->walk.step.out, true, &s->write_mark[s->i % 2]);
                }
                transfer(sim, s, &(struct task_move){ .bytes = task(s)->kernel.resident_out }, true,
                         &s->write_mark[0]);
                sequencer_show(sim, s, SHOW_WRITE);
                DES_WAIT_UNTIL(transferred(sim, s, s->reads, s->writes));
                FLAGGED();
                ALIGN();
                book(sim, s, CAUSE_HBM);
            } else if (task(s)->kind == TASK_COLLECTIVE && !s->alone) {
                sequencer_show(sim, s, SHOW_COLLECTIVE);
                for (s->sent_tensors = 0; s->sent_tensors < task(s)->collective.count;
                     s->sent_tensors++) {
                    DES_WAIT_UNTIL(call_net(sim, s));
                    s->sent_at[s->pc] = s->calls;
                    ALIGN();
                    book(sim, s, CAUSE_ICI);
                    if (task(s)->async == TASK_SYNC) {
                        DES_WAIT_UNTIL(replied(sim, s, s->calls));
                        ALIGN();
                        sequencer_book_until(s, s->ready, CAUSE_SYNC);
                        book(sim, s, CAUSE_ICI);
                    }
                }
                if (task(s)->async == TASK_DONE) {
                    DES_WAIT_UNTIL(replied(sim, s, s->sent_at[task(s)->start]));
                    ALIGN();
                    sequencer_book_until(s, s->ready, CAUSE_SYNC);
                    book(sim, s, CAUSE_ICI);
                }
            } else if (task(s)->kind == TASK_SEND) {
                DES_WAIT_UNTIL(send(sim, s));
                ALIGN();
                book(sim, s, CAUSE_ICI);
            } else if (task(s)->kind == TASK_RECEIVE) {
                sequencer_show(sim, s, SHOW_COLLECTIVE);
                DES_WAIT_UNTIL(received(sim, s));
                ALIGN();
                sequencer_book_until(s, s->came[task(s)->send.id].sent, CAUSE_BUBBLE);
                book(sim, s, CAUSE_ICI);
            } else if (task(s)->kind == TASK_INFEED && task(s)->async != TASK_START) {
                sequencer_show(sim, s, SHOW_INFEED);
                DES_WAIT_UNTIL(des_get(sim, s->feed, &s->batch));
                sequencer_show_flow(sim, s, s->batch.flow);
                ALIGN();
                sequencer_book_until(s, s->batch.loaded, CAUSE_STORAGE);
                sequencer_book_until(s, s->batch.handed, CAUSE_HOST);
                book(sim, s, CAUSE_PCIE);
            } else if (task(s)->kind == TASK_OUTFEED || task(s)->kind == TASK_HOST) {
                sequencer_show(sim, s, SHOW_HOST);
                if (task(s)->async != TASK_DONE) {
                    DES_WAIT_UNTIL(sequencer_call_host(sim, s));
                    ALIGN();
                    book(sim, s, CAUSE_PCIE);
                }
                if (sequencer_wants_answer(s)) {
                    DES_WAIT_UNTIL(sequencer_answered(sim, s));
                    ALIGN();
                    sequencer_book_answer(sim, s);
                }
                if (task_host_work(task(s))->staleness) {
                    DES_WAIT_UNTIL(sequencer_goes_on(sim, s));
                    ALIGN();
                    sequencer_book_each(sim, s);
                } else if (task(s)->kind == TASK_HOST && task(s)->host.down) {
                    DES_WAIT_UNTIL(sequencer_returned(sim, s));
                    ALIGN();
                    book(sim, s, CAUSE_PCIE);
                }
            }
            sequencer_show_task_end(sim, s);
        }
        sequencer_show_step(sim, s, false);
        DES_WAIT_UNTIL(des_put(sim, s->finished, &s->token));
    }
    DES_END;
}

void sequencer_init(struct sequencer *s, struct des *sim, struct des_module parent,
                    const struct sequencer_params *par, const struct bundle_params *bundle,
                    const struct sequencer_units *units, uint32_t core, bool alone)
{
    BUG_ON(units->mxu_count > SEQUENCER_MAX_MXUS);
    *s = (struct sequencer){ .par = *par,
                             .bundle = *bundle,
                             .units = *units,
                             .core = core,
                             .alone = alone,
                             .mxus_idle = units->mxu_count };
    s->mod = des_module_new(sim, parent, "sequencer");
    s->clock = des_clock_new(sim, s->mod, "clock", par->clock);
    sequencer_show_init(s, sim);
    s->run = des_thread_new(sim, s->mod, "run", run, s);
    s->go = des_in_new(sim, s->mod, "go", sizeof(struct step_token));
    s->finished = des_out_new(sim, s->mod, "finished", sizeof(struct step_token));
    s->vpu = des_out_new(sim, s->mod, "vpu", sizeof(struct unit_vector));
    s->xlu = des_out_new(sim, s->mod, "xlu", sizeof(struct unit_lanes));
    s->vpu_done = des_in_new(sim, s->mod, "vpu_done", sizeof(struct unit_done));
    s->xlu_done = des_in_new(sim, s->mod, "xlu_done", sizeof(struct unit_done));
    s->dma = des_out_new(sim, s->mod, "dma", sizeof(struct mem_request));
    if (units->cmem) {
        s->cmem = des_out_new(sim, s->mod, "cmem", sizeof(struct unit_feed));
        s->cmem_done = des_in_new(sim, s->mod, "cmem_done", sizeof(struct unit_done));
        des_sensitive(sim, s->run, s->cmem_done);
    }
    s->dma_done = des_in_new(sim, s->mod, "dma_done", sizeof(struct dma_done));
    s->net = des_out_new(sim, s->mod, "net", sizeof(struct net_call));
    s->net_reply = des_in_new(sim, s->mod, "net_reply", sizeof(struct net_reply));
    s->send = des_out_new(sim, s->mod, "send", sizeof(struct net_send));
    s->arrived = des_in_new(sim, s->mod, "arrived", sizeof(struct net_arrival));
    s->feed = des_in_new(sim, s->mod, "feed", sizeof(struct host_feed));
    s->returned = des_in_new(sim, s->mod, "returned", sizeof(struct host_feed));
    s->call = des_out_new(sim, s->mod, "call", sizeof(struct host_call));
    s->answer = des_in_new(sim, s->mod, "answer", sizeof(struct host_reply));
    for (uint32_t i = 0; i < units->mxu_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "mxu%u", i);
        s->mxu[i] = des_out_new(sim, s->mod, name, sizeof(struct unit_gemm));
        snprintf(name, sizeof name, "mxu%u_done", i);
        s->mxu_done[i] = des_in_new(sim, s->mod, name, sizeof(struct unit_done));
        des_sensitive(sim, s->run, s->mxu_done[i]);
    }
    struct des_in wakes[] = { s->go,   s->vpu_done, s->xlu_done, s->dma_done, s->net_reply,
                              s->feed, s->answer,   s->returned, s->arrived };
    for (size_t i = 0; i < sizeof wakes / sizeof *wakes; i++)
        des_sensitive(sim, s->run, wakes[i]);
    des_sensitive(sim, s->run, s->net);
    des_sensitive(sim, s->run, s->send);
    des_sensitive(sim, s->run, s->call);
    des_sensitive(sim, s->run, s->finished);
}
