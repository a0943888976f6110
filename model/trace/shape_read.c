/* shape_read.c - the shape of a value, and its layout if there is one (parse.h). */
#include <inttypes.h>
#include <string.h>

#include "trace/parse.h"
#include "trace/shape.h"

/* --- layout ------------------------------------------------------------------------------- */

/* Read "1,0", a permutation of the dimensions. */
static int read_order(struct trace *t, struct trace_shape *s)
{
    size_t begin = t->lex.at;
    uint32_t seen = 0, n = 0;
    uint64_t d;

    if (lex_peek(&t->lex, ':') || lex_peek(&t->lex, '}'))
        return s->rank == 0 ? 0
                            : lex_fail(&t->lex, begin, ERR_FORMAT,
                                       "a layout without its %" PRIu32 " dimension%s, minor first",
                                       s->rank, s->rank == 1 ? "" : "s");
    do {
        size_t at = t->lex.at;
        if (n == s->rank)
            return lex_fail(&t->lex, begin, ERR_FORMAT,
                            "a layout of more dimensions than the %" PRIu32 " of its shape",
                            s->rank);
        if (lex_int(&t->lex, &d, 0, s->rank - 1, "a dimension of the layout") != 0)
            return -1;
        if (seen >> d & 1)
            return lex_fail(&t->lex, at, ERR_FORMAT,
                            "dimension %" PRIu64 " stands twice in the layout", d);
        seen |= UINT32_C(1) << d;
        s->layout.minor_first[n++] = (uint8_t)d;
    } while (lex_is(&t->lex, ','));
    if (n == s->rank)
        return 0;
    return lex_fail(&t->lex, begin, ERR_FORMAT,
                    "a layout of %" PRIu32 " dimension%s, expected all %" PRIu32, n,
                    n == 1 ? "" : "s", s->rank);
}

/* Read "(8,128)(2,1)". */
static int read_tiles(struct trace *t, struct trace_layout *l)
{
    uint64_t dim;

    do {
        if (l->n_tiles == TRACE_MAX_TILES)
            return lex_fail(&t->lex, t->lex.at, ERR_RANGE, "more than %d groups of tiles",
                            TRACE_MAX_TILES);
        struct trace_tile *tile = &l->tile[l->n_tiles++];
        if (lex_expect(&t->lex, '(') != 0)
            return -1;
        do {
            if (tile->rank == TRACE_MAX_TILE_RANK)
                return lex_fail(&t->lex, t->lex.at, ERR_RANGE, "a tile of more than %d dimensions",
                                TRACE_MAX_TILE_RANK);
            if (lex_int(&t->lex, &dim, 1, UINT32_MAX, "a dimension of a tile") != 0)
                return -1;
            tile->dim[tile->rank++] = (uint32_t)dim;
        } while (lex_is(&t->lex, ','));
        if (lex_expect(&t->lex, ')') != 0)
            return -1;
    } while (lex_peek(&t->lex, '('));
    return 0;
}

/* Read "(3)" of E(3) or S(3). */
static int read_number(struct trace *t, uint64_t min, uint64_t max, const char *what, uint64_t *v)
{
    if (lex_expect(&t->lex, '(') != 0 || lex_int(&t->lex, v, min, max, what) != 0)
        return -1;
    return lex_expect(&t->lex, ')');
}

static int read_space(struct trace *t, struct trace_layout *l)
{
    uint64_t n;

    if (read_number(t, 0, TRACE_N_SPACES - 1, "a memory space", &n) != 0)
        return -1;
    l->space = (uint8_t)n;
    return 0;
}

/* Read ":T(8,128)(2,1)E(4)S(1)", each once at most; XLA has printed E and S in either order. */
static int read_properties(struct trace *t, const struct trace_shape *s, struct trace_layout *l)
{
    static const char known[] = "TES";
    uint32_t seen = 0;
    struct lex_text w;
    uint64_t bits;

    if (!lex_is(&t->lex, ':'))
        return 0;
    do {
        if (lex_word(&t->lex, &w, "T(tiles), E(bits) or S(space)") != 0)
            return -1;
        const char *which = w.n == 1 ? strchr(known, *w.s) : NULL;
        uint32_t bit = which ? UINT32_C(1) << (which - known) : 0;
        if (!which || seen & bit || (*w.s == 'T' && seen))
            return lex_fail(&t->lex, w.at, ERR_FORMAT,
                            "'%.64s' in a layout, expected tiles T(8,128), then bits E(4) and a "
                            "memory space S(1), each once",
                            w.s);
        seen |= bit;
        if (*w.s == 'T') {
            if (read_tiles(t, l) != 0)
                return -1;
        } else if (*w.s == 'S') {
            if (read_space(t, l) != 0)
                return -1;
        } else {
            if (read_number(t, 1, trace_dtype_bits[s->dtype], "bits of an element", &bits) != 0)
                return -1;
            l->bits = (uint8_t)bits;
        }
    } while (!lex_peek(&t->lex, '}') && !lex_end(&t->lex));
    return 0;
}

static int read_layout(struct trace *t, struct trace_shape *s)
{
    if (!lex_next(&t->lex, '{'))
        return 0;
    s->layout.given = true;
    if (read_order(t, s) != 0 || read_properties(t, s, &s->layout) != 0)
        return -1;
    return lex_expect(&t->lex, '}');
}

/* --- shape -------------------------------------------------------------------------------- */

static int read_dims(struct trace *t, struct trace_shape *s, size_t at)
{
    if (lex_expect(&t->lex, '[') != 0)
        return -1;
    if (lex_is(&t->lex, ']'))
        return 0;
    do {
        if (s->rank == TRACE_MAX_RANK)
            return lex_fail(&t->lex, at, ERR_RANGE, "a shape of more than %d dimensions",
                            TRACE_MAX_RANK);
        if (lex_int(&t->lex, &s->dim[s->rank], 1, INT64_MAX, "a dimension") != 0)
            return -1;
        s->rank++;
    } while (lex_is(&t->lex, ','));
    return lex_expect(&t->lex, ']');
}

static enum trace_dtype shorten_dtype(enum trace_dtype d)
{
    return d == TRACE_S64 ? TRACE_S32 : d == TRACE_U64 ? TRACE_U32 : d;
}

int parse_shape(struct trace *t, struct trace_shape *s)
{
    struct lex_text w;
    uint64_t bytes;

    *s = (struct trace_shape){ 0 };
    if (lex_word(&t->lex, &w, "a shape such as f32[8,16]") != 0)
        return -1;
    s->dtype = shape_dtype(w.s);
    if (t->words)
        s->dtype = shorten_dtype(s->dtype);
    if (s->dtype == TRACE_N_DTYPES)
        return reader_no_dtype(t, &w);
    if (read_dims(t, s, w.at) != 0 || read_layout(t, s) != 0)
        return -1;
    if (!shape_bytes(s, &bytes) || bytes > INT64_MAX)
        return lex_fail(&t->lex, w.at, ERR_RANGE, "a shape of more than 2^63 bytes");
    return 0;
}
