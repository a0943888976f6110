/* A capture of a TPU v6e beside the programs that it holds: who is paired with whom, and which
 * measured figures a step has.  What is predicted is the business of other suites. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/exact.h"
#include "study/profiled/profiled.h"

#define CAPTURE "tests/profiles/v6e_host_offload.xplane.pb.zst"

static void compare_capture(struct profiled *p, const char *module)
{
    const struct profiled_request q = { .run = { .machine = "tpu-v6e-8" },
                                        .profile = CAPTURE,
                                        .module = module };
    struct err err;

    cr_assert_eq(profiled_make(p, &q, &err), 0, "%s", err.msg);
}

static const struct profiled_kernel *find_kernel(const struct profiled *p, const char *name)
{
    for (size_t i = 0; i < p->n_kernels; i++)
        if (strcmp(p->kernel[i].name, name) == 0)
            return &p->kernel[i];
    cr_assert(false, "no kernel %s", name);
    return NULL;
}

static void expect_seconds(const mpq_t got, double want, const char *what)
{
    cr_expect(fabs(mpq_get_d(got) - want) <= 1e-12, "%s: %.12g", what, mpq_get_d(got));
}

/* 400 occurrences in 400 runs take 3.16720385875 s. */
Test(profiled, the_program_that_took_most_time_is_compared)
{
    struct profiled p;

    compare_capture(&p, NULL);
    cr_expect_str_eq(p.profile->program[p.program].name, "jit_f");
    cr_expect_eq(p.n_pairs, 15);
    cr_expect_eq(p.n_only_predicted, 0);
    cr_expect_eq(p.n_only_measured, 0);
    cr_expect_eq(p.steps, 400);
    cr_expect(p.step_known);
    const struct profiled_kernel *k = find_kernel(&p, "broadcast_add_fusion.2");
    cr_expect_eq(k->how, PAIRING_NAME);
    cr_expect_eq(k->class, PROFILED_VECTOR);
    cr_expect_eq(k->count, 1);
    expect_seconds(k->measured, 3.16720385875 / 400, "broadcast_add_fusion.2");
    expect_seconds(k->estimated, 14180608 / 1.75e9, "the estimate of the program that it holds");
    k = find_kernel(&p, "copy-done");
    cr_expect_eq(k->class, PROFILED_MOVEMENT);
    cr_expect(k->waits);
    expect_seconds(k->measured, 75.67103851375 / 400, "copy-done");
    cr_expect_eq(mpq_cmp_ui(p.paired_share, 1, 1), 0);
    profiled_free(&p);
}

/* The classes and the time without a kernel are the step. */
Test(profiled, classes_add_up_to_the_step)
{
    struct profiled p;

    compare_capture(&p, "jit__psum");
    EXACT_Q(predicted);
    EXACT_Q(measured);
    for (unsigned c = 0; c < PROFILED_GAP; c++) {
        mpq_add(predicted, predicted, p.class[c].predicted);
        mpq_add(measured, measured, p.class[c].measured);
    }
    cr_expect(mpq_equal(predicted, p.step.predicted));
    cr_expect(mpq_equal(measured, p.step.measured));
    expect_seconds(p.class[PROFILED_COLLECTIVE].measured, 1.46034525875 / 12, "all-reduce");
    cr_expect_gt(mpq_cmp(p.class[PROFILED_GAP].measured, p.step.measured), 0);
    profiled_free(&p);
}

Test(profiled, a_program_that_is_not_there_is_named)
{
    const struct profiled_request q = { .run = { .machine = "tpu-v6e-8" },
                                        .profile = CAPTURE,
                                        .module = "jit_g" };
    struct profiled p;
    struct err err;

    cr_expect_eq(profiled_make(&p, &q, &err), -1);
    cr_expect_str_eq(err.msg, CAPTURE ": holds no program jit_g: expected PROGRAM as well, as XLA "
                                      "prints it");
}
