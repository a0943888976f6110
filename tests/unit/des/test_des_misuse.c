#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "des/des.h"

/* Each misuse runs in a child; what the kernel says about it is compared word for word. */

#define ROOT ((struct des_module){ 0 })

struct model {
    struct des *sim;
    struct des_module top;
    struct des_event e, f;
    struct des_signal s;
    struct des_fifo fifo;
    struct des_in in;
    struct des_mutex m;
    struct des_semaphore sem;
    struct des_clock clk;
};

static void set_up_model(struct model *m)
{
    m->sim = des_new();
    m->top = des_module_new(m->sim, des_module_new(m->sim, ROOT, "chip0"), "core1");
    m->e = des_event_new(m->sim, m->top, "e");
    m->f = des_event_new(m->sim, m->top, "f");
    m->s = des_signal_new(m->sim, m->top, "s", 0);
    m->fifo = des_fifo_new(m->sim, m->top, "fifo", 8, 2);
    m->m = des_mutex_new(m->sim, m->top, "lock");
    m->sem = des_semaphore_new(m->sim, m->top, "sem", UINT32_MAX);
    m->clk = des_clock_new(m->sim, m->top, "clk", 1000);
}

static void elaborate_model(struct model *m)
{
    struct err err;

    cr_assert_eq(des_elaborate(m->sim, &err), 0);
}

/* Run a method once, 42 fs after reset. */
static void at_42(struct model *m, const char *name, des_method *run)
{
    struct des_process p = des_method_new(m->sim, m->top, name, run, m);

    des_sensitive(m->sim, p, m->e);
    des_dont_initialize(m->sim, p);
}

static void run_model(struct model *m)
{
    elaborate_model(m);
    des_notify_after(m->sim, m->e, 42);
    des_run(m->sim, 1000);
}

/* --- one function a case ------------------------------------------------------------------ */

static void two_modules(struct model *m)
{
    des_module_new(m->sim, m->top, "mxu0");
    des_module_new(m->sim, m->top, "mxu0");
}

static void dotted_name(struct model *m)
{
    des_event_new(m->sim, m->top, "a.b");
}

static void null_event(struct model *m)
{
    elaborate_model(m);
    des_notify(m->sim, (struct des_event){ 0 });
}

static void notify_null(struct des *sim, void *self)
{
    (void)self;
    des_notify(sim, (struct des_event){ 0 });
}

static void null_inside(struct model *m)
{
    at_42(m, "p", notify_null);
    run_model(m);
}

static void before_elaboration(struct model *m)
{
    des_notify_delta(m->sim, m->e);
}

static void created_late(struct model *m)
{
    elaborate_model(m);
    des_event_new(m->sim, m->top, "late");
}

static void elaborated_twice(struct model *m)
{
    elaborate_model(m);
    elaborate_model(m);
}

static void run_inside(struct des *sim, void *self)
{
    (void)self;
    des_run(sim, 100);
}

static void make_nested(struct model *m)
{
    at_42(m, "p", run_inside);
    run_model(m);
}

static void make_overflow(struct model *m)
{
    elaborate_model(m);
    des_notify_after(m->sim, m->e, UINT64_MAX);
}

static void wait_too_long(struct des *sim, void *self)
{
    (void)self;
    des_next_time(sim, UINT64_MAX - 42);
}

static void overflow_later(struct model *m)
{
    at_42(m, "p", wait_too_long);
    run_model(m);
}

static void notify_past(struct des *sim, void *self)
{
    struct model *m = self;

    des_notify_at(sim, m->f, 41);
}

static void time_back(struct model *m)
{
    at_42(m, "p", notify_past);
    run_model(m);
}

static void run_back(struct model *m)
{
    run_model(m);
    des_run(m->sim, 41);
}

static void write_one(struct des *sim, void *self)
{
    des_write(sim, ((struct model *)self)->s, 1);
}

static void two_writers(struct model *m)
{
    at_42(m, "first", write_one);
    at_42(m, "second", write_one);
    run_model(m);
}

static void empty_fifo(struct model *m)
{
    des_fifo_new(m->sim, m->top, "none", 8, 0);
}

static void empty_item(struct model *m)
{
    des_in_new(m->sim, m->top, "none", 0);
}

static void other_size(struct model *m)
{
    des_bind(m->sim, des_in_new(m->sim, m->top, "in", 4), m->fifo);
    elaborate_model(m);
}

static void get_int(struct des *sim, void *self)
{
    struct model *m = self;
    uint32_t item;

    des_get(sim, m->in, &item);
}

static void small_variable(struct model *m)
{
    m->in = des_in_new(m->sim, m->top, "in", 8);
    des_bind(m->sim, m->in, m->fifo);
    at_42(m, "p", get_int);
    run_model(m);
}

static void watched_late(struct model *m)
{
    elaborate_model(m);
    des_watch(m->sim, m->s, NULL, NULL, 0);
}

static void bound_twice(struct model *m)
{
    m->in = des_in_new(m->sim, m->top, "in", 8);
    des_bind(m->sim, m->in, m->fifo);
    des_bind(m->sim, m->in, m->fifo);
}

static void bound_to_signal(struct model *m)
{
    des_bind(m->sim, des_in_new(m->sim, m->top, "in", 8), m->s);
}

static void export_of_signal(struct model *m)
{
    struct des_export x = des_export_new(m->sim, m->top, "x");

    des_bind(m->sim, des_in_new(m->sim, m->top, "in", 8), x);
    des_bind(m->sim, x, m->s);
    elaborate_model(m);
}

static void make_circle(struct model *m)
{
    struct des_export x = des_export_new(m->sim, m->top, "x");
    struct des_export y = des_export_new(m->sim, m->top, "y");

    des_bind(m->sim, x, y);
    des_bind(m->sim, y, x);
    elaborate_model(m);
}

static void after_end(struct model *m)
{
    run_model(m);
    des_finish(m->sim);
    des_notify_after(m->sim, m->e, 1);
}

static void write_after_end(struct model *m)
{
    run_model(m);
    des_finish(m->sim);
    des_write(m->sim, m->s, 1);
}

static void make_outside(struct model *m)
{
    elaborate_model(m);
    des_next_time(m->sim, 5);
}

static void make_owned(struct model *m)
{
    elaborate_model(m);
    des_notify(m->sim, des_posedge(m->sim, m->clk));
}

static void owned_by_signal(struct model *m)
{
    elaborate_model(m);
    des_cancel(m->sim, des_changed(m->sim, m->s));
}

static void not_locked(struct model *m)
{
    elaborate_model(m);
    des_unlock(m->sim, m->m);
}

static void posted_too_often(struct model *m)
{
    elaborate_model(m);
    des_post(m->sim, m->sem);
}

static void clock_of_zero(struct model *m)
{
    des_clock_new(m->sim, m->top, "slow", 0);
}

static void same_event_twice(struct model *m)
{
    struct des_event both[] = { m->e, m->e };

    des_all(m->sim, m->top, "both", both, 2);
}

static void empty_list(struct model *m)
{
    des_any(m->sim, m->top, "nothing", NULL, 0);
}

static void make_deaf(struct model *m)
{
    des_sensitive(m->sim, des_method_new(m->sim, m->top, "p", write_one, m), m->fifo);
}

static void seen_mutex(struct model *m)
{
    des_watch(m->sim, m->m, NULL, NULL, 0);
}

static struct des_call call_of_two;

static uint32_t wait_long(struct des *sim, void *self, uint32_t at)
{
    (void)self;
    DES_BEGIN(at);
    DES_WAIT_FOR(sim, 1000);
    DES_END;
}

static uint32_t call_it(struct des *sim, void *self, uint32_t at)
{
    DES_BEGIN(at);
    DES_WAIT_FOR(sim, 42);
    DES_CALL(sim, call_of_two, wait_long, self);
    DES_END;
}

static void called_by_two(struct model *m)
{
    des_thread_new(m->sim, m->top, "first", call_it, m);
    des_thread_new(m->sim, m->top, "second", call_it, m);
    run_model(m);
}

static struct des_call own_call;

static uint32_t call_oneself(struct des *sim, void *self, uint32_t at)
{
    DES_BEGIN(at);
    DES_CALL(sim, own_call, call_oneself, self);
    DES_END;
}

static void called_by_itself(struct model *m)
{
    des_thread_new(m->sim, m->top, "p", call_oneself, m);
    run_model(m);
}

static void own_report(struct des *sim, void *self)
{
    des_report(sim, DES_FATAL, ((struct model *)self)->top, "mxu/overrun", "%d rows too many", 2);
}

static void make_fatal(struct model *m)
{
    at_42(m, "p", own_report);
    run_model(m);
}

static const struct misuse {
    void (*run)(struct model *m);
    const char *says;
} misuses[] = {
    { two_modules, "FATAL des/name chip0.core1.mxu0 @ 0 fs: two modules of this name\n" },
    { dotted_name, "FATAL des/name chip0.core1 @ 0 fs: a name must not be empty or hold a dot: "
                   "\"a.b\"\n" },
    { null_event, "FATAL des/handle (root) @ 0 fs: a null or unknown event\n" },
    { null_inside, "FATAL des/handle chip0.core1.p @ 42 fs: a null or unknown event\n" },
    { before_elaboration,
      "FATAL des/not-elaborated chip0.core1.e @ 0 fs: used before des_elaborate\n" },
    { created_late, "FATAL des/elaborated chip0.core1.late @ 0 fs: created after elaboration\n" },
    { elaborated_twice, "FATAL des/elaborated (root) @ 0 fs: elaborated twice\n" },
    { make_nested, "FATAL des/nested chip0.core1.p @ 42 fs: a process runs the simulation\n" },
    { make_overflow, "FATAL des/time-overflow chip0.core1.e @ 0 fs: a delay of "
                     "18446744073709551615 fs\n" },
    { overflow_later, "FATAL des/time-overflow chip0.core1.p @ 42 fs: a delay of "
                      "18446744073709551573 fs\n" },
    { time_back, "FATAL des/time-back chip0.core1.f @ 42 fs: a notification at 41 fs, which is "
                 "past\n" },
    { run_back, "FATAL des/time-back (root) @ 42 fs: to run until 41 fs\n" },
    { two_writers, "FATAL des/two-writers chip0.core1.s @ 42 fs: a second writer, "
                   "chip0.core1.second, after chip0.core1.first\n" },
    { empty_fifo, "FATAL des/fifo-size chip0.core1.none @ 0 fs: a FIFO of 0 items of 8 bytes\n" },
    { empty_item, "FATAL des/fifo-size chip0.core1.none @ 0 fs: a port of items of 0 bytes\n" },
    { other_size, "FATAL des/bind chip0.core1.in @ 0 fs: items of 4 bytes, but those of "
                  "chip0.core1.fifo have 8\n" },
    { small_variable, "FATAL des/item-size chip0.core1.in @ 42 fs: a variable of 4 bytes for items "
                      "of 8\n" },
    { watched_late, "FATAL des/elaborated chip0.core1.s @ 0 fs: watched or dumped after "
                    "elaboration\n" },
    { bound_twice, "FATAL des/bind chip0.core1.in @ 0 fs: bound twice\n" },
    { bound_to_signal, "FATAL des/bind chip0.core1.in @ 0 fs: cannot be bound to a signal, s\n" },
    { export_of_signal, "FATAL des/bind chip0.core1.in @ 0 fs: leads to a channel of another "
                        "kind, chip0.core1.s\n" },
    { make_circle, "FATAL des/bind chip0.core1.y @ 0 fs: bound in a circle\n" },
    { after_end,
      "FATAL des/after-end chip0.core1.e @ 42 fs: used after the end of the simulation\n" },
    { write_after_end,
      "FATAL des/after-end chip0.core1.s @ 42 fs: used after the end of the simulation\n" },
    { make_outside, "FATAL des/no-process (root) @ 0 fs: des_next_time outside a process\n" },
    { make_owned,
      "FATAL des/owned-event chip0.core1.clk @ 0 fs: only its channel or clock notifies "
      "this event\n" },
    { owned_by_signal, "FATAL des/owned-event chip0.core1.s @ 0 fs: only its channel or clock "
                       "notifies this event\n" },
    { not_locked, "FATAL des/mutex-owner chip0.core1.lock @ 0 fs: unlocked by one that has not "
                  "locked it\n" },
    { posted_too_often, "FATAL des/semaphore-overflow chip0.core1.sem @ 0 fs: posted past "
                        "4294967295\n" },
    { clock_of_zero, "FATAL des/clock chip0.core1.slow @ 0 fs: a clock of 0 Hz\n" },
    { same_event_twice, "FATAL des/list chip0.core1.both @ 0 fs: event 1 is event 0 again\n" },
    { empty_list, "FATAL des/list chip0.core1.nothing @ 0 fs: a list of 0 events; it has to hold "
                  "one at least\n" },
    { make_deaf,
      "FATAL des/sensitive chip0.core1.fifo @ 0 fs: a process is sensitive to an event, a "
      "clock, a signal, a mutex, a semaphore or a port to a FIFO or a signal\n" },
    { seen_mutex, "FATAL des/watch chip0.core1.lock @ 0 fs: only signals, FIFOs, events, clocks "
                  "and probes can be seen\n" },
    { called_by_two,
      "FATAL des/call chip0.core1.second @ 42 fs: a thread is called again before its end\n" },
    { called_by_itself,
      "FATAL des/call chip0.core1.p @ 0 fs: a thread is called again before its end\n" },
    { make_fatal, "FATAL mxu/overrun chip0.core1 @ 42 fs: 2 rows too many\n" },
};

static void expect_answer(const struct misuse *c)
{
    char text[600];
    int ends[2], status;
    size_t n = 0;

    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct model m;
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        signal(SIGABRT, SIG_DFL);
        set_up_model(&m);
        c->run(&m);
        _exit(0); /* nothing was noticed */
    }
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], text + n, sizeof text - 1 - n)) > 0;)
        n += (size_t)got;
    text[n] = '\0';
    close(ends[0]);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect_str_eq(text, c->says);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "%s", c->says);
}

Test(des_misuse, every_misuse_is_reported_with_id_path_and_time)
{
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++)
        expect_answer(&misuses[i]);
}
