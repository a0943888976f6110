/* hlo_shape.c - see hlo_shape.h. */
#include "hlo/hlo_shape.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "hlo/hlo_layout.h"

#define D(id, text, bits) text,
const char *const hlo_dtype_name[HLO_N_DTYPES] = { HLO_DTYPES(D) };
#undef D
#define D(id, text, bits) bits,
const uint8_t hlo_dtype_bits[HLO_N_DTYPES] = { HLO_DTYPES(D) };
#undef D

void hlo_shape_free(struct hlo_shapes *s)
{
    free(s->slot);
    free(s->part);
    *s = (struct hlo_shapes){ 0 };
}

/* The word that begins at `at`, and what follows it. */
static char end_word(const struct hlo_lex *x, const char **end)
{
    const char *c = x->at;

    while (c < x->end && ((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9')))
        c++;
    *end = c;
    return c > x->at && c < x->end ? *c : '\0';
}

bool hlo_shape_follows(struct hlo_lex *x)
{
    const char *end;
    char first = hlo_lex_peek(x);

    if (first == '(')
        return true;
    char after = end_word(x, &end);
    return after == '[' || (after == '(' && first == 'b' && end == x->at + 1);
}

int hlo_shape_skip(struct hlo_lex *x)
{
    const char *end;

    hlo_lex_blanks(x);
    if (end_word(x, &end))
        x->at = end;
    if (x->at == x->end || (*x->at != '[' && *x->at != '('))
        return hlo_lex_expected(x, "a shape");
    bool array = *x->at == '[';
    if (hlo_lex_bracket(x) != 0)
        return -1;
    return array && hlo_layout_follows(x) ? hlo_lex_bracket(x) : 0;
}

/* --- the texts that were read ------------------------------------------------------------- */

static uint32_t hash_text(struct hlo_text t)
{
    return (uint32_t)XXH3_64bits(t.at, t.size);
}

static struct hlo_shape_slot *find_slot(const struct hlo_shapes *s, struct hlo_text text,
                                        uint32_t hash)
{
    uint32_t i = hash & (s->cap - 1);

    while (s->slot[i].shape && (s->slot[i].hash != hash || s->slot[i].text.size != text.size ||
                                memcmp(s->slot[i].text.at, text.at, text.size) != 0))
        i = (i + 1) & (s->cap - 1);
    return &s->slot[i];
}

static void grow_slots(struct hlo_shapes *s)
{
    struct hlo_shapes old = *s;

    s->cap = old.cap ? 2 * old.cap : 64;
    s->slot = memory_zeroed(s->cap, sizeof *s->slot);
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.slot[i].shape)
            *find_slot(s, old.slot[i].text, old.slot[i].hash) = old.slot[i];
    free(old.slot);
}

static const struct hlo_shape *keep_shape(struct hlo_shapes *s, struct hlo_text text, uint32_t hash,
                                          const struct hlo_shape *shape)
{
    struct hlo_shape *kept = hlo_arena_take(s->arena, sizeof *kept);

    *kept = *shape;
    if (2 * s->n >= s->cap)
        grow_slots(s);
    s->n++;
    *find_slot(s, text, hash) = (struct hlo_shape_slot){ text, hash, kept };
    return kept;
}

/* --- reading ------------------------------------------------------------------------------ */

static int read_dtype(struct hlo_lex *x, struct hlo_text word, enum hlo_dtype *dtype)
{
    const char *names[HLO_N_DTYPES];
    char text[32];
    unsigned n = 0;

    for (unsigned d = 0; d < HLO_N_DTYPES; d++) {
        if (d == HLO_BUFFER || d == HLO_TUPLE)
            continue;
        if (hlo_text_is(word, hlo_dtype_name[d])) {
            *dtype = (enum hlo_dtype)d;
            return 0;
        }
        names[n++] = hlo_dtype_name[d];
    }
    int size = word.size < sizeof text ? (int)word.size : (int)sizeof text - 1;
    memcpy(text, word.at, (size_t)size);
    text[size] = '\0';
    const char *near = err_nearest(text, names, n);
    if (near)
        return hlo_lex_fail(x, word.at, ERR_UNKNOWN, "unknown dtype '%s'; did you mean '%s'?", text,
                            near);
    return hlo_lex_fail(x, word.at, ERR_UNKNOWN, "unknown dtype '%s'", text);
}

/* One of 128 <=128 ?; newer XLA also writes ?<=128 */
static int read_dim(struct hlo_lex *x, struct hlo_shape *shape, uint64_t *dim)
{
    bool open = hlo_lex_take(x, '?');

    *dim = UINT64_MAX;
    if (hlo_lex_peek(x) == '<') {
        x->at++;
        open = false;
        shape->dynamic = true;
        if (hlo_lex_expect(x, '=', "'<=' before the bound of a dimension") != 0)
            return -1;
    }
    if (open) {
        shape->dynamic = true;
        return 0;
    }
    return hlo_lex_number(x, "a dimension", dim);
}

static int read_array(struct hlo_lex *x, struct hlo_shapes *s, struct hlo_text word,
                      struct hlo_shape *shape)
{
    uint64_t dim[HLO_SHAPE_MAX_RANK];

    *shape = (struct hlo_shape){ .leaves = 1 };
    if (read_dtype(x, word, &shape->dtype) != 0)
        return -1;
    x->at = word.at + word.size + 1; /* [ */
    while (hlo_lex_peek(x) != ']') {
        if (shape->rank > 0 && hlo_lex_expect(x, ',', "',' or ']' in a shape") != 0)
            return -1;
        if (shape->rank == HLO_SHAPE_MAX_RANK)
            return hlo_lex_fail(x, word.at, ERR_RANGE, "a shape of more than %d dimensions",
                                HLO_SHAPE_MAX_RANK);
        if (read_dim(x, shape, &dim[shape->rank++]) != 0)
            return -1;
    }
    x->at++;
    uint64_t *kept = hlo_arena_take(s->arena, shape->rank * sizeof *kept);
    memcpy(kept, dim, shape->rank * sizeof *kept);
    shape->dim = kept;
    if (hlo_layout_follows(x))
        return hlo_layout_read(x, s->arena, shape->rank, &shape->layout);
    return 0;
}

/* The shapes up to `close` become the parts of `shape`. */
static int read_parts(struct hlo_lex *x, struct hlo_shapes *s, const char *begin,
                      struct hlo_shape *shape)
{
    uint32_t first = s->n_parts;

    if (s->depth == HLO_SHAPE_MAX_DEPTH)
        return hlo_lex_fail(x, begin, ERR_RANGE, "tuples are nested deeper than %d",
                            HLO_SHAPE_MAX_DEPTH);
    s->depth++;
    while (hlo_lex_peek(x) != ')') {
        const struct hlo_shape *part;
        if (s->n_parts > first && hlo_lex_expect(x, ',', "',' or ')' in a tuple of shapes") != 0)
            return -1;
        if (hlo_shape_read(x, s, &part) != 0)
            return -1;
        MEMORY_GROW(s->part, s->n_parts + 1, s->cap_parts);
        s->part[s->n_parts] = *part;
        s->part[s->n_parts++].first_leaf = shape->leaves;
        shape->leaves += part->leaves;
        shape->depth = part->depth + 1 > shape->depth ? (uint8_t)(part->depth + 1) : shape->depth;
    }
    x->at++;
    s->depth--;
    shape->n_parts = s->n_parts - first;
    struct hlo_shape *kept = hlo_arena_take(s->arena, shape->n_parts * sizeof *kept);
    if (shape->n_parts > 0)
        memcpy(kept, s->part + first, shape->n_parts * sizeof *kept);
    shape->part = kept;
    s->n_parts = first;
    return 0;
}

int hlo_shape_read(struct hlo_lex *x, struct hlo_shapes *s, const struct hlo_shape **shape)
{
    struct hlo_shape read = { .dtype = HLO_TUPLE, .depth = 1 };
    const char *begin = (hlo_lex_blanks(x), x->at), *end;

    if (hlo_shape_skip(x) != 0)
        return -1;
    struct hlo_text text = { begin, (uint32_t)(x->at - begin) };
    uint32_t hash = hash_text(text);
    if (s->cap > 0 && (*shape = find_slot(s, text, hash)->shape))
        return 0;
    x->at = begin;
    int rc;
    if (*begin == '(') {
        x->at++;
        rc = read_parts(x, s, begin, &read);
    } else if (end_word(x, &end) == '(') {
        if (end != begin + 1 || *begin != 'b')
            return hlo_lex_expected(x, "a shape");
        x->at = end + 1;
        read.dtype = HLO_BUFFER;
        rc = read_parts(x, s, begin, &read);
        if (rc == 0 && read.n_parts != 1)
            return hlo_lex_fail(x, begin, ERR_FORMAT, "a buffer of %u shapes, expected one",
                                read.n_parts);
        read.depth = 0;
        read.leaves = 1;
    } else {
        rc = read_array(x, s, (struct hlo_text){ begin, (uint32_t)(end - begin) }, &read);
    }
    if (rc != 0)
        return -1;
    *shape = keep_shape(s, text, hash, &read);
    return 0;
}
