/* Fused attention of a library: blocks of BLOCK queries of a head go over the keys that their mask
 * leaves them, both products, exponentials and sums in one kernel.
 *
 *     cycles    multiplications at the share of the tensor cores' rate that the library reaches for
 *               heads of that size, as if each block met some keys more: it begins, ends, and
 *               computes scores that the mask drops
 *     HBM       operands as far as they are missed, and results: scores stay on chip
 *
 * Shares of other sizes lie between those that are stated; no block is shorter than its SM's.
 *
 * Blocks of stated warps (`warps=4`) are FlashAttention-2: a warp for each quarter of an SM, which
 * rests while it computes exponentials, so that an SM needs two blocks for its rate; whole tiles of
 * keys, 128 for heads of up to 64, else 64 [tracelens]. */
#include "base/arith.h"
#include "base/units.h"
#include "base/wide.h"
#include "kernels/gpu/gpu.h"

#define BLOCK 128 /* queries [flash-attention-3] */
#define PAIR 2    /* blocks of FlashAttention-2 that keep an SM at work */

static uint64_t share_between(uint64_t size, uint64_t low, uint64_t high, uint64_t at_low,
                              uint64_t at_high)
{
    if (size <= low)
        return at_low;
    if (size >= high)
        return at_high;
    return (at_low * (high - size) + at_high * (size - low)) / (high - low);
}

/* Parts per 1e9 of the rate; smaller heads have as many exponentials and fewer products. */
static uint64_t share_of_size(uint64_t size, const struct compiled_params *c)
{
    uint64_t share = size <= 128
                         ? share_between(size, 64, 128, c->attention_64, c->attention_128)
                         : share_between(size, 128, 256, c->attention_128, c->attention_256);

    return size < 64 ? share * (size ? size : 1) / 64 : share;
}

void gpu_attention(struct gpu_plan *plan, const struct gpu_product *p,
                   const struct trace_compiled *k, const struct cap *cap)
{
    const struct cap_gpu *gpu = &cap->gpu;
    const struct compiled_params *c = &gpu->library.compiled;
    uint64_t heads = p->b, products = k->gradient ? 5 : 2;
    uint64_t blocks = heads * arith_ceil_div(k->queries, BLOCK);
    u128 met = (u128)p->m * p->k / ((u128)products * k->queries); /* keys, by a query on average */
    bool masked = met * 4 < (u128)p->k * 3;
    uint64_t more = k->gradient ? c->attention_gradient_keys
                    : masked    ? c->attention_masked_keys
                                : c->attention_keys;
    uint64_t share = share_of_size(p->n, c), sms = gpu->sms;
    uint64_t flight = k->warps ? PAIR * sms : sms;
    u128 rounds = (u128)arith_ceil_div(blocks, flight) * flight; /* if all SMs had as many */
    u128 work = (u128)p->useful * rounds / blocks / ((u128)gpu_rate(gpu, p->math) * sms);

    if (p->math == GPU_F32) { /* other kernels, whose blocks are not longer than they look */
        share = c->attention_f32;
        more = 0;
    } else if (k->warps) {
        uint64_t tile = p->n <= 64 ? 128 : 64;
        share = c->attention_warps;
        more = arith_round_up((uint64_t)met, tile) - (uint64_t)met;
    }
    if (p->math != GPU_F32 && k->gradient)
        share = (uint64_t)((u128)share * c->attention_gradient / PPB_PER_ONE);
    work = work * (met + more) / (met ? met : 1) * PPB_PER_ONE / (share ? share : 1);
    work = work * 1000 / gpu->tensor_share;
    struct task_grid *g = &plan->kernel[plan->n++];
    *g = (struct task_grid){ .blocks = blocks,
                             .waves = arith_ceil_div(blocks, sms),
                             .useful = p->useful,
                             .in = { p->a_bytes + p->b_bytes, p->missed },
                             .out = { p->c_bytes, p->c_bytes } };
    uint64_t cycles = work > LOWER_MOST_CYCLES ? LOWER_MOST_CYCLES : (uint64_t)work;
    g->cycles[p->math == GPU_F32 ? GRID_FMA : p->math == GPU_F64 ? GRID_F64 : GRID_TENSOR] = cycles;
    g->sm_cycles = (uint64_t)((u128)cycles * blocks / g->waves);
    gpu_cut(g);
}
