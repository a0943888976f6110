/* Remedies that would make a step fit: 8 GiB in, 8 GiB made of it and 4 MiB of weights, on a TPU v2
 * core of 8 GiB.  Peak 16 GiB and 4 MiB, all but the weights in proportion to the batch of 6. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/err.h"
#include "run/result/result.h"

#define MIB UINT64_C(1048576)

static const char step[] = "cyclotron-trace 1\nsamples step=6\n"
                           "tensor %w f32[1024,1024] weight\n"
                           "step {\n%x f32[2097152,1024] = infeed()\n"
                           "%a f32[2097152,1024] = elementwise(%x, %w)\n}\n";

static void run_case(struct run_result *r, const char *machine)
{
    struct run_request q = {
        .trace = "t", .text = step, .text_size = strlen(step), .machine = machine, .steps = 1
    };
    struct err e;

    cr_assert_eq(run_replay(&q, r, &e), 0, "%s", e.msg);
}

Test(fit, remedies_say_what_they_save)
{
    static const struct {
        const char *what;
        uint64_t peak;
        bool fits, about;
    } want[] = {
        { "keep activations and gradients in bf16", (8192 + 4) * MIB, false, true },
        { "rematerialise, and keep the other activations and gradients in bf16", (8192 + 4) * MIB,
          false, true },
        /* two cores would take 8 GiB each and the weights */
        { "shard activations, gradients and inputs over 4 cores of a tpu-v2-8", (4096 + 4) * MIB,
          true, true },
        /* a sample takes 16 GiB / 6, rounded up to 2,863,311,531 B; three are too many */
        { "use a batch of about 2 instead of 6 samples a core (`batch` finds it)",
          4 * MIB + 2 * UINT64_C(2863311531), true, true },
        { "use tpu-v4-2, the smallest TPU machine that holds it: 1 chip with 30.75 GiB a core",
          (16384 + 4) * MIB, true, false },
    };
    struct run_result r;

    run_case(&r, "tpu-v2-1");
    cr_expect_not(r.fits);
    cr_expect_eq(r.peak_bytes_per_core, (16384 + 4) * MIB);
    cr_assert_eq(r.n_remedies, sizeof want / sizeof *want);
    for (size_t i = 0; i < r.n_remedies; i++) {
        cr_expect_str_eq(r.remedies[i].what, want[i].what, "%s", r.remedies[i].what);
        cr_expect_eq(r.remedies[i].peak, want[i].peak, "%s: %lu", want[i].what, r.remedies[i].peak);
        cr_expect_eq(r.remedies[i].saves, (16384 + 4) * MIB - want[i].peak);
        cr_expect_eq(r.remedies[i].fits, want[i].fits, "%s", want[i].what);
        cr_expect_eq(r.remedies[i].about, want[i].about, "%s", want[i].what);
    }
    run_result_free(&r);
}

/* 15,854 MiB less 32 KiB of weights, and 32 KiB beside them: all that a program has of a core of a
 * TPU v3. */
Test(fit, a_slice_that_is_filled_to_the_last_byte_holds_it)
{
    static const char full[] = "cyclotron-trace 1\nsamples step=1\n"
                               "tensor %w f32[4058616,1024] weight\n"
                               "step {\n%y f32[8192] = rng()\n}\n";
    struct run_request q = {
        .trace = "t", .text = full, .text_size = strlen(full), .machine = "tpu-v2-1", .steps = 1
    };
    struct run_result r;
    struct err e;

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    cr_expect_eq(r.peak_bytes_per_core, 15854 * MIB);
    cr_expect_str_eq(r.smallest.machine, "tpu-v3-1", "%s", r.smallest.machine);
    cr_expect_eq(r.smallest.capacity, 15854 * MIB);
    run_result_free(&r);
}

/* Among machines with more than 16 GiB per core and at least 8 cores the smallest is named, not the
 * first. */
Test(fit, the_next_machine_is_no_larger_than_need_be)
{
    struct run_result r;

    run_case(&r, "tpu-v2-8");
    cr_assert_geq(r.n_remedies, 1);
    cr_expect_str_eq(
        r.remedies[r.n_remedies - 1].what,
        "use tpu-v4-2, the smallest TPU machine that holds it: 1 chip with 30.75 GiB a core");
    cr_expect_str_eq(r.remedies[2].what, "shard activations, gradients and inputs over 4 cores");
    run_result_free(&r);
}

Test(fit, a_step_that_fits_needs_no_remedy)
{
    struct run_result r;

    run_case(&r, "tpu-v4-2");
    cr_expect(r.fits);
    cr_expect_eq(r.n_remedies, 0);
    cr_expect_eq(r.memory.role[FOOTPRINT_INPUTS], 8192 * MIB);
    cr_expect_eq(r.memory.role[FOOTPRINT_ACTIVATIONS], 8192 * MIB);
    cr_expect_eq(r.memory.role[FOOTPRINT_WEIGHTS], 4 * MIB);
    run_result_free(&r);
}

/* 128 GiB in and as much made of it: 16 GiB of a V100 hold a 32nd of it with the weights; no node
 * has as many. */
Test(fit, a_slice_that_is_not_made_is_not_named)
{
    static const char large[] = "cyclotron-trace 1\nsamples step=6\n"
                                "tensor %w f32[1024,1024] weight\n"
                                "step {\n%x f32[268435456,1024] = infeed()\n"
                                "%a f32[268435456,1024] = elementwise(%x, %w)\n}\n";
    struct run_request q = { .trace = "t",
                             .text = large,
                             .text_size = strlen(large),
                             .machine = "v100-sxm2-16gb",
                             .steps = 1 };
    struct run_result r;
    struct err e;

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    cr_assert_geq(r.n_remedies, 3);
    cr_expect_str_eq(r.remedies[2].what,
                     "shard activations, gradients and inputs over 256 GPUs; this machine has 1",
                     "%s", r.remedies[2].what);
    run_result_free(&r);
}

/* 40 GiB and a process: more than the 39.4 GiB of an A100, less than the 44.4 GiB of an L40S.  240
 * GiB: more than the 192 of a node of Xeon 6148, less than the 256 of one of EPYC 7742. */
Test(fit, cards_and_nodes_of_no_generation_are_searched)
{
    static const struct {
        const char *machine, *rows, *smallest;
    } want[] = {
        { "v100x1", "5242880", "l40s" },
        { "xeon-6148", "31457280", "epyc-7742x2" },
    };

    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "cyclotron-trace 1\nsamples step=6\nstep {\n%%x f32[%s,1024] = infeed()\n"
                 "%%a f32[%s,1024] = elementwise(%%x)\n}\n",
                 want[i].rows, want[i].rows);
        struct run_request q = { .trace = "t",
                                 .text = text,
                                 .text_size = strlen(text),
                                 .machine = want[i].machine,
                                 .steps = 1 };
        struct run_result r;
        struct err e;
        cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
        cr_expect_not(r.fits);
        cr_expect_str_eq(r.smallest.machine, want[i].smallest, "%s", r.smallest.machine);
        run_result_free(&r);
    }
}

/* Two chips are joined by links, one is not. */
Test(fit, chips_have_links_from_two_on)
{
    static const struct {
        const char *machine;
        bool linked;
    } rows[] = { { "v100x1", false }, { "v100x2", true }, { "tpu-v3-1", false } };

    for (size_t i = 0; i < 3; i++) {
        static const char small[] = "cyclotron-trace 1\ntensor %a f32[64,64] input\n"
                                    "step {\n%y f32[64,64] = elementwise(%a)\n}\n";
        struct run_request q = { .trace = "t",
                                 .text = small,
                                 .text_size = strlen(small),
                                 .machine = rows[i].machine,
                                 .steps = 1 };
        struct run_result r;
        struct err e;
        cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
        cr_expect_eq(r.link_bytes_per_second > 0, rows[i].linked, "%s", rows[i].machine);
        run_result_free(&r);
    }
}

/* 7,662 MiB of weights are all that a program has of a core of a TPU v2: nothing is left to shard
 * beside them. */
Test(fit, weights_that_fill_a_core_are_sharded_too)
{
    static const char full[] = "cyclotron-trace 1\ntensor %w f32[1961472,1024] weight\n"
                               "step {\n%y f32[1024,1024] = rng()\n}\n";
    struct run_request q = {
        .trace = "t", .text = full, .text_size = strlen(full), .machine = "tpu-v2-1", .steps = 1
    };
    struct run_result r;
    struct err e;

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    cr_expect_not(r.fits);
    cr_expect_eq(r.memory.persistent, r.capacity_bytes_per_core);
    bool all = false;
    for (size_t i = 0; i < r.n_remedies; i++)
        all |= strncmp(r.remedies[i].what,
                       "shard everything, weights and optimizer state included, over 2 cores",
                       68) == 0;
    cr_expect(all);
    run_result_free(&r);
}

/* An unfused Winograd for a filter's gradient on a V100: 36 values of 32 * 14 * 14 tiles of the 64
 * channels of image and result, and of the filter, 4 B each. */
Test(fit, memory_has_what_a_kernel_needs_while_it_runs)
{
    static const char wgrad[] = "cyclotron-trace 1\ntensor %x f32[32,64,58,58] input\n"
                                "tensor %d f32[32,64,56,56] input\nstep {\n"
                                "%w f32[64,64,3,3] gradient = conv-wgrad(%x, %d) size=3x3\n}\n";
    struct run_request q = {
        .trace = "t", .text = wgrad, .text_size = strlen(wgrad), .machine = "v100x1", .steps = 1
    };
    struct run_result r;
    struct err e;

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    cr_expect_eq(r.memory.role[FOOTPRINT_WORKSPACE], 116195328, "%lu",
                 r.memory.role[FOOTPRINT_WORKSPACE]);
    run_result_free(&r);
}
