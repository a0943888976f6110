/* hlo_layout.c - see hlo_layout.h. */
#include "hlo/hlo_layout.h"

#include <string.h>

#include "hlo/hlo_shape.h"

bool hlo_layout_follows(const struct hlo_lex *x)
{
    struct hlo_lex y = *x;

    if (y.at == y.end || *y.at != '{')
        return false;
    y.at++;
    char c = hlo_lex_peek(&y);
    return (c >= '0' && c <= '9') || c == ':' || c == '}';
}

/* 2,1,0 in a permutation of [0, rank) */
static int read_order(struct hlo_lex *x, uint32_t rank, uint32_t *order, uint32_t *n)
{
    uint64_t seen = 0;

    *n = 0;
    for (char c = hlo_lex_peek(x); c != ':' && c != '}'; c = hlo_lex_peek(x)) {
        uint64_t d;
        if (*n > 0 && hlo_lex_expect(x, ',', "',', ':' or '}' in a layout") != 0)
            return -1;
        const char *at = (hlo_lex_blanks(x), x->at);
        if (hlo_lex_number(x, "a dimension", &d) != 0)
            return -1;
        if (d >= rank)
            return hlo_lex_fail(x, at, ERR_RANGE,
                                "dimension %llu in the layout of a shape of rank %u",
                                (unsigned long long)d, rank);
        if (seen >> d & 1)
            return hlo_lex_fail(x, at, ERR_RANGE, "dimension %u is twice in the layout",
                                (unsigned)d);
        seen |= (uint64_t)1 << d;
        order[(*n)++] = (uint32_t)d;
    }
    return 0;
}

/* (8,128) after T; '*' is 0 */
static int read_tile(struct hlo_lex *x, struct hlo_tile *t)
{
    t->rank = 0;
    x->at++; /* ( */
    while (hlo_lex_peek(x) != ')') {
        const char *at = x->at;
        if (t->rank > 0 && hlo_lex_expect(x, ',', "',' or ')' in a tile") != 0)
            return -1;
        if (t->rank == HLO_MAX_TILE_RANK)
            return hlo_lex_fail(x, at, ERR_RANGE, "a tile of more than %d dimensions",
                                HLO_MAX_TILE_RANK);
        uint64_t *d = &t->dim[t->rank++];
        *d = 0;
        if (hlo_lex_take(x, '*'))
            continue;
        at = (hlo_lex_blanks(x), x->at);
        if (hlo_lex_number(x, "a size of a tile", d) != 0)
            return -1;
        if (*d == 0)
            return hlo_lex_fail(x, at, ERR_RANGE, "a tile of size 0");
    }
    x->at++;
    return 0;
}

static int read_tiles(struct hlo_lex *x, struct hlo_arena *arena, struct hlo_layout *l)
{
    struct hlo_tile tile[HLO_MAX_TILES];

    if (l->n_tiles > 0)
        return hlo_lex_fail(x, x->at, ERR_FORMAT, "T is given twice in a layout");
    while (x->at < x->end && *x->at == '(') {
        if (l->n_tiles == HLO_MAX_TILES)
            return hlo_lex_fail(x, x->at, ERR_RANGE, "a layout with more than %d tiles",
                                HLO_MAX_TILES);
        if (read_tile(x, &tile[l->n_tiles++]) != 0)
            return -1;
    }
    struct hlo_tile *kept = hlo_arena_take(arena, l->n_tiles * sizeof *kept);
    memcpy(kept, tile, l->n_tiles * sizeof *kept);
    l->tile = kept;
    return 0;
}

/* (N), at most `max` */
static int read_in_parentheses(struct hlo_lex *x, const char *what, uint64_t max, uint64_t *number)
{
    x->at++;
    const char *at = (hlo_lex_blanks(x), x->at);
    if (hlo_lex_number(x, what, number) != 0)
        return -1;
    if (*number > max)
        return hlo_lex_fail(x, at, ERR_RANGE, "%s = %llu: outside [0, %llu]", what,
                            (unsigned long long)*number, (unsigned long long)max);
    return hlo_lex_expect(x, ')', "')'");
}

/* One of T(..)(..) S(n) E(n), or another one, such as D(..) #(..) *(..) L(n) SC(..) P(..) O(n)
 * M(n): a letter or sign with parentheses, which say nothing about size or place */
static int read_property(struct hlo_lex *x, struct hlo_arena *arena, struct hlo_layout *l)
{
    const char *begin = x->at;
    uint64_t number;

    while (x->at < x->end && ((*x->at >= 'A' && *x->at <= 'Z') || *x->at == '#' || *x->at == '*'))
        x->at++;
    if (x->at == begin || x->at == x->end || *x->at != '(') {
        x->at = begin;
        return hlo_lex_expected(x, "T(..), S(..), another property of a layout or '}'");
    }
    if (x->at - begin == 1 && *begin == 'T')
        return read_tiles(x, arena, l);
    if (x->at - begin == 1 && *begin == 'S') {
        if (read_in_parentheses(x, "memory space", UINT8_MAX, &number) != 0)
            return -1;
        l->space = (uint8_t)number;
        return 0;
    }
    if (x->at - begin == 1 && *begin == 'E') {
        if (read_in_parentheses(x, "bits of an element", 1024, &number) != 0)
            return -1;
        l->bits = (uint16_t)number;
        return 0;
    }
    while (x->at < x->end && *x->at == '(')
        if (hlo_lex_bracket(x) != 0)
            return -1;
    return 0;
}

int hlo_layout_read(struct hlo_lex *x, struct hlo_arena *arena, uint32_t rank, struct hlo_layout *l)
{
    uint32_t order[HLO_SHAPE_MAX_RANK], n;
    const char *begin = x->at++;

    *l = (struct hlo_layout){ .given = true };
    if (read_order(x, rank, order, &n) != 0)
        return -1;
    if (hlo_lex_take(x, ':'))
        while (hlo_lex_peek(x) != '}')
            if (read_property(x, arena, l) != 0)
                return -1;
    if (n != rank)
        return hlo_lex_fail(x, begin, ERR_RANGE, "a layout of %u dimensions for a shape of rank %u",
                            n, rank);
    uint32_t *kept = hlo_arena_take(arena, rank * sizeof *kept);
    memcpy(kept, order, rank * sizeof *kept);
    l->minor_first = kept;
    return hlo_lex_expect(x, '}', "'}' after a layout");
}
