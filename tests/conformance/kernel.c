#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "des/des.h"

#define CLOCK_HZ(period) (DES_FS_PER_S / (period))

struct world;

struct actor { /* a process, a callback, or what is outside */
    struct world *w;
    const struct item *item;
    struct des_process p;
    int pc, rounds;
    bool ok;
    uint64_t got, pushed;
};

struct thing { /* what became of an item */
    struct world *w;
    struct des_event event;
    struct des_signal signal;
    struct des_signal_in port;
    struct des_fifo fifo;
    struct des_in in;
    struct des_out out;
    struct des_mutex mutex;
    struct des_semaphore semaphore;
    struct des_clock clock;
    struct des_list list;
    struct des_channel channel;
    uint64_t updates;
    struct actor actor;
};

struct world {
    const struct script *script;
    struct log *log;
    struct des *sim;
    struct des_module top;
    bool left;
    struct thing things[SCRIPT_ITEMS];
};

static struct des_event event_of(struct world *w, struct ref r)
{
    struct thing *t = &w->things[r.item];

    switch (w->script->items[r.item].kind) {
    case ITEM_EVENT: return t->event;
    case ITEM_SIGNAL: return des_changed(w->sim, t->signal);
    case ITEM_PORT: return des_changed(w->sim, des_signal_of(w->sim, t->port));
    case ITEM_CLOCK:
        return r.part == PART_NEG ? des_negedge(w->sim, t->clock) : des_posedge(w->sim, t->clock);
    case ITEM_FIFO:
        return r.part == PART_READ ? des_data_read(w->sim, t->out)
                                   : des_data_written(w->sim, t->in);
    case ITEM_THREAD:
    case ITEM_METHOD: return t->event;
    default: abort();
    }
}

/* --- statements that do not wait ---------------------------------------------------------- */

static uint64_t value_of(void *self, enum item_kind kind, int item)
{
    struct actor *a = self;
    struct world *w = a->w;
    struct thing *t = &w->things[item < 0 ? 0 : item];

    switch (kind) {
    case ITEM_SIGNAL: return des_read(w->sim, t->signal);
    case ITEM_PORT: return des_read(w->sim, des_signal_of(w->sim, t->port));
    case ITEM_FIFO: return des_fifo_count(w->sim, t->fifo);
    case ITEM_SEMAPHORE: return des_semaphore_value(w->sim, t->semaphore);
    case ITEM_CHANNEL: return t->updates;
    case ITEM_THREAD:
    case ITEM_METHOD: return des_done(w->sim, t->actor.p);
    case ITEM_OK: return a->ok;
    case ITEM_GOT: return a->got;
    case ITEM_TIMED: return des_timed_out(w->sim);
    case ITEM_LEFT: return w->left;
    case ITEM_NEXT: return des_next_activity(w->sim);
    default: abort();
    }
}

static void say_name(struct actor *a, const struct op *o)
{
    struct world *w = a->w;
    bool inside = a->item->kind == ITEM_THREAD || a->item->kind == ITEM_METHOD;
    char text[LOG_TEXT];

    script_expand(w->script, o->text, value_of, a, text, sizeof text);
    log_add(w->log, des_now(w->sim), des_delta_count(w->sim), !inside,
            o->code == OP_SAY ? a->item->name : "", text);
}

static uint64_t find_operand(struct actor *a, const struct op *o)
{
    return o->from.item < 0 ? o->value
                            : value_of(a, a->w->script->items[o->from.item].kind, o->from.item);
}

static void act_outside(struct actor *a, const struct op *o)
{
    struct world *w = a->w;

    switch (o->code) {
    case OP_RUN: w->left = des_run(w->sim, DES_NEVER - 1); break;
    case OP_RUN_UNTIL: w->left = des_run(w->sim, o->value); break;
    case OP_STEP: w->left = des_step(w->sim); break;
    case OP_FINISH: des_finish(w->sim); break;
    default: abort();
    }
}

static void act_channel(struct actor *a, const struct op *o)
{
    struct des *sim = a->w->sim;
    struct thing *t = &a->w->things[o->ref.item];
    uint64_t value = find_operand(a, o);

    switch (o->code) {
    case OP_WRITE: des_write(sim, t->signal, value); break;
    case OP_PUT: a->ok = des_put(sim, t->out, &value); break;
    case OP_GET: a->ok = des_get(sim, t->in, &a->got); break;
    case OP_TRYLOCK: a->ok = des_trylock(sim, t->mutex); break;
    case OP_UNLOCK: des_unlock(sim, t->mutex); break;
    case OP_TRYTAKE: a->ok = des_trywait(sim, t->semaphore); break;
    case OP_POST: des_post(sim, t->semaphore); break;
    case OP_REQUEST: des_request_update(sim, t->channel); break;
    default: act_outside(a, o);
    }
}

static void run_op(struct actor *a, const struct op *o)
{
    struct des *sim = a->w->sim;

    switch (o->code) {
    case OP_SAY:
    case OP_NOTE: say_name(a, o); break;
    case OP_NOTIFY: des_notify(sim, event_of(a->w, o->ref)); break;
    case OP_NOTIFY_DELTA: des_notify_delta(sim, event_of(a->w, o->ref)); break;
    case OP_NOTIFY_AFTER: des_notify_after(sim, event_of(a->w, o->ref), o->value); break;
    case OP_CANCEL: des_cancel(sim, event_of(a->w, o->ref)); break;
    case OP_SUSPEND: des_suspend(sim, a->w->things[o->ref.item].actor.p); break;
    case OP_RESUME: des_resume(sim, a->w->things[o->ref.item].actor.p); break;
    case OP_KILL: des_kill(sim, a->w->things[o->ref.item].actor.p); break;
    case OP_PAUSE: des_pause(sim); break;
    case OP_STOP: des_stop(sim); break;
    default: act_channel(a, o);
    }
}

static bool is_self(const struct actor *a, const struct op *o, enum opcode code)
{
    return o->code == code && &a->w->things[o->ref.item].actor == a;
}

/* --- processes ---------------------------------------------------------------------------- */

static void skip_op(struct actor *a, const struct op *o)
{
    struct des *sim = a->w->sim;

    if (o->code == OP_WAIT)
        des_next_static(sim);
    else if (o->code == OP_WAIT_TIME)
        des_next_time(sim, o->value);
    else if (!script_is_list(a->w->script, o->ref) && o->code == OP_WAIT_FOR_IT)
        des_next_event(sim, event_of(a->w, o->ref));
    else if (!script_is_list(a->w->script, o->ref))
        des_next_event_for(sim, event_of(a->w, o->ref), o->value);
    else if (o->code == OP_WAIT_FOR_IT)
        des_next_list(sim, a->w->things[o->ref.item].list);
    else
        des_next_list_for(sim, a->w->things[o->ref.item].list, o->value);
}

static bool is_wait(const struct op *o)
{
    return o->code >= OP_WAIT && o->code <= OP_WAIT_FOR_IT_OR_TIME;
}

static void run_method(struct des *sim, void *self)
{
    struct actor *a = self;
    const struct op *ops = a->w->script->ops;
    int pc = a->pc;

    (void)sim;
    for (; pc < a->item->end && ops[pc].code != OP_SLASH; pc++) {
        if (is_wait(&ops[pc])) {
            skip_op(a, &ops[pc]);
            continue;
        }
        run_op(a, &ops[pc]);
        if (is_self(a, &ops[pc], OP_KILL))
            return;
    }
    if (pc < a->item->end) /* otherwise the last statements again */
        a->pc = pc + 1;
}

/* The statements that wait are written with the macros that a model would use. */
static uint32_t run_thread(struct des *sim, void *self, uint32_t at)
{
    struct actor *a = self;
    const struct op *ops = a->w->script->ops, *o = &ops[a->pc];
    struct thing *t = &a->w->things[o->ref.item < 0 ? 0 : o->ref.item];

    DES_BEGIN(at);
    for (; a->pc < a->item->end; a->pc++) {
        o = &ops[a->pc];
        t = &a->w->things[o->ref.item < 0 ? 0 : o->ref.item];
        if (o->code == OP_WAIT)
            DES_WAIT();
        else if (o->code == OP_WAIT_TIME)
            DES_WAIT_FOR(sim, o->value);
        else if (is_wait(o) && !script_is_list(a->w->script, o->ref) && o->code == OP_WAIT_FOR_IT)
            DES_WAIT_EVENT(sim, event_of(a->w, o->ref));
        else if (is_wait(o) && !script_is_list(a->w->script, o->ref))
            DES_WAIT_EVENT_FOR(sim, event_of(a->w, o->ref), o->value);
        else if (o->code == OP_WAIT_FOR_IT)
            DES_WAIT_LIST(sim, t->list);
        else if (o->code == OP_WAIT_FOR_IT_OR_TIME)
            DES_WAIT_LIST_FOR(sim, t->list, o->value);
        else if (o->code == OP_PUSH) {
            a->pushed = find_operand(a, o);
            DES_PUT(sim, t->out, &a->pushed);
        } else if (o->code == OP_POP)
            DES_GET(sim, t->in, &a->got);
        else if (o->code == OP_LOCK)
            DES_LOCK(sim, t->mutex);
        else if (o->code == OP_TAKE)
            DES_WAIT_SEMAPHORE(sim, t->semaphore);
        else if (is_self(a, o, OP_SUSPEND))
            DES_SUSPEND(sim);
        else if (o->code == OP_AGAIN || o->code == OP_AGAIN_TIMES) {
            if (o->code == OP_AGAIN || (uint64_t)a->rounds++ < o->value)
                a->pc = a->item->first - 1;
        } else {
            run_op(a, o);
            if (is_self(a, o, OP_KILL))
                return DES_THREAD_DONE;
        }
    }
    DES_END;
}

static void run_outside(struct des *sim, void *self)
{
    struct actor *a = self;

    (void)sim;
    for (int pc = a->item->first; pc < a->item->end; pc++)
        run_op(a, &a->w->script->ops[pc]);
}

static void count_update(struct des *sim, void *self)
{
    struct thing *t = self;
    const struct item *item = &t->w->script->items[t - t->w->things];

    t->updates++;
    des_notify_delta(sim, event_of(t->w, item->refs[0]));
}

/* --- building ----------------------------------------------------------------------------- */

static const struct des_interface counting = { "counting" };

/* True if anything waits for the end of this item, which must be asked for before elaboration. */
static bool end_matters(const struct script *s, int item)
{
    for (int i = 0; i < s->n_items; i++)
        for (int r = 0; r < s->items[i].n_refs; r++)
            if (s->items[i].refs[r].item == item)
                return true;
    for (int i = 0; i < s->n_ops; i++)
        if (s->ops[i].ref.item == item && s->ops[i].ref.part == PART_DONE)
            return true;
    return false;
}

static void build_process(struct world *w, struct thing *t, const struct item *item)
{
    struct des *sim = w->sim;

    t->actor.p = item->kind == ITEM_THREAD
                     ? des_thread_new(sim, w->top, item->name, run_thread, &t->actor)
                     : des_method_new(sim, w->top, item->name, run_method, &t->actor);
    if (end_matters(w->script, (int)(item - w->script->items)))
        t->event = des_terminated(sim, t->actor.p);
    if (item->later)
        des_dont_initialize(sim, t->actor.p);
    for (int i = 0; i < item->n_refs; i++) {
        struct thing *to = &w->things[item->refs[i].item];
        switch (w->script->items[item->refs[i].item].kind) {
        case ITEM_SIGNAL: des_sensitive(sim, t->actor.p, to->signal); break;
        case ITEM_PORT: des_sensitive(sim, t->actor.p, to->port); break;
        case ITEM_FIFO:
            if (item->refs[i].part == PART_READ)
                des_sensitive(sim, t->actor.p, to->out);
            else
                des_sensitive(sim, t->actor.p, to->in);
            break;
        case ITEM_CLOCK:
            if (item->refs[i].part == PART_WHOLE) {
                des_sensitive(sim, t->actor.p, to->clock);
                break;
            } /* fallthrough */
        default: des_sensitive(sim, t->actor.p, event_of(w, item->refs[i]));
        }
    }
}

/* Through two modules: inner.name -> outer.name -> signal. */
static void build_port(struct world *w, struct thing *t, const struct item *item)
{
    char name[SCRIPT_NAME + 8];

    snprintf(name, sizeof name, "outer_%s", item->name);
    struct des_module outer = des_module_new(w->sim, w->top, name);
    struct des_module inner = des_module_new(w->sim, outer, "inner");
    struct des_signal_in around = des_signal_in_new(w->sim, outer, item->name);
    t->port = des_signal_in_new(w->sim, inner, item->name);
    des_bind(w->sim, t->port, around);
    des_bind(w->sim, around, w->things[item->refs[0].item].signal);
}

static void build_list(struct world *w, struct thing *t, const struct item *item)
{
    struct des_event events[SCRIPT_REFS];

    for (int i = 0; i < item->n_refs; i++)
        events[i] = event_of(w, item->refs[i]);
    t->list = item->kind == ITEM_ANY
                  ? des_any(w->sim, w->top, item->name, events, (size_t)item->n_refs)
                  : des_all(w->sim, w->top, item->name, events, (size_t)item->n_refs);
}

static void build_fifo(struct world *w, struct thing *t, const struct item *item)
{
    struct des_module ends = des_module_new(w->sim, w->top, item->name);

    t->fifo = des_fifo_new(w->sim, ends, "fifo", sizeof(uint64_t), item->value);
    t->in = des_in_new(w->sim, ends, "in", sizeof(uint64_t));
    t->out = des_out_new(w->sim, ends, "out", sizeof(uint64_t));
    des_bind(w->sim, t->in, t->fifo);
    des_bind(w->sim, t->out, t->fifo);
}

static void build_callback(struct world *w, struct thing *t, const struct item *item)
{
    const enum des_phase phases[] = { DES_BEFORE_END_OF_ELABORATION, DES_END_OF_ELABORATION,
                                      DES_START_OF_SIMULATION, DES_END_OF_SIMULATION };

    des_on(w->sim, des_module_new(w->sim, w->top, item->name), phases[item->kind - ITEM_BEFORE],
           run_outside, &t->actor);
}

static void build_thing(struct world *w, struct thing *t, const struct item *item)
{
    struct des *sim = w->sim;

    t->w = w;
    t->actor = (struct actor){ .w = w, .item = item, .pc = item->first };
    switch (item->kind) {
    case ITEM_EVENT: t->event = des_event_new(sim, w->top, item->name); break;
    case ITEM_SIGNAL: t->signal = des_signal_new(sim, w->top, item->name, item->value); break;
    case ITEM_FIFO: build_fifo(w, t, item); break;
    case ITEM_MUTEX: t->mutex = des_mutex_new(sim, w->top, item->name); break;
    case ITEM_SEMAPHORE:
        t->semaphore = des_semaphore_new(sim, w->top, item->name, (uint32_t)item->value);
        break;
    case ITEM_CLOCK:
        t->clock = des_clock_new(sim, w->top, item->name, CLOCK_HZ(item->value));
        break;
    case ITEM_ANY:
    case ITEM_ALL: build_list(w, t, item); break;
    case ITEM_CHANNEL:
        t->channel = des_channel_new(sim, w->top, item->name, &counting, t, count_update);
        break;
    case ITEM_PORT: build_port(w, t, item); break;
    case ITEM_UNBOUND: (void)des_signal_in_new(sim, w->top, item->name); break;
    case ITEM_THREAD:
    case ITEM_METHOD: build_process(w, t, item); break;
    case ITEM_MAIN: break;
    default: build_callback(w, t, item);
    }
}

void kernel_play(const struct script *s, struct log *log)
{
    struct world *w = calloc(1, sizeof *w);
    struct err err;
    const struct item *last = &s->items[s->n_items > 0 ? s->n_items - 1 : 0];

    if (!w)
        abort();
    w->script = s;
    w->log = log;
    w->sim = des_new();
    w->top = des_module_new(w->sim, (struct des_module){ 0 }, "top");
    for (int i = 0; i < s->n_items; i++)
        build_thing(w, &w->things[i], &s->items[i]);
    if (des_elaborate(w->sim, &err) != 0)
        log_add(log, 0, 0, true, "unbound", "");
    else if (last->kind == ITEM_MAIN)
        run_outside(w->sim, &w->things[s->n_items - 1].actor);
    else
        des_run(w->sim, DES_NEVER - 1);
    des_free(w->sim);
    free(w);
}
