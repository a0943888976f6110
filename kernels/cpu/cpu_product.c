/* Matrix products of a CPU, as the libraries block them: a core keeps a tile of the result of 3
 * registers by 8 elements in its registers [onednn], and goes along k.
 *
 *     block     48 rows by 48 columns, or less where the result is smaller; columns are padded to
 *               3 registers, rows to 8
 *     cycles    rows * columns * (k + 14) / (multiply-accumulates a cycle)
 *
 * The 14 are what a tile takes besides its sum: it is loaded and stored, and its operands are
 * packed.  They are those of products with k = 14 and 128 on one thread [tensorflow-cpu], which
 * reach 0.44 and 0.94 of the rate of a long one. */
#include "base/arith.h"
#include "kernels/cpu/cpu_work.h"

#define ROWS 48
#define COLUMNS 48
#define TILE_ROWS 8
#define TILE_REGISTERS 3
#define MORE_K 14

static uint64_t pad_block(uint64_t size, uint64_t most, uint64_t granule)
{
    return arith_round_up(size < most ? size : most, granule);
}

void cpu_product(struct cpu_work *w, uint64_t b, uint64_t m, uint64_t n, uint64_t k,
                 uint32_t element, const struct cap_cpu *cpu)
{
    uint32_t lanes = element > 4 ? cpu->lanes * 4 / element : cpu->lanes;
    uint32_t macs = element > 4 ? cpu->macs * 4 / element : cpu->macs;
    uint64_t rows = pad_block(m, ROWS, TILE_ROWS);
    uint64_t columns = pad_block(n, COLUMNS, (uint64_t)TILE_REGISTERS * lanes);

    w->units = (u128)b * arith_ceil_div(m, rows) * arith_ceil_div(n, columns);
    w->unit = ((u128)rows * columns * (k + MORE_K) + macs - 1) / macs;
}
