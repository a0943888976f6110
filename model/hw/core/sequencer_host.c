/* What a core asks of its host, and what comes back. */
#include "hw/core/sequencer.h"

static const struct task *task(const struct sequencer *s)
{
    return &s->program->task[s->pc];
}

bool sequencer_call_host(struct des *sim, struct sequencer *s)
{
    const struct task *t = task(s);
    enum host_call_kind kind = t->kind == TASK_HOST ? HOST_WORK
                               : t->feed.sync       ? HOST_READ
                                                    : HOST_OUTFEED;
    struct host_call call = { .kind = kind,
                              .core = s->core,
                              .bytes = t->kind == TASK_HOST ? t->host.up : t->feed.bytes,
                              .work = task_host_work(t),
                              .version = s->each.used };

    if (!des_put(sim, s->call, &call))
        return false;
    s->each.open += task_host_work(t)->staleness > 0;
    return true;
}

bool sequencer_wants_answer(const struct sequencer *s)
{
    const struct task *t = task(s);

    if (t->async == TASK_DONE)
        t = &s->program->task[t->start];
    else if (t->async == TASK_START)
        return false;
    return t->kind == TASK_HOST ? !t->host.staleness : t->feed.sync;
}

static void close_one(struct sequencer *s, uint64_t version)
{
    BUG_ON(s->each.open == 0);
    s->each.open--;
    s->each.version = version;
}

/* Answers come in the order of the calls that are served one by one, and between them one to a call
 * that the core waits for; so do batches. */
static bool take_answers(struct des *sim, struct sequencer *s)
{
    struct host_reply r;

    while (des_get(sim, s->answer, &r)) {
        if (!r.each) {
            s->reply = r;
            return true;
        }
        s->each.reply = r;
        if (!r.down)
            close_one(s, r.version);
    }
    return false;
}

bool sequencer_answered(struct des *sim, struct sequencer *s)
{
    bool early = s->each.early;

    s->each.early = false;
    return early || take_answers(sim, s);
}

bool sequencer_returned(struct des *sim, struct sequencer *s)
{
    struct host_feed back;

    while (des_get(sim, s->returned, &back)) {
        if (!back.each) {
            s->batch = back;
            return true;
        }
        close_one(s, back.version);
    }
    return false;
}

bool sequencer_goes_on(struct des *sim, struct sequencer *s)
{
    if (take_answers(sim, s))
        s->each.early = true;
    BUG_ON(sequencer_returned(sim, s)); /* whoever has one come waits for it */
    return s->each.open <= task_host_work(task(s))->staleness;
}

void sequencer_book_each(struct des *sim, struct sequencer *s)
{
    s->each.used = s->each.version;
    sequencer_book_until(s, s->each.reply.arrived, CAUSE_PCIE);
    sequencer_book_until(s, s->each.reply.sent, CAUSE_HOST);
    sequencer_book(s, des_now(sim), CAUSE_PCIE);
}

/* What is left was spent on beginning a program. */
void sequencer_book_answer(struct des *sim, struct sequencer *s)
{
    const struct task_work *w = task_host_work(task(s));
    const struct host_reply *r = &s->reply;
    enum cause rest = CAUSE_HOST;

    sequencer_book_until(s, r->arrived, CAUSE_PCIE);
    sequencer_book_until(s, r->gathered, CAUSE_SYNC);
    sequencer_book_until(s, r->received, CAUSE_HOST);
    sequencer_book_until(s, r->loaded, CAUSE_STORAGE);
    if (task(s)->kind == TASK_HOST) {
        sequencer_book_until(s, r->worked, w->cause);
        sequencer_book_until(s, r->sent, CAUSE_HOST);
        rest = w->compile_fs ? CAUSE_COMPILE : w->launch || w->restart ? CAUSE_LAUNCH : w->cause;
    }
    sequencer_book(s, des_now(sim), rest);
}
