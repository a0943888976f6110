/* Fused attention of cuDNN: 2 batches, 3 heads, 64 queries and keys, 16 channels. */
#include "tests/unit/import/import_helper.h"

#define Q "bf16[2,64,3,16]{3,2,1,0}"
#define ATTENTION(target, mask, dims)                                                              \
    "HloModule m, is_scheduled=true\n"                                                             \
    "ENTRY %e {\n"                                                                                 \
    "  %q = " Q " parameter(0)\n"                                                                  \
    "  %k = " Q " parameter(1)\n"                                                                  \
    "  %v = " Q " parameter(2)\n"                                                                  \
    "  %f = (" Q ", u8[0]{0}) custom-call(%q, %k, %v), custom_call_target=\"" target "\", "        \
    "backend_config={\"operation_queue_id\":\"0\",\"cudnn_fmha_backend_config\":{"                 \
    "\"fmha_scale\":0.25,\"intermediate_tensor_shape\":{\"element_type\":\"BF16\","                \
    "\"dimensions\":[" dims "]},\"mask_type\":\"" mask "\"}}\n"                                    \
    "  ROOT %y = " Q " get-tuple-element(%f), index=0\n"                                           \
    "}\n"
#define SCORES "\"2\",\"3\",\"64\",\"64\""

static void expect_kernel(const char *hlo, const char *product, const char *rest)
{
    struct import_totals t;
    char *s = import_text(hlo, NULL, &t);

    EXPECT_PART(s, "%f:0", product);
    EXPECT_PART(s, "%f:0", rest);
    cr_expect_eq(t.unmodelled_instructions, strstr(rest, "not modelled") != NULL);
    free(s);
}

/* Two products of 64 x 64 x 16 for each head; 6 * 64 * 64 scores. */
Test(import_attention, scores_and_values)
{
    expect_kernel(ATTENTION("__cudnn$fmhaSoftmax", "NO_MASK", SCORES), " product=6x128x64x16 ",
                  " vector=add:98304+exp:24576 queries=64 flops=1572864\n");
}

/* A query meets 32.5 keys on average. */
Test(import_attention, causal_mask_halves)
{
    expect_kernel(ATTENTION("__cudnn$fmhaSoftmax", "CAUSAL", SCORES), " product=6x65x64x16 ",
                  " queries=64 flops=798720\n");
}

Test(import_attention, gradient_has_five_products)
{
    expect_kernel(ATTENTION("__cudnn$fmhaSoftmaxBackward", "NO_MASK", SCORES),
                  " product=6x320x64x16 ", " queries=64 gradient=1 flops=3932160\n");
}

Test(import_attention, without_its_size_it_is_uncovered)
{
    expect_kernel(ATTENTION("__cudnn$fmhaSoftmax", "NO_MASK", ""), " form=custom ",
                  " note=\"not modelled");
}
