/* Matrix products of a CPU, as the libraries block them: a core keeps a tile of the result of 3
 * registers by 8 elements in its registers [onednn], and goes along k.
 *
 *     block     blocks.rows by blocks.columns, or less where the result is smaller; padded to
 *               whole tiles
 *     cycles    rows * columns * (k + blocks.more) / (multiply-accumulates a cycle)
 *
 * blocks.more is what a tile takes besides its sum: it is loaded and stored, and its operands are
 * packed.  It is that of products with k = 14 and 128 on one thread [tensorflow-cpu], which reach
 * 0.44 and 0.94 of the rate of a long one. */
#include "base/arith.h"
#include "kernels/cpu/cpu_work.h"

static uint64_t pad_block(uint64_t size, uint64_t most, uint64_t granule)
{
    return arith_round_up(size < most ? size : most, granule);
}

void cpu_product(struct cpu_work *w, uint64_t b, uint64_t m, uint64_t n, uint64_t k,
                 uint32_t element, const struct cap_cpu *cpu)
{
    uint32_t lanes = element > 4 ? cpu->lanes * 4 / element : cpu->lanes;
    uint32_t macs = element > 4 ? cpu->macs * 4 / element : cpu->macs;
    const struct blocks_params *s = &cpu->blocks;
    uint64_t rows = pad_block(m, s->rows, s->tile_rows);
    uint64_t columns = pad_block(n, s->columns, (uint64_t)s->tile_registers * lanes);

    w->units = (u128)b * arith_ceil_div(m, rows) * arith_ceil_div(n, columns);
    w->unit = ((u128)rows * columns * (k + s->more) + macs - 1) / macs;
}
