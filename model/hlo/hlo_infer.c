/* hlo_infer.c - shapes that a short form leaves out, where they follow from operands. */
#include <string.h>

#include "hlo/hlo_parser.h"

static struct hlo_shape *new_shape(struct hlo_parser *p, struct hlo_shape s)
{
    struct hlo_shape *kept = hlo_arena_take(&p->m->store->arena, sizeof *kept);

    *kept = s;
    return kept;
}

static const struct hlo_shape *shape_of(const struct hlo_module *m, const struct hlo_instruction *i,
                                        uint32_t operand)
{
    return operand < i->n_operands ? hlo_operand(m, i, operand)->shape : NULL;
}

/* Dimensions and layout of `like`, elements of another dtype. */
static const struct hlo_shape *with_dtype(struct hlo_parser *p, const struct hlo_shape *like,
                                          enum hlo_dtype dtype)
{
    if (!like || like->dtype == HLO_TUPLE)
        return NULL;
    struct hlo_shape *s = new_shape(p, *like);
    s->dtype = dtype;
    s->layout.bits = 0;
    return s;
}

static const struct hlo_shape *make_tuple(struct hlo_parser *p, const struct hlo_instruction *i)
{
    struct hlo_shape *part =
        hlo_arena_take(&p->m->store->arena, (i->n_operands + 1) * sizeof *part);
    struct hlo_shape s = { .dtype = HLO_TUPLE, .depth = 1, .n_parts = i->n_operands, .part = part };

    for (uint32_t n = 0; n < i->n_operands; n++) {
        if (!shape_of(p->m, i, n))
            return NULL;
        part[n] = *shape_of(p->m, i, n);
        part[n].first_leaf = s.leaves;
        s.leaves += part[n].leaves;
        s.depth = part[n].depth + 1 > s.depth ? (uint8_t)(part[n].depth + 1) : s.depth;
        if (s.leaves > HLO_MAX_LEAVES || s.depth > HLO_SHAPE_MAX_DEPTH)
            return NULL;
    }
    return new_shape(p, s);
}

/* The numbers of an attribute as a set of dimensions; false if one is no dimension. */
static bool read_set(const struct hlo_module *m, const struct hlo_instruction *i, const char *key,
                     uint32_t rank, int64_t list[HLO_SHAPE_MAX_RANK], uint32_t *n)
{
    *n = hlo_numbers(hlo_attribute(m, i, key), list, HLO_SHAPE_MAX_RANK);
    if (*n > rank)
        return false;
    for (uint32_t k = 0; k < *n; k++)
        if (list[k] < 0 || list[k] >= rank)
            return false;
    return true;
}

static bool has_dim(const int64_t *list, uint32_t n, uint32_t dim)
{
    for (uint32_t k = 0; k < n; k++)
        if (list[k] == dim)
            return true;
    return false;
}

/* An array of `rank` dimensions, which are copied; NULL if `like` is a tuple. */
static const struct hlo_shape *make_array(struct hlo_parser *p, const struct hlo_shape *like,
                                          const uint64_t *dim, uint32_t rank)
{
    if (like->dtype == HLO_TUPLE)
        return NULL;
    uint64_t *kept = hlo_arena_take(&p->m->store->arena, rank * sizeof *kept);

    memcpy(kept, dim, rank * sizeof *kept);
    return new_shape(p, (struct hlo_shape){ .dtype = like->dtype,
                                            .rank = rank,
                                            .dim = kept,
                                            .dynamic = like->dynamic,
                                            .leaves = 1 });
}

/* Dimensions of `s` that are in neither list, appended. */
static void add_free(const struct hlo_shape *s, const int64_t *a, uint32_t na, const int64_t *b,
                     uint32_t nb, uint64_t *dim, uint32_t *rank)
{
    for (uint32_t d = 0; d < s->rank; d++)
        if (!has_dim(a, na, d) && !has_dim(b, nb, d) && *rank < HLO_SHAPE_MAX_RANK)
            dim[(*rank)++] = s->dim[d];
}

static const struct hlo_shape *reduce_shape(struct hlo_parser *p, const struct hlo_instruction *i)
{
    const struct hlo_shape *s = shape_of(p->m, i, 0);
    int64_t list[HLO_SHAPE_MAX_RANK];
    uint64_t dim[HLO_SHAPE_MAX_RANK];
    uint32_t n, rank = 0;

    if (!s || i->n_operands != 2 || !read_set(p->m, i, "dimensions", s->rank, list, &n))
        return NULL;
    add_free(s, list, n, NULL, 0, dim, &rank);
    return make_array(p, s, dim, rank);
}

static const struct hlo_shape *transpose_shape(struct hlo_parser *p,
                                               const struct hlo_instruction *i)
{
    const struct hlo_shape *s = shape_of(p->m, i, 0);
    int64_t list[HLO_SHAPE_MAX_RANK];
    uint64_t dim[HLO_SHAPE_MAX_RANK];
    uint32_t n;

    if (!s || !read_set(p->m, i, "dimensions", s->rank, list, &n) || n != s->rank)
        return NULL;
    for (uint32_t d = 0; d < n; d++)
        dim[d] = s->dim[list[d]];
    return make_array(p, s, dim, n);
}

/* batch dimensions, then what is left of the left side, then of the right one */
static const struct hlo_shape *dot_shape(struct hlo_parser *p, const struct hlo_instruction *i)
{
    const struct hlo_module *m = p->m;
    const struct hlo_shape *a = shape_of(m, i, 0), *b = shape_of(m, i, 1);
    int64_t ba[HLO_SHAPE_MAX_RANK], bb[HLO_SHAPE_MAX_RANK], ka[HLO_SHAPE_MAX_RANK],
        kb[HLO_SHAPE_MAX_RANK];
    uint64_t dim[HLO_SHAPE_MAX_RANK];
    uint32_t nba, nbb, nka, nkb, rank;

    if (!a || !b || !read_set(m, i, "lhs_batch_dims", a->rank, ba, &nba) ||
        !read_set(m, i, "rhs_batch_dims", b->rank, bb, &nbb) ||
        !read_set(m, i, "lhs_contracting_dims", a->rank, ka, &nka) ||
        !read_set(m, i, "rhs_contracting_dims", b->rank, kb, &nkb))
        return NULL;
    for (rank = 0; rank < nba; rank++)
        dim[rank] = a->dim[ba[rank]];
    add_free(a, ba, nba, ka, nka, dim, &rank);
    add_free(b, bb, nbb, kb, nkb, dim, &rank);
    return make_array(p, a, dim, rank);
}

static const struct hlo_shape *concatenate_shape(struct hlo_parser *p,
                                                 const struct hlo_instruction *i)
{
    const struct hlo_shape *s = shape_of(p->m, i, 0);
    int64_t list[HLO_SHAPE_MAX_RANK];
    uint64_t dim[HLO_SHAPE_MAX_RANK];
    uint32_t n;

    if (!s || !read_set(p->m, i, "dimensions", s->rank, list, &n) || n != 1)
        return NULL;
    memcpy(dim, s->dim, s->rank * sizeof *dim);
    for (uint32_t k = 1; k < i->n_operands; k++) {
        const struct hlo_shape *other = shape_of(p->m, i, k);
        if (!other || other->rank != s->rank || other->dim[list[0]] > INT64_MAX - dim[list[0]])
            return NULL;
        dim[list[0]] += other->dim[list[0]];
    }
    return make_array(p, s, dim, s->rank);
}

static const struct hlo_shape *part_shape(const struct hlo_shape *s, int64_t number)
{
    return s && s->dtype == HLO_TUPLE && number >= 0 && number < s->n_parts ? &s->part[number]
                                                                            : NULL;
}

/* Opcodes whose result is like their first operand. */
static const uint8_t like_first[] = {
    HLO_OP_ACOS,
    HLO_OP_ACOSH,
    HLO_OP_ADD,
    HLO_OP_ADD_DEPENDENCY,
    HLO_OP_ALL_REDUCE,
    HLO_OP_AND,
    HLO_OP_ASIN,
    HLO_OP_ASINH,
    HLO_OP_ATAN2,
    HLO_OP_ATANH,
    HLO_OP_CBRT,
    HLO_OP_CEIL,
    HLO_OP_CHOLESKY,
    HLO_OP_COLLECTIVE_BROADCAST,
    HLO_OP_COLLECTIVE_PERMUTE,
    HLO_OP_COPY,
    HLO_OP_COSH,
    HLO_OP_COSINE,
    HLO_OP_COUNT_LEADING_ZEROS,
    HLO_OP_DIVIDE,
    HLO_OP_DOMAIN,
    HLO_OP_DYNAMIC_UPDATE_SLICE,
    HLO_OP_ERF,
    HLO_OP_EXP,
    HLO_OP_EXPM1,
    HLO_OP_FLOOR,
    HLO_OP_LOG,
    HLO_OP_LOG1P,
    HLO_OP_LOGISTIC,
    HLO_OP_MAXIMUM,
    HLO_OP_MINIMUM,
    HLO_OP_MULTIPLY,
    HLO_OP_NEGATE,
    HLO_OP_NOT,
    HLO_OP_OPT_BARRIER,
    HLO_OP_OR,
    HLO_OP_POPCNT,
    HLO_OP_POWER,
    HLO_OP_REDUCE_PRECISION,
    HLO_OP_REMAINDER,
    HLO_OP_REVERSE,
    HLO_OP_ROUND_NEAREST_AFZ,
    HLO_OP_ROUND_NEAREST_EVEN,
    HLO_OP_RSQRT,
    HLO_OP_SCATTER,
    HLO_OP_SHIFT_LEFT,
    HLO_OP_SHIFT_RIGHT_ARITHMETIC,
    HLO_OP_SHIFT_RIGHT_LOGICAL,
    HLO_OP_SIGN,
    HLO_OP_SINE,
    HLO_OP_SINH,
    HLO_OP_SORT,
    HLO_OP_SQRT,
    HLO_OP_SUBTRACT,
    HLO_OP_TAN,
    HLO_OP_TANH,
    HLO_OP_TRIANGULAR_SOLVE,
    HLO_OP_WHILE,
    HLO_OP_XOR,
};

/* The operand that the result is like; UINT32_MAX for other opcodes. */
static uint32_t find_like(const struct hlo_instruction *i)
{
    bool single = i->opcode == HLO_OP_ALL_REDUCE || i->opcode == HLO_OP_COLLECTIVE_PERMUTE ||
                  i->opcode == HLO_OP_SORT; /* results are a tuple if there are several operands */

    if (i->opcode == HLO_OP_SELECT || i->opcode == HLO_OP_CLAMP ||
        i->opcode == HLO_OP_TRIANGULAR_SOLVE)
        return 1;
    if (i->opcode == HLO_OP_SCATTER && i->n_operands != 3)
        return UINT32_MAX;
    for (unsigned k = 0; k < sizeof like_first; k++)
        if (i->opcode == like_first[k])
            return single && i->n_operands != 1 ? UINT32_MAX : 0;
    return UINT32_MAX;
}

static const struct hlo_shape *called_shape(const struct hlo_module *m,
                                            const struct hlo_instruction *i)
{
    return i->n_called > 0 ? m->instruction[hlo_called(m, i, 0)->root].shape : NULL;
}

static const struct hlo_shape *infer_shape(struct hlo_parser *p, const struct hlo_instruction *i)
{
    const struct hlo_shape *first = shape_of(p->m, i, 0);
    uint32_t like = find_like(i);

    if (like != UINT32_MAX)
        return shape_of(p->m, i, like);
    switch (i->opcode) {
    case HLO_OP_ABS:
        return first && (first->dtype == HLO_C64 || first->dtype == HLO_C128)
                   ? with_dtype(p, first, first->dtype == HLO_C64 ? HLO_F32 : HLO_F64)
                   : first;
    case HLO_OP_REAL:
    case HLO_OP_IMAG:
        return with_dtype(p, first,
                          !first                     ? HLO_F32
                          : first->dtype == HLO_C64  ? HLO_F32
                          : first->dtype == HLO_C128 ? HLO_F64
                                                     : first->dtype);
    case HLO_OP_COMPLEX:
        return with_dtype(p, first, first && first->dtype == HLO_F64 ? HLO_C128 : HLO_C64);
    case HLO_OP_COMPARE:
    case HLO_OP_IS_FINITE: return with_dtype(p, first, HLO_PRED);
    case HLO_OP_TUPLE: return make_tuple(p, i);
    case HLO_OP_GET_TUPLE_ELEMENT: return part_shape(first, i->number);
    case HLO_OP_AFTER_ALL:
        return new_shape(p, (struct hlo_shape){ .dtype = HLO_TOKEN, .leaves = 1 });
    case HLO_OP_GET_DIMENSION_SIZE:
        return new_shape(p, (struct hlo_shape){ .dtype = HLO_S32, .leaves = 1 });
    case HLO_OP_PARTITION_ID:
    case HLO_OP_REPLICA_ID:
        return new_shape(p, (struct hlo_shape){ .dtype = HLO_U32, .leaves = 1 });
    case HLO_OP_CALL:
    case HLO_OP_CONDITIONAL:
    case HLO_OP_FUSION: return called_shape(p->m, i);
    case HLO_OP_REDUCE: return reduce_shape(p, i);
    case HLO_OP_TRANSPOSE: return transpose_shape(p, i);
    case HLO_OP_DOT: return dot_shape(p, i);
    case HLO_OP_CONCATENATE: return concatenate_shape(p, i);
    default: return NULL;
    }
}

/* All operands have shapes, yet they make no tuple. */
static bool is_too_large(const struct hlo_module *m, const struct hlo_instruction *i)
{
    for (uint32_t n = 0; n < i->n_operands; n++)
        if (!shape_of(m, i, n))
            return false;
    return true;
}

int hlo_parser_infer(struct hlo_parser *p, const uint32_t *callees_first)
{
    struct hlo_module *m = p->m;

    for (uint32_t k = 0; k < m->n_computations; k++) {
        const struct hlo_computation *c = &m->computation[callees_first[k]];
        for (uint32_t n = c->first; n < c->first + c->n; n++) {
            struct hlo_instruction *i = &m->instruction[n];
            if (i->shape || (i->shape = infer_shape(p, i)))
                continue;
            if (i->opcode == HLO_OP_TUPLE && is_too_large(m, i))
                return hlo_error(m, i, p->lex.err,
                                 "a tuple of more than %d arrays, or deeper than %d",
                                 HLO_MAX_LEAVES, HLO_SHAPE_MAX_DEPTH);
            hlo_error(m, i, p->lex.err,
                      "the shape of '%.*s' is left out and does not follow from operands",
                      i->opcode_text.size > 60 ? 60 : (int)i->opcode_text.size, i->opcode_text.at);
            return -1;
        }
    }
    return 0;
}
