/* Tables of the sections of a library. */
#include "kernels/common/gpu_library.h"

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
/* --- convolutions and streams ----------------------------------------------------------------- */

#define P(...) PARAM_DESC(struct convolution_params, __VA_ARGS__)
static const struct param_desc convolution_rows[] = { CONVOLUTION_PARAMS(P) };
#undef P
const struct param_table convolution_param_table = { "convolution", convolution_rows,
                                                     sizeof convolution_rows /
                                                         sizeof *convolution_rows,
                                                     sizeof(struct convolution_params), NULL };

#define C(id, text) text,
static const char *const class_name[] = { GPU_STREAM_CLASSES(C) };
#undef C

#define P(...) PARAM_DESC(struct gpu_stream_line, __VA_ARGS__)
static const struct param_desc class_rows[] = { STREAM_CLASS_PARAMS(P) };
#undef P
static const struct param_table class_table = { "class", class_rows,
                                                sizeof class_rows / sizeof *class_rows,
                                                sizeof(struct gpu_stream_line), NULL };

static bool is_class(const char *name)
{
    return strcmp(name, "l2") != 0 && strcmp(name, "atomics") != 0;
}

static int name_class(void *line, struct err *err)
{
    struct gpu_stream_line *l = line;

    for (l->class = 0; l->class < GPU_N_STREAM_CLASSES; l->class ++)
        if (strcmp(l->name.text, class_name[l->class]) == 0)
            return 0;
    const char *near = err_nearest(l->name.text, class_name, GPU_N_STREAM_CLASSES);
    return err_set(err, ERR_UNKNOWN, "unknown class of streams '%.40s'%s%s%s", l->name.text,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static const struct param_list classes = { .columns = &class_table,
                                           .pattern = "CLASS",
                                           .doc =
                                               "what kernels of that class reach: contiguous, "
                                               "strided, transposed, reduction, windows, gather, "
                                               "scatter, norm, sort or fill",
                                           .number = offsetof(struct stream_params, n),
                                           .lines = offsetof(struct stream_params, line),
                                           .most = GPU_N_STREAM_CLASSES,
                                           .like = is_class,
                                           .name = name_class };

#define P(...) PARAM_DESC(struct stream_params, __VA_ARGS__)
static const struct param_desc stream_rows[] = { STREAM_PARAMS(P) };
#undef P
const struct param_table stream_param_table = { "stream", stream_rows,
                                                sizeof stream_rows / sizeof *stream_rows,
                                                sizeof(struct stream_params), &classes };
