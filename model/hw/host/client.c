/* The thread of the client, for work that all hosts wait for. */
#include "hw/host/client.h"

#include <stdio.h>

#include "base/wide.h"
#include "hw/host/cpu.h"

#define P(...) PARAM_DESC(struct client_params, __VA_ARGS__)
static const struct param_desc params[] = { CLIENT_PARAMS(P) };
const struct param_table client_param_table = { "client", params, sizeof params / sizeof *params,
                                                sizeof(struct client_params), NULL };
#undef P
#define C(...) STAT_COUNTER(struct client_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct client_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { CLIENT_STATS(C, R) };
const struct stat_table client_stat_table = { "client", stats, sizeof stats / sizeof *stats,
                                              sizeof(struct client_stats) };
static const struct component_class client_class = { .name = "client",
                                                     .parameters = &client_param_table,
                                                     .statistics = &client_stat_table,
                                                     .counters = offsetof(struct client, st),
                                                     .reset = client_reset,
                                                     .finish = client_finish };

enum { STATE };
static const struct des_probe_row shows[] = {
    [STATE] = SHOW_STATE("state",
                         "busy while it computes, sends or receives, blocked while it reads files"),
};

des_time client_network_time(const struct client_params *p, uint64_t bytes, uint32_t hosts)
{
    u128 all = (u128)bytes * hosts * DES_FS_PER_S / ((u128)p->bandwidth * p->nics);
    u128 one = (u128)bytes * DES_FS_PER_S / p->host_bandwidth;

    return bytes && hosts ? (des_time)(all > one ? all : one) : 0;
}

des_time client_message_time(const struct client_params *p, uint64_t bytes, uint32_t n_hosts)
{
    uint32_t across = n_hosts - (p->place == CLIENT_VM);

    return across ? p->latency + client_network_time(p, bytes, across) : 0;
}

des_time client_single_time(const struct client_params *p, uint64_t bytes, uint32_t host)
{
    bool same = p->place == CLIENT_VM && host == 0;

    return same ? 0 : p->latency + client_network_time(p, bytes, 1);
}

/* Take the calls of the hosts; true once every host has called. */
static bool gather_calls(struct des *sim, struct client *c)
{
    struct host_call call;

    for (uint32_t i = 0; i < c->n_hosts; i++)
        while (des_get(sim, c->call[i], &call)) {
            c->work = call.work;
            c->most = call.bytes > c->most ? call.bytes : c->most;
            c->n_called++;
        }
    return c->n_called == c->n_hosts;
}

static void begin_work(struct des *sim, struct client *c)
{
    c->working = true;
    des_show(sim, c->show, STATE, SHOW_BUSY);
    c->since = des_now(sim);
}

static void end_work(struct des *sim, struct client *c)
{
    c->working = false;
    des_show(sim, c->show, STATE, SHOW_IDLE);
    c->st.busy += des_now(sim) - c->since;
}

static uint32_t serve_calls(struct des *sim, void *self, uint32_t at)
{
    struct client *c = self;

    DES_BEGIN(at);
    for (;;) {
        c->n_called = 0;
        c->most = 0;
        DES_WAIT_UNTIL(gather_calls(sim, c));
        c->reply.gathered = des_now(sim);
        begin_work(sim, c);
        DES_WAIT_FOR(sim, client_message_time(&c->par, c->most, c->n_hosts));
        end_work(sim, c);
        c->reply.received = des_now(sim);
        if (c->work->load_bytes) {
            des_show(sim, c->show, STATE, SHOW_BLOCKED);
            /* one request is open at most */
            des_put(
                sim, c->load,
                &(struct storage_request){ c->work->load_bytes, c->work->loads, c->work->readers });
            DES_WAIT_UNTIL(des_get(sim, c->loaded, &(struct storage_done){ 0 }));
        }
        c->reply.loaded = des_now(sim);
        begin_work(sim, c);
        DES_WAIT_FOR(sim, cpu_time(c->work->cpu_fs, c->work->threads, c->par.cores));
        c->reply.worked = des_now(sim);
        DES_WAIT_FOR(sim, client_message_time(&c->par, c->work->down * (c->n_cores / c->n_hosts),
                                              c->n_hosts));
        end_work(sim, c);
        c->reply.sent = des_now(sim);
        for (uint32_t i = 0; i < c->n_hosts; i++)
            des_put(sim, c->answer[i], &c->reply); /* the host waits for it */
    }
    DES_END;
}

void client_init(struct client *c, struct des *sim, struct des_module parent,
                 const struct client_params *par, uint32_t n_hosts, uint32_t n_cores,
                 struct des_in *call, struct des_out *answer)
{
    *c = (struct client){
        .par = *par, .n_hosts = n_hosts, .n_cores = n_cores, .call = call, .answer = answer
    };
    c->mod = des_module_new(sim, parent, "client");
    component_add(sim, &client_class, c->mod, c);
    c->show = SHOW_PROBES(sim, c->mod, shows);
    struct des_process p = des_thread_new(sim, c->mod, "serve", serve_calls, c);
    c->load = des_out_new(sim, c->mod, "load", sizeof(struct storage_request));
    c->loaded = des_in_new(sim, c->mod, "loaded", sizeof(struct storage_done));
    des_sensitive(sim, p, c->loaded);
    for (uint32_t i = 0; i < n_hosts; i++) {
        char name[32];
        snprintf(name, sizeof name, "call%u", i);
        call[i] = des_in_new(sim, c->mod, name, sizeof(struct host_call));
        snprintf(name, sizeof name, "answer%u", i);
        answer[i] = des_out_new(sim, c->mod, name, sizeof(struct host_reply));
        des_sensitive(sim, p, call[i]);
    }
}

void client_reset(void *self, des_time now)
{
    struct client *c = self;

    c->since = now;
}

void client_finish(void *self, des_time now, des_time elapsed)
{
    struct client *c = self;

    c->st.elapsed = elapsed;
    if (c->working)
        c->st.busy += now - c->since;
    c->since = now;
}
