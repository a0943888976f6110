/* Threads that call threads (DES_CALL). */
#include "tests/unit/des/des_actors.h"

struct inner {
    struct des_call call, deeper;
    struct bench *bench;
    unsigned i, stop;
};

struct outer {
    struct bench *bench;
    struct inner inner;
    unsigned i;
};

static void notify_e_each_10(struct bench *b, struct actor *a)
{
    if (a->runs < 6)
        des_notify_after(b->sim, b->e, 10);
}

/* Events e at 10, 20 .. 60, logged as E before the thread `run`, which e wakes too. */
static struct des_process set_up_thread(struct bench *b, des_thread *run, void *self)
{
    set_up_scene(b);
    add_listener(b, 'E', b->e, notify_e_each_10);
    struct des_process p = des_thread_new(b->sim, b->top, "t", run, self);
    des_sensitive(b->sim, p, b->e);
    add_actor(b, 'S', notify_e_each_10);
    return p;
}

/* --- waits two calls deep ------------------------------------------------------------------ */

static uint32_t wait_deepest(struct des *sim, void *self, uint32_t at)
{
    struct inner *n = self;

    DES_BEGIN(at);
    note_run(n->bench, 'c');
    DES_WAIT_FOR(sim, 3);
    note_run(n->bench, 'd');
    DES_WAIT_FOR(sim, 0); /* a delta */
    note_run(n->bench, 'e');
    DES_END;
}

static uint32_t wait_deep(struct des *sim, void *self, uint32_t at)
{
    struct inner *n = self;

    DES_BEGIN(at);
    note_run(n->bench, 'b');
    DES_WAIT();
    DES_CALL(sim, n->deeper, wait_deepest, n);
    note_run(n->bench, 'f');
    DES_WAIT_EVENT_FOR(sim, n->bench->f, 4);
    note_run(n->bench, des_timed_out(sim) ? 'g' : '?');
    DES_END;
}

static uint32_t call_down(struct des *sim, void *self, uint32_t at)
{
    struct outer *o = self;

    DES_BEGIN(at);
    note_run(o->bench, 'a');
    DES_CALL(sim, o->inner.call, wait_deep, &o->inner);
    note_run(o->bench, 'h');
    DES_WAIT();
    note_run(o->bench, 'i');
    DES_END;
}

/* Notes and waits as in call_down(), without a call. */
static uint32_t wait_flat(struct des *sim, void *self, uint32_t at)
{
    struct outer *o = self;

    DES_BEGIN(at);
    note_run(o->bench, 'a');
    note_run(o->bench, 'b');
    DES_WAIT();
    note_run(o->bench, 'c');
    DES_WAIT_FOR(sim, 3);
    note_run(o->bench, 'd');
    DES_WAIT_FOR(sim, 0);
    note_run(o->bench, 'e');
    note_run(o->bench, 'f');
    DES_WAIT_EVENT_FOR(sim, o->bench->f, 4);
    note_run(o->bench, des_timed_out(sim) ? 'g' : '?');
    note_run(o->bench, 'h');
    DES_WAIT();
    note_run(o->bench, 'i');
    DES_END;
}

Test(des_call, waits_of_a_callee_are_those_of_the_calling_process)
{
    des_thread *const runs[] = { call_down, wait_flat };
    uint64_t deltas[2];

    for (int i = 0; i < 2; i++) {
        struct bench b;
        struct outer o = { .bench = &b, .inner.bench = &b };
        struct des_process p = set_up_thread(&b, runs[i], &o);
        run_all(&b);
        cr_expect(des_done(b.sim, p));
        deltas[i] = des_delta_count(b.sim);
        expect_log(&b, "a0 b0 S0 E10 c10 d13 e13 f13 g17 h17 E20 i20 E30 E40 E50 E60");
    }
    cr_expect_eq(deltas[0], deltas[1]);
}

/* --- calls in a loop, and loops in a call -------------------------------------------------- */

static uint32_t wait_some(struct des *sim, void *self, uint32_t at)
{
    struct inner *n = self;

    (void)sim;
    DES_BEGIN(at);
    for (n->i = 0;; n->i++) {
        if (n->i == n->stop)
            return DES_THREAD_DONE;
        DES_WAIT();
        note_run(n->bench, 'w');
    }
    DES_END;
}

static uint32_t call_in_loop(struct des *sim, void *self, uint32_t at)
{
    struct outer *o = self;

    DES_BEGIN(at);
    for (o->i = 0; o->i < 4; o->i++) {
        o->inner.stop = o->i;
        DES_CALL(sim, o->inner.call, wait_some, &o->inner);
        note_run(o->bench, (char)('0' + o->i));
    }
    DES_END;
}

Test(des_call, a_callee_returns_from_its_loop_and_is_called_again)
{
    struct bench b;
    struct outer o = { .bench = &b, .inner.bench = &b };
    struct des_process p = set_up_thread(&b, call_in_loop, &o);

    run_all(&b);
    /* waits of 0, 1, 2, 3 events; a call without a wait takes no time, and each begins anew */
    cr_expect(des_done(b.sim, p));
    cr_expect_eq(o.inner.call.at, 0);
    expect_log(&b, "00 S0 E10 w10 110 E20 w20 E30 w30 230 E40 w40 E50 w50 E60 w60 360");
}

/* --- two callers with calls of their own ---------------------------------------------------- */

Test(des_call, two_threads_run_one_function_side_by_side)
{
    struct bench b;
    struct outer o[2] = { { .bench = &b, .inner.bench = &b }, { .bench = &b, .inner.bench = &b } };

    set_up_thread(&b, call_in_loop, &o[0]);
    des_sensitive(b.sim, des_thread_new(b.sim, b.top, "u", call_in_loop, &o[1]), b.e);
    run_all(&b);
    expect_log(&b,
               "00 S0 00 E10 w10 110 w10 110 E20 w20 w20 E30 w30 230 w30 230 E40 w40 w40 E50 w50 "
               "w50 E60 w60 360 w60 360");
}

/* --- an end within a call -------------------------------------------------------------------- */

static struct des_process victim;

static void kill_third_time(struct bench *b, struct actor *a)
{
    if (a->runs == 3)
        des_kill(b->sim, victim);
}

Test(des_call, a_thread_that_is_killed_within_a_call_does_not_go_on)
{
    struct bench b;
    struct outer o = { .bench = &b, .inner.bench = &b };

    victim = set_up_thread(&b, call_in_loop, &o);
    add_listener(&b, 'K', b.e, kill_third_time);
    run_all(&b);
    cr_expect(des_done(b.sim, victim));
    cr_expect_neq(o.inner.call.at, 0); /* its call never ended */
    expect_log(&b, "00 S0 E10 w10 110 K10 E20 w20 K20 E30 w30 230 K30 E40 K40 E50 K50 E60 K60");
}
