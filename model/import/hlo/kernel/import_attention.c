/* import_attention.c - fused attention of cuDNN, as XLA:GPU calls it.
 *
 *     __cudnn$fmha...            scores and their product with the values: 2 products
 *     __cudnn$fmha...Backward    scores anew and four gradients: 5 products, 5/2 of the work
 *
 * backend_config states the scores, [batch, heads, queries, keys], and the mask: of a causal one
 * half of the scores is computed, of a sliding window as many keys as it has before each query. The
 * scores stay on chip: a block of queries goes over all keys, which are k.  A score takes an
 * exponential, its scale, maximum, difference and sum. */
#include <string.h>

#include "base/arith.h"
#include "import/hlo/kernel/import_kernel.h"

static bool has_part(struct hlo_text t, const char *part)
{
    return t.at && memmem(t.at, t.size, part, strlen(part)) != NULL;
}

/* Keys that a query meets, on average, twice of them. */
static uint64_t count_keys(struct hlo_text config, uint64_t queries, uint64_t keys)
{
    uint64_t window = 0;
    bool causal = has_part(import_config_text(config, "mask_type"), "CAUSAL");

    if (import_config_numbers(config, "sliding_window_length", &window, 1) == 0 || !causal)
        window = 0;
    if (!causal)
        return import_multiply(2, keys);
    if (window == 0 || window >= keys || queries < window)
        return keys + 1;
    /* the first queries have fewer keys before them */
    return 2 * window - import_multiply(window, window) / queries;
}

static uint64_t last_of(const struct importing *im, const struct hlo_instruction *i, uint32_t n)
{
    const struct hlo_shape *s = n < i->n_operands ? hlo_operand(im->m, i, n)->shape : NULL;

    return s && s->rank ? s->dim[s->rank - 1] : 0;
}

bool import_attention_read(const struct importing *im, const struct hlo_instruction *i,
                           struct import_kernel *k)
{
    struct hlo_text target = hlo_attribute(im->m, i, "custom_call_target");
    struct hlo_text config = hlo_attribute(im->m, i, "backend_config");
    uint64_t d[4], deep = last_of(im, i, 0);

    if (!has_part(target, "__cudnn$fmha") || deep == 0 ||
        import_config_numbers(config, "dimensions", d, 4) != 4 || d[2] == 0 || d[3] == 0)
        return false;
    uint64_t products = has_part(target, "Backward") ? 5 : 2;
    uint64_t rows =
        import_multiply(import_multiply(products, d[2]), count_keys(config, d[2], d[3]));
    rows = arith_ceil_div(rows, import_multiply(2, d[3]));
    uint64_t heads = import_multiply(d[0], d[1]);
    uint64_t scores = import_multiply(import_multiply(heads, rows / products), d[3]);
    k->facts.form = TRACE_FORM_PRODUCT;
    k->product = true;
    k->facts.taps = 1;
    k->facts.queries = d[2];
    k->facts.gradient = products == 5;
    memcpy(k->facts.product, (uint64_t[]){ heads ? heads : 1, rows ? rows : 1, d[3], deep },
           sizeof k->facts.product);
    k->flops = import_multiply(import_multiply(2, import_multiply(heads, rows)),
                               import_multiply(deep, d[3]));
    k->transcendentals = scores;
    k->facts.vector[TRACE_VECTOR_EXP] = import_add(k->facts.vector[TRACE_VECTOR_EXP], scores);
    k->facts.vector[TRACE_VECTOR_ADD] =
        import_add(k->facts.vector[TRACE_VECTOR_ADD], import_multiply(4, scores));
    return true;
}
