#include "hw/program/collective_runner.h"

#include "hw/program/core_show.h"

/* A collective that went between slices has ended: book the wait for it cause by cause, also while
 * a later one is waited for. */
static void book_far(struct ledger *l, const struct net_reply *r, des_time now)
{
    if (r->back == r->away)
        return;
    ledger_book_until(l, r->ready, CAUSE_SYNC);
    ledger_book_until(l, r->away, CAUSE_ICI);
    ledger_book_until(l, r->back, CAUSE_DCN);
    ledger_book_until(l, now, CAUSE_ICI);
}

/* True once the first `calls` calls are answered. */
static bool has_replies(struct des *sim, struct collective_runner *r, uint64_t calls)
{
    struct net_reply got;

    while (r->replies < calls && des_get(sim, r->reply, &got)) {
        r->replies++;
        r->ready = got.ready;
        book_far(&r->core->ledger, &got, des_now(sim));
    }
    return r->replies >= calls;
}

/* Make call r->i of the task at hand; false: there is no room yet.  Meanwhile answers to earlier
 * ones are taken, or both sides could be full. */
static bool make_call(struct des *sim, struct collective_runner *r)
{
    const struct core_context *core = r->core;
    uint32_t first = core_task(core)->collective.first;
    struct net_call c = { .plan = &core->cursor.program->call[first + r->i] };

    has_replies(sim, r, r->calls);
    if (des_shown(sim))
        c.flow = des_flow(sim);
    if (!des_put(sim, r->call, &c))
        return false;
    core_show_flow(sim, core, c.flow);
    r->calls++;
    return true;
}

static void book_reply(struct des *sim, struct collective_runner *r)
{
    ledger_book_until(&r->core->ledger, r->ready, CAUSE_SYNC);
    core_book(sim, r->core, CAUSE_ICI);
}

/* True if the core waits for call r->i before it goes on. */
static bool waits_for_call(const struct collective_runner *r)
{
    const struct task *t = core_task(r->core);

    return t->async == TASK_SYNC || (r->i == 0 && t->collective.first_waits);
}

uint32_t collective_runner_run(struct des *sim, void *self, uint32_t at)
{
    struct collective_runner *r = self;
    struct core_context *c = r->core;

    DES_BEGIN(at);
    if (r->alone)
        return DES_THREAD_DONE;
    core_show_state(sim, c, SHOW_COLLECTIVE);
    for (r->i = 0; r->i < core_task(c)->collective.count; r->i++) {
        DES_WAIT_UNTIL(make_call(sim, r));
        r->sent_at[c->cursor.pc] = r->calls;
        CORE_ALIGN(sim, c);
        core_book(sim, c, CAUSE_ICI);
        if (waits_for_call(r)) {
            DES_WAIT_UNTIL(has_replies(sim, r, r->calls));
            CORE_ALIGN(sim, c);
            book_reply(sim, r);
        }
    }
    if (core_task(c)->async == TASK_DONE) {
        DES_WAIT_UNTIL(has_replies(sim, r, r->sent_at[core_task(c)->start]));
        CORE_ALIGN(sim, c);
        book_reply(sim, r);
    }
    DES_END;
}

void collective_runner_init(struct collective_runner *r, struct des *sim, struct core_context *core,
                            bool alone)
{
    *r = (struct collective_runner){ .core = core, .alone = alone };
    r->call = des_out_new(sim, core->mod, "net", sizeof(struct net_call));
    r->reply = des_in_new(sim, core->mod, "net_reply", sizeof(struct net_reply));
    des_sensitive(sim, core->thread, r->call);
    des_sensitive(sim, core->thread, r->reply);
}
