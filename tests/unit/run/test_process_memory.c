/* Memory that a process holds on a GPU besides tensors, and to what its allocator rounds these. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "run/memory/memory_fit.h"
#include "run/result/result.h"
#include "tests/unit/kernels/lower_bench.h"

/* Tensors of 400, 4,000 and 40 B take 512, 4,096 and 512, and the process 1,000. */
Test(process_memory, tensors_are_rounded_up_and_the_process_is_added)
{
    static const struct footprint_core plain = { .tiling = { 1, 1 }, .replicas = 1 }, held = {
        .tiling = { 1, 1 }, .replicas = 1, .process = 1000, .granule = 512
    };
    struct footprint m;
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %x f32[100] input\n",
                            "%a f32[1000] = elementwise(%x)\n%b f32[10] = reduce(%a)\n", &cap,
                            false),
                 0, "%s", b.err.msg);
    footprint_peak(&m, &b.step, &plain, NULL, &(struct footprint_change){ 0 }, NULL);
    cr_expect_eq(m.total, 4440);
    cr_expect_eq(m.padding, 0);
    footprint_peak(&m, &b.step, &held, NULL, &(struct footprint_change){ 0 }, NULL);
    cr_expect_eq(m.total, 512 + 4096 + 512 + 1000);
    cr_expect_eq(m.role[FOOTPRINT_PROCESS], 1000);
    cr_expect_eq(m.role[FOOTPRINT_INPUTS], 512);
    cr_expect_eq(m.persistent, 512 + 1000);
    cr_expect_eq(m.padding, 680);
    cr_expect_eq(footprint_by_xla(&m, false), 5120, "a compiler counts buffers alone");
    /* 8,000 B while %b is made, when all three are alive */
    footprint_peak(&m, &b.step, &held, (const uint64_t[]){ 0, 8000 },
                   &(struct footprint_change){ 0 }, NULL);
    cr_expect_eq(m.total, 512 + 4096 + 512 + 1000 + 8000);
    cr_expect_eq(footprint_by_xla(&m, false), 13120);
    cr_expect_eq(footprint_by_xla(&m, true), 5120, "of a GPU, what libraries work in is a value");
    take_down(&b);
}

static struct run_memory memory_of(const char *machine, uint64_t elements, const char *set)
{
    char path[] = "/tmp/cyclotron-process-XXXXXX";
    int fd = mkstemp(path);
    struct run_request q = {
        .trace = path, .machine = machine, .set = &set, .n_set = set ? 1 : 0, .steps = 1
    };
    struct run_memory m;
    struct err e;

    dprintf(fd,
            "cyclotron-trace 1\nworkload \"w\"\nsamples step=1\n"
            "dtype tensors=f32 matmul=bf16 activations=keep\n"
            "tensor %%x f32[%lu] input\nstep {\n%%y f32[1] = rng()\n}\n",
            (unsigned long)elements);
    close(fd);
    cr_assert_eq(run_lower(&q, &m, &e), 0, "%s", e.msg);
    unlink(path);
    return m;
}

/* 16 GiB less 236 MiB, 400 MB, 8,320 KiB and the 512 B of %y leave 16,523,885,056 B: 4,130,971,264
 * elements. */
Test(process_memory, what_fits_a_gpu_leaves_room_for_its_process)
{
    struct run_memory full = memory_of("v100x1", 4130971264, NULL),
                      over = memory_of("v100x1", 4130971265, NULL);

    cr_expect_eq(full.peak.role[FOOTPRINT_PROCESS], 408519680);
    cr_expect_eq(full.peak.total, UINT64_C(16148) << 20);
    cr_expect_eq(full.capacity, UINT64_C(16148) << 20);
    cr_expect_eq(over.peak.total, (UINT64_C(16148) << 20) + 512);
}

Test(process_memory, each_machine_has_its_own)
{
    cr_expect_eq(memory_of("h100-sxm-80gb", 1, NULL).peak.total, 433554432 + 2 * 512);
    cr_expect_eq(memory_of("v100x1", 1, "process.granule=256 B").peak.total, 408519680 + 2 * 256);
    cr_expect_eq(memory_of("v100x1", 1, "process.context=1 GB").peak.total,
                 UINT64_C(1008519680) + 2 * 512);
    cr_expect_eq(memory_of("tpu-v3-1", 1, NULL).peak.role[FOOTPRINT_PROCESS], 0);
    cr_expect_eq(memory_of("xeon-6148", 1, NULL).peak.role[FOOTPRINT_PROCESS], 0);
}
