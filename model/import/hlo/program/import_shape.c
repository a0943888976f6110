/* import_shape.c - arrays as they lie in memory, and in the registers of the vector unit. */
#include <string.h>

#include "base/arith.h"
#include "import/hlo/program/importing.h"

bool import_shape_physical(const struct hlo_shape *s, struct import_physical *p)
{
    const struct hlo_layout *l = &s->layout;

    if (s->rank > IMPORT_DIMS)
        return false;
    *p = (struct import_physical){ .rank = s->rank };
    for (uint32_t i = 0; i < s->rank; i++) {
        uint32_t d = l->given && l->minor_first ? l->minor_first[s->rank - 1 - i] : i;
        p->logical[i] = d;
        p->place[d] = i;
        p->dim[i] = p->padded[i] = s->dim[d];
        p->unit[i] = s->rank == 1 ? 1024 : i + 1 == s->rank ? 128 : i + 2 == s->rank ? 8 : 1;
    }
    const struct hlo_tile *t = l->n_tiles ? &l->tile[0] : NULL;
    for (uint32_t i = 0; t && i < t->rank && i < s->rank; i++) {
        uint64_t tile = t->dim[t->rank - 1 - i], *d = &p->padded[s->rank - 1 - i];
        if (tile > 1)
            *d = arith_round_up(*d, tile);
    }
    return true;
}

uint32_t import_shape_bits(const struct hlo_shape *s)
{
    return s->layout.bits ? s->layout.bits : hlo_dtype_bits[s->dtype];
}

uint64_t import_shape_vector(const struct importing *im, const struct hlo_shape *s)
{
    return im->compiler->vector(im, s);
}

uint64_t import_shape_registers(const struct importing *im, const struct hlo_shape *s)
{
    uint32_t bits = hlo_dtype_bits[s->dtype];
    uint64_t rows = im->packed16 && s->dtype == HLO_BF16 ? 16 : 8, n = 1;
    struct import_physical p;

    if (s->rank == 0)
        return 0; /* the scalar unit's */
    if (!import_shape_physical(s, &p)) {
        n = hlo_elements(s);
    } else if (s->rank == 1) {
        n = arith_round_up(p.dim[0], rows * 128);
    } else {
        for (uint32_t i = 0; i + 2 < p.rank; i++)
            n = import_multiply(n, p.dim[i]);
        n = import_multiply(n, arith_round_up(p.dim[p.rank - 2], rows));
        n = import_multiply(n, arith_round_up(p.dim[p.rank - 1], 128));
    }
    return bits > 32 ? import_multiply(n, bits / 32) : n / (rows / 8);
}

/* The dimensions that are not 1, major first. */
static uint32_t list_extents(const struct hlo_shape *s, uint64_t *dim)
{
    struct import_physical p;
    uint32_t n = 0;

    if (!import_shape_physical(s, &p))
        return 0;
    for (uint32_t i = 0; i < p.rank; i++)
        if (p.dim[i] != 1)
            dim[n++] = p.dim[i];
    return n;
}

bool import_shape_same(const struct hlo_shape *a, const struct hlo_shape *b)
{
    return a->dtype == b->dtype && a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->dim, b->dim, a->rank * sizeof *a->dim) == 0);
}

bool import_shape_same_order(const struct hlo_shape *a, const struct hlo_shape *b)
{
    struct import_physical p, q;
    uint64_t x[IMPORT_DIMS], y[IMPORT_DIMS];

    if (hlo_elements(a) != hlo_elements(b) || !import_shape_physical(a, &p) ||
        !import_shape_physical(b, &q))
        return false;
    if (a->rank == b->rank && memcmp(p.dim, q.dim, a->rank * sizeof *p.dim) == 0) {
        if (!import_shape_same(a, b))
            return memcmp(p.padded, q.padded, a->rank * sizeof *p.dim) == 0;
        /* the same array: the order of dimensions of 1 does not matter */
        uint32_t i = 0, j = 0;
        for (;; i++, j++) {
            while (i < p.rank && p.dim[i] == 1)
                i++;
            while (j < q.rank && q.dim[j] == 1)
                j++;
            if (i == p.rank || j == q.rank)
                return i == p.rank && j == q.rank;
            if (p.logical[i] != q.logical[j])
                return false;
        }
    }
    /* another rank: the same extents, the last two in the same place */
    uint32_t n = list_extents(a, x), m = list_extents(b, y);
    if (n == m && memcmp(x, y, n * sizeof *x) == 0)
        return true;
    /* rows that are split or joined above the last two dimensions */
    return n && m && x[n - 1] == y[m - 1] && n > 1 && m > 1 && x[n - 1] % 128 == 0 &&
           x[n - 2] % 8 == 0 && y[m - 2] % 8 == 0;
}
