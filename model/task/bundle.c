/* Counting slots. */
#include "task/bundle.h"

#include "base/arith.h"
#include "base/units.h"
#include "base/wide.h"

#define P(...) PARAM_DESC(struct bundle_params, __VA_ARGS__)
static const struct param_desc params[] = { BUNDLE_PARAMS(P) };
const struct param_table bundle_param_table = { "bundle", params, sizeof params / sizeof *params,
                                                sizeof(struct bundle_params), NULL };

/* Vector registers of `rows` rows of an array, with elements of `bytes` packed into 32 bits. */
static uint64_t count_registers(uint64_t rows, uint32_t bytes, const struct bundle_shape *s)
{
    BUG_ON(bytes == 0 || bytes > 4 || s->sublanes * s->lanes == 0);
    uint64_t tiles =
        arith_ceil_div(rows, s->sublanes * (4 / bytes)) * arith_ceil_div(s->size, s->lanes);
    uint32_t each = s->elements / (s->sublanes * s->lanes);

    return each > 1 ? arith_ceil_div(tiles, each) : tiles;
}

void bundle_gemm(struct bundle_need *n, const struct task_gemm *g, const struct bundle_shape *s)
{
    const struct array_mode *mode = &s->mode;
    uint64_t columns = arith_ceil_div(g->n, array_columns(s->size, mode));
    uint64_t passes =
        (1 + (uint64_t)mode->more_passes) * g->b * array_tiles(s->size, mode, g->k, g->n);
    uint64_t tall = array_height(mode), rows = mode->twin ? arith_ceil_div(g->m, 2) : g->m;
    uint64_t weights = tall ? tall : s->size;

    if (mode->twin && mode->turned && mode->height) /* which counts the rows of both together */
        weights = mode->columns;
    uint64_t pushes = passes * (count_registers(rows, s->streamed, s) +
                                count_registers(weights, s->stationary, s));

    n->load += pushes;
    n->push += pushes;
    n->pop += (s->sums ? g->b * columns : passes) * count_registers(rows, 4, s);
}

/* Slots that pass while `slots` of a kind are used. */
static uint64_t count_issued(uint64_t slots, const struct bundle_params *par)
{
    u128 parts = (u128)slots * PPB_PER_ONE + par->issue - 1;

    /* a division of 64 bits takes a fraction of one of 128 */
    return parts >> 64 ? (uint64_t)(parts / par->issue) : (uint64_t)parts / par->issue;
}

void bundle_step(struct bundle_need *n, const struct task_grid_step *s,
                 const struct bundle_params *par)
{
    n->load += count_issued(s->loads, par);
    n->store += count_issued(s->stores, par);
    n->scalar += (s->in.rows + s->out.rows + s->picked) * par->row_scalars;
}

uint64_t bundle_count(const struct bundle_need *n, const struct bundle_params *par)
{
    const uint64_t bundles[] = { arith_ceil_div(n->scalar, par->scalar),
                                 arith_ceil_div(n->load, par->load),
                                 arith_ceil_div(n->store, par->store),
                                 arith_ceil_div(n->push, par->push),
                                 arith_ceil_div(n->pop, par->pop) };
    uint64_t most = 0;

    for (size_t i = 0; i < sizeof bundles / sizeof *bundles; i++)
        most = bundles[i] > most ? bundles[i] : most;
    return most;
}
