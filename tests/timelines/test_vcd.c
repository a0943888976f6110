/* Does a dump tell the same as the statistics of the run it was made in, cycle for cycle? */
#include <criterion/criterion.h>
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/wires/show.h"
#include "report/run_report.h"
#include "timeline_run.h"
#include "vcd_reader.h"

static struct vcd_file read_dump(const char *text)
{
    struct vcd_file f;

    cr_assert(vcd_file_read(&f, text), "%s", f.error);
    return f;
}

static int code_of(const struct vcd_file *f, const char *path)
{
    int c = vcd_file_code(f, path);

    cr_assert_geq(c, 0, "%s is not in the dump", path);
    return c;
}

static const struct run_figure *find_figure(const struct run_result *r, const char *column)
{
    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figures[i].column, column) == 0)
            return &r->figures[i];
    cr_assert(false, "no figure %s", column);
    abort();
}

/* num / den == q */
static void is_ratio(const mpq_t q, uint64_t num, uint64_t den, const char *what)
{
    mpq_t x;

    mpq_init(x);
    mpz_set_ui(mpq_numref(x), num);
    mpz_set_ui(mpq_denref(x), den);
    mpq_canonicalize(x);
    cr_assert(mpq_equal(x, q), "%s: %lu of %lu in the dump, %g reported", what, (unsigned long)num,
              (unsigned long)den, mpq_get_d(q));
    mpq_clear(x);
}

static void is_figure(const struct run_result *r, const char *column, uint64_t num, uint64_t den)
{
    is_ratio(find_figure(r, column)->value, num, den, column);
}

/* --- units -------------------------------------------------------------------------------- */

static void units_agree(const char *machine, bool exact, unsigned mxus)
{
    static const char *const globs[] = { "chip0.core0.*clock", "chip0.core0.*state",
                                         "chip0.core0.*phase", "host0.state" };
    struct run_result r;
    char *text = dump_tiny(machine, exact, globs, 4, 0, DES_NEVER, &r);
    struct vcd_file f = read_dump(text);
    uint64_t busy = 0, load = 0, drain = 0, stream = 0, cycles = r.cycles_per_step;

    for (unsigned i = 0; i < mxus; i++) {
        char clock[48], state[48], phase[48];
        snprintf(clock, sizeof clock, "chip0.core0.mxu%u.clock", i);
        snprintf(state, sizeof state, "chip0.core0.mxu%u.state", i);
        snprintf(phase, sizeof phase, "chip0.core0.mxu%u.phase", i);
        int c = code_of(&f, clock), p = code_of(&f, phase);
        busy += vcd_file_time(&f, code_of(&f, state), SHOW_BUSY, c);
        load += vcd_file_time(&f, p, SHOW_LOAD, c);
        drain += vcd_file_time(&f, p, SHOW_DRAIN, c);
        stream += vcd_file_time(&f, p, SHOW_STREAM, c);
    }
    cr_assert_gt(busy, 0);
    cr_assert_gt(load, 0);
    cr_assert_eq(load + drain + stream, busy, "the phases of a command are all of it");
    is_figure(&r, "utilization.mxu_busy", busy, cycles * mxus);
    is_figure(&r, "mxu_waste.weight_load", load, busy);
    is_figure(&r, "mxu_waste.fill_drain", drain, busy);
    is_figure(&r, "utilization.vpu",
              vcd_file_time(&f, code_of(&f, "chip0.core0.vpu.state"), SHOW_BUSY,
                            code_of(&f, "chip0.core0.vpu.clock")),
              cycles);
    is_figure(&r, "utilization.xlu",
              vcd_file_time(&f, code_of(&f, "chip0.core0.xlu.state"), SHOW_BUSY,
                            code_of(&f, "chip0.core0.xlu.clock")),
              cycles);
    is_figure(&r, "utilization.host", vcd_file_time(&f, code_of(&f, "host0.state"), SHOW_BUSY, -1),
              f.end - f.begin);
    is_ratio(r.seconds_per_step, f.end - f.begin, DES_FS_PER_S, "the step");
    vcd_file_free(&f);
    run_result_free(&r);
    free(text);
}

Test(vcd, units_are_busy_as_long_as_their_statistics_say)
{
    units_agree("tpu-v3-1", false, 2);
    units_agree("tpu-v2-1", true, 1);
}

/* --- the sequencer ------------------------------------------------------------------------ */

static uint64_t sum_causes(const struct run_result *r, const enum cause *c, size_t n)
{
    mpq_t sum;

    mpq_init(sum);
    for (size_t i = 0; i < n; i++)
        mpq_add(sum, sum, amounts_get(&r->cause, c[i]));
    mpz_t fs;
    mpz_init(fs);
    mpz_mul_ui(fs, mpq_numref(sum), DES_FS_PER_S);
    mpz_divexact(fs, fs, mpq_denref(sum));
    uint64_t value = mpz_get_ui(fs);
    mpz_clear(fs);
    mpq_clear(sum);
    return value;
}

#define CAUSES_OF(r, ...)                                                                          \
    sum_causes(r, (enum cause[]){ __VA_ARGS__ },                                                   \
               sizeof((enum cause[]){ __VA_ARGS__ }) / sizeof(enum cause))

Test(vcd, what_a_core_waits_for_is_what_is_booked)
{
    static const char *const globs[] = { "chip0.core0.sequencer.*" };
    struct run_result r;
    char *text = dump_tiny("tpu-v3-1", false, globs, 1, 0, DES_NEVER, &r);
    struct vcd_file f = read_dump(text);
    int state = code_of(&f, "chip0.core0.sequencer.state");
    int op = code_of(&f, "chip0.core0.sequencer.op");
    uint64_t t[SHOW_N_STATES], sum = 0;

    for (uint64_t s = 0; s < SHOW_N_STATES; s++)
        sum += t[s] = vcd_file_time(&f, state, s, -1);
    cr_assert_eq(sum, f.end - f.begin);
    cr_assert_eq(t[SHOW_LAUNCH], CAUSES_OF(&r, CAUSE_LAUNCH));
    cr_assert_eq(t[SHOW_READ] + t[SHOW_WRITE], CAUSES_OF(&r, CAUSE_HBM));
    cr_assert_eq(t[SHOW_COMPUTE] + t[SHOW_ISSUE], CAUSES_OF(&r, CAUSE_MXU, CAUSE_VPU, CAUSE_XLU));
    cr_assert_eq(t[SHOW_INFEED] + t[SHOW_HOST],
                 CAUSES_OF(&r, CAUSE_HOST, CAUSE_PCIE, CAUSE_STORAGE, CAUSE_FALLBACK));
    for (size_t i = 0; i < r.n_ops; i++) /* text 1 is the program */
        is_ratio(r.ops[i].seconds, vcd_file_time(&f, op, 2 + i, -1), DES_FS_PER_S, r.ops[i].name);
    vcd_file_free(&f);
    run_result_free(&r);
    free(text);
}

/* A text stands in the dump as the codes of its characters. */
Test(vcd, an_operation_has_its_name_beside_its_number)
{
    static const char *const globs[] = { "chip0.core0.sequencer.op" };
    struct run_result r;
    char *text = dump_tiny("tpu-v3-1", false, globs, 1, 0, DES_NEVER, &r);
    struct vcd_file f = read_dump(text);
    int op = code_of(&f, "chip0.core0.sequencer.op");
    int name = code_of(&f, "chip0.core0.sequencer.op_text");
    uint64_t number = 0;
    size_t checked = 0;

    for (size_t i = 0; i < f.n_changes; i++) {
        const struct vcd_file_change *c = &f.change[i];
        char word[65] = "";
        if (c->code == op)
            number = c->value;
        if (c->code != name || number < 2)
            continue;
        cr_assert_eq(c->n_digits % 8, 0);
        for (unsigned k = 0; k < c->n_digits; k++)
            word[k / 8] = (char)(word[k / 8] << 1 | (c->digits[k] == '1'));
        cr_assert_str_eq(word, r.ops[number - 2].name);
        checked++;
    }
    cr_assert_eq(checked, r.n_ops - 1, "to wait for a collective takes one core no time");
    vcd_file_free(&f);
    run_result_free(&r);
    free(text);
}

/* --- memory and links --------------------------------------------------------------------- */

Test(vcd, links_and_memory_carry_what_is_reported)
{
    static const char *const globs[] = { "*bytes" };
    struct run_result r;
    char *text = dump_tiny("tpu-v3-8", false, globs, 1, 0, DES_NEVER, &r);
    struct vcd_file f = read_dump(text);

    cr_assert_gt(r.n_links, 0);
    for (size_t i = 0; i < r.n_links; i++) {
        char path[80], *at = path;
        snprintf(path, sizeof path, "%s.bytes", r.links[i].name);
        for (; *at; at++)
            if (*at == '-' || *at == '>')
                *at = '_';
        int c = code_of(&f, path);
        uint64_t first = 0, n = 0;
        for (size_t k = 0; k < f.n_changes && !n; k++)
            if (f.change[k].code == c) {
                first = f.change[k].value;
                n = 1;
            }
        cr_assert_eq(vcd_file_last(&f, c) - first, mpz_get_ui(r.links[i].bytes), "%s", path);
    }
    vcd_file_free(&f);
    run_result_free(&r);
    free(text);
}

/* --- the window --------------------------------------------------------------------------- */

static char *print_json(const struct run_result *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    report_json(r, out);
    fclose(out);
    return text;
}

Test(vcd, a_run_has_the_same_totals_whoever_looks)
{
    static const char *const machines[] = { "tpu-v3-1", "tpu-v3-8", "tpu-v2-32" };

    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct run_result plain, traced;
        replay_tiny(machines[i], false, NULL, 0, &plain);
        char *text = dump_tiny(machines[i], false, NULL, 0, 5 * US, 12 * US, &traced);
        char *a = print_json(&plain), *b = print_json(&traced);
        cr_assert_str_eq(a, b);
        struct vcd_file f = read_dump(text);
        cr_assert_eq(f.begin, 5 * US);
        cr_assert_eq(f.end, 12 * US);
        cr_assert_gt(f.n_changes, 1000);
        vcd_file_free(&f);
        free(a);
        free(b);
        free(text);
        run_result_free(&plain);
        run_result_free(&traced);
    }
}

/* Everything in the window: what changes in it, and nothing else. */
Test(vcd, a_window_is_a_part_of_the_whole)
{
    static const char *const globs[] = { "chip0.core0.*" };
    char *all = dump_tiny("tpu-v3-1", false, globs, 1, 0, DES_NEVER, NULL);
    char *part = dump_tiny("tpu-v3-1", false, globs, 1, 8 * US, 20 * US, NULL);
    struct vcd_file a = read_dump(all), b = read_dump(part);
    uint64_t value[512] = { 0 };
    size_t at = b.n_first;

    cr_assert_eq(a.n_codes, b.n_codes);
    cr_assert_leq(a.n_codes, 512);
    for (size_t i = 0; i < a.n_changes; i++) {
        const struct vcd_file_change *c = &a.change[i];
        if (c->time < 8 * US || i < a.n_first) {
            value[c->code] = c->value;
        } else if (c->time <= 20 * US) {
            cr_assert_lt(at, b.n_changes);
            cr_assert_eq(b.change[at].time, c->time, "%zu", i);
            cr_assert_eq(b.change[at].code, c->code, "%zu", i);
            cr_assert_eq(b.change[at].value, c->value, "%zu", i);
            at++;
        }
    }
    cr_assert_eq(at, b.n_changes);
    for (size_t i = 0; i < b.n_first; i++)
        cr_assert_eq(b.change[i].value, value[b.change[i].code], "the first value of code %d",
                     b.change[i].code);
    vcd_file_free(&a);
    vcd_file_free(&b);
    free(all);
    free(part);
}

/* Inside the window the shortcuts are not taken: every push of rows and every burst shows. */
Test(vcd, a_window_shows_what_an_exact_run_shows)
{
    char *folded = dump_tiny("tpu-v3-8", false, NULL, 0, 0, 40 * US, NULL);
    char *exact = dump_tiny("tpu-v3-8", true, NULL, 0, 0, 40 * US, NULL);

    cr_assert(strcmp(folded, exact) == 0, "the dumps differ"); /* too long to be printed */
    free(folded);
    free(exact);
}

/* --- limits ------------------------------------------------------------------------------- */

static void expect_failure(struct wave_request q, const char *why)
{
    struct run_result r;
    struct err err = { .msg = "" };
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct wave *w = wave_new(&q, out);
    struct run_observer o = wave_observer(w);
    struct run_request run = {
        .trace = TINY, .machine = "tpu-v3-1", .steps = 1, .observer = &o, .n_observers = 1
    };

    if (run_replay(&run, &r, &err) == 0) {
        cr_assert_neq(wave_check(w, &err), 0);
        run_result_free(&r);
    }
    cr_assert_not_null(strstr(err.msg, why), "\"%s\" is not \"%s\"", err.msg, why);
    wave_free(w);
    fclose(out);
    cr_assert_leq(size, q.limit);
    free(text);
}

Test(vcd, says_what_is_too_much_or_not_there)
{
    static const char *const clock[] = { "chip0.core0.sequencer.clock" };
    static const char *const states[] = { "*state" };
    static const char *const wrong[] = { "chip0.core0.sequencer.stat" };

    /* 2 edges in 1 / 940 MHz, 16 bytes each, for the 1.5 ms of a step and more in the first: 45 MB
     */
    expect_failure(
        (struct wave_request){ { .glob = clock, .n_globs = 1, .from = 0, .to = DES_NEVER },
                               .path = "a.vcd",
                               .limit = 40000000 },
        "a.vcd: the clocks alone would take about ");
    expect_failure(
        (struct wave_request){ { .glob = states, .n_globs = 1, .from = 0, .to = DES_NEVER },
                               .path = "b.vcd",
                               .limit = 3000 },
        "b.vcd: this window would take about ");
    expect_failure(
        (struct wave_request){ { .glob = states, .n_globs = 1, .from = 3000 * US, .to = DES_NEVER },
                               .path = "c.vcd",
                               .limit = 3000 },
        "c.vcd: the run ends after 1.");
    expect_failure(
        (struct wave_request){ { .glob = wrong, .n_globs = 1, .from = 0, .to = DES_NEVER },
                               .path = "d.vcd",
                               .limit = 3000 },
        "did you mean chip0.core0.sequencer.state");
}

/* --- when it begins ---------------------------------------------------------------------- */

static int attach_nothing(void *self, struct des *sim, struct err *e)
{
    (void)self, (void)sim, (void)e;
    return 0;
}

static int note_warm_time(void *self, struct des *sim, uint64_t warm_fs, uint64_t steps,
                          struct err *e)
{
    (void)sim, (void)steps, (void)e;
    *(uint64_t *)self = warm_fs;
    return 0;
}

static void end_nothing(void *self, struct des *sim)
{
    (void)self, (void)sim;
}

/* A compiled program that takes no input warms nothing up: its observer is told the time of a step
 * that is run before. */
Test(vcd, whoever_watches_is_told_how_long_a_step_takes)
{
    static const char text[] =
        "cyclotron-trace 1\n"
        "program compiler=\"hand\" machine=\"tpu-v3-1\" cores=1 scheduled=1\n"
        "tensor %x f32[1024,1024]{1,0:T(8,128)} input\n"
        "step {\n%y f32[1024,1024]{1,0:T(8,128)} = kernel(%x) grid=8 "
        "fetch=4194304 store=4194304 vector=add:1048576\n}\n";
    uint64_t warm_fs = 0;
    struct run_observer o = { &warm_fs, attach_nothing, note_warm_time, end_nothing, true };
    struct run_request q = { .trace = "t",
                             .text = text,
                             .text_size = sizeof text - 1,
                             .machine = "tpu-v3-1",
                             .steps = 1,
                             .observer = &o,
                             .n_observers = 1 };
    struct run_result r;
    struct err e;

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    cr_expect_float_eq((double)warm_fs / 1e15, mpq_get_d(r.seconds_per_step), 1e-12);
    cr_expect_gt(warm_fs, UINT64_C(9000000000), "8 MiB at 900 GB/s");
    run_result_free(&r);
}
