/* Do waves and traces say which tensors a core waits for, and which each transfer carries? */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "hw/wires/show.h"
#include "report/timeline/perfetto.h"
#include "timeline_run.h"
#include "trace_reader.h"
#include "vcd_changes.h"

/* A product whose operands and result take 2048 x 2048 x 2 B = 8 MiB each, and a sum of one of
 * them. */
static const char product[] = "cyclotron-trace 1\n"
                              "workload \"product\"\n"
                              "samples step=1 epoch=1\n"
                              "dtype tensors=bf16 matmul=bf16 activations=keep\n"
                              "provenance \"written by hand\"\n"
                              "tensor %left bf16[2048,2048] input\n"
                              "tensor %right bf16[2048,2048] weight\n"
                              "step {\n"
                              "  %made bf16[2048,2048] = matmul(%left, %right)\n"
                              "  %more bf16[2048,2048] = elementwise(%made, %left) flops=4194304\n"
                              "}\n";

enum { TENSOR = 8 << 20 };

struct seen {
    struct run_result r;
    struct vcd_file vcd;
    struct trace_file *trace;
    char *dump, *bytes;
};

static void watch_product(struct seen *s, bool exact)
{
    static const char *const globs[] = { "chip0.core0.dma.*", "chip0.core0.sequencer.*" };
    struct timeline_choice all = { globs, 2, false, 0, DES_NEVER };
    struct wave_request wq = { .choice = all, .path = "run.vcd", .limit = UINT64_C(1) << 30 };
    struct perfetto_request pq = { .choice = all, .path = "run.pftrace", .limit = 1 << 30 };
    size_t dumped, written;
    FILE *dump = open_memstream(&s->dump, &dumped), *out = open_memstream(&s->bytes, &written);
    struct wave *w = wave_new(&wq, dump);
    struct perfetto *p = perfetto_new(&pq, out);
    struct run_observer o[] = { wave_observer(w), perfetto_observer(p) };
    struct run_request q = { .trace = "product",
                             .text = product,
                             .text_size = strlen(product),
                             .machine = "tpu-v3-1",
                             .steps = 1,
                             .exact = exact,
                             .observer = o,
                             .n_observers = 2 };
    struct err err;

    cr_assert_eq(run_replay(&q, &s->r, &err), 0, "%s", err.msg);
    cr_assert_eq(wave_check(w, &err), 0, "%s", err.msg);
    cr_assert_eq(perfetto_check(p, &err), 0, "%s", err.msg);
    wave_free(w);
    perfetto_free(p);
    fclose(dump);
    fclose(out);
    cr_assert(vcd_file_read(&s->vcd, s->dump), "%s", s->vcd.error);
    s->trace = trace_file_read(s->bytes, written);
    cr_assert_str_empty(s->trace->error, "%s", s->trace->error);
}

static void drop_product(struct seen *s)
{
    vcd_file_free(&s->vcd);
    run_result_free(&s->r);
    free(s->trace);
    free(s->dump);
    free(s->bytes);
}

/* True if the ASCII codes of a change are `text`. */
static bool is_text(const struct vcd_file_change *c, const char *text)
{
    size_t n = strlen(text), digits = 8 * n;
    const char *at = c->digits;

    /* a VCD leaves leading zeros out, of which the first letter has one */
    if (c->n_digits != digits && c->n_digits + 1 != digits)
        return false;
    for (size_t i = digits; i-- > 0;) {
        char bit = '0' + ((text[i / 8] >> (7 - i % 8)) & 1);
        size_t back = digits - i;
        char have = back <= c->n_digits ? at[c->n_digits - back] : '0';
        if (bit != have)
            return false;
    }
    return true;
}

/* Changes of a text to this one. */
static size_t count_text(const struct vcd_file *f, const char *path, const char *text)
{
    int code = vcd_code_of(f, path);
    size_t n = 0;

    for (size_t i = 0; i < f->n_changes; i++)
        n += f->change[i].code == code && is_text(&f->change[i], text);
    return n;
}

/* The sum of what a number changes to. */
static uint64_t add_changes(const struct vcd_file *f, const char *path)
{
    int code = vcd_code_of(f, path);
    uint64_t sum = 0;

    for (size_t i = f->n_first; i < f->n_changes; i++)
        sum += f->change[i].code == code ? f->change[i].value : 0;
    return sum;
}

/* Nothing else moved in HBM, of 900 GB/s. */
static void expect_hbm(const struct run_result *r, uint64_t bytes)
{
    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figures[i].column, "utilization.hbm") == 0) {
            double all = mpq_get_d(r->figures[i].value) * 900e9 * mpq_get_d(r->seconds_per_step);
            cr_expect_float_eq((double)bytes, all, 2, "%lu of %f", (unsigned long)bytes, all);
            return;
        }
    cr_assert_fail("no column utilization.hbm");
}

Test(transfers, each_has_its_tensors_and_its_bytes)
{
    for (int exact = 0; exact < 2; exact++) {
        struct seen s;
        uint64_t read = 0, written = 0, of_product = 0, of_sum = 0;
        watch_product(&s, exact);
        for (int i = 0; i < 4; i++) {
            char path[64];
            snprintf(path, sizeof path, "chip0.core0.dma.read%d_bytes", i);
            read += add_changes(&s.vcd, path);
            snprintf(path, sizeof path, "chip0.core0.dma.write%d_bytes", i);
            written += add_changes(&s.vcd, path);
            snprintf(path, sizeof path, "chip0.core0.dma.read%d_text", i);
            of_product += count_text(&s.vcd, path, "left, right");
            of_sum += count_text(&s.vcd, path, "made, left");
        }
        cr_assert_eq(s.r.n_ops, 2);
        expect_hbm(&s.r, read + written);
        /* transfers are whole granules of 512 B */
        cr_expect_eq(mpz_get_ui(s.r.ops[1].hbm_bytes), 3 * TENSOR);
        cr_expect(written >= 2 * TENSOR && written < 2 * TENSOR + 512 * (of_product + of_sum));
        cr_expect_gt(of_product, 0);
        cr_expect_gt(of_sum, 1);
        drop_product(&s);
    }
}

/* A slice of a trace has the name and the bytes. */
Test(transfers, slices_have_their_bytes)
{
    struct seen s;
    uint64_t slices = 0, bytes = 0;

    watch_product(&s, false);
    for (size_t i = 0; i < TRACE_MAX_TRACKS; i++) {
        const struct trace_track *t = &s.trace->track[i];
        if (strncmp(t->name, "dma read", 8) != 0 && strncmp(t->name, "dma write", 9) != 0)
            continue;
        cr_expect_eq(t->numbers, t->slices, "%s", t->name);
        slices += t->slices;
        bytes += t->sum;
    }
    cr_expect_gt(slices, 8);
    expect_hbm(&s.r, bytes);
    drop_product(&s);
}

/* A core that reads or writes waits for tensors, and one that computes for none. */
Test(transfers, a_wait_has_its_tensors)
{
    for (int exact = 0; exact < 2; exact++) {
        struct seen s;
        watch_product(&s, exact);
        const struct vcd_file *f = &s.vcd;
        int state = vcd_code_of(f, "chip0.core0.sequencer.state");
        int waits = vcd_code_of(f, "chip0.core0.sequencer.waits");
        uint64_t named = f->end - f->begin - vcd_file_time(f, waits, 0, -1);
        cr_expect_eq(named, vcd_file_time(f, state, SHOW_READ, -1) +
                                vcd_file_time(f, state, SHOW_WRITE, -1));
        cr_expect_gt(named, 0);
        const char *text = "chip0.core0.sequencer.waits_text";
        cr_expect_gt(count_text(f, text, "left, right"), 0);
        cr_expect_gt(count_text(f, text, "made, left"), 0);
        cr_expect_eq(count_text(f, text, "made"), 1, "its last tile, written once");
        cr_expect_gt(count_text(f, text, "more"), 0);
        drop_product(&s);
    }
}

/* The characters alone, by the name that they have in waves. */
Test(transfers, texts_can_be_chosen_by_their_name)
{
    static const char *const globs[] = { "*.op_text" };
    char *text = dump_tiny("tpu-v3-1", false, globs, 1, 0, DES_NEVER, NULL);
    struct vcd_file f;

    cr_assert(vcd_file_read(&f, text), "%s", f.error);
    cr_expect_eq(f.n_vars, 1);
    cr_expect_str_eq(f.var[0].path, "chip0.core0.sequencer.op_text");
    cr_expect_gt(count_text(&f, "chip0.core0.sequencer.op_text", "fc"), 0);
    cr_expect_gt(count_text(&f, "chip0.core0.sequencer.op_text", "conv.relu"), 0);
    vcd_file_free(&f);
    free(text);
}
