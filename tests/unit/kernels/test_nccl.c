/* NCCL on GPUs: which algorithm and protocol it takes, and the bytes that a GPU sends by them. */
#include <criterion/criterion.h>
#include <string.h>

#include "kernels/net/collective.h"
#include "machine/spec/spec.h"
#include "schedule/schedule_flow.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)

static struct cap cap_of(const char *machine, const char *set)
{
    struct machine_spec *spec;
    struct cap cap;
    struct err err;

    cr_assert_eq(spec_load(&spec, machine, &set, set != NULL, &err), 0, "%s", err.msg);
    spec_cap(spec, &cap);
    spec_free(spec);
    return cap;
}

static struct schedule plan_call(const char *machine, const char *set, enum schedule_kind kind,
                                 uint64_t bytes, uint32_t group, uint64_t shift)
{
    struct cap cap = cap_of(machine, set);
    struct collective c = {
        .kind = kind, .bytes = bytes, .element = 4, .group = group, .stride = 1, .shift = shift
    };
    struct task_call call;
    struct err err;

    cr_assert_eq(collective_plan(&call, &c, &cap, &err), 0, "%s", err.msg);
    cr_assert_not_null(call.schedule.flow.by);
    return call.schedule;
}

static void expect_way(const char *machine, const char *set, uint64_t bytes, const char *by)
{
    struct schedule s = plan_call(machine, set, SCHEDULE_ALL_REDUCE, bytes, 0, 0);

    cr_expect_str_eq(s.flow.by, by, "%s, %lu B: %s, not %s", machine, (unsigned long)bytes,
                     s.flow.by, by);
}

/* The sizes and the protocols of NCCL's own predictor for 4 and 8 V100 with 6 rings. */
Test(nccl, more_bytes_take_protocols_of_more_bandwidth)
{
    static const char *const boxes[] = { "v100x4", "v100x8" };

    for (int i = 0; i < 2; i++) {
        expect_way(boxes[i], NULL, 8, "NCCL ring, LL");
        expect_way(boxes[i], NULL, 64 * KIB, "NCCL ring, LL");
        expect_way(boxes[i], NULL, MIB, "NCCL ring, LL128");
        expect_way(boxes[i], NULL, 16 * MIB, "NCCL ring, Simple");
        expect_way(boxes[i], NULL, 512 * MIB, "NCCL ring, Simple");
    }
}

Test(nccl, a_switch_that_adds_takes_large_sums_of_a_whole_box)
{
    expect_way("h100x8", NULL, 256 * MIB, "NCCL NVLS, Simple");
    expect_way("a100x8", NULL, 256 * MIB, "NCCL ring, Simple");
    cr_expect_str_eq(plan_call("h100x8", NULL, SCHEDULE_ALL_REDUCE, 256 * MIB, 4, 0).flow.by,
                     "NCCL ring, Simple", "four GPUs are below nccl.nvls_least");
    cr_expect_str_eq(plan_call("h100x8", NULL, SCHEDULE_ALL_GATHER, 256 * MIB, 0, 0).flow.by,
                     "NCCL ring, Simple", "nothing is added");
}

/* The switch adds floating-point numbers of 16 bits and more, and 8-bit ones go around a ring. */
Test(nccl, a_switch_adds_no_bytes)
{
    struct cap cap = cap_of("h100x8", NULL);
    struct task_call call;
    struct err err;

    for (uint32_t element = 1; element <= 2; element++) {
        struct collective c = {
            .kind = SCHEDULE_ALL_REDUCE, .bytes = 256 * MIB, .element = element, .stride = 1
        };
        cr_assert_eq(collective_plan(&call, &c, &cap, &err), 0, "%s", err.msg);
        cr_expect_str_eq(call.schedule.flow.by,
                         element == 1 ? "NCCL ring, Simple" : "NCCL NVLS, Simple");
    }
}

/* LL has one channel to each GPU and starts sooner. */
Test(nccl, an_all_to_all_goes_by_ll_up_to_some_bytes)
{
    static const struct {
        uint64_t bytes;
        const char *by;
    } rows[] = { { KIB, "NCCL send, LL" },
                 { 64 * KIB, "NCCL send, LL" },
                 { MIB, "NCCL send, Simple" },
                 { 64 * MIB, "NCCL send, Simple" } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(
            plan_call("h100x8", NULL, SCHEDULE_ALL_TO_ALL, rows[i].bytes, 0, 0).flow.by, rows[i].by,
            "%lu B", (unsigned long)rows[i].bytes);
}

/* 2 (R-1) = 30 steps of a ring against 14 in the boxes and 2 between them; but a tree sends twice
 * the bytes within the boxes. */
Test(nccl, trees_join_nodes)
{
    expect_way("v100x16", NULL, 4, "NCCL tree, LL");
    expect_way("v100x128", NULL, 64 * MIB, "NCCL tree, Simple");
    expect_way("v100x8", NULL, 4, "NCCL ring, LL");
}

Test(nccl, a_machine_may_force_algorithm_and_protocol)
{
    expect_way("v100x8", "nccl.protocol=simple", 8, "NCCL ring, Simple");
    expect_way("h100x8", "nccl.algorithm=ring", 256 * MIB, "NCCL ring, Simple");
    expect_way("v100x16", "nccl.algorithm=ring", 4, "NCCL ring, LL");
    expect_way("v100x8", "nccl.algorithm=nvls", 8, "NCCL ring, LL"); /* it has none */
}

/* 8 GPUs, S = 8 MiB: 2 (n-1)/n S, (n-1)/n S, S. */
Test(nccl, a_gpu_sends_the_bytes_of_a_ring)
{
    const struct {
        enum schedule_kind kind;
        uint64_t near;
    } rows[] = { { SCHEDULE_ALL_REDUCE, 14 * MIB },
                 { SCHEDULE_REDUCE_SCATTER, 7 * MIB },
                 { SCHEDULE_ALL_GATHER, 7 * MIB },
                 { SCHEDULE_ALL_TO_ALL, 7 * MIB },
                 { SCHEDULE_BROADCAST, 8 * MIB },
                 { SCHEDULE_PERMUTE, 8 * MIB },
                 { SCHEDULE_BARRIER, 0 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct schedule s = plan_call("v100x8", NULL, rows[i].kind, 8 * MIB, 0, 1);
        cr_expect_eq(s.flow.near, rows[i].near, "%s: %lu", schedule_kind_name[rows[i].kind],
                     (unsigned long)s.flow.near);
        cr_expect_eq(s.flow.far, 0);
    }
    cr_expect_eq(plan_call("v100x8", NULL, SCHEDULE_ALL_REDUCE, 8 * MIB, 2, 0).flow.near, 8 * MIB);
}

/* Two boxes of 8, S = 16 MiB.  Ring: 2 x 15/16 S = 30 MiB, of which one eighth leaves the box.
 * Tree: 2 S within, 2 x 1/2 S of the box, an eighth of it by each GPU; by LL with as many bytes of
 * flags.  All-to-all: half of S stays but for one's own part, half leaves.  A permute by one: one
 * GPU of eight sends its 16 MiB out of the box. */
Test(nccl, nodes_share_the_bytes_of_the_network)
{
    struct schedule ring =
        plan_call("v100x16", "nccl.algorithm=ring", SCHEDULE_ALL_REDUCE, 16 * MIB, 0, 0);
    struct schedule tree = plan_call("v100x16", NULL, SCHEDULE_ALL_REDUCE, 16 * MIB, 0, 0);
    struct schedule flags =
        plan_call("v100x16", "nccl.protocol=ll", SCHEDULE_ALL_REDUCE, 16 * MIB, 0, 0);
    struct schedule swap = plan_call("v100x16", NULL, SCHEDULE_ALL_TO_ALL, 16 * MIB, 0, 0);
    struct schedule shift = plan_call("v100x16", NULL, SCHEDULE_PERMUTE, 16 * MIB, 0, 1);

    cr_expect_eq(ring.flow.far, 30 * MIB / 8);
    cr_expect_eq(ring.flow.near, 30 * MIB - 30 * MIB / 8);
    cr_expect_str_eq(tree.flow.by, "NCCL tree, Simple");
    cr_expect_eq(tree.flow.near, 32 * MIB);
    cr_expect_eq(tree.flow.far, 2 * MIB);
    cr_expect_str_eq(flags.flow.by, "NCCL tree, LL");
    cr_expect_eq(flags.flow.far, 4 * MIB);
    cr_expect_eq(swap.flow.near, 7 * MIB);
    cr_expect_eq(swap.flow.far, 8 * MIB);
    cr_expect_eq(shift.flow.far, 2 * MIB);
    cr_expect_eq(shift.flow.near, 14 * MIB);
}

/* Few channels reach 0.18 of 150 GB/s up to 84 MB, a pair 1.5 times that; with twice the bytes
 * twice as many channels serve, up to 0.64. */
Test(nccl, channels_of_a_permute_grow_with_its_bytes)
{
    const struct {
        uint64_t bytes;
        uint32_t group;
        double share;
    } rows[] = { { 84000000, 8, 0.18 },
                 { 168000000, 8, 0.36 },
                 { 1000000000, 8, 0.64 },
                 { 84000000, 2, 0.27 },
                 { 168000000, 2, 0.54 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct schedule s =
            plan_call("v100x8", NULL, SCHEDULE_PERMUTE, rows[i].bytes, rows[i].group, 1);
        cr_expect_float_eq(1e9 / (double)s.flow.times, rows[i].share, 1e-6, "%lu B: %g",
                           (unsigned long)rows[i].bytes, 1e9 / (double)s.flow.times);
    }
}

Test(nccl, other_algorithms_are_refused)
{
    struct cap cap = cap_of("v100x8", NULL);
    struct collective c = {
        .kind = SCHEDULE_ALL_REDUCE, .algorithm = SCHEDULE_TORUS, .bytes = MIB, .element = 4
    };
    struct task_call call;
    struct err err;

    cr_expect_eq(collective_plan(&call, &c, &cap, &err), -1);
    cr_expect_str_eq(err.msg, "NCCL has no torus, but ring and tree");
    c.algorithm = SCHEDULE_TREE;
    cr_expect_eq(collective_plan(&call, &c, &cap, &err), -1);
    cr_expect_str_eq(err.msg, "NCCL does no all-reduce by tree among 8 GPUs of 1 boxes");
}

/* --- the flow: who has heard of whom after all steps, as bits of chips ----------------------- */

static void pass_word(const struct schedule *s, uint32_t chips, uint64_t *heard)
{
    uint64_t before[64];
    struct schedule_step step, other;

    for (uint32_t c = 0; c < chips; c++)
        heard[c] = UINT64_C(1) << c;
    for (uint32_t i = 0; i < schedule_steps(s); i++) {
        memcpy(before, heard, chips * sizeof *heard);
        for (uint32_t c = 0; c < chips; c++) {
            schedule_step(s, c, i, &step);
            for (uint32_t k = 0; k < step.n_recv; k++) {
                bool sent = false;
                schedule_step(s, step.recv[k].chip, i, &other);
                for (uint32_t j = 0; j < other.n_send; j++)
                    sent |= other.send[j].chip == c && other.send[j].bytes == step.recv[k].bytes;
                cr_expect(sent, "step %u of %u waits for what %u does not send", i, c,
                          step.recv[k].chip);
                heard[c] |= before[step.recv[k].chip];
            }
        }
    }
}

static uint64_t members_of(uint32_t chip, uint32_t chips, uint32_t slice, uint32_t size,
                           uint32_t stride, uint32_t slices)
{
    uint64_t all = 0;

    for (uint32_t c = 0; c < chips; c++) {
        bool same = c % slice % stride == chip % slice % stride &&
                    c % slice / (size * stride) == chip % slice / (size * stride);
        all |= same && (slices > 1 || c / slice == chip / slice) ? UINT64_C(1) << c : 0;
    }
    return all;
}

Test(nccl, no_chip_ends_before_all_of_its_group_have_called)
{
    const struct {
        uint32_t size, stride, slices;
    } rows[] = { { 8, 1, 1 }, { 4, 1, 1 }, { 2, 4, 1 }, { 4, 2, 1 }, { 8, 1, 2 },
                 { 8, 1, 5 }, { 8, 1, 8 }, { 1, 1, 3 }, { 2, 1, 4 } };
    uint64_t heard[64];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct schedule s = { .kind = SCHEDULE_ALL_REDUCE,
                              .mesh = { .n = { 8, 1, 1 }, .wrap = { true } },
                              .outer = { rows[i].slices, 1 },
                              .element = 4,
                              .flow = { .by = "a test", .near = 10, .far = 5, .times = 1 } };
        uint32_t chips = 8 * rows[i].slices;
        cr_assert(mesh_group(&s.group, &s.mesh, rows[i].size, rows[i].stride));
        pass_word(&s, chips, heard);
        for (uint32_t c = 0; c < chips; c++) {
            uint64_t all = members_of(c, chips, 8, rows[i].size, rows[i].stride, rows[i].slices);
            cr_expect_eq(heard[c] & all, all, "chip %u of case %zu", c, i);
        }
    }
}

/* A permutation by one place: a chip waits for the one before it, not for all. */
Test(nccl, a_permutation_waits_for_one)
{
    struct schedule s = plan_call("v100x8", NULL, SCHEDULE_PERMUTE, MIB, 0, 1);
    uint64_t heard[8];

    cr_expect_eq(schedule_steps(&s), 1);
    pass_word(&s, 8, heard);
    cr_expect_eq(heard[3], 0x0c);
    cr_expect_eq(heard[0], 0x81);
}

Test(nccl, gradients_go_in_buckets_of_25_mb)
{
    cr_expect_eq(cap_of("v100x8", NULL).bucket_bytes, 25000000);
    cr_expect_eq(cap_of("v100x8", "nccl.bucket=1 B").bucket_bytes, 1);
    cr_expect_eq(cap_of("tpu-v3-8", NULL).bucket_bytes, 0);
}
