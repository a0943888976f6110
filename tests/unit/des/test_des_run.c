/* A run begins, pauses and ends; names. */
#include "tests/unit/des/des_actors.h"

/* --- running ------------------------------------------------------------------------------ */

static void every_ten(struct bench *b, struct actor *a)
{
    (void)a;
    des_notify_after(b->sim, b->e, 10);
}

Test(des, run_stops_after_the_last_time_at_or_before_until)
{
    struct bench b;

    set_up_scene(&b);
    struct actor *s = add_actor(&b, 'S', every_ten);
    des_sensitive(b.sim, s->p, b.e);
    elaborate_scene(&b);
    cr_assert(des_run(b.sim, 19));
    cr_assert_str_eq(b.log, "S0 S10");
    cr_assert_eq(des_now(b.sim), 10);
    cr_assert(des_run(b.sim, 20));
    cr_assert_eq(des_now(b.sim), 20);
    expect_log(&b, "S0 S10 S20");
}

static des_time quiet[3];
static uint32_t n_quiet;

static void ask_for_quiet(struct bench *b, struct actor *a)
{
    (void)a;
    if (n_quiet < 3)
        quiet[n_quiet++] = des_quiet_until(b->sim);
    des_notify_after(b->sim, b->e, 10);
}

static void wake_later(struct bench *b, struct actor *a)
{
    if (a->runs < 3)
        des_notify_after(b->sim, b->f, 17);
}

/* Q asks at 0, 10 and 20; L runs at 0, 17 and 34; the run ends at 29.  At 0, L is still to run. */
Test(des, it_is_quiet_until_the_next_activity_or_the_end_of_the_run)
{
    struct bench b;

    set_up_scene(&b);
    struct actor *q = add_actor(&b, 'Q', ask_for_quiet);
    struct actor *l = add_actor(&b, 'L', wake_later);
    des_sensitive(b.sim, q->p, b.e);
    des_sensitive(b.sim, l->p, b.f);
    elaborate_scene(&b);
    cr_assert(des_run(b.sim, 29));
    cr_assert_eq(quiet[0], 0);
    cr_assert_eq(quiet[1], 17);
    cr_assert_eq(quiet[2], 30);
    des_free(b.sim);
}

static void three_deltas_once(struct bench *b, struct actor *a)
{
    if (a->runs == 1)
        three_deltas(b, a);
}

Test(des, step_runs_all_deltas_of_one_time)
{
    struct bench b;

    set_up_scene(&b);
    add_actor(&b, 'S', later_then_sooner);
    add_listener(&b, 'E', b.e, three_deltas_once);
    add_listener(&b, 'F', b.f, NULL);
    add_listener(&b, 'G', b.g, NULL);
    elaborate_scene(&b);
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

    set_up_scene(&b);
    add_actor(&b, 'S', stop_at_once);
    add_actor(&b, 'T', NULL);
    add_listener(&b, 'E', b.e, NULL);
    elaborate_scene(&b);
    cr_assert(des_run(b.sim, 100));
    cr_assert_str_eq(b.log, "S0 T0");
    cr_assert_not(des_run(b.sim, 100));
    expect_log(&b, "S0 T0 E0");
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

    set_up_scene(&b);
    struct actor *s = add_actor(&b, 'S', every_ten);
    des_sensitive(b.sim, s->p, b.e);
    add_actor(&b, 'D', wait_delta);
    elaborate_scene(&b);
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

    set_up_scene(&b);
    add_listener(&b, 'E', b.e, NULL);
    elaborate_scene(&b);
    des_notify_after(b.sim, b.e, UINT64_MAX - 1);
    cr_assert_not(des_run(b.sim, DES_NEVER));
    expect_log(&b, "E18446744073709551614");
}
