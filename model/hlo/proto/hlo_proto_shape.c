/* hlo_proto_shape.c - shapes, layouts and literals: see hlo_proto_write.h. */
#include <inttypes.h>
#include <string.h>

#include "base/plain.h"
#include "hlo/proto/hlo_proto_write.h"

enum { SHAPE_TYPE = 2, SHAPE_DIMENSIONS, SHAPE_PARTS, SHAPE_LAYOUT, SHAPE_DYNAMIC };
enum { LAYOUT_ORDER = 1, LAYOUT_TILES = 6, LAYOUT_BITS, LAYOUT_SPACE };
enum { TYPE_TUPLE = 13, TYPE_OPAQUE = 14, TYPE_TOKEN = 17, TYPE_BUFFER = 34, TYPES = 35 };

#define DEPTH_MAX 64u

/* PrimitiveType of xla_data.proto */
static const char *const types[TYPES] = {
    [1] = "pred",        [2] = "s8",          [3] = "s16",   [4] = "s32",
    [5] = "s64",         [6] = "u8",          [7] = "u16",   [8] = "u32",
    [9] = "u64",         [10] = "f16",        [11] = "f32",  [12] = "f64",
    [15] = "c64",        [16] = "bf16",       [18] = "c128", [19] = "f8e5m2",
    [20] = "f8e4m3fn",   [21] = "s4",         [22] = "u4",   [23] = "f8e4m3b11fnuz",
    [24] = "f8e5m2fnuz", [25] = "f8e4m3fnuz", [26] = "s2",   [27] = "u2",
    [28] = "f8e4m3",     [29] = "f8e3m4",     [30] = "s1",   [31] = "u1",
    [32] = "f4e2m1fn",   [33] = "f8e8m0fnu",
};

struct proto_field hlo_proto_member(struct proto_message m, uint32_t number)
{
    struct proto_field f;

    while (proto_next(&m, &f) > 0)
        if (f.number == number)
            return f;
    return (struct proto_field){ 0 };
}

uint64_t hlo_proto_value(struct proto_message m, uint32_t number)
{
    struct proto_field f = hlo_proto_member(m, number);

    return f.number == number && f.type == PROTO_VARINT ? f.value : 0;
}

/* The numbers of a repeated field; `between` stands between them. */
static uint32_t write_numbers(FILE *out, struct proto_message m, uint32_t number,
                              const char *between)
{
    struct proto_field f;
    uint64_t value;
    uint32_t n = 0;

    while (proto_next(&m, &f) > 0)
        while (f.number == number && proto_number(&f, &value))
            fprintf(out, "%s%" PRId64, n++ > 0 ? between : "", (int64_t)value);
    return n;
}

void hlo_proto_list(FILE *out, struct proto_message m, uint32_t number)
{
    putc('{', out);
    write_numbers(out, m, number, ",");
    putc('}', out);
}

/* A dimension that joins the next minor one has INT64_MIN. */
static void write_tile(FILE *out, struct proto_message tile)
{
    struct proto_field f;
    uint64_t value;
    unsigned n = 0;

    putc('(', out);
    while (proto_next(&tile, &f) > 0)
        while (f.number == 1 && proto_number(&f, &value)) {
            if (value == UINT64_C(1) << 63)
                fprintf(out, "%s*", n++ ? "," : "");
            else
                fprintf(out, "%s%" PRId64, n++ ? "," : "", (int64_t)value);
        }
    putc(')', out);
}

static void write_layout(FILE *out, struct proto_message layout)
{
    struct proto_message tiles = layout;
    struct proto_field f;
    uint64_t bits = hlo_proto_value(layout, LAYOUT_BITS);
    uint64_t space = hlo_proto_value(layout, LAYOUT_SPACE);
    bool colon = false;

    putc('{', out);
    write_numbers(out, layout, LAYOUT_ORDER, ",");
    while (proto_next(&tiles, &f) > 0) {
        if (f.number != LAYOUT_TILES || f.type != PROTO_BYTES)
            continue;
        fputs(colon ? "" : ":T", out);
        colon = true;
        write_tile(out, proto_inner(&f));
    }
    if (bits > 0)
        fprintf(out, "%sE(%" PRIu64 ")", colon ? "" : ":", bits);
    colon |= bits > 0;
    if (space > 0)
        fprintf(out, "%sS(%" PRIu64 ")", colon ? "" : ":", space);
    putc('}', out);
}

/* Sizes, with "<=" before those that are bounds. */
static void write_sizes(FILE *out, struct proto_message shape)
{
    struct proto_field f, dynamic = hlo_proto_member(shape, SHAPE_DYNAMIC);
    uint64_t value, is_dynamic;
    unsigned n = 0;

    putc('[', out);
    while (proto_next(&shape, &f) > 0)
        while (f.number == SHAPE_DIMENSIONS && proto_number(&f, &value)) {
            bool bound = proto_number(&dynamic, &is_dynamic) && is_dynamic;
            fprintf(out, "%s%s", n++ ? "," : "", bound ? "<=" : "");
            if (bound && value == UINT64_C(1) << 63) /* unbounded */
                putc('?', out);
            else
                fprintf(out, "%" PRId64, (int64_t)value);
        }
    putc(']', out);
}

static int write_parts(struct hlo_proto_writer *w, struct proto_message shape, unsigned depth)
{
    struct proto_field f;
    unsigned n = 0;

    putc('(', w->out);
    while (proto_next(&shape, &f) > 0) {
        if (f.number != SHAPE_PARTS)
            continue;
        fputs(n++ ? ", " : "", w->out);
        if (hlo_proto_shape(w, proto_inner(&f), depth + 1) != 0)
            return -1;
    }
    putc(')', w->out);
    return 0;
}

int hlo_proto_shape(struct hlo_proto_writer *w, struct proto_message shape, unsigned depth)
{
    uint64_t type = hlo_proto_value(shape, SHAPE_TYPE);
    struct proto_field layout = hlo_proto_member(shape, SHAPE_LAYOUT);

    if (depth > DEPTH_MAX)
        return err_set(w->err, ERR_FORMAT, "%.160s: HLO: tuples of more than %u levels", w->name,
                       DEPTH_MAX);
    if (type == TYPE_TUPLE)
        return write_parts(w, shape, depth);
    if (type == TYPE_BUFFER) {
        putc('b', w->out);
        return write_parts(w, shape, depth);
    }
    if (type == TYPE_TOKEN || type == TYPE_OPAQUE) {
        fputs(type == TYPE_TOKEN ? "token[]" : "opaque[]", w->out);
        return 0;
    }
    if (type >= TYPES || !types[type])
        return err_set(w->err, ERR_FORMAT, "%.160s: HLO: elements of unknown type %" PRIu64,
                       w->name, type);
    fputs(types[type], w->out);
    write_sizes(w->out, shape);
    if (layout.number == SHAPE_LAYOUT && layout.type == PROTO_BYTES)
        write_layout(w->out, proto_inner(&layout));
    return 0;
}

/* Field and form of the number of a scalar in LiteralProto, by PrimitiveType. */
enum form { FORM_NONE, FORM_VARINT, FORM_REAL, FORM_BYTES };
static const struct {
    uint32_t field;
    enum form form;
    unsigned size; /* bytes of FORM_REAL and FORM_BYTES */
} literals[TYPES] = {
    [1] = { 2, FORM_VARINT, 0 }, [2] = { 15, FORM_BYTES, 1 }, [3] = { 17, FORM_BYTES, 2 },
    [4] = { 4, FORM_VARINT, 0 }, [5] = { 5, FORM_VARINT, 0 }, [6] = { 3, FORM_BYTES, 1 },
    [7] = { 16, FORM_BYTES, 2 }, [8] = { 6, FORM_VARINT, 0 }, [9] = { 7, FORM_VARINT, 0 },
    [11] = { 8, FORM_REAL, 4 },  [12] = { 9, FORM_REAL, 8 },  [16] = { 13, FORM_BYTES, 2 },
};
enum { TYPE_PRED = 1, TYPE_S8, TYPE_S16, TYPE_S32, TYPE_S64, TYPE_BF16 = 16 };

/* Little-endian bytes, packed or not. */
static uint64_t read_bits(struct proto_field f, unsigned n)
{
    uint64_t bits = 0;

    if (f.type != PROTO_BYTES)
        return f.value;
    for (unsigned i = 0; i < n && i < f.value; i++)
        bits |= (uint64_t)f.bytes[i] << 8 * i;
    return bits;
}

static void write_real(FILE *out, uint64_t bits, unsigned size)
{
    uint32_t low = (uint32_t)bits;
    float small;
    double real;

    memcpy(&small, &low, sizeof small);
    memcpy(&real, &bits, sizeof real);
    plain_print(out, "%.9g", size == 8 ? real : (double)small);
}

static void write_whole(FILE *out, uint64_t type, uint64_t value)
{
    switch (type) {
    case TYPE_PRED: fputs(value ? "true" : "false", out); break;
    case TYPE_S8: fprintf(out, "%d", (int8_t)value); break;
    case TYPE_S16: fprintf(out, "%d", (int16_t)value); break;
    case TYPE_S32: fprintf(out, "%" PRId32, (int32_t)value); break;
    case TYPE_S64: fprintf(out, "%" PRId64, (int64_t)value); break;
    default: fprintf(out, "%" PRIu64, value); break;
    }
}

void hlo_proto_literal(FILE *out, struct proto_message literal)
{
    struct proto_field shape = hlo_proto_member(literal, 1);
    uint64_t type = hlo_proto_value(proto_inner(&shape), SHAPE_TYPE), value = 0;
    struct proto_field sizes = hlo_proto_member(proto_inner(&shape), SHAPE_DIMENSIONS);

    if (sizes.number != 0 || type >= TYPES || literals[type].form == FORM_NONE) {
        fputs("{...}", out);
        return;
    }
    struct proto_field f = hlo_proto_member(literal, literals[type].field);
    if (literals[type].form == FORM_VARINT)
        value = f.number != 0 && proto_number(&f, &value) ? value : 0;
    else
        value = f.number != 0 ? read_bits(f, literals[type].size) : 0;
    if (type == TYPE_BF16)
        write_real(out, value << 16, 4);
    else if (literals[type].form == FORM_REAL)
        write_real(out, value, literals[type].size);
    else
        write_whole(out, type, value);
}

void hlo_proto_bytes(FILE *out, struct proto_message text)
{
    if (text.at)
        fwrite(text.at, 1, (size_t)(text.end - text.at), out);
}

void hlo_proto_quoted(FILE *out, struct proto_message text)
{
    putc('"', out);
    for (const unsigned char *p = text.at; p < text.end; p++) {
        if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p == '\n')
            fputs("\\n", out);
        else if (*p < 0x20 || *p == 0x7f)
            fprintf(out, "\\%03o", *p);
        else
            putc(*p, out);
    }
    putc('"', out);
}
