/* Kernels of GPUs that no constant is fitted on: how far are predictions from what was measured? */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "study/op/op.h"

#define MOST_ARGS 12

/* Mean of absolute errors of a set, in percent: above it a change has made things worse.  The aims
 * are 10 for products and 20 for convolutions. */
static const struct bar {
    const char *set;
    double most;
} bars[] = {
    { "v100-pcie-32gb f32 batches", 10 },
    { "v100-pcie-32gb f32 products", 10 },
    { "v100-sxm2-16gb f32 products", 10 },
    { "v100-sxm2-16gb f16 products", 10 },
    { "a100-pcie-40gb f32 batches", 10 },
    { "a100-pcie-40gb f32 products", 10 },
    { "a100-pcie-80gb f32 batches", 10 },
    { "a100-pcie-80gb f32 products", 10 },
    { "h100-sxm-80gb f32 batches", 10 },
    { "h100-sxm-80gb f32 products", 10 },
    { "h100-sxm-80gb bf16 products", 7 },
    { "h100-sxm-80gb TF32 products", 15 }, /* the aim is missed */
    { "v100-sxm2-16gb f32 conv", 20 },
    { "v100-sxm2-16gb f32 conv-dgrad", 20 },
    { "v100-sxm2-16gb f32 conv-wgrad", 20 },
    { "v100-sxm2-16gb f16 conv", 20 },
    { "v100-sxm2-16gb f16 conv-dgrad", 20 },
    { "v100-sxm2-16gb f16 conv-wgrad", 30 }, /* the aim is missed */
    { "v100-pcie-32gb f32 conv 3x3", 20 },
    { "a100-pcie-80gb f32 conv 3x3", 20 },
};
enum { N = 32 };

/* By the constants of H100: the aim is 15. */
static const struct bar bars_b200[] = {
    { "b200x1 bf16 products", 8 },
    { "b200x1 bf16 products below 1e9 FLOP", 8 },
    { "b200x1 TF32 products", 16 },
    { "b200x1 TF32 products below 1e9 FLOP", 8 },
};

/* Bars of the kernels of an H100, in percent: the half that no constant is fitted on.  The aims are
 * 10 for products, which are not fitted on these rows, and 20 for others. */
static const struct bar bars_h100[] = {
    { "h100x1 TF32 conv 2-D", 12 },
    { "h100x1 TF32 conv 3-D", 28 }, /* the aim is missed */
    { "h100x1 TF32 conv-dgrad 2-D", 11 },
    { "h100x1 TF32 conv-dgrad 3-D", 17 },
    { "h100x1 TF32 conv-wgrad 2-D", 8 },
    { "h100x1 TF32 conv-wgrad 3-D", 26 }, /* the aim is missed */
    { "h100x1 TF32 products", 9 },
    { "h100x1 bf16 conv 2-D", 9 },
    { "h100x1 bf16 conv-dgrad 2-D", 13 },
    { "h100x1 bf16 conv-wgrad 2-D", 20 },
    { "h100x1 bf16 products", 20 }, /* the aim is missed */
    { "h100x1 element-wise", 2 },
    { "h100x1 f32 conv 2-D", 17 },
    { "h100x1 f32 conv 3-D", 6 },
    { "h100x1 f32 conv-dgrad 2-D", 25 }, /* the aim is missed */
    { "h100x1 f32 conv-dgrad 3-D", 13 },
    { "h100x1 f32 conv-wgrad 2-D", 24 }, /* the aim is missed */
    { "h100x1 f32 conv-wgrad 3-D", 22 },
    { "h100x1 f32 products", 13 },
};

/* Bars of kernels of frameworks: PyTorch's, cuDNN's under JAX. */
static const struct bar bars_frameworks[] = {
    { "a100x1 PyTorch norms", 19 },
    { "a100x1 PyTorch softmax", 16 },
    { "h100x1 PyTorch concatenations", 11 },
    { "h100x1 PyTorch element-wise", 17 },
    { "h100x1 PyTorch fills", 14 },
    { "h100x1 PyTorch norms", 19 },
    { "h100x1 PyTorch softmax", 18 },
    { "h100x1 PyTorch sums", 20 },
    { "h100x1 bf16 conv 3-D", 19 },
    { "h100x1 bf16 conv of JAX", 17 },
    { "h100x1 bf16 conv-dgrad of JAX", 10 },
    { "h100x1 bf16 conv-wgrad of JAX", 27 }, /* the aim is missed */
    { "v100x1 PyTorch norms", 8 },
    { "v100x1 PyTorch softmax", 13 },
};

/* Bars of products in CUDA graphs, on the half of the rows that nothing is fitted on. */
static const struct bar bars_graphs[] = {
    { "h100-sxm-80gb bf16 below 1e9 FLOP", 8 },   { "h100-sxm-80gb bf16 from 1e9 FLOP", 7 },
    { "a100-sxm4-80gb bf16 below 1e9 FLOP", 11 }, { "a100-sxm4-80gb bf16 from 1e9 FLOP", 8 },
    { "h100-sxm-80gb f8 below 1e9 FLOP", 8 },     { "h100-sxm-80gb f8 from 1e9 FLOP", 15 },
};

struct row {
    char set[64], machine[32], op[32], args[256];
    double us, offset;
};

static double predict_us(struct row *r)
{
    const char *arg[MOST_ARGS],
        *set = strstr(r->set, "TF32") ? "launch.tf32=yes" : "launch.tf32=no";
    struct op_request q = {
        .kind = r->op,
        .arg = arg,
        .run = { .machine = r->machine, .set = &set, .n_set = 1, .steps = 1, .brief = true }
    };
    struct run_result result;
    struct err err;
    char *rest = r->args;

    for (char *word; (word = strtok_r(rest, " ", &rest)) && q.n_args < MOST_ARGS;)
        arg[q.n_args++] = word;
    cr_assert_eq(op_run(&q, &result, &err), 0, "%s", err.msg);
    double us = 1e6 * mpq_get_d(result.seconds_per_step);
    run_result_free(&result);
    return us + r->offset;
}

/* With `test`, rows that end in ",fit" are left out: constants are fitted on them. */
static void hold_to_bars(const char *path, const struct bar *bar, int n_bars, bool test,
                         unsigned least)
{
    FILE *in = fopen(path, "r");
    double sum[N] = { 0 };
    unsigned n[N] = { 0 };
    char line[512];
    struct row r;

    cr_assert_not_null(in);
    cr_assert_leq(n_bars, (int)N);
    while (fgets(line, sizeof line, in)) {
        if (test && strstr(line, ",fit\n"))
            continue;
        locale_t before = plain_begin();
        int found = sscanf(line, "%63[^,],%31[^,],%31[^,],\"%255[^\"]\",%lf,%lf", r.set, r.machine,
                           r.op, r.args, &r.us, &r.offset);
        plain_end(before);
        if (found != 6)
            continue;
        for (int i = 0; i < n_bars; i++)
            if (strcmp(r.set, bar[i].set) == 0) {
                sum[i] += fabs(predict_us(&r) / r.us - 1);
                n[i]++;
            }
    }
    fclose(in);
    for (int i = 0; i < n_bars; i++) {
        cr_assert_geq(n[i], least, "%s: %u kernels", bar[i].set, n[i]);
        double mean = 100 * sum[i] / n[i];
        plain_print(stderr, "%-32s %3u kernels, mean error %5.1f %%\n", bar[i].set, n[i], mean);
        cr_expect_leq(mean, bar[i].most, "%s: %.1f %%", bar[i].set, mean);
    }
}

Test(gpu_measured, kernels_never_seen_keep_to_their_bars)
{
    hold_to_bars("model/measured/gpu_kernels.csv", bars, sizeof bars / sizeof *bars, true, 14);
}

Test(gpu_measured, kernels_of_an_h100_keep_to_their_bars)
{
    hold_to_bars("model/measured/gpu_h100.csv", bars_h100, sizeof bars_h100 / sizeof *bars_h100,
                 true, 5);
}

Test(gpu_measured, kernels_of_frameworks_keep_to_their_bars)
{
    hold_to_bars("model/measured/gpu_pytorch.csv", bars_frameworks,
                 sizeof bars_frameworks / sizeof *bars_frameworks, true, 1);
}

Test(gpu_measured, products_of_a_b200_that_nothing_is_fitted_on_keep_to_their_bars)
{
    hold_to_bars("model/measured/gpu_b200.csv", bars_b200, sizeof bars_b200 / sizeof *bars_b200,
                 false, 14);
}

Test(gpu_measured, products_in_graphs_keep_to_their_bars)
{
    hold_to_bars("model/measured/gpu_graphs.csv", bars_graphs,
                 sizeof bars_graphs / sizeof *bars_graphs, true, 14);
}
