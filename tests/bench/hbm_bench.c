/* HBM beside the figures of DRAMsim3 and Ramulator 2.1 (docs/model/hbm.md), and requests per CPU
 * second: JSON on standard output. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "hw/hbm/hbm_memory.h"
#include "machine/spec/spec.h"

/* Saturated, 256 GB/s peak, 8 Gb dies; measured with DRAMsim3 and Ramulator 2.1 at 2 Gb/s a pin.
 * Arrays of copy and triad are 1 GiB apart. */
struct row {
    const char *name, *reference;
    struct hbm_load load;
    double gbs;
};

#define BYTES 64000000
#define GIB (UINT64_C(1) << 30)

static const struct row rows[] = {
    { "sequential read", "dramsim3", { HBM_SEQUENTIAL, false, BYTES, 64, 0, 0, 1 }, 236.5 },
    { "sequential write", "dramsim3", { HBM_SEQUENTIAL, true, BYTES, 64, 0, 0, 1 }, 237.0 },
    { "copy", "dramsim3", { HBM_COPY, false, BYTES, 64, 0, GIB, 1 }, 187.4 },
    { "triad", "dramsim3", { HBM_TRIAD, false, BYTES, 64, 0, GIB, 1 }, 116.3 },
    { "random 1 KiB", "dramsim3", { HBM_RANDOM, false, BYTES, 1024, 0, 0, 1 }, 192.7 },
    { "strided 4 KiB", "dramsim3", { HBM_STRIDED, false, BYTES / 8, 64, 4096, 0, 1 }, 31.3 },
    { "random 64 B", "dramsim3", { HBM_RANDOM, false, BYTES, 64, 0, 0, 1 }, 61.8 },
    { "sequential read", "ramulator", { HBM_SEQUENTIAL, false, BYTES, 32, 0, 0, 1 }, 228.2 },
    { "sequential write", "ramulator", { HBM_SEQUENTIAL, true, BYTES, 32, 0, 0, 1 }, 225.4 },
    { "copy", "ramulator", { HBM_COPY, false, BYTES, 32, 0, GIB, 1 }, 111.9 },
    { "triad", "ramulator", { HBM_TRIAD, false, BYTES, 32, 0, GIB, 1 }, 105.5 },
    { "random 1 KiB", "ramulator", { HBM_RANDOM, false, BYTES, 1024, 0, 0, 1 }, 76.8 },
    { "strided 4 KiB", "ramulator", { HBM_STRIDED, false, BYTES / 8, 32, 4096, 0, 1 }, 12.6 },
    { "random 32 B", "ramulator", { HBM_RANDOM, false, BYTES, 32, 0, 0, 1 }, 75.4 },
};

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail_bench(const struct err *err)
{
    fprintf(stderr, "hbm_bench: %s\n", err->msg);
    exit(1);
}

/* Walk the load; returns bytes per nanosecond of its clock, and the CPU time it took. */
static double walk_load(const struct dram_params *par, const struct hbm_load *load,
                        double *requests, double *seconds)
{
    struct hbm_memory m;
    struct hbm_traffic w;
    struct hbm_outcome out;
    struct err err;

    if (hbm_memory_init(&m, par, &err) != 0 || hbm_traffic_init(&w, load, &m.map, par, &err) != 0)
        fail_bench(&err);
    double start = cpu_seconds();
    hbm_memory_walk(&m, &w, &out);
    *seconds = cpu_seconds() - start;
    *requests = (double)w.accesses;
    double gbs = *requests * (double)par->access * (double)par->clock / (double)out.cycles / 1e9;
    hbm_traffic_free(&w);
    hbm_memory_free(&m);
    return gbs;
}

static void load_part(struct dram_params *par, const char *name, bool is_part)
{
    struct err err;

    if (spec_dram(par, name, is_part, NULL, 0, &err) != 0)
        fail_bench(&err);
}

/* The best of three runs, on the HBM of a TPU v2. */
static double measure_rate(enum hbm_pattern pattern)
{
    struct dram_params par;
    struct hbm_load load = { .pattern = pattern, .bytes = BYTES, .size = 64, .seed = 1 };
    double best = 0;

    load_part(&par, "tpu-v2-8", false);
    for (int i = 0; i < 3; i++) {
        double requests, seconds;
        walk_load(&par, &load, &requests, &seconds);
        if (requests / seconds > best)
            best = requests / seconds;
    }
    return best;
}

int main(void)
{
    printf("{\n  \"rows\": [");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dram_params par;
        char name[64];
        double requests, seconds;
        snprintf(name, sizeof name, "hbm2-%s", rows[i].reference);
        load_part(&par, name, true);
        double ours = walk_load(&par, &rows[i].load, &requests, &seconds);
        printf("%s\n    {\"pattern\": \"%s\", \"reference\": \"%s\", \"ours_gbs\": %.2f, "
               "\"reference_gbs\": %.1f, \"error\": %.4f}",
               i ? "," : "", rows[i].name, rows[i].reference, ours, rows[i].gbs,
               ours / rows[i].gbs - 1);
        fprintf(stderr, "%-18s %-10s %7.2f GB/s %7.1f %+6.2f %%\n", rows[i].name, rows[i].reference,
                ours, rows[i].gbs, 100 * (ours / rows[i].gbs - 1));
    }
    double sequential = measure_rate(HBM_SEQUENTIAL), random = measure_rate(HBM_RANDOM);
    printf("\n  ],\n  \"requests_per_cpu_second\": {\"sequential\": %.0f, \"random\": %.0f}\n}\n",
           sequential, random);
    fprintf(stderr, "%.1f M requests a CPU second sequential, %.1f M random\n", sequential / 1e6,
            random / 1e6);
    return 0;
}
