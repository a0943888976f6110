/* mlir_builtin.c - attributes and types in bytecode of MLIR.
 *
 * The builtin dialect has a code and fields for each of its own; other dialects write text.
 * Attributes are kept as far as numbers, names and lists go; places in the source and strings of
 * tensors are left out.  Source: llvm-project mlir/include/mlir/IR/BuiltinDialectBytecode.td. */
#include <string.h>

#include "import/mosaic/mlir_wire.h"

enum attribute_code {
    ARRAY,
    DICTIONARY,
    STRING,
    TYPED_STRING,
    FLAT_SYMBOL,
    SYMBOL,
    TYPE,
    UNIT,
    INTEGER,
    FLOAT,
    DENSE_ARRAY = 17,
    DENSE_ELEMENTS = 18,
};

enum type_code {
    INTEGER_TYPE,
    INDEX_TYPE,
    FUNCTION_TYPE,
    BF16_TYPE,
    F16_TYPE,
    F32_TYPE,
    F64_TYPE,
    F80_TYPE,
    F128_TYPE,
    MEMREF_TYPE = 10,
    MEMREF_SPACE_TYPE = 11,
    TENSOR_TYPE = 13,
    TENSOR_ENCODING_TYPE = 14,
    VECTOR_TYPE = 19,
    SCALABLE_TYPE = 20,
    TF32_TYPE = 21,
    F8E5M2_TYPE = 22, /* up to F8E3M4, of 8 bits */
    F8E3M4_TYPE = 28,
    F4E2M1FN_TYPE = 29,
    F6E2M3FN_TYPE = 30,
    F6E3M2FN_TYPE = 31,
    F8E8M0FNU_TYPE = 32,
};

static uint32_t add_text(struct mlir_wire *w, struct mlir_text t)
{
    return mlir_add_attribute(
        w->m, &(struct mlir_attribute){ .form = MLIR_TEXT, .text = t, .type = MLIR_NONE });
}

/* --- attributes ---------------------------------------------------------------------------- */

/* A list of attributes, or of names and attributes in turn. */
static uint32_t read_list(struct mlir_wire *w, struct mlir_cursor *c, enum mlir_form form)
{
    struct mlir_attribute a = { .form = form, .n = mlir_take_count(c), .type = MLIR_NONE };
    uint32_t n = form == MLIR_PAIRS ? 2 * a.n : a.n;

    if (c->bad || n > (uint64_t)(c->end - c->at)) {
        w->bad = true;
        return MLIR_NONE;
    }
    /* those inside come first: room for all of them, so that they lie beside each other */
    uint32_t out = w->m->n_items + n, first = w->m->n_items;
    for (uint32_t k = 0; k < n; k++)
        mlir_add_item(w->m, MLIR_NONE);
    for (uint32_t k = 0; k < n && !c->bad && !w->bad; k++) {
        uint32_t inside = mlir_wire_attribute(w, mlir_take(c));
        w->m->item[out - n + k] = inside;
    }
    if (c->bad || w->bad) {
        w->bad = true;
        return MLIR_NONE;
    }
    a.first = first;
    return mlir_add_attribute(w->m, &a);
}

static int64_t extend_sign(uint64_t n, uint32_t bits)
{
    if (bits == 0 || bits >= 64)
        return (int64_t)n;
    n <<= 64 - bits;
    return bits == 1 ? (int64_t)(n >> 63) : (int64_t)n >> (64 - bits);
}

/* Up to 8 bits a byte; up to 64 a number, in which -1 of 32 bits is 4294967295; else words of which
 * the low one counts. */
static uint32_t read_integer(struct mlir_wire *w, struct mlir_cursor *c)
{
    struct mlir_attribute a = { .form = MLIR_NUMBER, .type = mlir_wire_type(w, mlir_take(c)) };
    uint32_t bits = a.type == MLIR_NONE ? 0 : w->m->type[a.type].bits;

    if (bits && bits <= 8)
        a.value = extend_sign(mlir_take_byte(c), bits);
    else if (bits <= 64)
        a.value = extend_sign((uint64_t)mlir_take_signed(c), bits);
    else {
        mlir_take(c);
        a.value = mlir_take_signed(c);
    }
    return mlir_add_attribute(w->m, &a);
}

/* The elements of a type in little endian; one stands for all of a splat. */
static uint32_t read_elements(struct mlir_wire *w, struct mlir_cursor *c, bool array)
{
    struct mlir_attribute a = { .form = MLIR_NUMBERS, .type = mlir_wire_type(w, mlir_take(c)) };
    uint64_t n = array ? mlir_take(c) : 0;
    struct mlir_cursor raw = mlir_take_bytes(c, mlir_take(c));

    if (c->bad || a.type == MLIR_NONE) {
        w->bad = true;
        return MLIR_NONE;
    }
    const struct mlir_type *t = &w->m->type[a.type];
    uint64_t have = (uint64_t)(raw.end - raw.at), bytes = (t->bits + 7) / 8;
    bool number = (array ? t->kind : t->of) == MLIR_INTEGER;
    a.first = w->m->n_numbers;
    bool packed = t->bits == 1 && !array;
    if (!number || packed || bytes == 0 || bytes > 8)
        n = 0;
    else if (!array || n > have / bytes)
        n = have / bytes;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t v = 0;
        for (uint64_t b = 0; b < bytes; b++)
            v |= (uint64_t)raw.at[k * bytes + b] << (8 * b);
        mlir_add_number(w->m, extend_sign(v, (uint32_t)(8 * bytes)));
    }
    a.n = (uint32_t)n;
    return mlir_add_attribute(w->m, &a);
}

static uint32_t read_attribute(struct mlir_wire *w, struct mlir_cursor *c)
{
    struct mlir_attribute a = { .form = MLIR_TEXT, .type = MLIR_NONE };

    switch (mlir_take(c)) {
    case ARRAY: return read_list(w, c, MLIR_LIST);
    case DICTIONARY: return read_list(w, c, MLIR_PAIRS);
    case STRING:
    case TYPED_STRING: return add_text(w, mlir_take_string(w, c));
    case FLAT_SYMBOL:
    case SYMBOL: return mlir_wire_attribute(w, mlir_take(c)); /* of several the outermost */
    case TYPE:
        a.form = MLIR_TYPE;
        a.type = mlir_wire_type(w, mlir_take(c));
        return mlir_add_attribute(w->m, &a);
    case INTEGER: return read_integer(w, c);
    case DENSE_ARRAY: return read_elements(w, c, true);
    case DENSE_ELEMENTS: return read_elements(w, c, false);
    default: return mlir_add_attribute(w->m, &a); /* nothing that a kernel's work depends on */
    }
}

/* --- types --------------------------------------------------------------------------------- */

static void read_dims(struct mlir_wire *w, struct mlir_cursor *c, struct mlir_type *t)
{
    uint32_t rank = mlir_take_count(c);

    t->elements = 1;
    for (uint32_t k = 0; k < rank && !c->bad; k++) {
        int64_t d = mlir_take_signed(c);
        if (k < MLIR_MAX_RANK)
            t->dim[k] = d < 0 ? -1 : d;
    }
    t->rank = rank < MLIR_MAX_RANK ? rank : MLIR_MAX_RANK;
    mlir_count_elements(t);
    if (rank > MLIR_MAX_RANK)
        t->elements = 0;
    uint32_t e = mlir_wire_type(w, mlir_take(c));
    if (e == MLIR_NONE)
        return;
    t->of = w->m->type[e].kind;
    t->bits = w->m->type[e].bits;
}

static struct mlir_type scalar_of(enum mlir_kind kind, uint32_t bits)
{
    return (struct mlir_type){ .kind = kind, .of = kind, .bits = bits, .elements = 1 };
}

static struct mlir_type small_float(uint64_t code)
{
    uint32_t bits = code == F4E2M1FN_TYPE                            ? 4
                    : code == F6E2M3FN_TYPE || code == F6E3M2FN_TYPE ? 6
                                                                     : 8;

    return scalar_of(MLIR_FLOAT, bits);
}

static struct mlir_type read_type(struct mlir_wire *w, struct mlir_cursor *c)
{
    struct mlir_type t = { .kind = MLIR_OTHER };
    uint64_t code = mlir_take(c);

    switch (code) {
    case INTEGER_TYPE: {
        uint64_t bits = mlir_take(c) >> 2;
        return scalar_of(MLIR_INTEGER, bits > UINT32_MAX ? 0 : (uint32_t)bits);
    }
    case INDEX_TYPE: return scalar_of(MLIR_INTEGER, 32);
    case BF16_TYPE:
    case F16_TYPE: return scalar_of(MLIR_FLOAT, 16);
    case TF32_TYPE:
    case F32_TYPE: return scalar_of(MLIR_FLOAT, 32);
    case F64_TYPE: return scalar_of(MLIR_FLOAT, 64);
    case F80_TYPE: return scalar_of(MLIR_FLOAT, 80);
    case F128_TYPE: return scalar_of(MLIR_FLOAT, 128);
    case MEMREF_SPACE_TYPE: {
        uint32_t space = mlir_wire_attribute(w, mlir_take(c));
        if (space != MLIR_NONE)
            t.space = w->m->attribute[space].text;
        t.kind = MLIR_MEMREF;
        break;
    }
    case MEMREF_TYPE: t.kind = MLIR_MEMREF; break;
    case TENSOR_ENCODING_TYPE: mlir_take(c); break;
    case TENSOR_TYPE: break;
    case SCALABLE_TYPE: /* in front: which dimensions are */
        for (uint32_t n = mlir_take_count(c); n > 0; n--)
            mlir_take(c);
        t.kind = MLIR_VECTOR;
        break;
    case VECTOR_TYPE: t.kind = MLIR_VECTOR; break;
    default: return code >= F8E5M2_TYPE && code <= F8E8M0FNU_TYPE ? small_float(code) : t;
    }
    read_dims(w, c, &t);
    return t;
}

/* --- both ---------------------------------------------------------------------------------- */

/* The text of another dialect, which ends with a NUL. */
static struct mlir_text text_of(const struct mlir_cursor *c)
{
    const uint8_t *nul = memchr(c->at, 0, (size_t)(c->end - c->at));
    size_t n = (size_t)((nul ? nul : c->end) - c->at);

    return (struct mlir_text){ (const char *)c->at, (uint32_t)n };
}

/* The entry, if it is there and is not being read further out. */
static struct mlir_entry *open_entry(struct mlir_wire *w, uint64_t n, uint64_t first,
                                     uint64_t count)
{
    struct mlir_entry *e = n < count ? &w->entry[first + n] : NULL;

    if (e == NULL || e->open || w->depth >= MLIR_MAX_DEPTH) {
        w->bad = true;
        return NULL;
    }
    return e;
}

static bool is_builtin(const struct mlir_wire *w, const struct mlir_entry *e)
{
    return e->custom && mlir_is(w->dialect[e->dialect], "builtin");
}

uint32_t mlir_wire_attribute(struct mlir_wire *w, uint64_t n)
{
    struct mlir_entry *e = open_entry(w, n, 0, w->n_attributes);

    if (e == NULL || e->index != MLIR_NONE)
        return e ? e->index : MLIR_NONE;
    struct mlir_cursor c = e->bytes;
    e->open = true;
    w->depth++;
    if (is_builtin(w, e))
        e->index = read_attribute(w, &c);
    else if (e->custom)
        e->index = add_text(w, (struct mlir_text){ NULL, 0 });
    else
        e->index = mlir_parse_numbers(w->m, text_of(&c));
    w->depth--;
    e->open = false;
    w->bad |= c.bad;
    return e->index;
}

uint32_t mlir_wire_type(struct mlir_wire *w, uint64_t n)
{
    struct mlir_entry *e = open_entry(w, n, w->n_attributes, w->n_types);
    struct mlir_type t = { .kind = MLIR_OTHER };

    if (e == NULL || e->index != MLIR_NONE)
        return e ? e->index : MLIR_NONE;
    struct mlir_cursor c = e->bytes;
    e->open = true;
    w->depth++;
    if (is_builtin(w, e)) {
        t = read_type(w, &c);
    } else if (!e->custom) {
        struct mlir_text s = text_of(&c);
        const char *at = s.at;
        mlir_parse_type(&t, &at, s.at + s.size);
    }
    e->index = mlir_add_type(w->m, &t);
    w->depth--;
    e->open = false;
    w->bad |= c.bad;
    return e->index;
}
