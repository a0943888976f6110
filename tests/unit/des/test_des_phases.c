/* Calls that each phase allows: elaboration that fails, call-backs that notify, kill, stop and
 * report, updates that ask for updates. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "des/des.h"

struct model {
    struct des *sim;
    struct des_event e;
    struct des_process p;
    struct des_channel channels[3];
    struct des_signal_in port;
    struct des_signal signal;
    unsigned runs, calls, ends;
    char order[32];
};

static void count_items(struct des *sim, void *self)
{
    struct model *m = self;

    (void)sim;
    m->runs++;
}

static struct model begin_model(void)
{
    struct model m = { .sim = des_new() };

    m.e = des_event_new(m.sim, (struct des_module){ 0 }, "e");
    return m;
}

static void add_process(struct model *m)
{
    m->p = des_method_new(m->sim, (struct des_module){ 0 }, "p", count_items, m);
    des_sensitive(m->sim, m->p, m->e);
}

static void elaborate_model(struct model *m)
{
    struct err err;

    cr_assert_eq(des_elaborate(m->sim, &err), 0);
}

static void register_call(struct model *m, enum des_phase phase, des_callback *function)
{
    des_on(m->sim, (struct des_module){ 0 }, phase, function, m);
}

static void count_end(struct des *sim, void *self)
{
    (void)sim;
    ((struct model *)self)->ends++;
}

/* --- elaboration --------------------------------------------------------------------------- */

static void create_object(struct des *sim, void *self)
{
    struct model *m = self;

    m->calls++;
    m->port = des_signal_in_new(sim, (struct des_module){ 0 }, "port");
    m->signal = des_signal_new(sim, (struct des_module){ 0 }, "signal", 5);
    add_process(m);
    des_sensitive(sim, m->p, m->port);
}

Test(des_phases, elaboration_that_failed_can_be_repeated)
{
    struct model m = begin_model();
    struct err err;

    register_call(&m, DES_BEFORE_END_OF_ELABORATION, create_object);
    cr_assert_neq(des_elaborate(m.sim, &err), 0);
    cr_assert_str_eq(err.msg, "unbound port: port");
    size_t memory = des_memory(m.sim);
    cr_assert_neq(des_elaborate(m.sim, &err), 0);
    cr_assert_eq(des_memory(m.sim), memory, "nothing is kept of what failed");
    des_bind(m.sim, m.port, m.signal);
    elaborate_model(&m);
    cr_assert_eq(m.calls, 1u);
    cr_assert_eq(des_read(m.sim, m.port), 5u);
    des_write(m.sim, m.signal, 6);
    cr_assert_not(des_run(m.sim, 10));
    cr_assert_eq(m.runs, 1u, "the write shows in the initialisation");
    des_free(m.sim);
}

Test(des_phases, a_model_can_be_freed_at_any_point)
{
    struct model m = begin_model();
    struct err err;

    des_free(m.sim);
    m = begin_model();
    register_call(&m, DES_BEFORE_END_OF_ELABORATION, create_object);
    cr_assert_neq(des_elaborate(m.sim, &err), 0);
    des_free(m.sim);
    m = begin_model();
    elaborate_model(&m);
    des_notify_after(m.sim, m.e, 7);
    des_free(m.sim);
}

static void notify_events(struct des *sim, void *self)
{
    des_notify(sim, ((struct model *)self)->e);
}

Test(des_phases, a_notification_at_the_end_of_elaboration_wakes_nobody_twice)
{
    struct model m = begin_model();

    add_process(&m);
    register_call(&m, DES_END_OF_ELABORATION, notify_events);
    elaborate_model(&m);
    des_run(m.sim, 0);
    cr_assert_eq(m.runs, 1u);
    des_free(m.sim);
}

static void end_it(struct des *sim, void *self)
{
    des_kill(sim, ((struct model *)self)->p);
}

Test(des_phases, who_is_killed_at_the_end_of_elaboration_never_runs)
{
    struct model m = begin_model();

    add_process(&m);
    register_call(&m, DES_END_OF_ELABORATION, end_it);
    elaborate_model(&m);
    des_run(m.sim, 0);
    cr_assert_eq(m.runs, 0u);
    cr_assert(des_done(m.sim, m.p));
    des_free(m.sim);
}

static void any_of_many(struct des *sim, void *self)
{
    struct model *m = self;

    if (m->runs++ == 0)
        des_next_list(sim, (struct des_list){ 1 });
}

Test(des_phases, a_list_of_any_can_have_more_than_64_events)
{
    struct model m = begin_model();
    struct des_event events[65] = { m.e };

    for (size_t i = 1; i < 65; i++)
        events[i] = des_event_new(m.sim, (struct des_module){ 0 }, "e");
    des_any(m.sim, (struct des_module){ 0 }, "l", events, 65);
    des_method_new(m.sim, (struct des_module){ 0 }, "p", any_of_many, &m);
    elaborate_model(&m);
    des_notify_after(m.sim, events[64], 3);
    des_run(m.sim, DES_NEVER);
    cr_assert_eq(m.runs, 2u);
    des_free(m.sim);
}

/* --- stopping ------------------------------------------------------------------------------ */

static void stop_play(struct des *sim, void *self)
{
    (void)self;
    des_stop(sim);
}

/* A process that would run at once, and a call-back that stops before. */
static void stopped_in(struct model *m, enum des_phase phase)
{
    *m = begin_model();
    add_process(m);
    register_call(m, phase, stop_play);
    register_call(m, DES_END_OF_SIMULATION, count_end);
    elaborate_model(m);
}

Test(des_phases, stopped_at_the_end_of_elaboration_it_has_ended)
{
    struct model m;

    stopped_in(&m, DES_END_OF_ELABORATION);
    cr_assert(des_finished(m.sim));
    cr_assert_eq(m.ends, 1u);
    des_free(m.sim);
}

Test(des_phases, stopped_at_the_start_nothing_runs)
{
    for (int steps = 0; steps < 2; steps++) {
        struct model m;

        stopped_in(&m, DES_START_OF_SIMULATION);
        cr_assert_not(steps ? des_step(m.sim) : des_run(m.sim, 5));
        cr_assert(des_finished(m.sim));
        cr_assert_eq(m.runs, 0u);
        cr_assert_eq(m.ends, 1u);
        des_free(m.sim);
    }
}

Test(des_phases, stopped_at_the_end_it_ends_once)
{
    struct model m;

    stopped_in(&m, DES_END_OF_SIMULATION);
    des_finish(m.sim);
    des_finish(m.sim);
    cr_assert_eq(m.ends, 1u);
    des_free(m.sim);
}

static void fail_phase(struct des *sim, void *self)
{
    struct model *m = self;

    m->calls++;
    des_report(sim, DES_ERROR, (struct des_module){ 0 }, "test/left", "items are left");
}

static void hide_message(void *self, const struct des_message *message)
{
    strcat(((struct model *)self)->order, message->text);
}

Test(des_phases, an_error_at_the_end_is_reported_once)
{
    struct model m = begin_model();

    des_on_report(m.sim, hide_message, &m);
    register_call(&m, DES_END_OF_SIMULATION, fail_phase);
    elaborate_model(&m);
    des_finish(m.sim);
    cr_assert_eq(m.calls, 1u);
    cr_assert_str_eq(m.order, "items are left");
    cr_assert(des_finished(m.sim));
    des_free(m.sim);
}

static void hold_phase(struct des *sim, void *self)
{
    (void)self;
    des_pause(sim);
}

Test(des_phases, paused_at_the_start_the_next_run_goes_on)
{
    struct model m = begin_model();

    add_process(&m);
    register_call(&m, DES_START_OF_SIMULATION, hold_phase);
    elaborate_model(&m);
    cr_assert(des_run(m.sim, 0));
    cr_assert_eq(m.runs, 0u);
    cr_assert_not(des_run(m.sim, 0));
    cr_assert_eq(m.runs, 1u);
    des_free(m.sim);
}

static void stop_at_two(struct des *sim, void *self)
{
    struct model *m = self;

    m->runs++;
    des_next_time(sim, 1);
    if (des_now(sim) == 2)
        des_stop(sim);
}

Test(des_phases, a_loop_of_steps_ends_with_the_simulation)
{
    struct model m = begin_model();

    des_method_new(m.sim, (struct des_module){ 0 }, "p", stop_at_two, &m);
    elaborate_model(&m);
    while (des_step(m.sim))
        cr_assert_lt(m.runs, 3u);
    cr_assert_eq(m.runs, 3u); /* at 0, 1 and 2 */
    des_free(m.sim);
    m.sim = des_new();
    des_method_new(m.sim, (struct des_module){ 0 }, "p", stop_at_two, &m);
    elaborate_model(&m);
    for (des_time until = 1; des_run(m.sim, until); until++)
        cr_assert_lt(until, 2u);
    cr_assert_eq(des_now(m.sim), 2u);
    des_free(m.sim);
}

static void run_case(struct des *sim, void *self)
{
    (void)self;
    des_run(sim, DES_NEVER);
}

Test(des_phases, to_run_from_a_call_back_is_a_bug, .signal = SIGABRT)
{
    struct model m = begin_model();

    register_call(&m, DES_START_OF_SIMULATION, run_case);
    elaborate_model(&m);
    des_run(m.sim, DES_NEVER);
}

static void elaborate_again(struct des *sim, void *self)
{
    struct err err;

    (void)self;
    des_elaborate(sim, &err);
}

Test(des_phases, to_elaborate_from_a_call_back_is_a_bug, .signal = SIGABRT)
{
    struct model m = begin_model();

    register_call(&m, DES_BEFORE_END_OF_ELABORATION, elaborate_again);
    elaborate_model(&m);
}

/* --- updates ------------------------------------------------------------------------------- */

static void update_a(struct des *sim, void *self)
{
    struct model *m = self;

    strcat(m->order, "a");
    if (m->calls++ == 0) { /* once, for all three, one of which is asked for already */
        des_request_update(sim, m->channels[2]);
        des_request_update(sim, m->channels[1]);
        des_request_update(sim, m->channels[0]);
    }
}

static void update_b(struct des *sim, void *self)
{
    struct model *m = self;

    strcat(m->order, "b");
    des_notify_delta(sim, m->e);
}

static void update_c(struct des *sim, void *self)
{
    (void)sim;
    strcat(((struct model *)self)->order, "c");
}

Test(des_phases, updates_may_ask_for_updates)
{
    static const struct des_interface type = { "test" };
    des_callback *const updates[] = { update_a, update_b, update_c };
    struct model m = begin_model();

    add_process(&m);
    for (int i = 0; i < 3; i++)
        m.channels[i] =
            des_channel_new(m.sim, (struct des_module){ 0 }, "c", &type, &m, updates[i]);
    elaborate_model(&m);
    des_run(m.sim, 0);
    des_request_update(m.sim, m.channels[0]);
    des_request_update(m.sim, m.channels[1]);
    des_run(m.sim, 0);
    cr_assert_str_eq(m.order, "abca");
    cr_assert_eq(m.runs, 2u, "once at the start, once by what an update notified");
    des_request_update(m.sim, m.channels[1]);
    des_run(m.sim, 0);
    cr_assert_str_eq(m.order, "abcab");
    des_free(m.sim);
}

/* A process that, at its first activation, does three things that show in the next delta. */
struct writer {
    struct des_signal signal;
    struct des_out out;
    struct des_channel channel;
    unsigned ways; /* bit 0: by the FIFO too, bit 1: by the channel too */
    bool written;
    struct {
        uint64_t deltas;
        unsigned runs;
    } heard[2];
    uint64_t seen;
    bool updated_by_nobody;
};

static void write_all(struct des *sim, void *self)
{
    struct writer *w = self;
    uint32_t item = 1;

    if (w->written)
        return;
    w->written = true;
    des_write(sim, w->signal, 1);
    if (w->ways & 1)
        cr_assert(des_put(sim, w->out, &item));
    if (w->ways & 2)
        des_request_update(sim, w->channel);
}

static void hear_signal(struct des *sim, void *self)
{
    struct writer *w = self;

    w->heard[0].deltas = des_delta_count(sim);
    w->heard[0].runs++;
}

static void hear_other(struct des *sim, void *self)
{
    struct writer *w = self;

    w->heard[1].deltas = des_delta_count(sim);
    w->heard[1].runs++;
}

static void fire_event(struct des *sim, void *self)
{
    struct writer *w = self;

    w->updated_by_nobody = des_self(sim).id == 0;
    des_notify_delta(sim, (struct des_event){ 1 });
}

static void note_change(struct des *sim, void *self, uint32_t tag, uint64_t value)
{
    (void)sim;
    (void)tag;
    ((struct writer *)self)->seen = value;
}

Test(des_phases, all_that_was_asked_for_shows_in_one_delta)
{
    static const struct des_interface type = { "test" };

    for (unsigned ways = 0; ways < 4; ways++) {
        struct des_module root = { 0 };
        struct model m = begin_model(); /* its event is event 1 */
        struct writer w = { .ways = ways };
        w.signal = des_signal_new(m.sim, root, "s", 0);
        struct des_fifo fifo = des_fifo_new(m.sim, root, "f", sizeof(uint32_t), 1);
        struct des_in in = des_in_new(m.sim, root, "in", sizeof(uint32_t));
        w.out = des_out_new(m.sim, root, "out", sizeof(uint32_t));
        w.channel = des_channel_new(m.sim, root, "c", &type, &w, fire_event);
        des_bind(m.sim, in, fifo);
        des_bind(m.sim, w.out, fifo);
        des_method_new(m.sim, root, "w", write_all, &w);
        struct des_process p = des_method_new(m.sim, root, "p", hear_signal, &w);
        des_sensitive(m.sim, p, w.signal);
        des_dont_initialize(m.sim, p);
        p = des_method_new(m.sim, root, "q", hear_other, &w);
        des_sensitive(m.sim, p, in);
        des_sensitive(m.sim, p, m.e);
        des_dont_initialize(m.sim, p);
        if (ways == 0)
            des_watch(m.sim, w.signal, note_change, &w, 0);
        elaborate_model(&m);
        des_run(m.sim, 0);
        cr_assert_eq(w.heard[0].runs, 1u);
        cr_assert_eq(w.heard[0].deltas, 1u);
        cr_assert_eq(w.heard[1].runs, ways ? 1u : 0u);
        cr_assert_eq(w.heard[1].deltas, ways ? 1u : 0u);
        cr_assert_eq(w.seen, ways ? 0u : 1u);
        cr_assert_eq(w.updated_by_nobody, (ways & 2) != 0);
        cr_assert_eq(des_delta_count(m.sim), 2u);
        des_free(m.sim);
    }
}

static void sleep_awake(struct des *sim, void *self)
{
    struct model *m = self;

    if (m->runs++ > 0)
        return;
    des_next_resume(sim);
    des_resume(sim, des_self(sim));
}

Test(des_phases, who_resumes_himself_before_he_sleeps_goes_on_in_the_same_delta)
{
    struct model m = begin_model();

    des_method_new(m.sim, (struct des_module){ 0 }, "p", sleep_awake, &m);
    elaborate_model(&m);
    des_run(m.sim, 0);
    cr_assert_eq(m.runs, 2u);
    cr_assert_eq(des_delta_count(m.sim), 1u);
    des_free(m.sim);
}
