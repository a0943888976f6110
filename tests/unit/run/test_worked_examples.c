/* The worked examples of docs/reference/trace-format.md: FLOPs and bytes worked out by hand. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "run/result/result.h"
#include "trace/inventory.h"

struct example {
    const char *file;
    size_t n_phases;
    uint64_t flops[3]; /* by phase */
    uint64_t peak;     /* bytes of memory */
    uint64_t products; /* FLOPs of matrix units in a step */
};

/* transformer.  A layer, products: q, k, v, o 4 * 2 * 1024 * 768 * 768; scores and context
 * 2 * 2 * 96 * 128 * 128 * 64; u, y 2 * 2 * 1024 * 768 * 3072: 14898167808 forward, twice that
 * backward.  Functions of a layer, in FLOPs of an element: norms 7, softmax 6, two sums 1, gelu 5
 * forward: 2 * 7 * 786432 + 6 * 1572864 + 2 * 786432 + 5 * 3145728 = 37748736; backward gelu 11,
 * norms 17, softmax 5: 11 * 3145728 + 2 * 17 * 786432 + 5 * 1572864 = 69206016.  The loss has 4 of
 * 786432.  Adam has 12 for each of 84953088 parameters.
 *
 * Memory at the gradient of w2 of layer 12: 84953088 * 4 bytes of weights and 8 of state; 12 * 54
 * MiB - 3 MiB of activations and a tile of 512 bytes with the loss; x of layer 0; dx of layer 12
 * and the gradient, 3 + 9 MiB.
 *
 * resnet_block.  2 * 100352 * (64 * 256 + 64 * 576 + 64 * 256) forward, twice that backward; of
 * 6422528 and 25690112 elements, 3 FLOPs of sums, 5 and 6 to apply them; backward ReLU and shortcut
 * 1, sums 3, norms 5.
 *
 * Memory at the sums of the last norm.  Images of 256 channels have 49 MiB, of 64 channels in tiles
 * of 128 lanes 24.5: x and dy; a, ra, b, rb, c, y; dr.  Filters wa and wc 64 KiB, wb 288 KiB in
 * tiles; gains and biases of 64 channels 512 bytes, of 256 1024; as much of state; mean and
 * variance of each norm, and the two sums of this one. */
static const struct example transformer = {
    .file = "docs/examples/transformer.trace",
    .n_phases = 3,
    .flops = { 12 * (14898167808 + 37748736), 12 * (2 * 14898167808 + 69206016) + 4 * 786432,
               12 * 84953088ull },
    .peak = 84953088ull * 12 + (12 * 54 - 3 + 3 + 3 + 9) * 1048576ull + 512,
    .products = 536334041088,
};
static const struct example resnet_block = {
    .file = "docs/examples/resnet_block.trace",
    .n_phases = 3,
    .flops = { 13975420928 + 2 * 8 * 6422528ull + 9 * 25690112ull,
               2 * 13975420928 + 2 * 9 * 6422528ull + 10 * 25690112ull, 4 * 70400 },
    .peak = (2 * 49 + 4 * 24 + 2 + 2 * 49 + 49) * 1048576ull + 2 * (2 * 65536 + 294912 + 4096) +
            4096 + 2048,
    .products = 41926262784,
};

static void check_phases(const struct example *x)
{
    struct inventory v;
    struct trace *t;
    struct err err;

    cr_assert_eq(trace_open(&t, x->file, false, &err), 0, "%s", err.msg);
    cr_assert_eq(inventory_read(&v, t, &err), 0, "%s", err.msg);
    cr_assert_eq(v.n_phases, x->n_phases);
    for (size_t i = 0; i < v.n_phases; i++)
        cr_expect_eq(mpz_get_ui(v.phases[i].flops), x->flops[i], "%s: %s has %lu FLOPs", x->file,
                     v.phases[i].name, mpz_get_ui(v.phases[i].flops));
    inventory_free(&v);
    trace_close(t);
}

/* Useful multiply-accumulates, two FLOPs each, are a number of their own in a replay.  The bytes
 * are those of a step whose values all go through HBM. */
static void check_replay(const struct example *x, const char *machine)
{
    static const char *const set[] = { "xla.place_bytes=0 B" };
    struct run_request q = {
        .trace = x->file, .machine = machine, .steps = 1, .set = set, .n_set = 1
    };
    struct run_result r;
    struct err err;
    uint64_t flops = 0;

    cr_assert_eq(run_replay(&q, &r, &err), 0, "%s", err.msg);
    for (size_t i = 0; i < r.n_phases; i++)
        flops += mpz_get_ui(r.phases[i].flops);
    cr_expect_eq(flops, x->flops[0] + x->flops[1] + x->flops[2], "%s", machine);
    cr_expect_eq(mpq_cmp_ui(amounts_get(&r.slots.use, USE_USEFUL), x->products / 2, 1), 0, "%s",
                 machine);
    cr_expect_eq(r.peak_bytes_per_core, x->peak, "%s: %lu", machine, r.peak_bytes_per_core);
    cr_expect(r.fits);
    run_result_free(&r);
}

Test(worked_examples, a_transformer_has_the_flops_and_bytes_worked_out_by_hand)
{
    check_phases(&transformer);
    check_replay(&transformer, "tpu-v4-8");
    check_replay(&transformer, "tpu-v3-8");
}

Test(worked_examples, a_resnet_block_has_the_flops_and_bytes_worked_out_by_hand)
{
    check_phases(&resnet_block);
    check_replay(&resnet_block, "tpu-v4-8");
    check_replay(&resnet_block, "tpu-v3-8");
}

Test(worked_examples, the_manual_names_them_and_their_sizes)
{
    static char manual[200000];
    FILE *f = fopen("docs/reference/trace-format.md", "r");

    cr_assert_not_null(f);
    manual[fread(manual, 1, sizeof manual - 1, f)] = '\0';
    fclose(f);
    cr_expect_not_null(strstr(manual, transformer.file));
    cr_expect_not_null(strstr(manual, resnet_block.file));
    cr_expect_not_null(strstr(manual, "2 x 1024 x 768 x (2304 + 768) FLOPs"));
}

/* Arguments of its generator tell a trace from others of its workload; one that was changed by
 * hand has no such name. */
Test(worked_examples, a_result_names_the_parameters_of_its_trace)
{
    static const char *const provenances[] = { "a step; generated", "a step; generated, then cut" };
    static const char *const names[] = { "layers=1 width=128", "" };

    for (int i = 0; i < 2; i++) {
        char text[400];
        struct err err;
        struct run_result r;
        struct run_request q = { .trace = "t", .text = text, .machine = "tpu-v3-1", .steps = 1 };
        q.text_size = (size_t)snprintf(text, sizeof text,
                                       "cyclotron-trace 1\nworkload \"w\"\nsamples step=1\n"
                                       "dtype tensors=f32 matmul=bf16 activations=keep\n"
                                       "param layers=1\nparam width=128\nprovenance \"%s\"\n"
                                       "tensor %%x f32[8,8] input\nstep {\n"
                                       "%%y f32[8,8] = elementwise(%%x)\n}\n",
                                       provenances[i]);
        cr_assert_eq(run_replay(&q, &r, &err), 0, "%s", err.msg);
        cr_expect_str_eq(r.parameters, names[i]);
        run_result_free(&r);
    }
}
