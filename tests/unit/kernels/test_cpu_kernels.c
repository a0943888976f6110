/* Operations of a node of CPUs: threads, cycles, pages and bytes, worked out by hand for the Xeon
 * node: 40 cores, 32 multiply-accumulates a cycle each, 2.2 GHz. */
#include <criterion/criterion.h>
#include <string.h>

#include "kernels/cpu/cpu_work.h"
#include "machine/spec/spec.h"

static struct cap cap_with(const char *setting)
{
    struct machine_spec *spec;
    struct cap cap;
    struct err err;

    cr_assert_eq(spec_load(&spec, "xeon-6148", &setting, 1, &err), 0, "%s", err.msg);
    spec_cap(spec, &cap);
    spec_free(spec);
    return cap;
}

/* 22 * 22 blocks of 48 x 48, 13 on the core with the most; each 48 * 48 * (1,024 + 14) / 32 cycles.
 */
Test(cpu_kernels, a_product_is_blocks_and_the_core_with_the_most_ends_last)
{
    struct cap cap = cap_with("framework.execution=graph");
    struct cpu_work w = { 0 };
    struct task_pool p;

    cpu_product(&w, 1, 1024, 1024, 1024, 4, &cap.cpu);
    cr_expect_eq((uint64_t)w.units, 22 * 22);
    cr_expect_eq((uint64_t)w.unit, 74736);
    cpu_divide(&p, &w, &cap);
    cr_expect_eq(p.threads, 40);
    cr_expect_eq(p.cycles[POOL_CORES], 13 * 74736);
    cr_expect_eq(p.dispatch_fs, UINT64_C(31400000000), "1.4 us, and 6 doublings of 5 us");
    /* one more block than 40 cores take at once is twice their time */
    w.units = 41;
    cpu_divide(&p, &w, &cap);
    cr_expect_eq(p.cycles[POOL_CORES], 2 * 74736);
}

/* 5 columns are padded to 48, the 3 registers of a tile; f64 has half the lanes. */
Test(cpu_kernels, a_thin_product_pads_its_columns)
{
    struct cap cap = cap_with("framework.execution=graph");
    struct cpu_work w = { 0 };

    cpu_product(&w, 16, 6400, 5, 128, 4, &cap.cpu);
    cr_expect_eq((uint64_t)w.units, 16 * 134);
    cr_expect_eq((uint64_t)w.unit, 48 * 48 * 142 / 32);
    cpu_product(&w, 1, 8, 5, 128, 8, &cap.cpu);
    cr_expect_eq((uint64_t)w.units, 1);
    cr_expect_eq((uint64_t)w.unit, 8 * 24 * 142 / 16);
}

Test(cpu_kernels, short_work_stays_on_one_thread)
{
    struct cap cap = cap_with("framework.execution=graph");
    struct cpu_work w = { .cycles = 99999 };
    struct task_pool p;

    cpu_divide(&p, &w, &cap);
    cr_expect_eq(p.threads, 1);
    cr_expect_eq(p.dispatch_fs, UINT64_C(1400000000), "nobody is to be woken");
    cr_expect_eq(p.cycles[POOL_CORES], 99999);
    w.cycles = 250000;
    cpu_divide(&p, &w, &cap);
    cr_expect_eq(p.threads, 3);
    cr_expect_eq(p.cycles[POOL_CORES], 83334);
}

/* 64 MiB are 16,384 pages.  One thread maps a page in 0.25 us and clears it in 0.512.  Of 40 each
 * has 410 pages, 312 us; but the lock goes from core to core twice a page, 95 ns each: 3,112.96 us.
 */
Test(cpu_kernels, threads_that_map_pages_wait_for_their_lock)
{
    struct cap cap = cap_with("framework.execution=graph");
    struct cpu_work w = { .fresh = 64 << 20 };
    struct task_pool p;

    cpu_divide(&p, &w, &cap);
    cr_expect_eq(p.cycles[POOL_PAGES], 27466138, "16,384 * 0.762 us at 2.2 GHz");
    cap.cpu.line_fs = 1000000000;
    cpu_divide(&p, &w, &cap);
    cr_expect_eq(p.cycles[POOL_PAGES], 27466138, "nobody else asks for its lock");
    cap.cpu.line_fs = 95000000;
    w.cycles = 4000000;
    cpu_divide(&p, &w, &cap);
    cr_expect_eq(p.cycles[POOL_PAGES], 6848512, "3,112.96 us at 2.2 GHz");
    cap = cap_with("framework.page=2 MiB");
    cpu_divide(&p, &w, &cap);
    cr_expect_eq(p.cycles[POOL_PAGES], 577267, "each of 32 threads clears one page, 262.144 us");
}

/* 250 MB: 40 threads move 12 GB/s each, 520.83 us; half of the 200 MB of memory are at the other
 * socket, half of those each way: 50 MB at 62.4 GB/s, 801.28 us. */
Test(cpu_kernels, bytes_pass_the_caches_and_half_of_them_the_sockets)
{
    struct cap cap = cap_with("framework.execution=graph");
    struct cpu_work w = { .bytes = 250000000, .read = 150000000, .written = 50000000 };
    struct task_pool p;

    cpu_divide(&p, &w, &cap);
    cr_expect_eq(p.threads, 40);
    cr_expect_eq(p.cycles[POOL_CACHE], 1145834);
    cr_expect_eq(p.cycles[POOL_NUMA], 1762821);
    cap.cpu.sockets = 4;
    cpu_divide(&p, &w, &cap);
    cr_expect_eq(p.cycles[POOL_NUMA], 293804, "12 ways between 4 sockets");
    cap.cpu.sockets = 1;
    cpu_divide(&p, &w, &cap);
    cr_expect_eq(p.cycles[POOL_NUMA], 0, "one socket");
    cap.cpu.sockets = 2;
    cap.cpu.away = 0;
    cpu_divide(&p, &w, &cap);
    cr_expect_eq(p.cycles[POOL_NUMA], 0, "pinned");
}

Test(cpu_kernels, absurd_work_is_limited_and_does_not_wrap_around)
{
    struct cap cap = cap_with("cpu.core_bandwidth=1 MB/s");
    struct cpu_work w = { .cycles = (u128)1 << 100, .serial = (u128)1 << 90, .bytes = UINT64_MAX };
    struct task_pool p;

    cpu_divide(&p, &w, &cap);
    cr_expect_eq(p.cycles[POOL_CORES], UINT64_C(1) << 60);
    cr_expect_eq(p.cycles[POOL_SERIAL], UINT64_C(1) << 60);
    w.serial = 0;
    cpu_divide(&p, &w, &cap);
    cr_expect_eq(p.cycles[POOL_CACHE], UINT64_C(1) << 60);
}

Test(cpu_kernels, steps_have_equal_shares_that_add_up)
{
    struct task_pool p = { .steps = 3, .threads = 2, .read = 100, .written = 7, .useful = 1 };
    uint64_t read = 0, written = 0, useful = 0;

    p.cycles[POOL_CORES] = 10;
    for (uint64_t i = 0; i < 3; i++) {
        struct task_pool s = task_pool_step(&p, i);
        read += s.read;
        written += s.written;
        useful += s.useful;
        cr_expect_eq(s.threads, 2);
        cr_expect_eq(s.cycles[POOL_CORES], i == 2 ? 4 : 3);
    }
    cr_expect_eq(read, 100);
    cr_expect_eq(written, 7);
    cr_expect_eq(useful, 1);
}
