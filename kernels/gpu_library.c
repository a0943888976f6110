/* Tables of the sections of a library. */
#include "kernels/gpu_library.h"

#include <stdlib.h>
#include <string.h>

#define P(...) PARAM_DESC(struct gpu_tile, __VA_ARGS__)
static const struct param_desc tile_rows[] = { GPU_TILE_PARAMS(P) };
#undef P
static const struct param_table tile_table = { "tile", tile_rows,
                                               sizeof tile_rows / sizeof *tile_rows,
                                               sizeof(struct gpu_tile), NULL };

/* A side of a tile, 1 to 4096: digits that are not followed by others.  *end: behind them. */
static uint32_t read_side(const char *text, const char **end)
{
    size_t n = strspn(text, "0123456789");
    unsigned long side = n > 0 && n <= 4 && *text != '0' ? strtoul(text, NULL, 10) : 0;

    *end = text + n;
    return side <= 4096 ? (uint32_t)side : 0;
}

static bool is_tile(const char *name)
{
    return *name >= '0' && *name <= '9';
}

/* "128x64", or "128x64s" where warps divide k. */
static int name_tile(void *line, struct err *err)
{
    struct gpu_tile *t = line;
    const char *at = t->name.text;

    t->n = read_side(at, &at);
    if (t->n && *at == 'x')
        t->m = read_side(at + 1, &at);
    t->sliced = t->m && *at == 's';
    return t->m && at[t->sliced] == '\0'
               ? 0
               : err_set(err, ERR_FORMAT,
                         "'%.40s' is no parameter and no tile; expected NxM or NxMs, such as "
                         "128x64, with sides up to 4096",
                         t->name.text);
}

static const struct param_list tiles = {
    .columns = &tile_table,
    .pattern = "NxM",
    .doc = "a kernel of the library, blocks of N columns by M rows; NxMs: their warps divide k",
    .number = offsetof(struct gpu_tiles, n),
    .lines = offsetof(struct gpu_tiles, tile),
    .most = GPU_MOST_TILES,
    .like = is_tile,
    .name = name_tile
};

#define P(...) PARAM_DESC(struct gpu_tiles, __VA_ARGS__)
static const struct param_desc tiles_rows[] = { GPU_TILES_PARAMS(P) };
#undef P

#define TABLE(section, component, kinds)                                                           \
    const struct param_table component##_param_table = { #section, tiles_rows,                     \
                                                         sizeof tiles_rows / sizeof *tiles_rows,   \
                                                         sizeof(struct gpu_tiles), &tiles };
GPU_TILES_SECTIONS(TABLE)
#undef TABLE

#define P(...) PARAM_DESC(struct compiled_params, __VA_ARGS__)
static const struct param_desc compiled_rows[] = { COMPILED_PARAMS(P) };
#undef P
const struct param_table compiled_param_table = { "compiled", compiled_rows,
                                                  sizeof compiled_rows / sizeof *compiled_rows,
                                                  sizeof(struct compiled_params), NULL };
