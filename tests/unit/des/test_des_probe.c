#include <criterion/criterion.h>
#include <stdlib.h>

#include "des/des.h"

#define ROOT ((struct des_module){ 0 })

static const char *const names[] = { "idle", "busy", "blocked" };
enum { STATE, COUNT, LEFT };
static const struct des_probe_row rows[] = {
    [STATE] = { "state", DES_PROBE_STATE, NULL, names, 3, "what it does", NULL, false },
    [COUNT] = { "count", DES_PROBE_TOTAL, "B", NULL, 0, "so far", NULL, false },
    [LEFT] = { "left", DES_PROBE_NUMBER, NULL, NULL, 0, "to come", NULL, true },
};

struct seen {
    uint64_t value[8];
    des_time when[8];
    unsigned n;
};

static void note_change(struct des *sim, void *self, uint32_t tag, uint64_t value)
{
    struct seen *s = self;

    cr_assert_lt(s->n, 8);
    s->when[s->n] = des_now(sim);
    s->value[s->n++] = value + 100 * tag;
}

struct worker {
    struct des_probes show;
    bool walked[4];
};

static uint32_t run_work(struct des *sim, void *self, uint32_t at)
{
    struct worker *w = self;

    DES_BEGIN(at);
    des_show(sim, w->show, STATE, 1);
    des_show(sim, w->show, STATE, 1); /* the same: nobody is told */
    w->walked[0] = des_walks(sim, w->show, 9);
    w->walked[1] = des_walks(sim, w->show, 10);
    DES_WAIT_FOR(sim, 20);
    des_show(sim, w->show, COUNT, 7);
    w->walked[2] = des_walks(sim, w->show, 50);
    DES_WAIT_FOR(sim, 10);
    des_show(sim, w->show, STATE, 0);
    w->walked[3] = des_walks(sim, w->show, 50);
    DES_END;
}

Test(des_probe, a_module_is_watched_if_anything_in_it_is)
{
    struct des *sim = des_new();
    struct des_module a = des_module_new(sim, ROOT, "a"), b = des_module_new(sim, a, "b");
    struct des_module c = des_module_new(sim, a, "c"), d = des_module_new(sim, ROOT, "d");
    struct seen s = { .n = 0 };

    des_watch(sim, des_probe_at(des_probes_new(sim, b, rows, 3), COUNT), note_change, &s, 0);
    cr_assert(des_watched(sim, b) && des_watched(sim, a));
    cr_assert(!des_watched(sim, c) && !des_watched(sim, d));
    des_free(sim);
}

static struct worker run_case(struct seen *s, bool fine)
{
    struct des *sim = des_new();
    struct des_module m = des_module_new(sim, ROOT, "m");
    struct worker w = { .show = des_probes_new(sim, m, rows, 3) };
    struct err err;
    char path[32];

    des_thread_new(sim, m, "work", run_work, &w);
    cr_assert_str_eq(des_path(sim, DES_OBJECT(des_probe_at(w.show, LEFT)), path, sizeof path),
                     "m.left");
    cr_assert_eq(des_probe_row(sim, des_probe_at(w.show, COUNT)), &rows[COUNT]);
    if (s) {
        des_watch(sim, des_probe_at(w.show, STATE), note_change, s, 1);
        des_watch(sim, des_probe_at(w.show, COUNT), note_change, s, 2);
    }
    if (fine)
        des_watch(sim, des_probe_at(w.show, LEFT), note_change, s, 3);
    des_walk(sim, 10, 30);
    cr_assert_eq(des_elaborate(sim, &err), 0);
    des_run(sim, DES_NEVER);
    cr_assert_eq(des_now(sim), 30);
    des_free(sim);
    return w;
}

Test(des_probe, watchers_are_told_of_changes_when_they_happen)
{
    struct seen s = { .n = 0 };

    run_case(&s, false);
    cr_assert_eq(s.n, 3);
    cr_assert(s.value[0] == 101 && s.when[0] == 0);
    cr_assert(s.value[1] == 207 && s.when[1] == 20);
    cr_assert(s.value[2] == 100 && s.when[2] == 30);
}

/* The window is [10, 30): what ends before it, or begins at its end, need not be walked. */
Test(des_probe, a_model_walks_where_it_is_looked_at_closely)
{
    struct seen s = { .n = 0 };
    struct worker w = run_case(&s, true), coarse = run_case(&(struct seen){ .n = 0 }, false);

    cr_assert(!w.walked[0] && w.walked[1] && w.walked[2] && !w.walked[3]);
    for (int i = 0; i < 4; i++)
        cr_assert_not(coarse.walked[i], "no fine probe is watched");
}

Test(des_probe, to_show_to_nobody_costs_no_one)
{
    struct worker w = run_case(NULL, false);

    cr_assert_not(w.walked[1]);
}

static void count_items(struct des *sim, void *self, struct des_object x)
{
    unsigned *n = self;

    (void)sim;
    n[x.kind]++;
}

Test(des_probe, all_that_can_be_looked_at_is_listed)
{
    struct des *sim = des_new();
    unsigned n[DES_PROBE + 1] = { 0 };

    des_probes_new(sim, ROOT, rows, 3);
    des_clock_new(sim, ROOT, "clock", 1);
    des_signal_new(sim, ROOT, "signal", 0);
    des_fifo_new(sim, ROOT, "fifo", 1, 1);
    des_event_new(sim, ROOT, "event");
    des_each(sim, count_items, n);
    cr_assert_eq(n[DES_PROBE], 3);
    cr_assert_eq(n[DES_CLOCK], 1);
    cr_assert_eq(n[DES_SIGNAL], 1);
    cr_assert_eq(n[DES_FIFO], 1);
    cr_assert_eq(n[DES_EVENT], 0);
    des_free(sim);
}

Test(des_probe, texts_are_numbered)
{
    static const char *const text[] = { "", "a", "b" };
    struct des *sim = des_new();

    cr_assert_str_eq(des_text(sim, 1), "");
    des_texts(sim, text, 3);
    cr_assert_str_eq(des_text(sim, 2), "b");
    cr_assert_str_eq(des_text(sim, 3), "");
    cr_assert_eq(des_flow(sim), 1);
    cr_assert_eq(des_flow(sim), 2);
    des_free(sim);
}
