// systemc_conformance.cpp - the models of tests/conformance on SystemC: prints the same logs as
// tests/bench/conformance.c.  usage: conformance [MODEL | all | - | random=N]
//
// Three things differ by contract and are bridged here, in `main` statements:
//   - sc_start(t) notifies what is due at its end but leaves the processes to the next call (IEEE
//     1666 4.3.4.2); des_run(until) runs them, so `run TIME` here goes on with single deltas;
//   - des_step runs all deltas of one time, sc_start(SC_ZERO_TIME) one;
//   - a misuse is an exception there and an abort here.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <systemc>

extern "C" {
#include "../../conformance/log.h"
#include "../../conformance/model.h"
#include "../../conformance/script.h"
}

namespace
{
using namespace sc_core;
using std::unique_ptr;

struct world;

sc_time fs(uint64_t value)
{
    return sc_time::from_value(value); // the resolution is 1 fs
}

struct actor { // a process, a callback, or what is outside
    world *w = nullptr;
    const item *what = nullptr;
    sc_process_handle handle;
    int pc = 0;
    uint64_t rounds = 0;
    uint64_t got = 0;
    bool ok = false, timed = false, kept = false;
};

// A channel of the user's own: counts its updates and notifies in each.
struct counter : sc_prim_channel {
    uint64_t updates = 0;
    sc_event *event;
    counter(const char *name, sc_event *e) : sc_prim_channel(name), event(e)
    {
    }
    void request()
    {
        request_update();
    }
    void update() override
    {
        updates++;
        event->notify(SC_ZERO_TIME);
    }
};

// Two modules with a port each, the inner one bound to the outer one.
struct inner : sc_module {
    sc_in<uint64_t> port;
    explicit inner(sc_module_name) : port("port")
    {
    }
};
struct outer : sc_module {
    sc_in<uint64_t> port;
    inner in;
    explicit outer(sc_module_name) : port("port"), in("inner")
    {
        in.port(port);
    }
};

struct callback;

struct thing { // what became of an item
    unique_ptr<sc_event> event;
    unique_ptr<sc_signal<uint64_t>> signal;
    unique_ptr<outer> port;
    unique_ptr<sc_in<uint64_t>> unbound;
    unique_ptr<sc_fifo<uint64_t>> fifo;
    unique_ptr<sc_mutex> mutex;
    unique_ptr<sc_semaphore> semaphore;
    unique_ptr<sc_clock> clock;
    unique_ptr<sc_event_or_list> any;
    unique_ptr<sc_event_and_list> all;
    unique_ptr<counter> channel;
    unique_ptr<callback> module;
    actor a;
};

struct world : sc_module {
    const script *s;
    struct log *log;
    bool left = false, paused = false, stopped = false, started = false;
    std::vector<thing> things;

    world(sc_module_name, const script *text, struct log *to)
        : s(text), log(to), things(size_t(text->n_items))
    {
        for (int i = 0; i < s->n_items; i++)
            build(things[size_t(i)], s->items[i]);
    }
    const sc_event &event_of(ref r);
    uint64_t value_of(actor &a, item_kind kind, int item);
    uint64_t operand(actor &a, const op &o);
    void act(actor &a, const op &o);
    void act_outside(const op &o);
    void all_of(actor &a); // statements outside of any process
    void build(thing &t, const item &what);
    void build_process(thing &t, const item &what);
    void run_method(actor &a);
    void run_thread(actor &a);
    void next(actor &a, const op &o);
    void wait_for(actor &a, const op &o);
    void run_until(uint64_t until);
    void run_to_end();
    void settle();
};

struct callback : sc_module {
    world *w;
    actor *a;
    callback(sc_module_name, world *in, actor *of) : w(in), a(of)
    {
    }
    void call(item_kind kind)
    {
        if (a->what->kind == kind)
            w->all_of(*a);
    }
    void before_end_of_elaboration() override
    {
        call(ITEM_BEFORE);
    }
    void end_of_elaboration() override
    {
        call(ITEM_ELABORATED);
    }
    void start_of_simulation() override
    {
        call(ITEM_START);
    }
    void end_of_simulation() override
    {
        call(ITEM_END);
    }
};

const sc_event &world::event_of(ref r)
{
    thing &t = things[size_t(r.item)];

    switch (s->items[r.item].kind) {
    case ITEM_EVENT: return *t.event;
    case ITEM_SIGNAL: return t.signal->value_changed_event();
    case ITEM_PORT: return t.port->in.port->value_changed_event();
    case ITEM_CLOCK:
        return r.part == PART_NEG ? t.clock->negedge_event() : t.clock->posedge_event();
    case ITEM_FIFO:
        return r.part == PART_READ ? t.fifo->data_read_event() : t.fifo->data_written_event();
    default: return t.a.handle.terminated_event();
    }
}

// --- statements that do not wait ----------------------------------------------------------

uint64_t world::value_of(actor &a, item_kind kind, int item)
{
    thing &t = things[item < 0 ? 0 : size_t(item)];

    switch (kind) {
    case ITEM_SIGNAL: return t.signal->read();
    case ITEM_PORT: return t.port->in.port->read();
    case ITEM_FIFO: return uint64_t(t.fifo->num_available());
    case ITEM_SEMAPHORE: return uint64_t(t.semaphore->get_value());
    case ITEM_CHANNEL: return t.channel->updates;
    case ITEM_THREAD:
    case ITEM_METHOD: return t.a.handle.terminated();
    case ITEM_OK: return a.ok;
    case ITEM_GOT: return a.got;
    case ITEM_TIMED: return a.timed;
    case ITEM_LEFT: return left;
    default:
        return sc_pending_activity() ? (sc_time_stamp() + sc_time_to_pending_activity()).value()
                                     : UINT64_MAX;
    }
}

uint64_t world::operand(actor &a, const op &o)
{
    return o.from.item < 0 ? o.value : value_of(a, s->items[o.from.item].kind, o.from.item);
}

struct asker {
    world *w;
    actor *a;
};

uint64_t ask(void *self, item_kind kind, int item)
{
    asker *q = static_cast<asker *>(self);
    return q->w->value_of(*q->a, kind, item);
}

void world::act(actor &a, const op &o)
{
    thing &t = things[o.ref.item < 0 ? 0 : size_t(o.ref.item)];
    uint64_t value = operand(a, o);

    switch (o.code) {
    case OP_SAY:
    case OP_NOTE: {
        char text[LOG_TEXT];
        asker q = { this, &a };
        bool inside = a.what->kind == ITEM_THREAD || a.what->kind == ITEM_METHOD;
        script_expand(s, o.text, ask, &q, text, sizeof text);
        log_add(log, sc_time_stamp().value(), sc_delta_count(), !inside,
                o.code == OP_SAY ? a.what->name : "", text);
        break;
    }
    case OP_NOTIFY: t.event->notify(); break;
    case OP_NOTIFY_DELTA: t.event->notify(SC_ZERO_TIME); break;
    case OP_NOTIFY_AFTER: t.event->notify(fs(o.value)); break;
    case OP_CANCEL: t.event->cancel(); break;
    case OP_WRITE: t.signal->write(value); break;
    case OP_PUT: a.ok = t.fifo->nb_write(value); break;
    case OP_GET: a.ok = t.fifo->nb_read(a.got); break;
    case OP_TRYLOCK: a.ok = t.mutex->trylock() == 0; break;
    case OP_UNLOCK: t.mutex->unlock(); break;
    case OP_TRYTAKE: a.ok = t.semaphore->trywait() == 0; break;
    case OP_POST: t.semaphore->post(); break;
    case OP_REQUEST: t.channel->request(); break;
    case OP_SUSPEND: t.a.handle.suspend(); break;
    case OP_RESUME: t.a.handle.resume(); break;
    case OP_KILL: t.a.handle.kill(); break;
    case OP_PAUSE:
        paused = true;
        sc_pause();
        break;
    case OP_STOP:
        stopped = true;
        sc_stop();
        break;
    default: act_outside(o);
    }
}

// --- outside ------------------------------------------------------------------------------

void world::settle() // what is left of the current time, delta by delta
{
    while (!paused && !stopped && sc_pending_activity_at_current_time())
        sc_start(SC_ZERO_TIME);
}

void world::run_until(uint64_t until)
{
    paused = false;
    if (!started) {
        started = true;
        sc_start(SC_ZERO_TIME);
    }
    settle();
    uint64_t now = sc_time_stamp().value();
    if (!paused && !stopped && now < until)
        sc_start(fs(until - now), SC_EXIT_ON_STARVATION);
    settle();
    left = !stopped && sc_pending_activity();
}

void world::run_to_end()
{
    paused = false;
    started = true;
    sc_start();
    left = !stopped && sc_pending_activity();
}

void world::act_outside(const op &o)
{
    switch (o.code) {
    case OP_RUN: run_to_end(); break;
    case OP_RUN_UNTIL: run_until(o.value); break;
    case OP_STEP:
        if (!started)
            run_until(0);
        else if ((left = sc_pending_activity()) != 0)
            run_until((sc_time_stamp() + sc_time_to_pending_activity()).value()), left = true;
        break;
    case OP_FINISH: sc_stop(); break;
    default: abort();
    }
}

void world::all_of(actor &a)
{
    for (int pc = a.what->first; pc < a.what->end; pc++)
        act(a, s->ops[pc]);
}

// --- processes ----------------------------------------------------------------------------

bool waits(const op &o)
{
    return o.code >= OP_WAIT && o.code <= OP_WAIT_FOR_IT_OR_TIME;
}

void world::next(actor &a, const op &o)
{
    bool list = o.ref.item >= 0 && script_is_list(s, o.ref);
    thing &t = things[o.ref.item < 0 ? 0 : size_t(o.ref.item)];

    (void)a;
    if (o.code == OP_WAIT)
        next_trigger();
    else if (o.code == OP_WAIT_TIME)
        next_trigger(fs(o.value));
    else if (o.code == OP_WAIT_FOR_IT && !list)
        next_trigger(event_of(o.ref));
    else if (!list)
        next_trigger(fs(o.value), event_of(o.ref));
    else if (o.code == OP_WAIT_FOR_IT && t.any)
        next_trigger(*t.any);
    else if (o.code == OP_WAIT_FOR_IT)
        next_trigger(*t.all);
    else if (t.any)
        next_trigger(fs(o.value), *t.any);
    else
        next_trigger(fs(o.value), *t.all);
}

void world::wait_for(actor &a, const op &o)
{
    bool list = o.ref.item >= 0 && script_is_list(s, o.ref);
    thing &t = things[o.ref.item < 0 ? 0 : size_t(o.ref.item)];

    if (o.code == OP_WAIT)
        ::sc_core::wait();
    else if (o.code == OP_WAIT_TIME)
        ::sc_core::wait(fs(o.value));
    else if (o.code == OP_WAIT_FOR_IT && !list)
        ::sc_core::wait(event_of(o.ref));
    else if (!list)
        ::sc_core::wait(fs(o.value), event_of(o.ref));
    else if (o.code == OP_WAIT_FOR_IT && t.any)
        ::sc_core::wait(*t.any);
    else if (o.code == OP_WAIT_FOR_IT)
        ::sc_core::wait(*t.all);
    else if (t.any)
        ::sc_core::wait(fs(o.value), *t.any);
    else
        ::sc_core::wait(fs(o.value), *t.all);
    a.timed = timed_out();
}

void world::run_method(actor &a)
{
    int pc = a.pc;

    a.timed = timed_out();
    for (; pc < a.what->end && s->ops[pc].code != OP_SLASH; pc++) {
        if (waits(s->ops[pc]))
            next(a, s->ops[pc]);
        else
            act(a, s->ops[pc]);
    }
    if (pc < a.what->end)
        a.pc = pc + 1;
}

void world::run_thread(actor &a)
{
    for (int pc = a.what->first; pc < a.what->end; pc++) {
        const op &o = s->ops[pc];
        thing &t = things[o.ref.item < 0 ? 0 : size_t(o.ref.item)];
        switch (o.code) {
        case OP_PUSH: t.fifo->write(operand(a, o)); break;
        case OP_POP: t.fifo->read(a.got); break;
        case OP_LOCK: t.mutex->lock(); break;
        case OP_TAKE: t.semaphore->wait(); break;
        case OP_AGAIN: pc = a.what->first - 1; break;
        case OP_AGAIN_TIMES:
            if (a.rounds++ < o.value)
                pc = a.what->first - 1;
            break;
        default:
            if (waits(o))
                wait_for(a, o);
            else
                act(a, o);
        }
    }
}

// --- building -----------------------------------------------------------------------------

void world::build_process(thing &t, const item &what)
{
    sc_spawn_options opt;
    actor *a = &t.a;

    if (what.later)
        opt.dont_initialize();
    for (int i = 0; i < what.n_refs; i++) {
        ref r = what.refs[i];
        if (s->items[r.item].kind == ITEM_PORT)
            opt.set_sensitivity(&things[size_t(r.item)].port->in.port);
        else
            opt.set_sensitivity(&event_of(r));
    }
    if (what.kind == ITEM_METHOD) {
        opt.spawn_method();
        t.a.handle = sc_spawn([this, a] { run_method(*a); }, what.name, &opt);
    } else {
        t.a.handle = sc_spawn([this, a] { run_thread(*a); }, what.name, &opt);
    }
}

void world::build(thing &t, const item &what)
{
    const char *name = what.name;

    t.a.w = this;
    t.a.what = &what;
    t.a.pc = what.first;
    switch (what.kind) {
    case ITEM_EVENT: t.event.reset(new sc_event(name)); break;
    case ITEM_SIGNAL: t.signal.reset(new sc_signal<uint64_t>(name, what.value)); break;
    case ITEM_FIFO: t.fifo.reset(new sc_fifo<uint64_t>(name, int(what.value))); break;
    case ITEM_MUTEX: t.mutex.reset(new sc_mutex(name)); break;
    case ITEM_SEMAPHORE: t.semaphore.reset(new sc_semaphore(name, int(what.value))); break;
    case ITEM_CLOCK: t.clock.reset(new sc_clock(name, fs(what.value))); break;
    case ITEM_ANY:
        t.any.reset(new sc_event_or_list);
        for (int i = 0; i < what.n_refs; i++)
            *t.any |= event_of(what.refs[i]);
        break;
    case ITEM_ALL:
        t.all.reset(new sc_event_and_list);
        for (int i = 0; i < what.n_refs; i++)
            *t.all &= event_of(what.refs[i]);
        break;
    case ITEM_CHANNEL:
        t.channel.reset(new counter(name, things[size_t(what.refs[0].item)].event.get()));
        break;
    case ITEM_PORT:
        t.port.reset(new outer(name));
        t.port->port(*things[size_t(what.refs[0].item)].signal);
        break;
    case ITEM_UNBOUND: t.unbound.reset(new sc_in<uint64_t>(name)); break;
    case ITEM_THREAD:
    case ITEM_METHOD: build_process(t, what); break;
    case ITEM_MAIN: break;
    default: t.module.reset(new callback(name, this, &t.a));
    }
}

void play(const script *s, struct log *log)
{
    sc_set_time_resolution(1, SC_FS);
    sc_report_handler::set_actions(SC_WARNING, SC_DO_NOTHING);
    sc_report_handler::set_actions(SC_INFO, SC_DO_NOTHING);
    // neither is destroyed: the process ends after this
    world *w = new world("top", s, log);
    try {
        if (s->n_items > 0 && s->items[s->n_items - 1].kind == ITEM_MAIN)
            w->all_of(w->things.back().a);
        else
            w->run_to_end();
    } catch (const sc_report &r) {
        if (r.get_id() == 109) // the port that is not bound, at the end of elaboration
            log_add(log, 0, 0, true, "unbound", "");
        else
            abort();
    }
}
} // namespace

int sc_main(int argc, char **argv)
{
    model_print(argc > 1 ? argv[1] : "all", 1, play);
    return 0;
}
