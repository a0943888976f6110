#include <criterion/criterion.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "des/des.h"

#define ROOT ((struct des_module){ 0 })

/* A process that writes its letter and the time into the log, then does what `act` says. */
struct actor {
    struct bench *bench;
    char letter;
    void (*act)(struct bench *b, struct actor *a);
    struct des_process p;
    unsigned runs;
};

struct bench {
    struct des *sim;
    struct des_module top;
    struct des_event e, f, g;
    struct actor actors[8];
    unsigned n;
    char log[512];
};

static void note(struct bench *b, char letter)
{
    size_t n = strlen(b->log);

    snprintf(b->log + n, sizeof b->log - n, "%s%c%llu", n ? " " : "", letter,
             (unsigned long long)des_now(b->sim));
}

static void run_actor(struct des *sim, void *self)
{
    struct actor *a = self;

    (void)sim;
    note(a->bench, a->letter);
    a->runs++;
    if (a->act)
        a->act(a->bench, a);
}

static void setup(struct bench *b)
{
    memset(b, 0, sizeof *b);
    b->sim = des_new();
    b->top = des_module_new(b->sim, ROOT, "top");
    b->e = des_event_new(b->sim, b->top, "e");
    b->f = des_event_new(b->sim, b->top, "f");
    b->g = des_event_new(b->sim, b->top, "g");
}

static struct actor *actor(struct bench *b, char letter,
                           void (*act)(struct bench *, struct actor *))
{
    struct actor *a = &b->actors[b->n++];
    char name[2] = { letter, '\0' };

    *a = (struct actor){ .bench = b, .letter = letter, .act = act };
    a->p = des_method_new(b->sim, b->top, name, run_actor, a);
    return a;
}

/* An actor that is not run at the start and is sensitive to e. */
static struct actor *listener(struct bench *b, char letter, struct des_event e,
                              void (*act)(struct bench *, struct actor *))
{
    struct actor *a = actor(b, letter, act);

    des_dont_initialize(b->sim, a->p);
    des_sensitive(b->sim, a->p, e);
    return a;
}

static void elaborate(struct bench *b)
{
    struct err err;

    cr_assert_eq(des_elaborate(b->sim, &err), 0);
}

static void run_all(struct bench *b)
{
    elaborate(b);
    cr_assert_not(des_run(b->sim, DES_NEVER - 1));
}

static void expect(struct bench *b, const char *log)
{
    cr_assert_str_eq(b->log, log);
    des_free(b->sim);
}

/* --- start and ties ----------------------------------------------------------------------- */

Test(des, start_runs_every_process_once_in_order_of_creation)
{
    struct bench b;

    setup(&b);
    actor(&b, 'A', NULL);
    listener(&b, 'X', b.e, NULL);
    actor(&b, 'B', NULL);
    run_all(&b);
    cr_assert_eq(des_activations(b.sim), 2);
    cr_assert_eq(des_delta_count(b.sim), 1);
    cr_assert_eq(des_now(b.sim), 0);
    expect(&b, "A0 B0");
}

static void three_at_ten(struct bench *b, struct actor *a)
{
    (void)a;
    des_notify_after(b->sim, b->g, 10);
    des_notify_after(b->sim, b->e, 10);
    des_notify_after(b->sim, b->f, 10);
}

Test(des, ties_in_time_are_broken_by_order_of_notification)
{
    struct bench b;

    setup(&b);
    actor(&b, 'S', three_at_ten);
    listener(&b, 'E', b.e, NULL);
    listener(&b, 'F', b.f, NULL);
    listener(&b, 'G', b.g, NULL);
    run_all(&b);
    expect(&b, "S0 G10 E10 F10");
}

static void three_deltas(struct bench *b, struct actor *a)
{
    (void)a;
    des_notify_delta(b->sim, b->g);
    des_notify_after(b->sim, b->e, 0); /* a delay of 0 is a delta */
    des_notify_delta(b->sim, b->f);
}

Test(des, ties_in_a_delta_are_broken_by_order_of_notification)
{
    struct bench b;

    setup(&b);
    actor(&b, 'S', three_deltas);
    listener(&b, 'E', b.e, NULL);
    listener(&b, 'F', b.f, NULL);
    listener(&b, 'G', b.g, NULL);
    run_all(&b);
    cr_assert_eq(des_delta_count(b.sim), 2);
    expect(&b, "S0 G0 E0 F0");
}

static void both_at_five(struct bench *b, struct actor *a)
{
    (void)a;
    des_notify_after(b->sim, b->e, 5);
    des_notify_after(b->sim, b->f, 5);
}

Test(des, a_process_woken_twice_in_one_delta_runs_once)
{
    struct bench b;

    setup(&b);
    actor(&b, 'S', both_at_five);
    struct actor *x = listener(&b, 'X', b.e, NULL);
    des_sensitive(b.sim, x->p, b.f);
    des_sensitive(b.sim, x->p, b.e); /* declared twice */
    run_all(&b);
    expect(&b, "S0 X5");
}

/* --- which notification wins -------------------------------------------------------------- */

static void later_then_sooner(struct bench *b, struct actor *a)
{
    (void)a;
    des_notify_after(b->sim, b->e, 20);
    des_notify_after(b->sim, b->e, 10);
    des_notify_after(b->sim, b->e, 30);
    des_notify_after(b->sim, b->f, 10);
}

Test(des, the_sooner_timed_notification_wins_whichever_came_first)
{
    struct bench b;

    setup(&b);
    actor(&b, 'S', later_then_sooner);
    listener(&b, 'F', b.f, NULL);
    listener(&b, 'E', b.e, NULL);
    run_all(&b);
    expect(&b, "S0 E10 F10");
}

static void timed_then_delta(struct bench *b, struct actor *a)
{
    (void)a;
    des_notify_after(b->sim, b->e, 20);
    des_notify_delta(b->sim, b->e);
}

static void delta_then_timed(struct bench *b, struct actor *a)
{
    (void)a;
    des_notify_delta(b->sim, b->e);
    des_notify_after(b->sim, b->e, 20);
}

Test(des, delta_wins_over_timed_that_came_before)
{
    struct bench b;

    setup(&b);
    actor(&b, 'S', timed_then_delta);
    listener(&b, 'E', b.e, NULL);
    run_all(&b);
    expect(&b, "S0 E0");
}

Test(des, delta_wins_over_timed_that_comes_after)
{
    struct bench b;

    setup(&b);
    actor(&b, 'S', delta_then_timed);
    listener(&b, 'E', b.e, NULL);
    run_all(&b);
    expect(&b, "S0 E0");
}

static void delta_and_timed_then_now(struct bench *b, struct actor *a)
{
    (void)a;
    des_notify_delta(b->sim, b->e);
    des_notify(b->sim, b->e);
    des_notify_after(b->sim, b->f, 7);
    des_notify(b->sim, b->f);
    cr_assert_not(des_event_pending(b->sim, b->e));
    cr_assert_not(des_event_pending(b->sim, b->f));
}

Test(des, immediate_wins_and_takes_the_pending_one_away)
{
    struct bench b;

    setup(&b);
    actor(&b, 'S', delta_and_timed_then_now);
    listener(&b, 'F', b.f, NULL);
    listener(&b, 'E', b.e, NULL);
    run_all(&b);
    cr_assert_eq(des_delta_count(b.sim), 1);
    expect(&b, "S0 E0 F0");
}

static void notify_and_cancel(struct bench *b, struct actor *a)
{
    (void)a;
    des_notify_after(b->sim, b->e, 5);
    des_notify_after(b->sim, b->f, 6);
    des_notify_delta(b->sim, b->g);
    cr_assert(des_event_pending(b->sim, b->e));
    cr_assert(des_event_pending(b->sim, b->g));
    des_cancel(b->sim, b->e);
    des_cancel(b->sim, b->g);
    des_cancel(b->sim, b->g); /* nothing pending: nothing happens */
    cr_assert_not(des_event_pending(b->sim, b->e));
    cr_assert_not(des_event_pending(b->sim, b->g));
    des_notify_after(b->sim, b->e, 8);
}

Test(des, a_cancelled_notification_never_comes)
{
    struct bench b;

    setup(&b);
    actor(&b, 'S', notify_and_cancel);
    listener(&b, 'E', b.e, NULL);
    listener(&b, 'F', b.f, NULL);
    listener(&b, 'G', b.g, NULL);
    run_all(&b);
    expect(&b, "S0 F6 E8");
}

static void cancel_often(struct bench *b, struct actor *a)
{
    (void)a;
    des_notify_delta(b->sim, b->f);
    for (int i = 0; i < 1000; i++) {
        des_notify_delta(b->sim, b->e);
        des_cancel(b->sim, b->e);
    }
    des_notify_delta(b->sim, b->e);
    des_notify_delta(b->sim, b->g);
}

Test(des, cancelling_a_thousand_deltas_keeps_the_order_of_the_others)
{
    struct bench b;

    setup(&b);
    actor(&b, 'S', cancel_often);
    listener(&b, 'G', b.g, NULL);
    listener(&b, 'E', b.e, NULL);
    listener(&b, 'F', b.f, NULL);
    run_all(&b);
    expect(&b, "S0 F0 E0 G0");
}

/* --- immediate notification --------------------------------------------------------------- */

static void now_once(struct bench *b, struct actor *a)
{
    if (a->runs == 1)
        des_notify(b->sim, b->e);
}

Test(des, immediate_runs_a_process_that_already_ran_again_and_a_pending_one_once)
{
    struct bench b;

    setup(&b);
    struct actor *early = actor(&b, 'A', NULL);
    actor(&b, 'S', now_once);
    struct actor *late = actor(&b, 'B', NULL);
    des_sensitive(b.sim, early->p, b.e);
    des_sensitive(b.sim, late->p, b.e);
    run_all(&b);
    cr_assert_eq(des_delta_count(b.sim), 1);
    expect(&b, "A0 S0 B0 A0");
}

Test(des, a_process_does_not_wake_itself_by_immediate_notification)
{
    struct bench b;

    setup(&b);
    struct actor *s = actor(&b, 'S', now_once);
    des_sensitive(b.sim, s->p, b.e);
    run_all(&b);
    expect(&b, "S0");
}

/* --- dynamic waits ------------------------------------------------------------------------ */

static void start_all(struct bench *b, struct actor *a)
{
    (void)a;
    des_notify_after(b->sim, b->e, 10);
    des_notify_after(b->sim, b->f, 20);
}

static void again_at_30(struct bench *b, struct actor *a)
{
    (void)a;
    des_notify_after(b->sim, b->e, 10);
}

static void wait_f_once(struct bench *b, struct actor *a)
{
    if (a->runs == 1)
        des_next_event(b->sim, b->f);
}

Test(des, a_wait_for_one_event_hides_the_static_list_once)
{
    struct bench b;

    setup(&b);
    struct actor *d = actor(&b, 'D', wait_f_once);
    des_sensitive(b.sim, d->p, b.e);
    actor(&b, 'S', start_all);
    listener(&b, 'F', b.f, again_at_30);
    run_all(&b);
    /* e at 10 is not seen; f at 20 wakes static F, then waiting D; e at 30 wakes D */
    expect(&b, "D0 S0 F20 D20 D30");
}

static void wait_seven_once(struct bench *b, struct actor *a)
{
    if (a->runs == 1)
        des_next_time(b->sim, 17);
}

Test(des, a_wait_for_time_hides_the_static_list_once)
{
    struct bench b;

    setup(&b);
    struct actor *d = actor(&b, 'D', wait_seven_once);
    des_sensitive(b.sim, d->p, b.e);
    des_sensitive(b.sim, d->p, b.f);
    actor(&b, 'S', start_all);
    run_all(&b);
    expect(&b, "D0 S0 D17 D20");
}

static void change_of_mind(struct bench *b, struct actor *a)
{
    if (a->runs == 1) {
        des_next_time(b->sim, 3);
        des_next_event(b->sim, b->f);
    } else if (a->runs == 2) {
        des_next_event(b->sim, b->e);
        des_next_time(b->sim, 100);
        des_next_time(b->sim, 200);
    }
}

Test(des, the_last_wish_of_an_activation_counts)
{
    struct bench b;

    setup(&b);
    actor(&b, 'S', start_all);
    actor(&b, 'D', change_of_mind);
    run_all(&b);
    expect(&b, "S0 D0 D20 D220");
}

static void wait_delta(struct bench *b, struct actor *a)
{
    if (a->runs < 4)
        des_next_time(b->sim, 0);
}

Test(des, a_wait_for_no_time_is_one_delta)
{
    struct bench b;

    setup(&b);
    actor(&b, 'D', wait_delta);
    run_all(&b);
    cr_assert_eq(des_delta_count(b.sim), 4);
    expect(&b, "D0 D0 D0 D0");
}

static void wait_e(struct bench *b, struct actor *a)
{
    (void)a;
    des_next_event(b->sim, b->e);
}

Test(des, several_that_wait_for_one_event_run_in_order_of_waiting)
{
    struct bench b;

    setup(&b);
    actor(&b, 'C', wait_e);
    actor(&b, 'A', wait_e);
    actor(&b, 'B', wait_e);
    actor(&b, 'S', start_all);
    run_all(&b);
    expect(&b, "C0 A0 B0 S0 C10 A10 B10");
}

Test(des, a_wait_asked_for_outside_a_process_is_a_bug, .signal = SIGABRT)
{
    struct bench b;

    setup(&b);
    elaborate(&b);
    des_next_time(b.sim, 1);
}

/* --- threads ------------------------------------------------------------------------------ */

struct worker {
    struct bench *bench;
    unsigned i, credit;
};

static uint32_t work(struct des *sim, void *self, uint32_t at)
{
    struct worker *w = self;

    DES_BEGIN(at);
    note(w->bench, 'a');
    DES_WAIT_FOR(sim, 5);
    note(w->bench, 'b');
    DES_WAIT_EVENT(sim, w->bench->f);
    note(w->bench, 'c');
    for (w->i = 0; w->i < 2; w->i++) {
        DES_WAIT();
        note(w->bench, 'd');
    }
    DES_WAIT_UNTIL(w->credit >= 3);
    note(w->bench, 'e');
    DES_WAIT_UNTIL(w->credit >= 3);
    note(w->bench, 'f');
    DES_END;
}

static struct worker *the_worker;

static void pay(struct bench *b, struct actor *a)
{
    if (b->log[0] != '\0' && strchr(b->log, 'd'))
        the_worker->credit++;
    if (a->runs < 8)
        des_notify_after(b->sim, b->e, 10);
}

Test(des, a_thread_goes_on_where_it_waited)
{
    struct bench b;
    struct worker w = { .bench = &b };

    setup(&b);
    the_worker = &w;
    listener(&b, 'E', b.e, pay);
    struct des_process t = des_thread_new(b.sim, b.top, "t", work, &w);
    des_sensitive(b.sim, t, b.e);
    actor(&b, 'S', start_all);
    run_all(&b);
    /* e at 10, 20, .. 80; f at 20, notified before e at 20; the credit counts from the event after
     * the first d on */
    expect(&b, "a0 S0 b5 E10 c20 E20 E30 d30 E40 d40 E50 E60 e60 f60 E70 E80");
}

static uint32_t end_with_a_wait(struct des *sim, void *self, uint32_t at)
{
    struct worker *w = self;

    (void)at;
    note(w->bench, 'x');
    des_next_time(sim, 500); /* goes with the thread */
    return DES_THREAD_DONE;
}

Test(des, a_thread_that_ends_is_never_woken_again)
{
    struct bench b;
    struct worker w = { .bench = &b };

    setup(&b);
    struct des_process t = des_thread_new(b.sim, b.top, "t", end_with_a_wait, &w);
    des_sensitive(b.sim, t, b.e);
    actor(&b, 'S', start_all);
    run_all(&b);
    cr_assert_eq(des_now(b.sim), 20);
    expect(&b, "x0 S0");
}

/* --- running ------------------------------------------------------------------------------ */

static void every_ten(struct bench *b, struct actor *a)
{
    (void)a;
    des_notify_after(b->sim, b->e, 10);
}

Test(des, run_stops_after_the_last_time_at_or_before_until)
{
    struct bench b;

    setup(&b);
    struct actor *s = actor(&b, 'S', every_ten);
    des_sensitive(b.sim, s->p, b.e);
    elaborate(&b);
    cr_assert(des_run(b.sim, 19));
    cr_assert_str_eq(b.log, "S0 S10");
    cr_assert_eq(des_now(b.sim), 10);
    cr_assert(des_run(b.sim, 20));
    cr_assert_eq(des_now(b.sim), 20);
    expect(&b, "S0 S10 S20");
}

static void three_deltas_once(struct bench *b, struct actor *a)
{
    if (a->runs == 1)
        three_deltas(b, a);
}

Test(des, step_runs_all_deltas_of_one_time)
{
    struct bench b;

    setup(&b);
    actor(&b, 'S', later_then_sooner);
    listener(&b, 'E', b.e, three_deltas_once);
    listener(&b, 'F', b.f, NULL);
    listener(&b, 'G', b.g, NULL);
    elaborate(&b);
    cr_assert(des_step(b.sim));
    cr_assert_str_eq(b.log, "S0");
    cr_assert(des_step(b.sim));
    /* E at 10 notifies g, e and f for the next delta */
    cr_assert_str_eq(b.log, "S0 E10 F10 G10 E10 F10");
    cr_assert_not(des_step(b.sim));
    des_free(b.sim);
}

static void stop_at_once(struct bench *b, struct actor *a)
{
    (void)a;
    three_deltas(b, a);
    des_pause(b->sim);
}

Test(des, a_pause_ends_the_run_after_the_delta_and_the_next_run_goes_on)
{
    struct bench b;

    setup(&b);
    actor(&b, 'S', stop_at_once);
    actor(&b, 'T', NULL);
    listener(&b, 'E', b.e, NULL);
    elaborate(&b);
    cr_assert(des_run(b.sim, 100));
    cr_assert_str_eq(b.log, "S0 T0");
    cr_assert_not(des_run(b.sim, 100));
    expect(&b, "S0 T0 E0");
}

Test(des, an_empty_simulation_has_nothing_to_do)
{
    struct des *sim = des_new();
    struct err err;

    cr_assert_eq(des_elaborate(sim, &err), 0);
    cr_assert_not(des_step(sim));
    cr_assert_not(des_run(sim, 1000));
    cr_assert_eq(des_now(sim), 0);
    des_free(sim);
    des_free(NULL);
}

Test(des, a_run_allocates_nothing)
{
    struct bench b;

    setup(&b);
    struct actor *s = actor(&b, 'S', every_ten);
    des_sensitive(b.sim, s->p, b.e);
    actor(&b, 'D', wait_delta);
    elaborate(&b);
    struct mallinfo2 before = mallinfo2();
    cr_assert(des_run(b.sim, 100000));
    struct mallinfo2 after = mallinfo2();
    cr_assert_eq(des_activations(b.sim), 1 + 10000 + 4);
    cr_assert_eq(after.uordblks, before.uordblks);
    cr_assert_eq(after.hblkhd, before.hblkhd);
    des_free(b.sim);
}

/* --- names and the end of time
 * --------------------------------------------------------------------- */

Test(des, module_paths_are_dotted_and_stay_where_they_are)
{
    struct des *sim = des_new();
    struct des_module chip = des_module_new(sim, ROOT, "chip0");
    struct des_module core = des_module_new(sim, chip, "core1");
    const char *path = des_module_path(sim, core);

    for (unsigned i = 0; i < 5000; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%u", i);
        des_module_new(sim, core, name);
    }
    cr_assert_str_eq(path, "chip0.core1");
    cr_assert_eq(path, des_module_path(sim, core));
    cr_assert_str_eq(des_module_path(sim, (struct des_module){ 5002 }), "chip0.core1.m4999");
    cr_assert_str_eq(des_module_path(sim, ROOT), "");
    des_module_new(sim, chip, "m7"); /* the same name under another parent */
    des_free(sim);
}

Test(des, the_last_femtosecond_can_be_reached)
{
    struct bench b;

    setup(&b);
    listener(&b, 'E', b.e, NULL);
    elaborate(&b);
    des_notify_after(b.sim, b.e, UINT64_MAX - 1);
    cr_assert_not(des_run(b.sim, DES_NEVER));
    expect(&b, "E18446744073709551614");
}
