#include "hw/program/send_runner.h"

#include "hw/program/core_show.h"

/* Hand the bytes of the task at hand to ICI; false: there is no room yet. */
static bool send_bytes(struct des *sim, struct send_runner *r)
{
    const struct task_send *t = &core_task(r->core)->send;
    struct net_send s = { .id = t->id, .away = t->away, .bytes = t->bytes };

    if (des_shown(sim))
        s.flow = des_flow(sim);
    if (!des_put(sim, r->send, &s))
        return false;
    core_show_flow(sim, r->core, s.flow);
    return true;
}

uint32_t send_runner_send(struct des *sim, void *self, uint32_t at)
{
    struct send_runner *r = self;

    DES_BEGIN(at);
    DES_WAIT_UNTIL(send_bytes(sim, r));
    CORE_ALIGN(sim, r->core);
    core_book(sim, r->core, CAUSE_ICI);
    DES_END;
}

/* The transfer that the task at hand waits for. */
static struct send_arrival *arrival_of_task(const struct send_runner *r)
{
    return &r->came[core_task(r->core)->send.id];
}

/* True once it is in memory. */
static bool has_arrived(struct des *sim, struct send_runner *r)
{
    struct send_arrival *awaited = arrival_of_task(r);
    struct net_arrival a;

    while (des_get(sim, r->arrived, &a)) {
        r->came[a.id].count++;
        r->came[a.id].sent = a.sent;
    }
    if (awaited->count == 0)
        return false;
    awaited->count--;
    return true;
}

uint32_t send_runner_receive(struct des *sim, void *self, uint32_t at)
{
    struct send_runner *r = self;
    struct core_context *c = r->core;

    DES_BEGIN(at);
    core_show_state(sim, c, SHOW_COLLECTIVE);
    DES_WAIT_UNTIL(has_arrived(sim, r));
    CORE_ALIGN(sim, c);
    ledger_book_until(&c->ledger, arrival_of_task(r)->sent, CAUSE_BUBBLE);
    core_book(sim, c, CAUSE_ICI);
    DES_END;
}

void send_runner_init(struct send_runner *r, struct des *sim, struct core_context *core)
{
    *r = (struct send_runner){ .core = core };
    r->send = des_out_new(sim, core->mod, "send", sizeof(struct net_send));
    r->arrived = des_in_new(sim, core->mod, "arrived", sizeof(struct net_arrival));
    des_sensitive(sim, core->thread, r->send);
    des_sensitive(sim, core->thread, r->arrived);
}
