/* Recordings of PyTorch beside their prediction on an H100: each operation has its partner by its
 * name, and kernels are predicted within 15 % of their time. */
#include <criterion/criterion.h>
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study/profiled/profiled.h"

static void make_beside(struct profiled *p, const char *name)
{
    char path[80];
    struct err err;

    snprintf(path, sizeof path, "tests/profiles/h100_%s.kineto.json.gz", name);
    const struct profiled_request q = { .profile = path };
    cr_assert_eq(profiled_make(p, &q, &err), 0, "%s", err.msg);
}

Test(kineto_profile, all_time_has_a_partner)
{
    static const struct {
        const char *name;
        double kernels; /* s, of the recording */
    } row[] = {
        { "mlp", 4.652e-3 }, { "gnn", 18.724e-3 }, { "bert", 78.907e-3 }, { "resnet", 27.236e-3 }
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct profiled p;
        make_beside(&p, row[i].name);
        cr_expect_eq(mpq_cmp_ui(p.paired_share, 1, 1), 0, "%s", row[i].name);
        cr_expect_eq(p.n_only_predicted, 0);
        cr_expect_float_eq(mpq_get_d(p.in_kernels.measured), row[i].kernels, 1e-6);
        double error = mpq_get_d(p.error);
        double all = mpq_get_d(p.in_kernels.predicted) / row[i].kernels - 1;
        cr_expect_lt(error, 0.15, "%s: %.3f", row[i].name, error);
        cr_expect(all > -0.15 && all < 0.15, "%s: %.3f", row[i].name, all);
        profiled_free(&p);
    }
}

/* The device says which machine it is; products are none of an MXU. */
Test(kineto_profile, a_recording_says_its_gpu)
{
    struct profiled p;

    make_beside(&p, "mlp");
    cr_expect_str_eq(p.run.machine, "h100x1");
    cr_expect_str_eq(profiled_class_label(&p, PROFILED_MXU), "products");
    cr_expect_str_eq(p.profile->format, "kineto");
    profiled_free(&p);
}

/* Twenty products of 512 x 512.  Of each 100 us the host works 95 and launches a kernel in the
 * other 5; it begins 2 us later and takes 3. */
static void write_host_bound(char *path)
{
    FILE *out = fdopen(mkstemps(path, 5), "w");

    cr_assert_not_null(out);
    fputs(
        "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H100 80GB HBM3\"}],"
        "\"traceEvents\":[",
        out);
    for (int i = 0; i < 20; i++)
        fprintf(out,
                "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,"
                "\"ts\":%d,"
                "\"dur\":100,\"args\":{\"External id\":%d,\"Input Dims\":[[512,512],[512,512]],"
                "\"Input type\":[\"c10::BFloat16\",\"c10::BFloat16\"]}},"
                "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
                "\"tid\":1,\"ts\":%d,\"dur\":5,\"args\":{\"correlation\":%d}},"
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":%d,"
                "\"dur\":3,\"args\":{\"correlation\":%d,\"stream\":7}}",
                i ? ",\n" : "", 100 * i, i + 1, 100 * i + 95, i + 1, 100 * i + 102, i + 1);
    fputs("]}", out);
    cr_assert_eq(fclose(out), 0);
}

/* 100 us before the first, 95 before each other; predicted launches are the pace as well. */
Test(kineto_profile, a_step_that_waits_for_its_host_is_seen_as_such)
{
    char path[] = "/tmp/host-XXXXXX.json";
    const struct profiled_request q = { .profile = path };
    struct profiled p;
    struct err err;
    mpq_t waits;

    write_host_bound(path);
    cr_assert_eq(profiled_make(&p, &q, &err), 0, "%s", err.msg);
    mpq_init(waits);
    profiled_host_wait(waits, &p);
    cr_expect_float_eq(mpq_get_d(waits), (100 + 19 * 95) * 1e-6, 1e-12);
    cr_expect_float_eq(mpq_get_d(p.class[PROFILED_IDLE].measured), (2005 - 20 * 3) * 1e-6, 1e-12);
    cr_expect_eq(p.run.bound_by, CAUSE_LAUNCH);
    cr_expect(p.run.limited_by_launches);
    /* the host takes 100 us for each, 20 launches: 80 us where a launch takes 4 */
    cr_expect_float_eq(mpq_get_d(p.run.seconds_per_step), 20 * 80e-6, 50e-6);
    mpq_clear(waits);
    profiled_free(&p);
    remove(path);
}

/* BERT waits for its host where the profiler slows that down, and would not without it. */
Test(kineto_profile, a_step_that_keeps_ahead_of_its_gpu_is_not)
{
    struct profiled p;

    make_beside(&p, "bert");
    cr_expect_not(p.run.limited_by_launches);
    profiled_free(&p);
}
