/* Does a profile of a known machine give back that machine?
 *
 * The profile is what a machine with other constants would have measured: exported, its kernels
 * renamed and in another order, occurrences missing, each occurrence with 5 % of noise. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/plain.h"
#include "machine/spec/spec.h"
#include "report/profile_report.h"
#include "study/calibrate/calibration_impl.h"
#include "study/validate/packed.h"

/* Two tests take one and two minutes under sanitizers, and run no other code than those around
 * them. */
#ifdef __SANITIZE_ADDRESS__
#define SKIP_LONG() cr_skip("too long under sanitizers")
#else
#define SKIP_LONG() (void)0
#endif

#define STEPS 10

/* --- least squares -------------------------------------------------------------------------- */

/* y = 2 a - b at (1, 0), (0, 1), (1, 1), (2, 1): 2, -1, 1, 3, without an error. */
Test(calibration, least_squares_finds_an_exact_solution)
{
    static const double slope[] = { 1, 0, 0, 1, 1, 1, 2, 1 }, r[] = { 2, -1, 1, 3 };
    static const double w[] = { 1, 2, 1, 0.5 };
    struct calibration_unknown x[2];

    calibration_solve(slope, r, w, 4, 2, 0, x);
    cr_expect_float_eq(x[0].by, 2, 1e-12);
    cr_expect_float_eq(x[1].by, -1, 1e-12);
    cr_expect_float_eq(x[0].error, 0, 1e-7);
}

/* Four measurements of one unknown, 1, 2, 3 and 6: mean 3, variance 14 / 3, of the mean 14 / 12. */
Test(calibration, the_error_is_that_of_a_mean)
{
    static const double slope[] = { 1, 1, 1, 1 }, r[] = { 1, 2, 3, 6 }, w[] = { 1, 1, 1, 1 };
    struct calibration_unknown x[1];

    calibration_solve(slope, r, w, 4, 1, 0, x);
    cr_expect_float_eq(x[0].by, 3, 1e-12);
    cr_expect_float_eq(x[0].error, sqrt(14.0 / 12), 1e-12);
    cr_expect_float_eq(x[0].part, 0.25, 1e-12);
}

/* Rows that agree are off by 0.5 each all the same: 0.5 / sqrt(9 + 1 + 1 + 1).  The first has 9
 * parts of 12. */
Test(calibration, rows_are_known_no_better_than_the_least)
{
    static const double slope[] = { 3, 1, 1, 1 }, r[] = { 6, 2, 2, 2 }, w[] = { 1, 1, 1, 1 };
    struct calibration_unknown x[1];

    calibration_solve(slope, r, w, 4, 1, 0.5, x);
    cr_expect_float_eq(x[0].by, 2, 1e-12);
    cr_expect_float_eq(x[0].error, 0.5 / sqrt(12), 1e-12);
    cr_expect_eq(x[0].row, 0);
    cr_expect_float_eq(x[0].part, 0.75, 1e-12);
}

Test(calibration, what_no_row_tells_has_no_error)
{
    static const double slope[] = { 1, 0, 2, 1, 0, 2, 1, 0, 2 }, r[] = { 1, 2, 3 };
    static const double w[] = { 1, 1, 1 };
    struct calibration_unknown x[3];

    calibration_solve(slope, r, w, 3, 3, 0, x);
    cr_expect(isfinite(x[0].error));
    cr_expect_eq(x[1].by, 0);
    cr_expect(isinf(x[1].error)); /* nothing depends on it */
    cr_expect(isinf(x[2].error)); /* it does as the first one does */
}

/* --- halves --------------------------------------------------------------------------------- */

/* Groups a to f follow two constants.  Fewest follow the second: e, then b; of the others a, c and
 * f follow the first, d nothing, and g waits for others.  d, e and f stand behind a as they did. */
Test(calibration, both_halves_tell_each_constant)
{
    static const double slope[] = { -1, 0, 0, -0.2, -0.5, 0, 0, 0, 0, -0.3, -0.1, 0, -3, -2 };
    static const char expected[] = "adefbcg";
    struct calibration_groups g = { .group = memory_zeroed(7, sizeof *g.group), .n = 7 };
    char name[] = "abcdefg", got[8] = "";

    for (size_t i = 0; i < 7; i++)
        g.group[i] = (struct calibration_group){ .alike = &name[i], .own = i < 6 };
    calibration_group_divide(&g, slope, 2);
    for (size_t i = 0; i < 7; i++)
        got[i] = *g.group[i].alike;
    cr_expect_str_eq(got, expected);
    cr_expect_eq(g.n_fitted, 4);
    calibration_group_free(&g);
}

/* --- a machine with other constants --------------------------------------------------------- */

static uint64_t state = 1;

static double draw_even(void) /* evenly in [0, 1) */
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) * 0x1p-53;
}

static double draw_normal(void)
{
    return sqrt(-2 * log(1 - draw_even())) * cos(6.283185307179586 * draw_even());
}

/* A module of model/measured as a file. */
static void write_program(char *path, const char *stem, const char *name)
{
    struct packed packed;
    struct err err;
    FILE *out = fdopen(mkstemps(path, 4), "w");

    cr_assert_not_null(out);
    cr_assert_eq(packed_open(&packed, stem, &err), 0, "%s", err.msg);
    const struct packed_module *m = packed_find(&packed, name);
    cr_assert_not_null(m, "no program %s", name);
    fwrite(m->text, 1, m->size, out);
    cr_assert_eq(fclose(out), 0);
    packed_close(&packed);
}

/* One line of the profile: kernels get new names, times noise. */
static void write_kernel(FILE *out, size_t i, const struct profiled_kernel *k, const char *text)
{
    uint64_t n = k->count * STEPS - (draw_even() < 0.3 ? 1 : 0);
    double sum = 0;

    for (uint64_t o = 0; o < n; o++)
        sum += mpq_get_d(k->predicted) / (double)k->count * (1 + 0.05 * draw_normal());
    plain_print(out, "1,1,,renamed.%zu,\"%%renamed.%zu%s\",,%" PRIu64 ",%.6f\n", i, i,
                text + strcspn(text, " "), n, sum * 1e6);
}

/* The text of a kernel's instruction. */
static char *text_of(const struct profiled *p, const char *name)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (uint32_t i = 0; i < p->module->n_instructions; i++)
        if (hlo_text_is(p->module->instruction[i].name, name))
            pairing_write(p->module, &p->module->instruction[i], out);
    fclose(out);
    return text;
}

static void write_profile(char *path, const char *program, const char *machine,
                          const char *const *set, size_t n_set)
{
    const struct profiled_request q = {
        .run = { .trace = program, .machine = machine, .set = set, .n_set = n_set }
    };
    struct profiled p;
    struct err err;
    FILE *out = fdopen(mkstemps(path, 4), "w");

    cr_assert_not_null(out);
    cr_assert_eq(profiled_make(&p, &q, &err), 0, "%s", err.msg);
    fputs("Rank,Program id,HLO op category,HLO op name,HLO op text,Framework op name,#Occurrences,"
          "Total time (us)\n",
          out);
    for (size_t i = 0; i < p.n_kernels; i++) {
        /* in another order: 7 has no factor of the number in common */
        const struct profiled_kernel *k = &p.kernel[i * 7 % p.n_kernels];
        if (mpq_sgn(k->predicted) == 0 && !k->waits)
            continue;
        char *text = text_of(&p, k->name);
        write_kernel(out, i, k, text);
        free(text);
    }
    cr_assert_neq(p.n_kernels % 7, 0);
    cr_assert_eq(fclose(out), 0);
    profiled_free(&p);
}

struct known {
    enum calibration_key key;
    double value;
};

/* Constants that came back, with errors that say by how much they may be off. */
static void expect_constants(const struct calibration *c, const struct known *known, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct calibration_constant *k = &c->constant[known[i].key];
        double off = fabs((double)calibration_amount(c->spec, known[i].key) / known[i].value - 1);
        cr_expect(off < 0.03, "%s: %s, expected %g", k->key, k->after, known[i].value);
        cr_expect_null(k->why, "%s: %s", k->key, k->why);
        cr_expect(k->error > 0 && k->error < 0.03, "%s: %g", k->key, k->error);
        cr_expect(off < 3 * k->error, "%s: %g off, by %g as stated", k->key, off, k->error);
    }
}

/* why NULL: any reason. */
static void expect_alone(const struct calibration *c, enum calibration_key key, const char *why)
{
    cr_assert_not_null(c->constant[key].why, "%s was changed", c->constant[key].key);
    cr_expect_str_eq(c->constant[key].why, why ? why : c->constant[key].why);
    cr_expect_not(c->constant[key].changed);
}

/* Fit to a profile of `program` with constants `set`. */
static void fit_changed(struct calibration *c, const char *program, const char *machine,
                        const char *const *set, size_t n_set)
{
    static const struct calibration_request two = { .jobs = 2 };
    char profile[] = "/tmp/calibration.XXXXXX.csv";
    struct profiled p;
    struct err err;

    write_profile(profile, program, machine, set, n_set);
    const struct profiled_request q = { .run = { .trace = program, .machine = machine },
                                        .profile = profile };
    cr_assert_eq(profiled_make(&p, &q, &err), 0, "%s", err.msg);
    cr_expect_eq(p.n_only_predicted, 0);
    cr_expect_eq(p.n_only_measured, 0);
    cr_expect_eq(p.steps, STEPS);
    cr_assert_eq(calibration_make(c, &p, &two, &err), 0, "%s", err.msg);
    cr_expect_gt(c->held.before, 0.1);
    cr_expect_lt(c->held.after, 0.05); /* some pairs of one shape are exchanged */
    profiled_free(&p);
    unlink(profile);
}

static const char not_told[] = "no kernel depends on it, or only as on another constant";

Test(calibration, constants_that_were_changed_by_a_fifth_come_back)
{
    static const char *const set[] = { "hbm.efficiency=0.8", "core.op_overhead=1000 ns",
                                       "mxu.issue=0.752" };
    static const struct known known[] = { { CALIBRATION_HBM, 0.8e9 }, /* parts per billion, */
                                          { CALIBRATION_FLOOR, 1e9 }, /* femtoseconds */
                                          { CALIBRATION_MXU, 0.752e9 } };
    char program[] = "/tmp/calibration.XXXXXX.hlo";
    struct calibration c;

    write_program(program, "programs_tpu_v6e", "gpt2,1024,1");
    fit_changed(&c, program, "tpu-v6e-1", set, 3);
    expect_constants(&c, known, 3);
    expect_alone(&c, CALIBRATION_COLLECTIVE, not_told); /* one chip */
    expect_alone(&c, CALIBRATION_VECTOR, "one kernel alone depends on it");
    calibration_free(&c);
    unlink(program);
}

/* A kernel pays two DMA latencies of op_overhead where they arise, 800 ns on v6e: no kernel tells
 * by how much it is less. */
Test(calibration, a_floor_of_which_kernels_tell_a_bound_is_left_alone)
{
    static const char *const set[] = { "hbm.efficiency=0.75", "core.op_overhead=672 ns" };
    static const struct known known[] = { { CALIBRATION_HBM, 0.75e9 } };
    char program[] = "/tmp/calibration.XXXXXX.hlo";
    struct calibration c;

    write_program(program, "programs_tpu_v6e", "gpt2,1024,1");
    fit_changed(&c, program, "tpu-v6e-1", set, 2);
    expect_constants(&c, known, 1);
    expect_alone(&c, CALIBRATION_FLOOR, "the kernels tell only a bound of it");
    calibration_free(&c);
    unlink(program);
}

/* The profile does not state a peak: kernels tell the clock by all that takes cycles. */
Test(calibration, a_clock_is_not_taken_for_the_issue_of_units)
{
    SKIP_LONG();
    static const char *const set[] = { "core.clock=1.4 GHz", "hbm.efficiency=0.8",
                                       "bundle.issue=0.48" };
    static const struct known known[] = { { CALIBRATION_CLOCK, 1.4e9 },
                                          { CALIBRATION_HBM, 0.8e9 },
                                          { CALIBRATION_VECTOR, 0.48e9 } };
    struct calibration c;

    fit_changed(&c, "traces/programs/exatrkx.tpu-v6e-4.hlo.zst", "tpu-v6e-4", set, 3);
    expect_constants(&c, known, 3);
    expect_alone(&c, CALIBRATION_MXU, "the kernels agree with it");
    calibration_free(&c);
}

/* Hundreds of its kernels take a microsecond, in which a refresh of HBM is or is not. */
Test(calibration, refreshes_in_short_kernels_do_not_mislead)
{
    SKIP_LONG();
    static const char *const set[] = { "hbm.efficiency=0.8", "core.op_overhead=1008 ns",
                                       "mxu.issue=0.752", "bundle.issue=0.72" };
    static const struct known known[] = { { CALIBRATION_HBM, 0.8e9 },
                                          { CALIBRATION_FLOOR, 1.008e9 },
                                          { CALIBRATION_MXU, 0.752e9 } };
    struct calibration c;

    fit_changed(&c, "traces/programs/mlpf.tpu-v6e-4.hlo.zst", "tpu-v6e-4", set, 4);
    expect_constants(&c, known, 3);
    expect_alone(&c, CALIBRATION_COLLECTIVE, NULL); /* one all-reduce */
    expect_alone(&c, CALIBRATION_VECTOR, NULL);     /* one kernel of a microsecond */
    calibration_free(&c);
}

Test(calibration, any_number_of_threads_gives_the_same_machine)
{
    static const char *const set[] = { "hbm.efficiency=0.8", "core.op_overhead=1000 ns" };
    char profile[] = "/tmp/calibration.XXXXXX.csv", program[] = "/tmp/calibration.XXXXXX.hlo";
    struct calibration c[2];
    struct profiled p;
    struct err err;

    write_program(program, "programs_tpu_v6e", "gpt2,128,1");
    write_profile(profile, program, "tpu-v6e-1", set, 2);
    const struct profiled_request q = { .run = { .trace = program, .machine = "tpu-v6e-1" },
                                        .profile = profile };
    cr_assert_eq(profiled_make(&p, &q, &err), 0, "%s", err.msg);
    for (unsigned i = 0; i < 2; i++) {
        const struct calibration_request jobs = { .jobs = 1 + 2 * i };
        cr_assert_eq(calibration_make(&c[i], &p, &jobs, &err), 0, "%s", err.msg);
    }
    for (unsigned k = 0; k < CALIBRATION_N; k++) {
        cr_expect_str_eq(c[0].constant[k].after, c[1].constant[k].after);
        cr_expect(c[0].constant[k].error == c[1].constant[k].error);
    }
    cr_expect(c[0].constant[CALIBRATION_FLOOR].changed);
    calibration_free(&c[0]);
    calibration_free(&c[1]);
    profiled_free(&p);
    unlink(profile);
    unlink(program);
}

/* Fit to a profile whose first device states this peak. */
static const char *fit_clock(struct profiled *p, double peak, bool megacore)
{
    struct profile_device *d = memory_zeroed(1, sizeof *d), *none = p->profile->device;
    static const struct calibration_request one = { .jobs = 1 };
    struct calibration c;
    struct err err;

    *d = (struct profile_device){ .name = memory_copy("/device:TPU:0"),
                                  .type = memory_copy(""),
                                  .host = memory_copy(""),
                                  .peak_flops = peak,
                                  .megacore = megacore };
    p->profile->device = d;
    p->profile->n_devices = 1;
    cr_assert_eq(calibration_make(&c, p, &one, &err), 0, "%s", err.msg);
    const char *why = c.constant[CALIBRATION_CLOCK].why;
    calibration_free(&c);
    free(d->name);
    free(d->type);
    free(d->host);
    free(d);
    p->profile->device = none;
    p->profile->n_devices = 0;
    return why;
}

/* A megacore states the peak of both cores or of one: neither is another clock. */
Test(calibration, the_peak_of_one_core_of_two)
{
    char profile[] = "/tmp/calibration.XXXXXX.csv";
    struct profiled p;
    struct err err;

    write_profile(profile, "tests/cli/programs/layers.tpu-v3-8.hlo", "tpu-v3-8", NULL, 0);
    const struct profiled_request q = {
        .run = { .trace = "tests/cli/programs/layers.tpu-v3-8.hlo" }, .profile = profile
    };
    cr_assert_eq(profiled_make(&p, &q, &err), 0, "%s", err.msg);
    double peak = mpq_get_d(p.run.peak_flops);
    static const char same[] = "as the device states";
    cr_expect_str_eq(fit_clock(&p, peak, true), same);
    cr_expect_str_eq(fit_clock(&p, peak / 2, true), same);
    cr_expect_null(fit_clock(&p, 0.45 * peak, true), "nine tenths of the clock");
    cr_expect_null(fit_clock(&p, peak / 2, false), "half the clock");
    profiled_free(&p);
    unlink(profile);
}
