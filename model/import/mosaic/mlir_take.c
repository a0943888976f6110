/* Numbers and bytes of MLIR bytecode. */
#include <string.h>

#include "import/mosaic/mlir_wire.h"

uint8_t mlir_take_byte(struct mlir_cursor *c)
{
    if (c->at < c->end)
        return *c->at++;
    c->bad = true;
    return 0;
}

uint64_t mlir_take(struct mlir_cursor *c)
{
    uint8_t first = mlir_take_byte(c);
    uint32_t more = first ? (uint32_t)__builtin_ctz(first) : 8;
    uint64_t n = 0;

    if ((size_t)(c->end - c->at) < more) {
        c->bad = true;
        return 0;
    }
    for (uint32_t k = 0; k < more; k++)
        n |= (uint64_t)c->at[k] << (8 * k);
    c->at += more;
    if (more == 8)
        return n;
    return n << (7 - more) | (uint64_t)(first >> (more + 1));
}

int64_t mlir_take_signed(struct mlir_cursor *c)
{
    uint64_t n = mlir_take(c);

    return (int64_t)(n >> 1 ^ (0 - (n & 1)));
}

uint32_t mlir_take_count(struct mlir_cursor *c)
{
    uint64_t n = mlir_take(c);

    if (n > (uint64_t)(c->end - c->at)) { /* of what has a byte each at least */
        c->bad = true;
        return 0;
    }
    return (uint32_t)n;
}

struct mlir_cursor mlir_take_bytes(struct mlir_cursor *c, uint64_t n)
{
    struct mlir_cursor part = { c->at, c->at, false };

    if (n > (uint64_t)(c->end - c->at)) {
        c->bad = part.bad = true;
        return part;
    }
    c->at += n;
    part.end = c->at;
    return part;
}

struct mlir_text mlir_take_string(struct mlir_wire *w, struct mlir_cursor *c)
{
    uint64_t k = mlir_take(c);

    if (k < w->n_strings)
        return w->string[k];
    c->bad = true;
    return (struct mlir_text){ NULL, 0 };
}
