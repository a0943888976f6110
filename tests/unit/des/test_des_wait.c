/* Dynamic waits and threads. */
#include "tests/unit/des/des_actors.h"

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

    set_up_scene(&b);
    struct actor *d = add_actor(&b, 'D', wait_f_once);
    des_sensitive(b.sim, d->p, b.e);
    add_actor(&b, 'S', start_all);
    add_listener(&b, 'F', b.f, again_at_30);
    run_all(&b);
    /* e at 10 is not seen; f at 20 wakes static F, then waiting D; e at 30 wakes D */
    expect_log(&b, "D0 S0 F20 D20 D30");
}

static void wait_seven_once(struct bench *b, struct actor *a)
{
    if (a->runs == 1)
        des_next_time(b->sim, 17);
}

Test(des, a_wait_for_time_hides_the_static_list_once)
{
    struct bench b;

    set_up_scene(&b);
    struct actor *d = add_actor(&b, 'D', wait_seven_once);
    des_sensitive(b.sim, d->p, b.e);
    des_sensitive(b.sim, d->p, b.f);
    add_actor(&b, 'S', start_all);
    run_all(&b);
    expect_log(&b, "D0 S0 D17 D20");
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

    set_up_scene(&b);
    add_actor(&b, 'S', start_all);
    add_actor(&b, 'D', change_of_mind);
    run_all(&b);
    expect_log(&b, "S0 D0 D20 D220");
}

Test(des, a_wait_for_no_time_is_one_delta)
{
    struct bench b;

    set_up_scene(&b);
    add_actor(&b, 'D', wait_delta);
    run_all(&b);
    cr_assert_eq(des_delta_count(b.sim), 4);
    expect_log(&b, "D0 D0 D0 D0");
}

static void wait_e(struct bench *b, struct actor *a)
{
    (void)a;
    des_next_event(b->sim, b->e);
}

Test(des, several_that_wait_for_one_event_run_in_order_of_waiting)
{
    struct bench b;

    set_up_scene(&b);
    add_actor(&b, 'C', wait_e);
    add_actor(&b, 'A', wait_e);
    add_actor(&b, 'B', wait_e);
    add_actor(&b, 'S', start_all);
    run_all(&b);
    expect_log(&b, "C0 A0 B0 S0 C10 A10 B10");
}

Test(des, a_wait_asked_for_outside_a_process_is_a_bug, .signal = SIGABRT)
{
    struct bench b;

    set_up_scene(&b);
    elaborate_scene(&b);
    des_next_time(b.sim, 1);
}

/* --- threads ------------------------------------------------------------------------------ */

struct worker {
    struct bench *bench;
    unsigned i, credit;
};

static uint32_t run_work(struct des *sim, void *self, uint32_t at)
{
    struct worker *w = self;

    DES_BEGIN(at);
    note_run(w->bench, 'a');
    DES_WAIT_FOR(sim, 5);
    note_run(w->bench, 'b');
    DES_WAIT_EVENT(sim, w->bench->f);
    note_run(w->bench, 'c');
    for (w->i = 0; w->i < 2; w->i++) {
        DES_WAIT();
        note_run(w->bench, 'd');
    }
    DES_WAIT_UNTIL(w->credit >= 3);
    note_run(w->bench, 'e');
    DES_WAIT_UNTIL(w->credit >= 3);
    note_run(w->bench, 'f');
    DES_END;
}

static struct worker *the_worker;

static void pay_cycles(struct bench *b, struct actor *a)
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

    set_up_scene(&b);
    the_worker = &w;
    add_listener(&b, 'E', b.e, pay_cycles);
    struct des_process t = des_thread_new(b.sim, b.top, "t", run_work, &w);
    des_sensitive(b.sim, t, b.e);
    add_actor(&b, 'S', start_all);
    run_all(&b);
    /* e at 10, 20, .. 80; f at 20, notified before e at 20; the credit counts from the event after
     * the first d on */
    expect_log(&b, "a0 S0 b5 E10 c20 E20 E30 d30 E40 d40 E50 E60 e60 f60 E70 E80");
}

static uint32_t end_with_a_wait(struct des *sim, void *self, uint32_t at)
{
    struct worker *w = self;

    (void)at;
    note_run(w->bench, 'x');
    des_next_time(sim, 500); /* goes with the thread */
    return DES_THREAD_DONE;
}

Test(des, a_thread_that_ends_is_never_woken_again)
{
    struct bench b;
    struct worker w = { .bench = &b };

    set_up_scene(&b);
    struct des_process t = des_thread_new(b.sim, b.top, "t", end_with_a_wait, &w);
    des_sensitive(b.sim, t, b.e);
    add_actor(&b, 'S', start_all);
    run_all(&b);
    cr_assert_eq(des_now(b.sim), 20);
    expect_log(&b, "x0 S0");
}
