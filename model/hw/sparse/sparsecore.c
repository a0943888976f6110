/* One kernel after the other: its transfers are asked for at once, its work is a timer. */
#include "hw/sparse/sparsecore.h"

#include "base/arith.h"
#include "base/wide.h"

#define P(...) PARAM_DESC(struct sparsecore_params, __VA_ARGS__)
static const struct param_desc params[] = { SPARSECORE_PARAMS(P) };
const struct param_table sparsecore_param_table = { "sparsecore", params,
                                                    sizeof params / sizeof *params,
                                                    sizeof(struct sparsecore_params), NULL };
#undef P
#define C(...) STAT_COUNTER(struct sparsecore_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct sparsecore_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { SPARSECORE_STATS(C, R) };
const struct stat_table sparsecore_stat_table = { "sparsecore", stats, sizeof stats / sizeof *stats,
                                                  sizeof(struct sparsecore_stats) };
static const struct component_class sparsecore_class = { .name = "sparsecore",
                                                         .parameters = &sparsecore_param_table,
                                                         .statistics = &sparsecore_stat_table,
                                                         .counters =
                                                             offsetof(struct sparsecore, st),
                                                         .reset = sparsecore_reset,
                                                         .finish = sparsecore_finish };

enum { STATE };
static const struct des_probe_row shows[] = {
    [STATE] = SHOW_STATE("state", "what the SparseCores do"),
};

static uint64_t count_bytes(const struct task_move *m)
{
    return m->bytes + m->rows * m->row_bytes;
}

/* Cycles of the subcores on the kernel at hand: rows to issue, or operations. */
static uint64_t count_cycles(const struct sparsecore *s)
{
    const struct unit_sparse *c = &s->cur;
    uint64_t tiles = (uint64_t)s->par.count * s->par.tiles;
    uint64_t rows = arith_ceil_div((c->in.rows + c->out.rows) * s->par.row_cycles, tiles);
    uint64_t work = arith_ceil_div(c->operations, tiles * s->par.lanes);

    return rows > work ? rows : work;
}

/* Ask HBM for one direction of the kernel at hand. */
static void ask_for(struct des *sim, struct sparsecore *s, struct task_move m, bool write)
{
    m.row_bytes = arith_round_up(m.row_bytes, s->par.granule);
    if (count_bytes(&m) == 0)
        return;
    /* one read and one write are under way at most, and the wire holds more */
    BUG_ON(
        !des_put(sim, s->request,
                 &(struct mem_request){ .move = m, .write = write, .text = s->cur.text[write] }));
    s->st.bytes += count_bytes(&m);
    s->asked++;
}

/* The launch of the kernel at hand is over: move and work. */
static void begin_work(struct des *sim, struct sparsecore *s)
{
    u128 bytes = (u128)count_bytes(&s->cur.in) + count_bytes(&s->cur.out);
    des_time path = 0, work = des_clock_delay(sim, s->clock, count_cycles(s));

    if (s->par.bandwidth)
        path = (des_time)((bytes * DES_FS_PER_S + s->par.bandwidth - 1) / s->par.bandwidth);
    s->last = work > path ? CAUSE_VPU : CAUSE_HBM;
    s->worked = des_now(sim) + (work > path ? work : path);
    s->asked = 0;
    ask_for(sim, s, s->cur.in, false);
    ask_for(sim, s, s->cur.out, true);
    des_show(sim, s->show, STATE, SHOW_BUSY);
}

/* True once the transfers of the kernel at hand are back. */
static bool are_back(struct des *sim, struct sparsecore *s)
{
    struct mem_done d;

    while (des_get(sim, s->reply, &d))
        s->asked--;
    return s->asked == 0;
}

static bool take_kernel(struct des *sim, struct sparsecore *s)
{
    if (!des_get(sim, s->cmd, &s->cur))
        return false;
    s->busy = true;
    s->since = des_now(sim);
    des_show(sim, s->show, STATE, SHOW_LAUNCH);
    return true;
}

static void end_kernel(struct des *sim, struct sparsecore *s)
{
    s->st.busy += des_now(sim) - s->since;
    s->busy = false;
    des_show(sim, s->show, STATE, SHOW_IDLE);
}

static uint32_t run_kernels(struct des *sim, void *self, uint32_t at)
{
    struct sparsecore *s = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(take_kernel(sim, s));
        DES_WAIT_FOR(sim, s->par.launch);
        begin_work(sim, s);
        DES_WAIT_UNTIL(are_back(sim, s));
        if (des_now(sim) >= s->worked)
            s->last = CAUSE_HBM;
        else
            DES_WAIT_FOR(sim, s->worked - des_now(sim));
        end_kernel(sim, s);
        DES_WAIT_UNTIL(des_put(sim, s->done, &(struct unit_done){ .cause = s->last }));
    }
    DES_END;
}

void sparsecore_init(struct sparsecore *s, struct des *sim, struct des_module parent,
                     const struct sparsecore_params *par, uint64_t core_hz)
{
    *s = (struct sparsecore){ .par = *par, .hz = par->clock ? par->clock : core_hz };
    s->mod = des_module_new(sim, parent, "sparsecore");
    component_add(sim, &sparsecore_class, s->mod, s);
    s->clock = des_clock_new(sim, s->mod, "clock", s->hz);
    s->cmd = des_in_new(sim, s->mod, "cmd", sizeof(struct unit_sparse));
    s->reply = des_in_new(sim, s->mod, "reply", sizeof(struct mem_done));
    s->request = des_out_new(sim, s->mod, "request", sizeof(struct mem_request));
    s->done = des_out_new(sim, s->mod, "done", sizeof(struct unit_done));
    s->show = SHOW_PROBES(sim, s->mod, shows);
    struct des_process p = des_thread_new(sim, s->mod, "run", run_kernels, s);
    des_sensitive(sim, p, s->cmd);
    des_sensitive(sim, p, s->reply);
    des_sensitive(sim, p, s->done);
}

void sparsecore_reset(void *self, des_time now)
{
    struct sparsecore *s = self;

    s->since = now;
}

void sparsecore_finish(void *self, des_time now, des_time elapsed)
{
    struct sparsecore *s = self;

    if (s->busy)
        s->st.busy += now - s->since;
    s->since = now;
    s->st.elapsed = elapsed;
}
