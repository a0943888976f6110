#include "hw/ici.h"

#include <stdio.h>

#define C(...) STAT_COUNTER(struct ici_stats, __VA_ARGS__)
#define R(...)
static const struct stat_desc stats[] = { ICI_STATS(C, R) };
const struct stat_table ici_stat_table = { "ici", stats, sizeof stats / sizeof *stats,
                                           sizeof(struct ici_stats) };

static uint64_t ring_steps(const struct ici *u)
{
    return (u->cur.kind == TASK_ALL_REDUCE ? 2 : 1) * (uint64_t)(u->n_chips - 1);
}

/* Bytes of one chunk: a P-th of what goes this way round. */
static uint64_t chunk_bytes(const struct ici *u)
{
    uint64_t parts = (uint64_t)u->n_chips * u->ways;

    return (u->cur.bytes + parts - 1) / parts;
}

static bool access(struct des *sim, struct ici *u, bool write)
{
    struct mem_request q = { .move.bytes = u->n_cores * u->cur.bytes, .write = write };

    return des_put(sim, u->request, &q);
}

static void hear(struct ici *u, des_time ready)
{
    if (ready > u->ready)
        u->ready = ready;
}

enum { STATE, RING_STEP, FLOW };
static const struct des_probe_row shows[] = {
    [STATE] = SHOW_STATE("state", "where the collective is"),
    [RING_STEP] = SHOW_ROW(NUMBER, "step", NULL, "step of the ring, from 0"),
    [FLOW] = SHOW_ROW(FLOW, "flow", NULL, "calls that were answered to"),
};

static uint32_t collective(struct des *sim, void *self, uint32_t at)
{
    struct ici *u = self;

    DES_BEGIN(at);
    for (;;) {
        for (u->i = 0; u->i < u->n_cores; u->i++) {
            DES_WAIT_UNTIL(des_get(sim, u->call[u->i], &u->cur));
            des_show(sim, u->show, STATE, SHOW_GATHER);
            des_show(sim, u->show, FLOW, u->cur.flow);
        }
        u->ready = des_now(sim);
        u->st.calls++;
        u->st.bytes += u->cur.bytes;
        if (u->n_chips * u->n_cores > 1) {
            des_show(sim, u->show, STATE, SHOW_READ);
            DES_WAIT_UNTIL(access(sim, u, false));
            DES_WAIT_UNTIL(des_get(sim, u->done, &u->mem));
            u->ways = u->n_chips > 2 ? 2 : 1;
            u->steps = ring_steps(u);
            des_show(sim, u->show, STATE, SHOW_RING);
            for (u->step = 0; u->step < u->steps; u->step++) {
                des_show(sim, u->show, RING_STEP, u->step);
                for (u->i = 0; u->i < u->ways; u->i++) {
                    u->chunk = (struct net_chunk){ chunk_bytes(u), u->ready };
                    DES_WAIT_UNTIL(des_put(sim, u->to[u->i], &u->chunk));
                }
                for (u->i = 0; u->i < u->ways; u->i++) {
                    DES_WAIT_UNTIL(des_get(sim, u->from[u->i], &u->chunk));
                    hear(u, u->chunk.ready);
                }
            }
            des_show(sim, u->show, STATE, SHOW_WRITE);
            DES_WAIT_UNTIL(access(sim, u, true));
            DES_WAIT_UNTIL(des_get(sim, u->done, &u->mem));
        }
        des_show(sim, u->show, STATE, SHOW_IDLE);
        for (u->i = 0; u->i < u->n_cores; u->i++)
            DES_WAIT_UNTIL(des_put(sim, u->reply[u->i], &(struct net_reply){ u->ready }));
    }
    DES_END;
}

void ici_init(struct ici *u, struct des *sim, struct des_module parent, uint32_t n_cores,
              uint32_t n_chips)
{
    BUG_ON(n_cores == 0 || n_cores > ICI_MAX_CORES || n_chips == 0);
    *u = (struct ici){ .n_cores = n_cores, .n_chips = n_chips };
    u->mod = des_module_new(sim, parent, "ici");
    u->request = des_out_new(sim, u->mod, "request", sizeof(struct mem_request));
    u->done = des_in_new(sim, u->mod, "done", sizeof(struct mem_done));
    u->show = SHOW_PROBES(sim, u->mod, shows);
    struct des_process p = des_thread_new(sim, u->mod, "collective", collective, u);
    des_sensitive(sim, p, u->done);
    des_sensitive(sim, p, u->request);
    for (uint32_t i = 0; i < n_cores; i++) {
        char name[32];
        snprintf(name, sizeof name, "call%u", i);
        u->call[i] = des_in_new(sim, u->mod, name, sizeof(struct net_call));
        snprintf(name, sizeof name, "reply%u", i);
        u->reply[i] = des_out_new(sim, u->mod, name, sizeof(struct net_reply));
        des_sensitive(sim, p, u->call[i]);
        des_sensitive(sim, p, u->reply[i]);
    }
    uint32_t n_links = n_chips > 2 ? 2 : n_chips - 1; /* of two chips one link is both ways round */
    for (uint32_t i = 0; i < n_links; i++) {
        u->from[i] =
            des_in_new(sim, u->mod, i ? "from_next" : "from_previous", sizeof(struct net_chunk));
        u->to[i] =
            des_out_new(sim, u->mod, i ? "to_previous" : "to_next", sizeof(struct net_chunk));
        des_sensitive(sim, p, u->from[i]);
        des_sensitive(sim, p, u->to[i]);
    }
}
