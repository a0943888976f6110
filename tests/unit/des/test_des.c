/* Start, ties, and which notification wins. */
#include "tests/unit/des/des_actors.h"

/* --- start and ties ----------------------------------------------------------------------- */

Test(des, start_runs_every_process_once_in_order_of_creation)
{
    struct bench b;

    set_up_scene(&b);
    add_actor(&b, 'A', NULL);
    add_listener(&b, 'X', b.e, NULL);
    add_actor(&b, 'B', NULL);
    run_all(&b);
    cr_assert_eq(des_activations(b.sim), 2);
    cr_assert_eq(des_delta_count(b.sim), 1);
    cr_assert_eq(des_now(b.sim), 0);
    expect_log(&b, "A0 B0");
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

    set_up_scene(&b);
    add_actor(&b, 'S', three_at_ten);
    add_listener(&b, 'E', b.e, NULL);
    add_listener(&b, 'F', b.f, NULL);
    add_listener(&b, 'G', b.g, NULL);
    run_all(&b);
    expect_log(&b, "S0 G10 E10 F10");
}

Test(des, ties_in_a_delta_are_broken_by_order_of_notification)
{
    struct bench b;

    set_up_scene(&b);
    add_actor(&b, 'S', three_deltas);
    add_listener(&b, 'E', b.e, NULL);
    add_listener(&b, 'F', b.f, NULL);
    add_listener(&b, 'G', b.g, NULL);
    run_all(&b);
    cr_assert_eq(des_delta_count(b.sim), 2);
    expect_log(&b, "S0 G0 E0 F0");
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

    set_up_scene(&b);
    add_actor(&b, 'S', both_at_five);
    struct actor *x = add_listener(&b, 'X', b.e, NULL);
    des_sensitive(b.sim, x->p, b.f);
    des_sensitive(b.sim, x->p, b.e); /* declared twice */
    run_all(&b);
    expect_log(&b, "S0 X5");
}

/* --- which notification wins -------------------------------------------------------------- */

Test(des, the_sooner_timed_notification_wins_whichever_came_first)
{
    struct bench b;

    set_up_scene(&b);
    add_actor(&b, 'S', later_then_sooner);
    add_listener(&b, 'F', b.f, NULL);
    add_listener(&b, 'E', b.e, NULL);
    run_all(&b);
    expect_log(&b, "S0 E10 F10");
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

    set_up_scene(&b);
    add_actor(&b, 'S', timed_then_delta);
    add_listener(&b, 'E', b.e, NULL);
    run_all(&b);
    expect_log(&b, "S0 E0");
}

Test(des, delta_wins_over_timed_that_comes_after)
{
    struct bench b;

    set_up_scene(&b);
    add_actor(&b, 'S', delta_then_timed);
    add_listener(&b, 'E', b.e, NULL);
    run_all(&b);
    expect_log(&b, "S0 E0");
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

    set_up_scene(&b);
    add_actor(&b, 'S', delta_and_timed_then_now);
    add_listener(&b, 'F', b.f, NULL);
    add_listener(&b, 'E', b.e, NULL);
    run_all(&b);
    cr_assert_eq(des_delta_count(b.sim), 1);
    expect_log(&b, "S0 E0 F0");
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

    set_up_scene(&b);
    add_actor(&b, 'S', notify_and_cancel);
    add_listener(&b, 'E', b.e, NULL);
    add_listener(&b, 'F', b.f, NULL);
    add_listener(&b, 'G', b.g, NULL);
    run_all(&b);
    expect_log(&b, "S0 F6 E8");
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

    set_up_scene(&b);
    add_actor(&b, 'S', cancel_often);
    add_listener(&b, 'G', b.g, NULL);
    add_listener(&b, 'E', b.e, NULL);
    add_listener(&b, 'F', b.f, NULL);
    run_all(&b);
    expect_log(&b, "S0 F0 E0 G0");
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

    set_up_scene(&b);
    struct actor *early = add_actor(&b, 'A', NULL);
    add_actor(&b, 'S', now_once);
    struct actor *late = add_actor(&b, 'B', NULL);
    des_sensitive(b.sim, early->p, b.e);
    des_sensitive(b.sim, late->p, b.e);
    run_all(&b);
    cr_assert_eq(des_delta_count(b.sim), 1);
    expect_log(&b, "A0 S0 B0 A0");
}

Test(des, a_process_does_not_wake_itself_by_immediate_notification)
{
    struct bench b;

    set_up_scene(&b);
    struct actor *s = add_actor(&b, 'S', now_once);
    des_sensitive(b.sim, s->p, b.e);
    run_all(&b);
    expect_log(&b, "S0");
}
