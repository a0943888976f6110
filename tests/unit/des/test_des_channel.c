#include <criterion/criterion.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "des/des.h"

#define ROOT ((struct des_module){ 0 })

static void elaborate_sim(struct des *sim)
{
    struct err err;

    cr_assert_eq(des_elaborate(sim, &err), 0, "%s", err.msg);
}

/* --- signals ------------------------------------------------------------------------------ */

struct swap { /* two registers, each loads the other */
    struct des_signal from, to;
    struct des_event tick;
    uint64_t seen;
};

static void load_weights(struct des *sim, void *self)
{
    struct swap *s = self;

    des_write(sim, s->to, des_read(sim, s->from));
    s->seen = des_read(sim, s->to); /* not yet what was written */
}

Test(des_signal, two_registers_swap)
{
    struct des *sim = des_new();
    struct des_module m = des_module_new(sim, ROOT, "m");
    struct des_signal a = des_signal_new(sim, m, "a", 1), b = des_signal_new(sim, m, "b", 2);
    struct des_event tick = des_event_new(sim, m, "tick");
    struct swap one = { .from = a, .to = b }, two = { .from = b, .to = a };
    struct des_process p = des_method_new(sim, m, "one", load_weights, &one);
    struct des_process q = des_method_new(sim, m, "two", load_weights, &two);

    des_dont_initialize(sim, p);
    des_dont_initialize(sim, q);
    des_sensitive(sim, p, tick);
    des_sensitive(sim, q, tick);
    elaborate_sim(sim);
    des_notify_after(sim, tick, 5);
    cr_assert_not(des_run(sim, 5));
    cr_assert_eq(des_read(sim, a), 2);
    cr_assert_eq(des_read(sim, b), 1);
    cr_assert_eq(one.seen, 2);
    cr_assert_eq(two.seen, 1);
    des_free(sim);
}

struct watch {
    struct des_signal s;
    unsigned runs;
    uint64_t delta, value;
};

static void is_watched(struct des *sim, void *self)
{
    struct watch *w = self;

    w->runs++;
    w->delta = des_delta_count(sim);
    w->value = des_read(sim, w->s);
}

static void setup_watch(struct des *sim, struct watch *w)
{
    struct des_module m = des_module_new(sim, ROOT, "m");

    w->s = des_signal_new(sim, m, "s", 7);
    struct des_process p = des_method_new(sim, m, "watched", is_watched, w);
    des_dont_initialize(sim, p);
    des_sensitive(sim, p, des_changed(sim, w->s));
    elaborate_sim(sim);
}

Test(des_signal, a_change_wakes_in_the_delta_after_the_update)
{
    struct des *sim = des_new();
    struct watch w = { .runs = 0 };

    setup_watch(sim, &w);
    des_write(sim, w.s, 8);
    cr_assert_eq(des_read(sim, w.s), 7);
    cr_assert_not(des_run(sim, 0));
    cr_assert_eq(w.runs, 1);
    cr_assert_eq(w.delta, 0); /* an update without an evaluation counts for no delta */
    cr_assert_eq(w.value, 8);
    des_free(sim);
}

Test(des_signal, the_same_value_wakes_nobody)
{
    struct des *sim = des_new();
    struct watch w = { .runs = 0 };

    setup_watch(sim, &w);
    des_write(sim, w.s, 7);
    cr_assert_not(des_run(sim, 0));
    des_write(sim, w.s, 9); /* and back before the update */
    des_write(sim, w.s, 7);
    cr_assert_not(des_run(sim, 0));
    cr_assert_eq(w.runs, 0);
    des_write(sim, w.s, 3);
    des_write(sim, w.s, 4); /* the last one counts */
    cr_assert_not(des_run(sim, 0));
    cr_assert_eq(w.runs, 1);
    cr_assert_eq(w.value, 4);
    des_free(sim);
}

static void write_one(struct des *sim, void *self)
{
    des_write(sim, *(struct des_signal *)self, 1);
}

Test(des_signal, a_second_writer_is_a_bug, .signal = SIGABRT)
{
    struct des *sim = des_new();
    struct des_module m = des_module_new(sim, ROOT, "m");
    struct des_signal s = des_signal_new(sim, m, "s", 0);

    des_method_new(sim, m, "first", write_one, &s);
    des_method_new(sim, m, "second", write_one, &s);
    elaborate_sim(sim);
    des_run(sim, 0);
}

/* --- FIFOs -------------------------------------------------------------------------------- */

struct pipe_ends {
    struct des *sim;
    struct des_module m;
    struct des_fifo f;
    struct des_in in;
    struct des_out out;
};

static void setup_pipe(struct pipe_ends *p, size_t size, size_t capacity)
{
    p->sim = des_new();
    p->m = des_module_new(p->sim, ROOT, "m");
    p->f = des_fifo_new(p->sim, p->m, "f", size, capacity);
    p->in = des_in_new(p->sim, p->m, "in", size);
    p->out = des_out_new(p->sim, p->m, "out", size);
    des_bind(p->sim, p->in, p->f);
    des_bind(p->sim, p->out, p->f);
}

Test(des_fifo, what_is_put_shows_in_the_next_delta)
{
    struct pipe_ends p;
    uint32_t item = 11, got = 0;

    setup_pipe(&p, 4, 2);
    elaborate_sim(p.sim);
    cr_assert(des_put(p.sim, p.out, &item));
    cr_assert_eq(des_fifo_count(p.sim, p.f), 0);
    cr_assert_not(des_peek(p.sim, p.in, &got));
    cr_assert_not(des_get(p.sim, p.in, &got));
    des_run(p.sim, 0);
    cr_assert_eq(des_fifo_count(p.sim, p.f), 1);
    cr_assert(des_peek(p.sim, p.in, &got));
    cr_assert_eq(got, 11);
    got = 0;
    cr_assert(des_get(p.sim, p.in, &got));
    cr_assert_eq(got, 11);
    cr_assert_eq(des_fifo_count(p.sim, p.f), 0);
    cr_assert_not(des_get(p.sim, p.in, &got));
    des_free(p.sim);
}

Test(des_fifo, room_that_is_made_can_be_used_in_the_next_delta)
{
    struct pipe_ends p;
    uint64_t item = 1, got;

    setup_pipe(&p, 8, 2);
    elaborate_sim(p.sim);
    cr_assert(des_put(p.sim, p.out, &item));
    item = 2;
    cr_assert(des_can_put(p.sim, p.out));
    cr_assert(des_put(p.sim, p.out, &item));
    item = 3;
    cr_assert_not(des_can_put(p.sim, p.out)); /* full with what was put in this delta */
    cr_assert_not(des_can_get(p.sim, p.in));  /* which can be taken in the next */
    cr_assert_not(des_put(p.sim, p.out, &item));
    des_run(p.sim, 0);
    cr_assert(des_can_get(p.sim, p.in));
    cr_assert(des_get(p.sim, p.in, &got));
    cr_assert_eq(got, 1);
    cr_assert_not(des_can_put(p.sim, p.out)); /* its room is free after the update only */
    cr_assert_not(des_put(p.sim, p.out, &item));
    des_run(p.sim, 0);
    cr_assert(des_put(p.sim, p.out, &item));
    cr_assert(des_get(p.sim, p.in, &got)); /* put and get in one delta */
    cr_assert_eq(got, 2);
    cr_assert_not(des_can_put(p.sim, p.out));
    des_run(p.sim, 0);
    cr_assert(des_can_put(p.sim, p.out));
    cr_assert(des_get(p.sim, p.in, &got));
    cr_assert_eq(got, 3);
    des_free(p.sim);
}

Test(des_fifo, items_of_any_size_come_out_in_order_round_the_ring)
{
    static const size_t sizes[] = { 1, 3, 4, 8, 16, 24, 32, 100 };

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct pipe_ends p;
        unsigned char item[100], got[100];

        setup_pipe(&p, sizes[s], 5);
        elaborate_sim(p.sim);
        for (unsigned i = 0; i < 60; i += 3) { /* 3 in and out: every place in a ring of 5 */
            for (unsigned j = 0; j < 3; j++) {
                memset(item, (int)(i + j), sizeof item);
                cr_assert(des_put_any(p.sim, p.out, item));
            }
            des_run(p.sim, 0);
            for (unsigned j = 0; j < 3; j++) {
                cr_assert(des_get_any(p.sim, p.in, got));
                memset(item, (int)(i + j), sizeof item);
                cr_assert_arr_eq(got, item, sizes[s]);
            }
            des_run(p.sim, 0);
        }
        des_free(p.sim);
    }
}

struct end {
    struct pipe_ends *p;
    uint32_t i, last;
    char *log;
    size_t size;
};

static void note_end(struct des *sim, struct end *e, char who)
{
    size_t n = strlen(e->log);

    snprintf(e->log + n, e->size - n, "%s%c%u@%llu", n ? " " : "", who, e->i,
             (unsigned long long)des_delta_count(sim));
}

static uint32_t produce_items(struct des *sim, void *self, uint32_t at)
{
    struct end *e = self;

    DES_BEGIN(at);
    for (e->i = 1; e->i <= e->last; e->i++) {
        DES_WAIT_UNTIL(des_put(sim, e->p->out, &e->i));
        note_end(sim, e, 'p');
    }
    DES_END;
}

static uint32_t consume_items(struct des *sim, void *self, uint32_t at)
{
    struct end *e = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(des_get(sim, e->p->in, &e->i));
        note_end(sim, e, 'c');
    }
    DES_END;
}

/* Sensitivity to ports is declared before they are bound. */
static void setup_flow(struct pipe_ends *p, struct end *from, struct end *to)
{
    p->sim = des_new();
    p->m = des_module_new(p->sim, ROOT, "m");
    p->in = des_in_new(p->sim, p->m, "in", 4);
    p->out = des_out_new(p->sim, p->m, "out", 4);
    struct des_process t = des_thread_new(p->sim, p->m, "produce", produce_items, from);
    des_sensitive(p->sim, t, p->out);
    t = des_thread_new(p->sim, p->m, "consume", consume_items, to);
    des_sensitive(p->sim, t, p->in);
    p->f = des_fifo_new(p->sim, p->m, "f", 4, 2);
    des_bind(p->sim, p->in, p->f);
    des_bind(p->sim, p->out, p->f);
    elaborate_sim(p->sim);
}

Test(des_fifo, back_pressure_runs_over_deltas)
{
    struct pipe_ends p;
    char log[200] = "";
    struct end from = { &p, 0, 5, log, sizeof log }, to = { &p, 0, 0, log, sizeof log };

    setup_flow(&p, &from, &to);
    cr_assert_not(des_run(p.sim, 0));
    /* two fit: put in 0, seen in 1, room in 2, and so on */
    cr_assert_str_eq(log, "p1@0 p2@0 c1@1 c2@1 p3@2 p4@2 c3@3 c4@3 p5@4 c5@5");
    cr_assert_eq(des_delta_count(p.sim), 6);
    des_free(p.sim);
}

Test(des_fifo, a_flow_allocates_nothing)
{
    struct pipe_ends p;
    char log[1] = "";
    struct end from = { &p, 0, 100000, log, sizeof log }, to = { &p, 0, 0, log, sizeof log };

    setup_flow(&p, &from, &to);
    struct mallinfo2 before = mallinfo2();
    des_run(p.sim, 0);
    struct mallinfo2 after = mallinfo2();
    cr_assert_eq(to.i, 100000);
    cr_assert_eq(after.uordblks, before.uordblks);
    des_free(p.sim);
}

/* --- ports -------------------------------------------------------------------------------- */

Test(des_port, elaboration_names_every_unbound_port_by_its_path)
{
    struct des *sim = des_new();
    struct des_module chip = des_module_new(sim, ROOT, "chip0");
    struct des_module core = des_module_new(sim, chip, "core1");
    struct des_module mxu = des_module_new(sim, core, "mxu0");
    struct err err;

    struct des_in cmd = des_in_new(sim, mxu, "cmd", 4);
    struct des_in bound = des_in_new(sim, mxu, "bound", 4);
    struct des_out done = des_out_new(sim, mxu, "done", 4);
    struct des_fifo f = des_fifo_new(sim, chip, "f", 4, 1);
    des_bind(sim, bound, f);
    cr_assert_eq(des_elaborate(sim, &err), -1);
    cr_assert_eq(err.code, ERR_UNKNOWN);
    cr_assert_str_eq(err.msg, "unbound ports: chip0.core1.mxu0.cmd, chip0.core1.mxu0.done");
    des_bind(sim, cmd, f);
    cr_assert_eq(des_elaborate(sim, &err), -1);
    cr_assert_str_eq(err.msg, "unbound port: chip0.core1.mxu0.done");
    des_bind(sim, done, f);
    cr_assert_eq(des_elaborate(sim, &err), 0); /* the failures changed nothing */
    des_free(sim);
}

Test(des_port, a_long_list_of_unbound_ports_is_cut_and_counted)
{
    struct des *sim = des_new();
    struct des_module m = des_module_new(sim, ROOT, "m");
    struct err err;

    for (unsigned i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "port%03u", i);
        des_in_new(sim, m, name, 4);
    }
    cr_assert_eq(des_elaborate(sim, &err), -1);
    cr_assert_eq(strncmp(err.msg, "unbound ports: m.port000, m.port001, ", 37), 0);
    /* "m.portNNN" is 9 letters, with ", " 11: 36 of them fill 394 of 400 */
    cr_assert_str_eq(strstr(err.msg, "m.port035"), "m.port035 and 964 more");
    des_free(sim);
}

Test(des_port, items_of_another_size_are_a_bug, .signal = SIGABRT)
{
    struct des *sim = des_new();
    struct des_module m = des_module_new(sim, ROOT, "m");

    des_bind(sim, des_in_new(sim, m, "in", 8), des_fifo_new(sim, m, "f", 4, 1));
}

Test(des_port, a_port_bound_twice_is_a_bug, .signal = SIGABRT)
{
    struct pipe_ends p;

    setup_pipe(&p, 4, 1);
    des_bind(p.sim, p.out, p.f);
}

Test(des_port, a_put_before_elaboration_is_a_bug, .signal = SIGABRT)
{
    struct pipe_ends p;
    uint32_t item = 1;

    setup_pipe(&p, 4, 1);
    des_put(p.sim, p.out, &item);
}

Test(des_port, a_fifo_without_room_is_a_bug, .signal = SIGABRT)
{
    struct des *sim = des_new();

    des_fifo_new(sim, des_module_new(sim, ROOT, "m"), "f", 4, 0);
}
