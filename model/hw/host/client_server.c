/* The three stages of the parameter server, a thread each. */
#include "hw/host/client_server.h"

#include <stdio.h>

#include "hw/host/cpu.h"

#define C(...) STAT_COUNTER(struct client_server_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct client_server_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { CLIENT_SERVER_STATS(C, R) };
const struct stat_table client_server_stat_table = { "server", stats, sizeof stats / sizeof *stats,
                                                     sizeof(struct client_server_stats) };

/* Without updates no program uses the client as a server, so it is not reported. */
static bool has_updates(const void *self)
{
    return ((const struct client_server *)self)->st.updates != 0;
}

static const struct component_class client_server_class = { .name = "server",
                                                            .parameters = &client_param_table,
                                                            .statistics = &client_server_stat_table,
                                                            .counters =
                                                                offsetof(struct client_server, st),
                                                            .reset = client_server_reset,
                                                            .finish = client_server_finish,
                                                            .has_figures = has_updates };

static const struct des_probe_row shows[] = {
    [CLIENT_RECEIVE] = SHOW_STATE("receive", "busy while gradients come in"),
    [CLIENT_UPDATE] = SHOW_STATE("update", "busy while the CPU updates"),
    [CLIENT_SEND] = SHOW_STATE("send", "busy while weights go out"),
};

static uint64_t *busy_counter(struct client_server *s, int stage)
{
    uint64_t *const sum[] = { &s->st.receiving, &s->st.updating, &s->st.sending };

    return sum[stage];
}

/* --- stages ------------------------------------------------------------------------------- */

static void begin_stage(struct des *sim, struct client_server *s, int stage)
{
    s->stage[stage].full = true;
    s->stage[stage].done = false;
    s->stage[stage].since = des_now(sim);
    des_show(sim, s->show, (uint32_t)stage, SHOW_BUSY);
}

static void end_stage(struct des *sim, struct client_server *s, int stage)
{
    s->stage[stage].full = false;
    des_show(sim, s->show, (uint32_t)stage, SHOW_IDLE);
}

/* The work of a stage is done: the call waits until the next stage is free. */
static void offer_call(struct des *sim, struct client_server *s, int stage)
{
    s->stage[stage].done = true;
    *busy_counter(s, stage) += des_now(sim) - s->stage[stage].since;
    des_show(sim, s->show, (uint32_t)stage, SHOW_BLOCKED);
    des_notify_delta(sim, s->moved);
}

/* Take the call that the stage before is done with, if there is one. */
static bool take_call(struct des *sim, struct client_server *s, int stage)
{
    struct client_stage *from = &s->stage[stage - 1], *to = &s->stage[stage];

    if (!from->full || !from->done)
        return false;
    to->call = from->call;
    to->reply = from->reply;
    to->host = from->host;
    end_stage(sim, s, stage - 1);
    begin_stage(sim, s, stage);
    des_notify_delta(sim, s->moved);
    return true;
}

/* Take the next call; hosts take turns. */
static bool hear_call(struct des *sim, struct client_server *s)
{
    struct client_stage *in = &s->stage[CLIENT_RECEIVE];

    if (in->full)
        return false;
    for (uint32_t i = 0; i < s->n_hosts; i++) {
        in->host = (s->turn + i) % s->n_hosts;
        if (des_get(sim, s->ask[in->host], &in->call)) {
            s->turn = in->host + 1;
            return true;
        }
    }
    return false;
}

static uint32_t receive_calls(struct des *sim, void *self, uint32_t at)
{
    struct client_server *s = self;
    struct client_stage *g = &s->stage[CLIENT_RECEIVE];

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(hear_call(sim, s));
        begin_stage(sim, s, CLIENT_RECEIVE);
        g->reply = (struct host_reply){ .arrived = g->call.arrived,
                                        .gathered = des_now(sim),
                                        .core = g->call.core,
                                        .each = true,
                                        .down = g->call.work->down };
        DES_WAIT_FOR(sim, client_single_time(&s->par, g->call.bytes, g->host));
        g->reply.received = g->reply.loaded = des_now(sim);
        offer_call(sim, s, CLIENT_RECEIVE);
    }
    DES_END;
}

static uint32_t update_weights(struct des *sim, void *self, uint32_t at)
{
    struct client_server *s = self;
    struct client_stage *g = &s->stage[CLIENT_UPDATE];

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(!g->full && take_call(sim, s, CLIENT_UPDATE));
        DES_WAIT_FOR(sim, cpu_time(g->call.work->cpu_fs, g->call.work->threads, s->par.cores));
        s->st.updates++;
        s->st.missed += s->version - g->call.version;
        g->reply.version = ++s->version;
        g->reply.worked = des_now(sim);
        offer_call(sim, s, CLIENT_UPDATE);
    }
    DES_END;
}

static uint32_t send_replies(struct des *sim, void *self, uint32_t at)
{
    struct client_server *s = self;
    struct client_stage *g = &s->stage[CLIENT_SEND];

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(take_call(sim, s, CLIENT_SEND));
        DES_WAIT_FOR(sim, client_single_time(&s->par, g->call.work->down, g->host));
        g->reply.sent = des_now(sim);
        offer_call(sim, s, CLIENT_SEND);
        DES_WAIT_UNTIL(des_put(sim, s->told[g->host], &g->reply));
        end_stage(sim, s, CLIENT_SEND);
    }
    DES_END;
}

void client_server_init(struct client_server *s, struct des *sim, struct des_module parent,
                        const struct client_params *par, uint32_t n_hosts, struct des_in *ask,
                        struct des_out *told)
{
    *s = (struct client_server){ .par = *par, .n_hosts = n_hosts, .ask = ask, .told = told };
    s->mod = des_module_new(sim, parent, "server");
    component_add(sim, &client_server_class, s->mod, s);
    s->show = SHOW_PROBES(sim, s->mod, shows);
    s->moved = des_event_new(sim, s->mod, "moved");
    struct des_process in = des_thread_new(sim, s->mod, "receive", receive_calls, s);
    struct des_process cpu = des_thread_new(sim, s->mod, "update", update_weights, s);
    struct des_process out = des_thread_new(sim, s->mod, "send", send_replies, s);
    des_sensitive(sim, in, s->moved);
    des_sensitive(sim, cpu, s->moved);
    des_sensitive(sim, out, s->moved);
    for (uint32_t i = 0; i < n_hosts; i++) {
        char name[32];
        snprintf(name, sizeof name, "ask%u", i);
        ask[i] = des_in_new(sim, s->mod, name, sizeof(struct host_call));
        snprintf(name, sizeof name, "told%u", i);
        told[i] = des_out_new(sim, s->mod, name, sizeof(struct host_reply));
        des_sensitive(sim, in, ask[i]);
        des_sensitive(sim, out, told[i]);
    }
}

void client_server_reset(void *self, des_time now)
{
    struct client_server *s = self;

    for (int i = 0; i < CLIENT_STAGES; i++)
        s->stage[i].since = now;
}

void client_server_finish(void *self, des_time now, des_time elapsed)
{
    struct client_server *s = self;

    s->st.elapsed = elapsed;
    for (int i = 0; i < CLIENT_STAGES; i++)
        if (s->stage[i].full && !s->stage[i].done)
            *busy_counter(s, i) += now - s->stage[i].since;
    client_server_reset(s, now);
}
