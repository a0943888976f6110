/* HBM beside DRAMsim3 and Ramulator 2.1: bandwidths of saturated traffic on the same parts.
 * Tolerances are those of docs/model/hbm.md; the stride on Ramulator's part is a known miss. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "hw/hbm/hbm_memory.h"
#include "machine/spec/spec.h"
#include "study/network/hbm_study.h"
#include "study/op/op.h"

#define MB 1000000
#define GIB (UINT64_C(1) << 30)

static const struct row {
    const char *part;
    struct hbm_load load;
    double gbs, tolerance;
} rows[] = {
    { "hbm2-dramsim3", { HBM_SEQUENTIAL, false, 16 * MB, 64, 0, 0, 1 }, 236.5, 0.03 },
    { "hbm2-dramsim3", { HBM_SEQUENTIAL, true, 16 * MB, 64, 0, 0, 1 }, 237.0, 0.03 },
    { "hbm2-dramsim3", { HBM_COPY, false, 16 * MB, 64, 0, GIB, 1 }, 187.4, 0.03 },
    { "hbm2-dramsim3", { HBM_TRIAD, false, 16 * MB, 64, 0, GIB, 1 }, 116.3, 0.03 },
    { "hbm2-dramsim3", { HBM_RANDOM, false, 16 * MB, 1024, 0, 0, 1 }, 192.7, 0.03 },
    { "hbm2-dramsim3", { HBM_STRIDED, false, 4 * MB, 64, 4096, 0, 1 }, 31.3, 0.03 },
    { "hbm2-dramsim3", { HBM_RANDOM, false, 16 * MB, 64, 0, 0, 1 }, 61.8, 0.03 },
    { "hbm2-ramulator", { HBM_SEQUENTIAL, false, 16 * MB, 32, 0, 0, 1 }, 228.2, 0.05 },
    { "hbm2-ramulator", { HBM_SEQUENTIAL, true, 16 * MB, 32, 0, 0, 1 }, 225.4, 0.05 },
    { "hbm2-ramulator", { HBM_COPY, false, 16 * MB, 32, 0, GIB, 1 }, 111.9, 0.05 },
    { "hbm2-ramulator", { HBM_TRIAD, false, 16 * MB, 32, 0, GIB, 1 }, 105.5, 0.05 },
    { "hbm2-ramulator", { HBM_RANDOM, false, 16 * MB, 1024, 0, 0, 1 }, 76.8, 0.05 },
    { "hbm2-ramulator", { HBM_RANDOM, false, 16 * MB, 32, 0, 0, 1 }, 75.4, 0.05 },
};

Test(hbm, bandwidths_are_those_of_other_simulators)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dram_params par;
        struct hbm_memory m;
        struct hbm_traffic w;
        struct hbm_outcome out;
        struct err err;

        cr_assert_eq(spec_dram(&par, rows[i].part, true, NULL, 0, &err), 0, "%s", err.msg);
        cr_assert_eq(hbm_memory_init(&m, &par, &err), 0, "%s", err.msg);
        cr_assert_eq(hbm_traffic_init(&w, &rows[i].load, &m.map, &par, &err), 0, "%s", err.msg);
        hbm_memory_walk(&m, &w, &out);
        double gbs = (double)w.accesses * (double)par.access / (double)out.cycles; /* at 1 GHz */
        double error = gbs / rows[i].gbs - 1;
        cr_expect(error < rows[i].tolerance && error > -rows[i].tolerance,
                  "%s: %s%s of %llu B: %.1f GB/s, %.1f there: %+.1f %%", rows[i].part,
                  hbm_pattern_name[rows[i].load.pattern], rows[i].load.write ? " write" : "",
                  (unsigned long long)rows[i].load.size, gbs, rows[i].gbs, 100 * error);
        hbm_traffic_free(&w);
        hbm_memory_free(&m);
    }
}

/* A core of TPU v2 streams at 258 GB/s, alone or beside the other: half of 0.86 of the chip's peak.
 */
Test(hbm, a_core_streams_at_258_gb_per_s_alone_and_in_company)
{
    static const char *const machines[] = { "tpu-v2-1", "tpu-v2-8" };

    for (size_t i = 0; i < 2; i++) {
        const char *arg[] = { "shape=268435456" };
        struct op_request q = {
            .kind = "copy", .arg = arg, .n_args = 1, .run = { .machine = machines[i] }
        };
        struct run_result r;
        struct err err;
        cr_assert_eq(op_run(&q, &r, &err), 0, "%s", err.msg);
        double gbs = 2 * 2 * 268435456.0 / mpq_get_d(r.seconds_per_step) / 1e9;
        cr_expect(gbs > 258 * 0.99 && gbs < 258 * 1.01, "%s: %.1f GB/s", machines[i], gbs);
        run_result_free(&r);
    }
}

/* The peak that a chip's clock, stacks and channels make is the published one. */
Test(hbm, parts_of_the_tpus_have_their_peak_and_capacity)
{
    static const struct {
        const char *machine;
        double gbs, gib;
    } chips[] = {
        { "tpu-v2-8", 600, 16 },   { "tpu-v3-8", 900, 32 },   { "tpu-v4-8", 1230, 32 },
        { "tpu-v5e-1", 819, 16 },  { "tpu-v5p-2", 2765, 95 }, { "tpu-v6e-1", 1638, 32 },
        { "tpu-v7-2", 7380, 192 },
    };

    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        struct dram_params par;
        struct err err;
        cr_assert_eq(spec_dram(&par, chips[i].machine, false, NULL, 0, &err), 0, "%s", err.msg);
        cr_expect_float_eq((double)dram_bytes_per_s(&par) / 1e9, chips[i].gbs, 0.001, "%s: %f",
                           chips[i].machine, (double)dram_bytes_per_s(&par) / 1e9);
        cr_expect_float_eq((double)dram_bytes(&par) / (double)GIB, chips[i].gib, 0.01, "%s: %f",
                           chips[i].machine, (double)dram_bytes(&par) / (double)GIB);
    }
}

/* Clock, stacks and channels of every machine by itself, GPUs and CPUs, make the peak of its data
 * sheet, and a lone stream comes near it but does not pass it. */
Test(hbm, no_memory_is_faster_than_its_data_sheet)
{
    unsigned n = 0;

    for (const char *name; (name = catalog_box(n)); n++) {
        const char *arg[] = { "pattern=seq", "bytes=16MiB" };
        struct hbm_study_request q = { .machine = name, .arg = arg, .n_args = 2 };
        struct hbm_study_result r;
        struct machine_spec *m;
        struct err err;
        cr_assert_eq(spec_load(&m, name, NULL, 0, &err), 0, "%s", err.msg);
        cr_assert_eq(hbm_study_run(&q, &r, &err), 0, "%s: %s", name, err.msg);
        double sheet = (double)m->hbm.bandwidth, peak = (double)r.peak;
        double rate = (double)r.bytes * (double)r.clock / (double)r.cycles;
        cr_expect(peak > 0.999 * sheet && peak < 1.001 * sheet, "%s: pins of %.0f GB/s", name,
                  peak / 1e9);
        cr_expect(rate > 0.8 * sheet && rate <= sheet, "%s: %.0f GB/s", name, rate / 1e9);
        hbm_study_free(&r);
        spec_free(m);
    }
    cr_expect_geq(n, 11);
}
