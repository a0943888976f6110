/* One method passes accesses on to HBM and answers on to the runner, each way in order. */
#include "hw/gpu/l2.h"

#include "base/units.h"
#include "base/wide.h"

#define P(...) PARAM_DESC(struct l2_params, __VA_ARGS__)
static const struct param_desc params[] = { L2_PARAMS(P) };
const struct param_table l2_param_table = { "l2", params, sizeof params / sizeof *params,
                                            sizeof(struct l2_params), NULL };
#define C(...) STAT_COUNTER(struct l2_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct l2_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { L2_STATS(C, R) };
const struct stat_table l2_stat_table = { "l2", stats, sizeof stats / sizeof *stats,
                                          sizeof(struct l2_stats) };

enum { SHOW_IN_FLIGHT };
static const struct des_probe_row shows[] = {
    [SHOW_IN_FLIGHT] = SHOW_ROW(LEVEL, "in_flight", NULL, "accesses without an answer yet"),
};

/* Let `bytes` pass the path of a way; returns when they have. */
static des_time pass_bytes(const struct des *sim, struct l2_way *w, uint64_t bytes, uint64_t rate)
{
    if (w->free < des_now(sim))
        w->free = des_now(sim);
    w->free += (des_time)(((u128)bytes * DES_FS_PER_S + rate - 1) / rate);
    return w->free;
}

/* Answer the oldest accesses of a way: of those that HBM serves the first `*back`. */
static void answer_way(struct des *sim, struct l2 *c, bool write, uint32_t *back)
{
    struct l2_way *w = &c->way[write];

    while (w->answered < w->sent) {
        uint64_t n = w->answered % L2_FLIGHT;
        if (w->missed[n] && *back == 0)
            return;
        *back -= w->missed[n];
        bool cached = !w->missed[n] || w->passed[n] > des_now(sim);
        des_time passed = w->passed[n] > des_now(sim) ? w->passed[n] : des_now(sim);
        struct gpu_access_done d = { write, cached,
                                     passed + c->par.latency + (w->missed[n] ? c->par.miss : 0) };
        w->answered++;
        BUG_ON(!des_put(sim, c->done, &d)); /* the wire has room for all in flight */
    }
}

static void begin_access(struct des *sim, struct l2 *c, const struct gpu_access *a)
{
    struct l2_way *w = &c->way[a->write];
    uint64_t n = w->sent++ % L2_FLIGHT;

    w->passed[n] = pass_bytes(sim, w, a->flow.l2, c->par.bandwidth);
    w->missed[n] = a->flow.hbm > 0;
    c->st.bytes += a->flow.l2;
    c->st.missed += a->flow.hbm;
    if (w->missed[n]) {
        struct mem_request q = { .move.bytes = a->flow.hbm, .write = a->write, .text = a->text };
        BUG_ON(!des_put(sim, c->request, &q)); /* the wire has room for all in flight */
    }
}

/* Method, woken by an access or a reply. */
static void move_accesses(struct des *sim, void *self)
{
    struct l2 *c = self;
    struct gpu_access a;
    struct mem_done m;
    uint32_t back[2] = { 0, 0 };

    while (des_get(sim, c->access, &a)) {
        BUG_ON(c->way[a.write].sent - c->way[a.write].answered == L2_FLIGHT);
        begin_access(sim, c, &a);
    }
    while (des_get(sim, c->reply, &m))
        back[m.write]++;
    answer_way(sim, c, false, &back[0]);
    answer_way(sim, c, true, &back[1]);
    BUG_ON(back[0] || back[1]);
    des_show(sim, c->show, SHOW_IN_FLIGHT,
             c->way[0].sent - c->way[0].answered + c->way[1].sent - c->way[1].answered);
}

static void finish_measuring(void *self, des_time now, des_time elapsed)
{
    struct l2 *c = self;

    (void)now;
    c->st.capacity = (uint64_t)((u128)2 * elapsed * c->par.bandwidth / DES_FS_PER_S);
}

static const struct component_class l2_class = { .name = "l2",
                                                 .parameters = &l2_param_table,
                                                 .statistics = &l2_stat_table,
                                                 .counters = offsetof(struct l2, st),
                                                 .finish = finish_measuring };

void l2_init(struct l2 *c, struct des *sim, struct des_module parent, const struct l2_params *par)
{
    *c = (struct l2){ .par = *par };
    c->mod = des_module_new(sim, parent, "l2");
    component_add(sim, &l2_class, c->mod, c);
    c->access = des_in_new(sim, c->mod, "access", sizeof(struct gpu_access));
    c->done = des_out_new(sim, c->mod, "done", sizeof(struct gpu_access_done));
    c->request = des_out_new(sim, c->mod, "request", sizeof(struct mem_request));
    c->reply = des_in_new(sim, c->mod, "reply", sizeof(struct mem_done));
    c->show = SHOW_PROBES(sim, c->mod, shows);
    des_probe_set_peak(sim, c->show, SHOW_IN_FLIGHT, 2 * L2_FLIGHT);
    struct des_process p = des_method_new(sim, c->mod, "move", move_accesses, c);
    des_sensitive(sim, p, c->access);
    des_sensitive(sim, p, c->reply);
}
