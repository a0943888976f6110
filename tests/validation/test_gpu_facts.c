/* GPUs that were never measured: do their files make the rates of their data sheets, and do their
 * constants of another chip keep predictions between what physics allows? */
#include <criterion/criterion.h>
#include <string.h>

#include "machine/spec/spec.h"
#include "study/op/op.h"

/* Dense peaks in TFLOP/s of their data sheets; GB/s. */
static const struct {
    const char *machine, *constants;
    double half, f8, f32, gbs;
} sheets[] = {
    { "h200x1", "hopper", 989, 1979, 67, 4800 },
    { "b200x1", "hopper", 2250, 4500, 75, 8000 },
    { "b300-sxm", "hopper", 2250, 4500, 75, 8000 },
    { "gb200x4", "hopper", 2500, 5000, 80, 8000 },
    { "l40s", "ampere", 362, 733, 91.6, 864 },
    { "l4", "ampere", 121, 242, 30.3, 300 },
    { "t4", "volta", 65, 0, 8.1, 320 },
    { "k80", "volta", 0, 0, 4.37, 240 },
};

static void expect_near(const char *machine, const char *what, double is, double sheet)
{
    cr_expect(is >= 0.985 * sheet && is <= 1.015 * sheet, "%s: %s of %g, its sheet says %g",
              machine, what, is, sheet);
}

Test(gpu_facts, files_make_the_rates_of_data_sheets)
{
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++) {
        const char *name = sheets[i].machine;
        struct machine_spec *m;
        struct err err;
        cr_assert_eq(spec_load(&m, name, NULL, 0, &err), 0, "%s", err.msg);
        double per_mac = 2e-12 * (double)m->sm.count * (double)m->gpu.clock;
        double tensor = per_mac * (double)m->sm.tensor_share / 1e9;
        expect_near(name, "f16", tensor * m->sm.f16, sheets[i].half);
        expect_near(name, "fp8", tensor * m->sm.f8, sheets[i].f8);
        expect_near(name, "f32", per_mac * m->sm.f32, sheets[i].f32);
        expect_near(name, "HBM", (double)m->hbm.bandwidth / 1e9, sheets[i].gbs);
        cr_expect_str_eq(spec_constants(m), sheets[i].constants, "%s", name);
        spec_free(m);
    }
}

Test(gpu_facts, each_gpu_has_its_compute_capability)
{
    static const struct {
        const char *machine;
        uint32_t capability;
    } rows[] = { { "k80", 37 },     { "v100x1", 70 },   { "t4", 75 },       { "a100x1", 80 },
                 { "l40s", 89 },    { "l4", 89 },       { "h100x1", 90 },   { "h200x1", 90 },
                 { "b200x1", 100 }, { "gb200x4", 100 }, { "b300-sxm", 103 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_spec *m;
        struct err err;
        cr_assert_eq(spec_load(&m, rows[i].machine, NULL, 0, &err), 0, "%s", err.msg);
        cr_expect_eq(m->sm.capability, rows[i].capability, "%s", rows[i].machine);
        spec_free(m);
    }
}

Test(gpu_facts, t4_has_neither_bf16_nor_tf32)
{
    struct machine_spec *m;
    struct err err;

    cr_assert_eq(spec_load(&m, "t4", NULL, 0, &err), 0, "%s", err.msg);
    cr_expect_eq(m->sm.bf16, 0);
    cr_expect_eq(m->sm.tf32, 0);
    cr_expect_str_eq(spec_peak_dtype(m), "f16");
    spec_free(m);
}

static double seconds_of(const char *machine, const char *kind, const char *arg0, const char *arg1)
{
    bool matmul = strcmp(kind, "matmul") == 0;
    const char *arg[] = { arg0, arg1, matmul ? "n=8192" : "dtype=f16", "k=8192" };
    struct op_request q = { .kind = kind,
                            .arg = arg,
                            .n_args = matmul                          ? 4
                                      : strncmp(kind, "conv", 4) == 0 ? 3
                                                                      : 2,
                            .run = { .machine = machine, .steps = 1, .brief = true } };
    struct run_result r;
    struct err err;

    cr_assert_eq(op_run(&q, &r, &err), 0, "%s", err.msg);
    double s = mpq_get_d(r.seconds_per_step);
    run_result_free(&r);
    return s;
}

/* The chip is the same, and its memory 4.8 / 3.352 as fast. */
Test(gpu_facts, h200_is_as_fast_as_h100_and_its_memory_as_its_sheet_says)
{
    double product = seconds_of("h100x1", "matmul", "dtype=bf16", "m=8192") /
                     seconds_of("h200x1", "matmul", "dtype=bf16", "m=8192"),
           stream = seconds_of("h100x1", "add", "dtype=f32", "shape=536870912") /
                    seconds_of("h200x1", "add", "dtype=f32", "shape=536870912");

    cr_expect(product > 0.999 && product < 1.02, "a product is %.3f times as fast", product);
    cr_expect(stream > 1.38 && stream < 1.435, "a stream is %.3f times as fast", stream);
}

static double seconds_of_program(const char *name, const char *machine)
{
    char path[80];
    struct run_request q = { .trace = path, .machine = machine, .steps = 1, .brief = true };
    struct run_result r;
    struct err e;

    snprintf(path, sizeof path, "tests/validation/h100/%s.hlo.zst", name);
    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    double s = mpq_get_d(r.seconds_per_step);
    run_result_free(&r);
    return s;
}

static double seconds_of_cube(const char *machine, unsigned side, const char *dtype)
{
    char m[16], n[16], k[16];
    const char *arg[] = { m, n, k, dtype };
    struct op_request q = { .kind = "matmul",
                            .arg = arg,
                            .n_args = 4,
                            .run = { .machine = machine, .steps = 1, .brief = true } };
    struct run_result r;
    struct err err;

    snprintf(m, sizeof m, "m=%u", side);
    snprintf(n, sizeof n, "n=%u", side);
    snprintf(k, sizeof k, "k=%u", side);
    cr_assert_eq(op_run(&q, &r, &err), 0, "%s", err.msg);
    double s = mpq_get_d(r.seconds_per_step);
    run_result_free(&r);
    return s;
}

Test(gpu_facts, more_memory_bandwidth_slows_no_product)
{
    static const char *const dtypes[] = { "dtype=f32", "dtype=bf16", "dtype=f64",
                                          "dtype=f8e4m3fn" };

    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        for (unsigned side = 64; side <= 1024; side += 64) {
            double h100 = seconds_of_cube("h100x1", side, dtypes[i]),
                   h200 = seconds_of_cube("h200x1", side, dtypes[i]);
            cr_expect_leq(h200, h100, "%s of %u: %g s, %g on H100", dtypes[i], side, h200, h100);
        }
}

/* 200 TB come and go in a few kernels: seconds of a simulation before transfers of more than 4 GiB
 * took fewer turns. */
Test(gpu_facts, a_sort_beyond_any_memory_is_predicted_at_once, .timeout = 5)
{
    cr_expect_gt(seconds_of("h100x1", "sort", "dtype=bf16", "shape=100000000000000"), 300);
}

/* Parts of k are no shortcut: what adds them up costs too. */
Test(gpu_facts, a_larger_product_of_f64_takes_no_less)
{
    double before = 0;

    for (unsigned side = 512; side <= 704; side += 16) {
        double s = seconds_of_cube("h100x1", side, "dtype=f64");
        cr_expect_geq(s, before, "%u: %g s, %g before", side, s, before);
        before = s;
    }
}

/* A step whose kernels all compute takes as long, and one whose kernels all stream gains what the
 * memory does: docs/evidence/gpu-errors.md states what lies between. */
Test(gpu_facts, programs_gain_no_more_on_h200_than_its_memory)
{
    static const char *const names[] = { "bert", "lstm", "dlrm", "unet", "particlenet" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double gain =
            seconds_of_program(names[i], "h100x1") / seconds_of_program(names[i], "h200x1");
        cr_expect(gain >= 1 && gain <= 4800 / 3352., "%s: %.3f times as fast", names[i], gain);
    }
}

/* Kernels in three dimensions that run the same machine code on A100, Ada and Hopper take as many
 * cycles of an SM, or more. */
Test(gpu_facts, three_dimensions_in_tf32_are_no_faster_on_a_smaller_chip)
{
    static const char *const smaller[] = { "l4", "l40s", "a100x1" };
    double h100 = seconds_of_program("gan3d", "h100x1");

    for (size_t i = 0; i < sizeof smaller / sizeof *smaller; i++) {
        double s = seconds_of_program("gan3d", smaller[i]);
        cr_expect_gt(s, h100, "%s: %g s, %g on H100", smaller[i], s, h100);
    }
}

/* 180 taps are more than a mask has bits: the kernels that count positions run on V100 as well. */
Test(gpu_facts, filters_of_many_taps_are_slow_on_every_generation)
{
    static const char *const chips[] = { "v100x1", "a100x1", "l40s" };
    double h100 = seconds_of("h100x1", "conv-dgrad", "in=64x8x47x47x23", "filter=8x8x5x6x6");

    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        double s = seconds_of(chips[i], "conv-dgrad", "in=64x8x47x47x23", "filter=8x8x5x6x6");
        cr_expect_gt(s, h100, "%s: %g s, %g on H100", chips[i], s, h100);
    }
}
