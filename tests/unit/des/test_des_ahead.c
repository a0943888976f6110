/* Who asks for the next time, or runs to one before it, makes the queue look ahead: it takes what
 * is due next, and what is notified then may come before that. */
#include <criterion/criterion.h>

#include "des/des.h"

enum { N = 300, MANY = 100 }; /* many: more than the queue keeps sorted */

struct entry {
    unsigned event;
    des_time when;
    uint64_t deltas;
};

struct model;
struct listener {
    struct model *m;
    unsigned event;
};

struct model {
    struct des *sim;
    struct des_event e[N];
    struct listener listeners[N];
    struct entry log[2 * N];
    unsigned n;
};

static void hear_progress(struct des *sim, void *self)
{
    const struct listener *l = self;

    l->m->log[l->m->n++] = (struct entry){ l->event, des_now(sim), des_delta_count(sim) };
}

static void begin_model(struct model *m)
{
    struct des_module root = { 0 };
    struct err err;

    m->n = 0;
    m->sim = des_new();
    for (unsigned i = 0; i < N; i++) {
        m->listeners[i] = (struct listener){ m, i };
        m->e[i] = des_event_new(m->sim, root, "e");
        struct des_process p = des_method_new(m->sim, root, "p", hear_progress, &m->listeners[i]);
        des_sensitive(m->sim, p, m->e[i]);
        des_dont_initialize(m->sim, p);
    }
    cr_assert_eq(des_elaborate(m->sim, &err), 0);
}

/* Notify events `first` and on, so many, all at one time. */
static void notify_events(struct model *m, unsigned first, unsigned n, des_time when)
{
    for (unsigned i = 0; i < n; i++)
        des_notify_at(m->sim, m->e[first + i], when);
}

/* Events 0 to MANY - 1 at 1000 and the last two of all at `other`, and a look at what is next. */
static void fill_model(struct model *m, des_time other)
{
    begin_model(m);
    notify_events(m, N - 2, 2, other);
    notify_events(m, 0, MANY, 1000);
    cr_assert(des_run(m->sim, 1));
    cr_assert_eq(des_next_activity(m->sim), 1000u);
    m->n = 0;
}

static void end_model(struct model *m)
{
    cr_assert_not(des_run(m->sim, DES_NEVER));
    des_free(m->sim);
}

/* The entries from `at` on are `n` events in order, at this time. */
static void check_result(const struct model *m, unsigned at, unsigned n, unsigned first,
                         des_time when)
{
    for (unsigned i = 0; i < n; i++) {
        cr_assert_eq(m->log[at + i].event, first + i, "entry %u", at + i);
        cr_assert_eq(m->log[at + i].when, when, "entry %u", at + i);
        cr_assert_eq(m->log[at + i].deltas, m->log[at].deltas, "all in one delta");
    }
}

Test(des_ahead, many_times_before_many_at_one_time)
{
    struct model m;

    fill_model(&m, 1);
    for (unsigned i = 0; i < MANY; i++) /* 101 ... 200, latest first */
        notify_events(&m, MANY + i, 1, 200 - i);
    end_model(&m);
    cr_assert_eq(m.n, 2u * MANY);
    for (unsigned i = 0; i < MANY; i++)
        check_result(&m, i, 1, 2 * MANY - 1 - i, 101 + i);
    check_result(&m, MANY, MANY, 0, 1000);
}

Test(des_ahead, many_times_before_many_of_which_some_are_cancelled)
{
    struct model m;

    fill_model(&m, 1);
    for (unsigned i = 0; i < 10; i++)
        des_cancel(m.sim, m.e[i]);
    cr_assert_eq(des_next_activity(m.sim), 1000u);
    for (unsigned i = 0; i < MANY; i++)
        notify_events(&m, MANY + i, 1, 200 - i);
    end_model(&m);
    cr_assert_eq(m.n, 2u * MANY - 10u);
    check_result(&m, MANY, MANY - 10, 10, 1000);
}

Test(des_ahead, a_time_after_many_at_one_time)
{
    struct model m;

    fill_model(&m, 1);
    notify_events(&m, MANY, 1, 1001);
    end_model(&m);
    check_result(&m, 0, MANY, 0, 1000);
    check_result(&m, MANY, 1, MANY, 1001);
    cr_assert_eq(m.n, MANY + 1u);
}

Test(des_ahead, many_more_at_the_same_time)
{
    struct model m;

    fill_model(&m, 5000);
    notify_events(&m, MANY, 150, 1000);
    end_model(&m);
    cr_assert_eq(m.n, MANY + 152u);
    check_result(&m, 0, MANY + 150, 0, 1000);
    check_result(&m, MANY + 150, 2, N - 2, 5000);
}

Test(des_ahead, many_more_at_the_same_time_and_some_before)
{
    struct model m;

    fill_model(&m, 5000);
    notify_events(&m, MANY, 60, 1000);
    for (unsigned i = 0; i < 30; i++)
        notify_events(&m, MANY + 60 + i, 1, 970 + i);
    notify_events(&m, MANY + 90, 50, 1000);
    end_model(&m);
    cr_assert_eq(m.n, MANY + 142u);
    for (unsigned i = 0; i < 30; i++)
        check_result(&m, i, 1, MANY + 60 + i, 970 + i);
    check_result(&m, 30, MANY + 60, 0, 1000);
    check_result(&m, 90 + MANY, 50, MANY + 90, 1000);
    cr_assert_eq(m.log[90 + MANY].deltas, m.log[30].deltas);
    check_result(&m, 140 + MANY, 2, N - 2, 5000);
}

Test(des_ahead, what_is_cancelled_is_not_next)
{
    struct model m;

    fill_model(&m, 1);
    notify_events(&m, MANY, 1, 3000);
    for (unsigned i = 40; i < MANY; i++)
        des_cancel(m.sim, m.e[i]);
    cr_assert_eq(des_next_activity(m.sim), 1000u);
    for (unsigned i = 0; i < 40; i++)
        des_cancel(m.sim, m.e[i]);
    cr_assert_eq(des_next_activity(m.sim), 3000u);
    des_cancel(m.sim, m.e[MANY]);
    cr_assert_eq(des_next_activity(m.sim), DES_NEVER);
    end_model(&m);
    cr_assert_eq(m.n, 0u);
}

/* Few are cancelled, so that none is swept out. */
Test(des_ahead, few_that_are_cancelled_are_not_next)
{
    struct model m;

    begin_model(&m);
    notify_events(&m, N - 2, 2, 1);
    notify_events(&m, 0, 64, 1000); /* these go where times are many */
    notify_events(&m, 64, 1, 1000);
    cr_assert(des_run(m.sim, 1));
    cr_assert_eq(des_next_activity(m.sim), 1000u);
    for (unsigned i = 0; i < 65; i++)
        des_cancel(m.sim, m.e[i]);
    notify_events(&m, 100, 1, 2000);
    cr_assert_eq(des_next_activity(m.sim), 2000u);
    m.n = 0;
    end_model(&m);
    cr_assert_eq(m.n, 1u);
    check_result(&m, 0, 1, 100, 2000);
}

/* With so many or a few more or less, the last that is cancelled has all of them swept out. */
Test(des_ahead, all_that_are_cancelled_are_not_next)
{
    for (unsigned n = 120; n < 300; n++) {
        struct model m;

        begin_model(&m);
        if (n % 2) { /* else they stand where the last time is told */
            notify_events(&m, N - 2, 2, 1);
            notify_events(&m, 0, n / 2, 1000);
            cr_assert(des_run(m.sim, 1));
            cr_assert_eq(des_next_activity(m.sim), 1000u);
        }
        notify_events(&m, 0, n / 2, 1000);
        for (unsigned i = 0; i < n / 2; i++)
            des_cancel(m.sim, m.e[i]);
        cr_assert_eq(des_next_activity(m.sim), DES_NEVER, "%u", n);
        notify_events(&m, 280, 1, 2000);
        cr_assert_eq(des_next_activity(m.sim), 2000u, "%u", n);
        m.n = 0;
        end_model(&m);
        cr_assert_eq(m.n, 1u);
        check_result(&m, 0, 1, 280, 2000);
    }
}

Test(des_ahead, what_is_cancelled_takes_no_room_for_ever)
{
    struct model m;

    begin_model(&m);
    for (unsigned i = 0; i < 100000; i++) {
        des_notify_at(m.sim, m.e[0], i % 3 ? 1000 : 1000 + UINT64_C(12345) * i);
        if (i % 7)
            des_cancel(m.sim, m.e[0]);
    }
    notify_events(&m, 1, 1, 1000);
    end_model(&m);
    cr_assert_eq(m.n, 1u);
    check_result(&m, 0, 1, 1, 1000);
}
