/* The thread that serves reads, and their time. */
#include "hw/host/storage.h"

#include <stdio.h>

#include "base/arith.h"
#include "base/wide.h"

#define P(...) PARAM_DESC(struct storage_params, __VA_ARGS__)
static const struct param_desc params[] = { STORAGE_PARAMS(P) };
const struct param_table storage_param_table = { "storage", params, sizeof params / sizeof *params,
                                                 sizeof(struct storage_params), NULL };
#undef P
#define C(...) STAT_COUNTER(struct storage_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct storage_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { STORAGE_STATS(C, R) };
const struct stat_table storage_stat_table = { "storage", stats, sizeof stats / sizeof *stats,
                                               sizeof(struct storage_stats) };
static const struct component_class storage_class = { .name = "storage",
                                                      .parameters = &storage_param_table,
                                                      .statistics = &storage_stat_table,
                                                      .counters = offsetof(struct storage, st),
                                                      .reset = storage_reset,
                                                      .finish = storage_finish };

enum { STATE };
static const struct des_probe_row shows[] = {
    [STATE] = SHOW_STATE("state", "busy while it reads files"),
};

des_time storage_time(const struct storage_params *p, uint64_t bytes, uint64_t files,
                      uint32_t readers)
{
    bool disk = p->place == STORAGE_DISK, far = p->place == STORAGE_REGION;
    des_time latency = disk ? p->disk_latency : far ? p->far_latency : p->latency;
    uint64_t stream = far ? p->far_bandwidth : p->stream_bandwidth;
    u128 streamed = disk ? (u128)p->disk_bandwidth : (u128)stream * readers;
    u128 apart = (u128)arith_ceil_div(arith_ceil_div(bytes, p->request), readers) * latency +
                 (u128)bytes * DES_FS_PER_S / streamed;
    u128 together = (u128)bytes * DES_FS_PER_S / (disk ? p->disk_bandwidth : p->bandwidth);

    return (des_time)((u128)arith_ceil_div(files, readers) * latency +
                      (apart > together ? apart : together));
}

static bool take_request(struct des *sim, struct storage *s)
{
    for (s->user = 0; s->user < s->n_users; s->user++)
        if (des_get(sim, s->request[s->user], &s->cur))
            return true;
    return false;
}

static uint32_t serve_reads(struct des *sim, void *self, uint32_t at)
{
    struct storage *s = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(take_request(sim, s));
        s->reading = true;
        des_show(sim, s->show, STATE, SHOW_BUSY);
        s->since = des_now(sim);
        DES_WAIT_FOR(sim, storage_time(&s->par, s->cur.bytes, s->cur.files, s->cur.readers));
        s->reading = false;
        des_show(sim, s->show, STATE, SHOW_IDLE);
        s->st.busy += des_now(sim) - s->since;
        s->st.bytes += s->cur.bytes;
        /* a user has one request open, so there is room */
        des_put(sim, s->done[s->user], &(struct storage_done){ s->cur.bytes });
    }
    DES_END;
}

void storage_init(struct storage *s, struct des *sim, struct des_module parent,
                  const struct storage_params *par, uint32_t n_users)
{
    BUG_ON(n_users == 0 || n_users > STORAGE_USERS);
    *s = (struct storage){ .par = *par, .n_users = n_users };
    s->mod = des_module_new(sim, parent, "storage");
    component_add(sim, &storage_class, s->mod, s);
    s->show = SHOW_PROBES(sim, s->mod, shows);
    struct des_process p = des_thread_new(sim, s->mod, "serve", serve_reads, s);
    for (uint32_t i = 0; i < n_users; i++) {
        char name[32];
        snprintf(name, sizeof name, "request%u", i);
        s->request[i] = des_in_new(sim, s->mod, name, sizeof(struct storage_request));
        snprintf(name, sizeof name, "done%u", i);
        s->done[i] = des_out_new(sim, s->mod, name, sizeof(struct storage_done));
        des_sensitive(sim, p, s->request[i]);
    }
}

void storage_reset(void *self, des_time now)
{
    struct storage *s = self;

    s->since = now;
}

void storage_finish(void *self, des_time now, des_time elapsed)
{
    struct storage *s = self;

    s->st.elapsed = elapsed;
    if (s->reading)
        s->st.busy += now - s->since;
    s->since = now;
}
