#include "hw/program/host_runner.h"

#include "hw/program/core_show.h"

/* --- input ---------------------------------------------------------------------------------- */

uint32_t host_runner_infeed(struct des *sim, void *self, uint32_t at)
{
    struct host_runner *r = self;
    struct core_context *c = r->core;

    DES_BEGIN(at);
    if (core_task(c)->async == TASK_START)
        return DES_THREAD_DONE; /* the host sends batches unasked */
    core_show_state(sim, c, SHOW_INFEED);
    DES_WAIT_UNTIL(des_get(sim, r->feed, &r->batch));
    core_show_flow(sim, c, r->batch.flow);
    CORE_ALIGN(sim, c);
    ledger_book_until(&c->ledger, r->batch.loaded, CAUSE_STORAGE);
    ledger_book_until(&c->ledger, r->batch.handed, CAUSE_HOST);
    core_book(sim, c, CAUSE_PCIE);
    DES_END;
}

/* --- calls and their answers ---------------------------------------------------------------- */

static uint32_t staleness_of_task(const struct host_runner *r)
{
    return task_host_work(core_task(r->core))->staleness;
}

/* Call for the task at hand; false: there is no room yet. */
static bool make_call(struct des *sim, struct host_runner *r)
{
    const struct task *t = core_task(r->core);
    bool works = t->kind == TASK_HOST;
    struct host_call call = { .kind = works          ? HOST_WORK
                                      : t->feed.sync ? HOST_READ
                                                     : HOST_OUTFEED,
                              .core = r->core->core,
                              .bytes = works ? t->host.up : t->feed.bytes,
                              .work = task_host_work(t),
                              .version = r->each.used };

    if (!des_put(sim, r->call, &call))
        return false;
    r->each.open += staleness_of_task(r) > 0;
    return true;
}

/* True if the task at hand waits for an answer to its call, or to the call of the task that started
 * it. */
static bool wants_answer(const struct host_runner *r)
{
    const struct task *t = core_task(r->core);

    if (t->async == TASK_DONE)
        t = &r->core->cursor.program->task[t->start];
    else if (t->async == TASK_START)
        return false;
    return t->kind == TASK_HOST ? !t->host.staleness : t->feed.sync;
}

static void close_one(struct host_runner *r, uint64_t version)
{
    BUG_ON(r->each.open == 0);
    r->each.open--;
    r->each.version = version;
}

/* Take the answers that have come, up to one that a call waits for: true.  Answers to calls that
 * are served one by one come in the order of the calls, and between them one to a call that the
 * core waits for; so do batches. */
static bool take_answers(struct des *sim, struct host_runner *r)
{
    struct host_reply a;

    while (des_get(sim, r->answer, &a)) {
        if (!a.each) {
            r->reply = a;
            return true;
        }
        r->each.reply = a;
        if (!a.down)
            close_one(r, a.version);
    }
    return false;
}

/* True once the answer to the call of the task at hand is there. */
static bool has_answer(struct des *sim, struct host_runner *r)
{
    bool early = r->each.early;

    r->each.early = false;
    return early || take_answers(sim, r);
}

/* True once the batch is there that the call of the task at hand gives back. */
static bool has_returned(struct des *sim, struct host_runner *r)
{
    struct host_feed back;

    while (des_get(sim, r->returned, &back)) {
        if (!back.each) {
            r->batch = back;
            return true;
        }
        close_one(r, back.version);
    }
    return false;
}

/* True once no more calls are open than the task at hand allows. */
static bool may_go_on(struct des *sim, struct host_runner *r)
{
    if (take_answers(sim, r))
        r->each.early = true;
    BUG_ON(has_returned(sim, r)); /* a task whose call gives back a batch waits for it */
    return r->each.open <= staleness_of_task(r);
}

/* --- booking -------------------------------------------------------------------------------- */

/* A wait for calls served one by one has ended; the weights that have come are read from now on. */
static void book_each(struct des *sim, struct host_runner *r)
{
    struct ledger *l = &r->core->ledger;

    r->each.used = r->each.version;
    ledger_book_until(l, r->each.reply.arrived, CAUSE_PCIE);
    ledger_book_until(l, r->each.reply.sent, CAUSE_HOST);
    core_book(sim, r->core, CAUSE_PCIE);
}

/* A wait for an answer has ended.  What is left at last was spent on the begin of a program. */
static void book_answer(struct des *sim, struct host_runner *r)
{
    const struct task *t = core_task(r->core);
    const struct task_work *w = task_host_work(t);
    struct ledger *l = &r->core->ledger;
    enum cause rest = CAUSE_HOST;

    ledger_book_until(l, r->reply.arrived, CAUSE_PCIE);
    ledger_book_until(l, r->reply.gathered, CAUSE_SYNC);
    ledger_book_until(l, r->reply.received, CAUSE_HOST);
    ledger_book_until(l, r->reply.loaded, CAUSE_STORAGE);
    if (t->kind == TASK_HOST) {
        ledger_book_until(l, r->reply.worked, w->cause);
        ledger_book_until(l, r->reply.sent, CAUSE_HOST);
        rest = w->compile_fs ? CAUSE_COMPILE : w->launch || w->restart ? CAUSE_LAUNCH : w->cause;
    }
    core_book(sim, r->core, rest);
}

/* --- the thread ----------------------------------------------------------------------------- */

uint32_t host_runner_call(struct des *sim, void *self, uint32_t at)
{
    struct host_runner *r = self;
    struct core_context *c = r->core;

    DES_BEGIN(at);
    core_show_state(sim, c, SHOW_HOST);
    if (core_task(c)->async != TASK_DONE) {
        DES_WAIT_UNTIL(make_call(sim, r));
        CORE_ALIGN(sim, c);
        core_book(sim, c, CAUSE_PCIE);
    }
    if (wants_answer(r)) {
        DES_WAIT_UNTIL(has_answer(sim, r));
        CORE_ALIGN(sim, c);
        book_answer(sim, r);
    }
    if (staleness_of_task(r)) {
        DES_WAIT_UNTIL(may_go_on(sim, r));
        CORE_ALIGN(sim, c);
        book_each(sim, r);
    } else if (core_task(c)->kind == TASK_HOST && core_task(c)->host.down) {
        DES_WAIT_UNTIL(has_returned(sim, r));
        CORE_ALIGN(sim, c);
        core_book(sim, c, CAUSE_PCIE);
    }
    DES_END;
}

void host_runner_init(struct host_runner *r, struct des *sim, struct core_context *core)
{
    *r = (struct host_runner){ .core = core };
    r->feed = des_in_new(sim, core->mod, "feed", sizeof(struct host_feed));
    r->returned = des_in_new(sim, core->mod, "returned", sizeof(struct host_feed));
    r->call = des_out_new(sim, core->mod, "call", sizeof(struct host_call));
    r->answer = des_in_new(sim, core->mod, "answer", sizeof(struct host_reply));
    des_sensitive(sim, core->thread, r->feed);
    des_sensitive(sim, core->thread, r->returned);
    des_sensitive(sim, core->thread, r->call);
    des_sensitive(sim, core->thread, r->answer);
}
