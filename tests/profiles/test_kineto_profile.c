/* Recordings of PyTorch beside their prediction on an H100: each operation has its partner by its
 * name, and kernels are predicted within 15 % of their time. */
#include <criterion/criterion.h>
#include <gmp.h>
#include <stdio.h>
#include <string.h>

#include "study/profiled.h"

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
