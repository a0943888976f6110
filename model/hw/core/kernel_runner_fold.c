/* The shortcut of kernel_runner.c.  Between the moment a grid step's tile is there and the one at
 * which its last bundle is issued nothing reaches the core that it would look at: transfers that
 * come back wait in their queue.  So the units of the grid step are served one by one, each as if
 * its command had come over the wire, and the core wakes once, when it wakes last on the wires. */
#include <stddef.h>
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
    des_time at = ledger_edge(l, edge);

    ledger_book_to_edge(l, at, edge, cause);
    return at;
}

/* Cycles in which matrix units are done: the last one, and the sum of all `n`. */
struct ends {
    uint64_t last, sum, n;
};

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

/* Serve the units; the moment of the last answer, `at` if there is none, and k->last.  `*ends`:
 * the cycles in which matrix units are done. */
static des_time serve_units(struct kernel_runner *k, des_time at, bool *answers, struct ends *ends)
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
        ends->last = des_edge_index(end, k->core->ledger.core_hz);
        ends->sum += ends->last;
        ends->n++;
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

/* --- blocks that repeat --------------------------------------------------------------------- */

static bool is_same_block(const struct task_gemm *a, const struct task_gemm *b)
{
    return a->b == b->b && a->m == b->m && a->k == b->k && a->n == b->n && a->useful == b->useful;
}

/* The memo of the block at hand, whose units begin in `start` and are at rest; NULL: none. */
static struct kernel_memo *find_memo(struct kernel_runner *k, uint64_t start)
{
    struct kernel_memos *s = &k->memos;

    if (start < s->rest)
        return NULL;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t at = (s->hit + i) % s->n;
        if (is_same_block(&s->at[at].block, &k->walk.step.gemm)) {
            s->hit = at;
            return &s->at[at];
        }
    }
    return NULL;
}

/* The cycle from which on all matrix units are at rest. */
static uint64_t find_rest(const struct kernel_runner *k)
{
    uint64_t rest = 0;

    for (uint32_t i = 0; i < k->units.mxu_count; i++) {
        uint64_t unit = k->serve.mxu[i].rest(k->serve.mxu[i].unit);
        rest = unit > rest ? unit : rest;
    }
    return rest;
}

/* The memo with repetitions that the units have not heard of whose last one came first. */
static struct kernel_memo *find_untold(struct kernel_memos *s)
{
    struct kernel_memo *first = NULL;

    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i].repeats && (!first || s->at[i].start < first->start))
            first = &s->at[i];
    return first;
}

static void tell_mxus(struct kernel_runner *k, struct kernel_memo *m)
{
    for (uint32_t i = 0; i < k->units.mxu_count; i++) {
        struct unit_gemm cmd = { m->part[i], false, k->walk.kernel->mode };
        if (cmd.gemm.b)
            k->serve.mxu[i].repeat(k->serve.mxu[i].unit, &cmd, m->start, m->repeats);
    }
    for (int use = 0; use < N_USES; use++)
        k->core->ledger.at->slots[use] += m->repeats * m->slots[use];
    m->repeats = 0;
}

/* The units catch up with all repetitions. */
static void catch_up(struct kernel_runner *k)
{
    struct kernel_memos *s = &k->memos;
    struct kernel_memo *m;

    while ((m = find_untold(s)))
        tell_mxus(k, m);
    if (s->vpu)
        k->serve.vpu.pass(k->serve.vpu.unit, s->vpu);
    if (s->xlu)
        k->serve.xlu.pass(k->serve.xlu.unit, s->xlu);
    s->vpu = s->xlu = 0;
}

/* Work out the cycles of the grid step at hand besides those of its block. */
static void count_cycles(struct kernel_runner *k, struct kernel_cycles *c)
{
    const struct task_grid_step *w = &k->walk.step;

    c->vector = kernel_runner_has_vector_work(w);
    c->vpu = c->vector ? k->serve.vpu.cycles(k->serve.vpu.unit, w->vpu) : 0;
    c->xlu = w->xlu ? k->serve.xlu.cycles(k->serve.xlu.unit, &w->xlu) : 0;
    kernel_runner_share(k);
    c->bundles = kernel_runner_bundles(k);
}

/* The cycles of the grid step at hand besides those of its block. */
static const struct kernel_cycles *find_cycles(struct kernel_runner *k)
{
    const struct task_walk *w = &k->walk;
    uint64_t rows = w->step.in.rows;
    uint32_t hash = w->larger ^ w->larger >> 4 ^ w->shape << 2 ^ (uint32_t)rows;
    struct kernel_cycles *c = &k->memos.cycles[hash % KERNEL_WORKS];

    if (c->known && c->shape == w->shape && c->larger == w->larger && c->rows == rows)
        return c;
    c->known = true;
    c->shape = w->shape;
    c->larger = w->larger;
    c->rows = rows;
    count_cycles(k, c);
    return c;
}

/* The cycles of a grid step from the begin of its units. */
struct span {
    uint64_t done, issued;
    enum cause last;
    bool answers;
};

/* A unit that takes so many cycles answers after those before it. */
static void add_unit(struct span *s, uint64_t cycles, enum cause cause)
{
    if (cycles >= s->done) {
        s->done = cycles;
        s->last = cause;
    }
    s->answers = true;
}

/* The span of the grid step at hand, whose matrix units do as the memo says. */
static struct span measure_repetition(struct kernel_runner *k, const struct kernel_memo *m)
{
    const struct task_grid_step *w = &k->walk.step;
    const struct kernel_cycles *c = find_cycles(k);
    struct span s = { .last = CAUSE_VPU, .issued = c->bundles };

    if (w->gemm.b)
        add_unit(&s, m->last, CAUSE_MXU);
    if (c->vector)
        add_unit(&s, c->vpu, CAUSE_VPU);
    if (w->xlu)
        add_unit(&s, c->xlu, CAUSE_XLU);
    k->memos.vpu += c->vpu;
    k->memos.xlu += c->xlu;
    return s;
}

/* Book the grid step at hand, whose tile is there at `edge`, by the memo of its block; returns when
 * it is over. */
static des_time repeat_block(struct kernel_runner *k, struct kernel_memo *m, uint64_t edge,
                             uint64_t start, bool *late)
{
    struct ledger *l = &k->core->ledger;
    struct span s = measure_repetition(k, m);
    uint64_t all = l->units_idle, end = start + s.done;
    des_time over = ledger_edge(l, end);

    ledger_book_wait(l, ledger_edge(l, edge), (edge - l->cycle) * all, CAUSE_HBM);
    ledger_book_wait(l, ledger_edge(l, start), (start - edge) * all, CAUSE_LAUNCH);
    ledger_book_wait(l, over, s.done * all - m->sum, s.last);
    *late = s.answers && s.issued <= s.done;
    if (s.issued > s.done) {
        end = start + s.issued;
        over = ledger_edge(l, end);
        ledger_book_wait(l, over, (s.issued - s.done) * all, CAUSE_VPU);
    }
    ledger_book_cycles(l, end);
    k->memos.rest = start + m->rest;
    m->start = start;
    m->repeats++;
    return over;
}

/* Keep the block at hand, which found the matrix units at rest in `start`.  `slots` are those from
 * before, in the books. */
static void keep_memo(struct kernel_runner *k, uint64_t start, const uint64_t slots[N_USES],
                      const struct ends *ends)
{
    struct kernel_memos *s = &k->memos;
    struct kernel_memo *m = &s->at[s->next];

    if (s->rest == UINT64_MAX)
        return;
    m->block = k->walk.step.gemm;
    memcpy(m->part, kernel_runner_share(k)->part, k->units.mxu_count * sizeof *m->part);
    m->last = ends->last - start;
    m->sum = ends->sum - ends->n * start;
    m->rest = s->rest > start ? s->rest - start : 0;
    for (int use = 0; use < N_USES; use++)
        m->slots[use] = k->core->ledger.at->slots[use] - slots[use];
    m->repeats = 0;
    s->hit = s->next;
    s->next = (s->next + 1) % KERNEL_MEMOS;
    s->n += s->n < KERNEL_MEMOS;
}

/* --- a grid step ---------------------------------------------------------------------------- */

static bool is_last(const struct kernel_runner *k)
{
    return k->i + 1 == k->walk.kernel->grid_steps;
}

/* Serve the units for the grid step at hand, whose tile is there at `edge`; returns when it is
 * over.
 */
static des_time run_block(struct kernel_runner *k, uint64_t edge, uint64_t start, bool *late)
{
    struct ledger *l = &k->core->ledger;
    bool rests = !is_last(k) && !k->walk.step.feed && start >= find_rest(k), answers;
    uint64_t slots[N_USES];
    struct ends ends = { 0 };

    memcpy(slots, l->at->slots, sizeof slots);
    book_to_edge(k, edge, CAUSE_HBM);
    des_time end = serve_units(k, book_to_edge(k, start, CAUSE_LAUNCH), &answers, &ends);
    uint64_t issued = start + kernel_runner_bundles(k), done = des_edge_index(end, l->core_hz);
    des_time over = book_to_edge(k, done, k->last);
    *late = answers && over == end && issued <= done;
    if (issued > done)
        over = book_to_edge(k, issued, CAUSE_VPU);
    else
        ledger_book_to_edge(l, over, done, CAUSE_VPU);
    k->memos.rest = find_rest(k);
    if (rests)
        keep_memo(k, start, slots, &ends);
    return over;
}

/* A kernel begins. */
static void forget_blocks(struct kernel_memos *s)
{
    s->n = s->next = s->hit = 0;
    for (uint32_t i = 0; i < KERNEL_WORKS; i++)
        s->cycles[i].known = false;
}

des_time kernel_runner_fold(struct des *sim, struct kernel_runner *k, des_time now, bool *late)
{
    struct kernel_memo *m;

    /* waves and timelines show the units' wires and states, which the shortcut leaves out */
    if (des_watched(sim, k->core->parent) || (k->walk.step.feed && !k->serve.cmem.serve) ||
        k->step_overhead == 0)
        return 0;
    if (k->i == 0)
        forget_blocks(&k->memos);
    uint64_t edge = des_edge_index(later_of(now, k->tiles.flagged), k->core->ledger.core_hz);
    uint64_t start = edge + kernel_runner_control(k);
    if (!is_last(k) && !k->walk.step.feed && (m = find_memo(k, start)))
        return repeat_block(k, m, edge, start, late) - now;
    catch_up(k);
    return run_block(k, edge, start, late) - now;
}
