/* import_tile.c - the tile that a product of the compiler's own has, as its tuner has chosen it on
 * a GPU: rows and columns in the fusion's config, k in that of the product inside.
 *
 * Dimensions of the tile are those of the result as it lies in memory, the minor one last.  A
 * program that was compiled where no GPU is has tiles of no tuner, which say nothing. */
#include <string.h>

#include "import/hlo/kernel/import_kernel.h"

#define MOST_SIDES 16
#define MOST_SIDE 65536 /* of a tile: its bytes would not fit on any chip */

static bool is_tuned(const struct importing *im)
{
    return im->m->comment.at == NULL || import_config_text(im->m->comment, "topology").at == NULL;
}

/* The config of the product inside, or that of the fusion where they share one. */
static uint64_t find_depth(const struct importing *im, const struct import_body *b)
{
    uint64_t size[MOST_SIDES];

    for (uint32_t j = 0; j < b->n; j++) {
        const struct hlo_instruction *i = b->node[j].i;
        if (i == NULL || i->opcode != HLO_OP_DOT)
            continue;
        uint32_t n = import_config_numbers(hlo_attribute(im->m, i, "backend_config"), "sizes", size,
                                           MOST_SIDES);
        if (n)
            return size[n - 1];
    }
    return 0;
}

/* Rows and columns of the tile as the result lies in memory, and its k; false: none is stated. */
static bool find_tile(const struct importing *im, struct hlo_text config,
                      const struct import_body *b, uint64_t *rows, uint64_t *columns, uint64_t *k)
{
    uint64_t size[MOST_SIDES];
    uint32_t n = import_config_numbers(config, "sizes", size, MOST_SIDES);

    *rows = 1;
    if (n) {
        for (uint32_t d = 0; d + 1 < n; d++)
            *rows = import_multiply(*rows, size[d]);
        *columns = size[n - 1];
        *k = find_depth(im, b);
        return *rows && *columns && *k;
    }
    return import_config_numbers(config, "block_m", rows, 1) && *rows &&
           import_config_numbers(config, "block_n", columns, 1) && *columns &&
           import_config_numbers(config, "block_k", k, 1) && *k;
}

void import_tile_read(const struct importing *im, const struct hlo_instruction *i,
                      const struct import_body *b, const struct import_product *p,
                      struct import_kernel *k)
{
    struct hlo_text config = hlo_attribute(im->m, i, "backend_config");
    uint64_t rows, columns, depth, warps = 0, stages = 0;

    if (i->opcode != HLO_OP_FUSION || p->conv || !is_tuned(im) ||
        !find_tile(im, config, b, &rows, &columns, &depth))
        return;
    bool along_m = p->lanes[2] == TRACE_DIM_M;
    uint64_t tile[4] = { 1, along_m ? columns : rows, depth, along_m ? rows : columns };
    for (uint32_t d = 0; d < 4; d++) {
        if (tile[d] > MOST_SIDE)
            return;
    }
    for (uint32_t d = 0; d < 4; d++) {
        k->facts.tile[d] = tile[d];
        k->facts.counts[d] =
            k->facts.product[d] / k->facts.tile[d] + (k->facts.product[d] % k->facts.tile[d] != 0);
        k->facts.counts[d] = k->facts.counts[d] ? k->facts.counts[d] : 1;
    }
    k->tiled = true;
    import_config_numbers(config, "num_warps", &warps, 1);
    import_config_numbers(config, "num_stages", &stages, 1);
    k->facts.warps = warps < 64 ? warps : 0;
    k->facts.stages = stages < 64 ? stages : 0;
}
