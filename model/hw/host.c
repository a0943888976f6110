#include "hw/host.h"

#include <stdio.h>

#define P(...) PARAM_DESC(struct host_params, __VA_ARGS__)
static const struct param_desc params[] = { HOST_PARAMS(P) };
const struct param_table host_param_table = { "host", params, sizeof params / sizeof *params,
                                              sizeof(struct host_params) };
#undef P
#define C(...) STAT_COUNTER(struct host_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct host_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { HOST_STATS(C, R) };
const struct stat_table host_stat_table = { "host", stats, sizeof stats / sizeof *stats,
                                            sizeof(struct host_stats) };

__extension__ typedef unsigned __int128 u128;

enum { STATE, INFEED, FEEDS, FLOW };
static const struct des_probe_row shows[] = {
    [STATE] = SHOW_STATE("state", "busy while it prepares input or serves calls"),
    [INFEED] = SHOW_STATE("infeed", "busy while it prepares input, blocked without room for it"),
    [FEEDS] = SHOW_ROW(TOTAL, "feeds", NULL, "batches handed to PCIe"),
    [FLOW] = SHOW_ROW(FLOW, "flow", NULL, "the batch at hand"),
};

static des_time prepare_time(const struct host *h)
{
    return (des_time)((u128)h->next.bytes * DES_FS_PER_S / h->par.infeed_bandwidth);
}

/* The host is busy while either of its threads works. */
static void begin_work(struct des *sim, struct host *h)
{
    if (h->working++ == 0)
        h->busy_since = des_now(sim);
    des_show(sim, h->show, STATE, SHOW_BUSY);
}

static void end_work(struct des *sim, struct host *h)
{
    if (--h->working == 0)
        h->st.busy += des_now(sim) - h->busy_since;
    des_show(sim, h->show, STATE, h->working ? SHOW_BUSY : SHOW_IDLE);
}

/* Thread: prepare the batches of every operation and core, as far ahead as there is room. */
static uint32_t infeed(struct des *sim, void *self, uint32_t at)
{
    struct host *h = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(h->n_lists > 0);
        for (h->item = 0; h->item < h->list[0].count; h->item++) {
            if (h->item == 0) {
                begin_work(sim, h);
                des_show(sim, h->show, INFEED, SHOW_LAUNCH);
                DES_WAIT_FOR(sim, h->par.infeed_overhead);
                end_work(sim, h);
            }
            for (h->core = 0; h->core < h->n_chips * h->cores_per_chip; h->core++) {
                h->next = (struct host_feed){ .core = h->core % h->cores_per_chip,
                                              .bytes = h->list[0].bytes[h->item] };
                if (des_shown(sim))
                    h->next.flow = des_flow(sim);
                des_show(sim, h->show, FLOW, h->next.flow);
                des_show(sim, h->show, INFEED, SHOW_IDLE);
                des_show(sim, h->show, INFEED, SHOW_BUSY);
                begin_work(sim, h);
                DES_WAIT_FOR(sim, prepare_time(h));
                end_work(sim, h);
                h->next.handed = des_now(sim);
                des_show(sim, h->show, INFEED, SHOW_BLOCKED);
                DES_WAIT_UNTIL(des_put(sim, h->feed[h->core / h->cores_per_chip], &h->next));
                h->st.feeds++;
                des_show(sim, h->show, FEEDS, ++h->fed);
            }
        }
        des_show(sim, h->show, INFEED, SHOW_IDLE);
        h->list[0] = h->list[1];
        h->n_lists--;
    }
    DES_END;
}

/* Take what the chips send; true once every core of this host waits for an answer. */
static bool gather(struct des *sim, struct host *h)
{
    struct host_call call;

    for (uint32_t chip = 0; chip < h->n_chips; chip++)
        while (des_get(sim, h->call[chip], &call)) {
            if (call.kind == HOST_OUTFEED)
                continue;
            uint32_t core = chip * h->cores_per_chip + call.core;
            BUG_ON(h->called[core]);
            h->called[core] = true;
            h->calls[core] = call;
            h->arrived[core] = des_now(sim);
            h->n_called++;
        }
    return h->n_called == h->n_chips * h->cores_per_chip;
}

static des_time call_time(const struct host *h)
{
    return h->calls[0].kind == HOST_WORK ? h->calls[0].work_fs : h->par.read_time;
}

/* Thread: serve calls that somebody waits for. */
static uint32_t serve(struct des *sim, void *self, uint32_t at)
{
    struct host *h = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(gather(sim, h));
        h->gathered = des_now(sim);
        begin_work(sim, h);
        DES_WAIT_FOR(sim, call_time(h));
        end_work(sim, h);
        h->n_called = 0;
        for (uint32_t c = 0; c < h->n_chips * h->cores_per_chip; c++) {
            /* one call at a time is open per core, so there is room for its answer */
            h->called[c] = false;
            des_put(sim, h->answer[c], &(struct host_reply){ h->arrived[c], h->gathered });
        }
    }
    DES_END;
}

void host_init(struct host *h, struct des *sim, struct des_module parent, const char *name,
               const struct host_params *par, uint32_t n_chips, uint32_t cores_per_chip)
{
    BUG_ON(n_chips == 0 || n_chips > HOST_MAX_CHIPS || n_chips * cores_per_chip > HOST_MAX_CORES);
    *h = (struct host){ .par = *par, .n_chips = n_chips, .cores_per_chip = cores_per_chip };
    h->mod = des_module_new(sim, parent, name);
    h->given = des_event_new(sim, h->mod, "given");
    h->show = SHOW_PROBES(sim, h->mod, shows);
    struct des_process feeder = des_thread_new(sim, h->mod, "infeed", infeed, h);
    struct des_process server = des_thread_new(sim, h->mod, "serve", serve, h);
    des_sensitive(sim, feeder, h->given);
    for (uint32_t i = 0; i < n_chips; i++) {
        char port[32];
        snprintf(port, sizeof port, "feed%u", i);
        h->feed[i] = des_out_new(sim, h->mod, port, sizeof(struct host_feed));
        snprintf(port, sizeof port, "call%u", i);
        h->call[i] = des_in_new(sim, h->mod, port, sizeof(struct host_call));
        des_sensitive(sim, feeder, h->feed[i]);
        des_sensitive(sim, server, h->call[i]);
    }
    for (uint32_t i = 0; i < n_chips * cores_per_chip; i++) {
        char port[32];
        snprintf(port, sizeof port, "answer%u", i);
        h->answer[i] = des_out_new(sim, h->mod, port, sizeof(struct host_reply));
    }
}

void host_give(struct host *h, struct des *sim, struct host_list list)
{
    BUG_ON(h->n_lists == 2);
    h->list[h->n_lists++] = list;
    des_notify_delta(sim, h->given);
}

void host_reset(struct host *h, des_time now)
{
    h->busy_since = now;
}

void host_finish(struct host *h, des_time now, des_time elapsed)
{
    h->st.elapsed = elapsed;
    if (h->working)
        h->st.busy += now - h->busy_since;
    h->busy_since = now;
}
