/* Do the waves of a network tell the same as its counters, and the cycles that follow by hand? */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/wires/show.h"
#include "report/timeline/wave.h"
#include "report/traffic_report.h"
#include "study/network/transfer.h"
#include "vcd_changes.h"

#define NS UINT64_C(1000000) /* a cycle without a machine */

struct looker {
    struct wave_request q;
    struct wave *w;
    struct run_observer observer;
    char *text;
    size_t size;
    FILE *out;
};

static void look_at_traffic(struct looker *l, struct traffic_request *t, des_time from, des_time to)
{
    *l = (struct looker){ .q = { .choice = { .from = from, .to = to },
                                 .path = "network.vcd",
                                 .limit = UINT64_C(1) << 30 } };
    l->out = open_memstream(&l->text, &l->size);
    l->w = wave_new(&l->q, l->out);
    l->observer = wave_observer(l->w);
    t->observer = &l->observer;
    t->n_observers = 1;
}

static struct vcd_file check_looked(struct looker *l)
{
    struct vcd_file f;
    struct err err;

    cr_assert_eq(wave_check(l->w, &err), 0, "%s", err.msg);
    wave_free(l->w);
    fclose(l->out);
    cr_assert(vcd_file_read(&f, l->text), "%s", f.error);
    return f;
}

/* A flit over one link: 2 cycles into the router, which it crosses in the fourth stage, 2 later;
 * 1 + 1 + 2 to the next one, and 2 through it.  Its own channel is the source's first in turn, 1;
 * on the link it takes 0 of the lower half.  Slow, the link is busy for 3 cycles. */
static void goes_over(struct traffic_request t, bool exact, uint64_t busy)
{
    struct transfer_result r;
    struct looker l;
    struct err err;

    look_at_traffic(&l, &t, 0, DES_NEVER);
    cr_assert_eq(transfer_run(&t, exact, &r, &err), 0, "%s", err.msg);
    struct vcd_file f = check_looked(&l);
    cr_assert_eq(r.message[0].done, 13);
    cr_assert_eq(r.message[0].walked, exact);
    IS(&f, "node0.own.queue1", { 0, 0 }, { 2, 1 }, { 4, 0 });
    IS(&f, "node0.x_up.state", { 0, SHOW_IDLE }, { 4, SHOW_BUSY }, { 4 + busy, SHOW_IDLE });
    IS(&f, "node0.x_up.flits", { 0, 0 }, { 4, 1 });
    IS(&f, "node0.x_up.credit0", { 0, 16 }, { 4, 15 });
    IS(&f, "node0.x_up.credit1", { 0, 16 });
    IS(&f, "node0.x_down.flits", { 0, 0 });
    IS(&f, "node1.x_down.queue0", { 0, 0 }, { 8, 1 }, { 10, 0 });
    IS(&f, "node1.x_up.queue0", { 0, 0 });
    vcd_file_free(&f);
    transfer_result_free(&r);
    free(l.text);
}

Test(network_waves, a_flit_is_seen_on_its_way)
{
    static const char *const fast[] = { "radix=4", "send=0-1:1", "depth=16" };
    static const char *const slow[] = { "radix=4", "send=0-1:1", "depth=16", "slow=0-1:3" };

    goes_over((struct traffic_request){ .arg = fast, .n_args = 3 }, true, 1);
    goes_over((struct traffic_request){ .arg = fast, .n_args = 3 }, false, 1);
    goes_over((struct traffic_request){ .arg = slow, .n_args = 4 }, true, 3);
}

static uint64_t sum_over_links(const struct vcd_file *f, const char *name, uint32_t nodes,
                               uint64_t value, bool last, uint64_t *most)
{
    static const char *const ports[] = { "x_up", "x_down", "y_up", "y_down" };
    uint64_t sum = 0;

    *most = 0;
    for (uint32_t n = 0; n < nodes; n++)
        for (uint32_t p = 0; p < 4; p++) {
            char path[48];
            snprintf(path, sizeof path, "node%u.%s.%s", n, ports[p], name);
            int code = vcd_code_of(f, path);
            uint64_t x = last ? vcd_file_last(f, code) : vcd_file_time(f, code, value, -1);
            sum += x;
            *most = x > *most ? x : *most;
        }
    return sum;
}

static char *print_json(const struct traffic_result *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    report_traffic_json(r, false, out);
    fclose(out);
    return text;
}

/* Every link is busy for as many cycles as it is reported to be, in all and the busiest, and no
 * queue holds more than its depth; who looks changes nothing. */
Test(network_waves, links_are_busy_as_long_as_is_reported)
{
    static const char *const arg[] = { "radix=4x4",  "rate=0.4",   "flits=3",
                                       "warmup=100", "cycles=400", "routing=adaptive" };
    struct traffic_request t = { .arg = arg, .n_args = 6 };
    struct traffic_result plain, r;
    struct looker l;
    struct err err;
    uint64_t most;

    cr_assert_eq(traffic_run(&t, &plain, &err), 0, "%s", err.msg);
    look_at_traffic(&l, &t, 0, DES_NEVER);
    cr_assert_eq(traffic_run(&t, &r, &err), 0, "%s", err.msg);
    struct vcd_file f = check_looked(&l);
    cr_assert_geq(f.end, (r.cycles - 1) * NS);
    cr_assert_eq(sum_over_links(&f, "flits", 16, 0, true, &most), r.carried);
    cr_assert_eq(most, r.hottest);
    cr_assert_eq(sum_over_links(&f, "state", 16, SHOW_BUSY, false, &most), r.carried * NS);
    cr_assert_eq(most, r.hottest * NS);
    cr_assert_gt(r.carried, 1000);
    for (size_t i = 0; i < f.n_changes; i++)
        for (int v = 0; v < f.n_vars; v++)
            if (f.var[v].code == f.change[i].code && strstr(f.var[v].path, "queue"))
                cr_assert_leq(f.change[i].value, 8, "%s", f.var[v].path);
    char *a = print_json(&plain), *b = print_json(&r);
    cr_assert_str_eq(a, b);
    free(a);
    free(b);
    vcd_file_free(&f);
    free(l.text);
}

/* Messages that are walked only for the waves have the times they have without. */
Test(network_waves, messages_are_there_when_they_are_without_waves)
{
    static const char *const arg[] = { "radix=4x4", "flits=8", "send=0-5:64,1-6:40,15-3:9@200" };
    struct traffic_request t = { .arg = arg, .n_args = 3 };
    struct transfer_result plain, r;
    struct looker l;
    struct err err;

    cr_assert_eq(transfer_run(&t, false, &plain, &err), 0, "%s", err.msg);
    look_at_traffic(&l, &t, 100 * NS, 150 * NS);
    cr_assert_eq(transfer_run(&t, false, &r, &err), 0, "%s", err.msg);
    struct vcd_file f = check_looked(&l);
    cr_assert_eq(f.begin, 100 * NS);
    cr_assert_leq(f.end, 150 * NS);
    cr_assert_eq(r.n, 3);
    for (size_t i = 0; i < r.n; i++) {
        cr_assert_eq(r.message[i].done, plain.message[i].done);
        cr_assert_eq(r.message[i].walked, plain.message[i].walked);
    }
    vcd_file_free(&f);
    transfer_result_free(&plain);
    transfer_result_free(&r);
    free(l.text);
}
