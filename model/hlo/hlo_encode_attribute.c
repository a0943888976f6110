/* hlo_encode_attribute.c - attributes and literals of an instruction: see hlo_encode.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "hlo/hlo_encode_impl.h"

#define MOST 64 /* dimensions */

/* The numbers of an attribute, one field each; `always`: of none nothing is written either. */
static void put_numbers(struct proto *p, uint32_t field, struct hlo_text value)
{
    int64_t number[MOST];
    uint32_t n = value.at ? hlo_numbers(value, number, MOST) : 0;

    for (uint32_t k = 0; k < n && k < MOST; k++)
        proto_uint(p, field, (uint64_t)number[k]);
}

static void put_key(struct proto *p, uint32_t field, const struct hlo_module *m,
                    const struct hlo_instruction *i, const char *key)
{
    put_numbers(p, field, hlo_attribute(m, i, key));
}

/* "true" */
static void put_flag(struct proto *p, uint32_t field, const struct hlo_module *m,
                     const struct hlo_instruction *i, const char *key)
{
    if (hlo_text_is(hlo_attribute(m, i, key), "true"))
        proto_uint(p, field, 1);
}

/* --- windows and products -------------------------------------------------------------------- */

static void put_window(struct proto *p, const struct hlo_module *m, const struct hlo_instruction *i)
{
    struct hlo_window w = { 0 };
    struct err ignored;
    bool given = hlo_attribute(m, i, "window").at != NULL;

    /* that of a convolution without spatial dimensions is there and empty */
    if ((!given && i->opcode != HLO_OP_CONVOLUTION) ||
        (given && hlo_window(m, i, &w, &ignored) != 0))
        return;
    proto_begin(p, HLO_PROTO_WINDOW);
    for (uint32_t k = 0; k < w.rank; k++) {
        proto_begin(p, 1);
        proto_uint(p, 1, w.dim[k].size);
        proto_uint(p, 2, w.dim[k].stride);
        proto_uint(p, 3, (uint64_t)w.dim[k].pad_lo);
        proto_uint(p, 4, (uint64_t)w.dim[k].pad_hi);
        proto_uint(p, 5, w.dim[k].rhs_dilate);
        proto_uint(p, 6, w.dim[k].lhs_dilate);
        proto_uint(p, 7, w.dim[k].reversed);
        proto_end(p);
    }
    proto_end(p);
}

static void put_convolution(struct proto *p, const struct hlo_module *m,
                            const struct hlo_instruction *i)
{
    struct hlo_dim_labels d;
    struct err ignored;

    if (i->opcode != HLO_OP_CONVOLUTION || hlo_dim_labels(m, i, &d, &ignored) != 0)
        return;
    proto_begin(p, HLO_PROTO_CONVOLUTION);
    proto_uint(p, 3, d.kernel_input);
    proto_uint(p, 4, d.kernel_output);
    proto_uint(p, 7, d.input_batch);
    proto_uint(p, 8, d.input_feature);
    proto_uint(p, 9, d.output_batch);
    proto_uint(p, 10, d.output_feature);
    for (uint32_t k = 0; k < d.rank; k++)
        proto_uint(p, 6, d.kernel[k]);
    for (uint32_t k = 0; k < d.rank; k++)
        proto_uint(p, 11, d.input[k]);
    for (uint32_t k = 0; k < d.rank; k++)
        proto_uint(p, 12, d.output[k]);
    proto_end(p);
    struct hlo_text features = hlo_attribute(m, i, "feature_group_count"),
                    batches = hlo_attribute(m, i, "batch_group_count");
    put_numbers(p, HLO_PROTO_FEATURE_GROUPS, features.at ? features : (struct hlo_text){ "1", 1 });
    put_numbers(p, HLO_PROTO_BATCH_GROUPS, batches.at ? batches : (struct hlo_text){ "1", 1 });
}

static void put_dot(struct proto *p, const struct hlo_module *m, const struct hlo_instruction *i)
{
    if (i->opcode != HLO_OP_DOT)
        return;
    proto_begin(p, HLO_PROTO_DOT);
    put_key(p, 1, m, i, "lhs_contracting_dims");
    put_key(p, 2, m, i, "rhs_contracting_dims");
    put_key(p, 3, m, i, "lhs_batch_dims");
    put_key(p, 4, m, i, "rhs_batch_dims");
    proto_end(p);
}

/* operand_precision={highest,default} */
static void put_precision(struct proto *p, const struct hlo_module *m,
                          const struct hlo_instruction *i)
{
    static const char *const names[] = { "default", "high", "highest" };
    struct hlo_text t = hlo_attribute(m, i, "operand_precision");

    if (i->opcode != HLO_OP_DOT && i->opcode != HLO_OP_CONVOLUTION)
        return;
    const char *at = t.at ? t.at + 1 : "", *end = t.at ? t.at + t.size : at;
    proto_begin(p, HLO_PROTO_PRECISION);
    for (uint32_t k = 0; k < 2; k++) {
        size_t n = at < end ? strcspn(at, ",}") : 0;
        uint64_t value = 0;
        for (uint64_t name = 0; name < sizeof names / sizeof *names; name++)
            if (strlen(names[name]) == n && strncmp(at, names[name], n) == 0)
                value = name;
        proto_uint(p, 1, value);
        at += n + (at + n < end);
    }
    proto_end(p);
}

/* --- parts of arrays ------------------------------------------------------------------------- */

/* slice={[0:8], [0:128:2]} */
static void put_slice(struct proto *p, const struct hlo_module *m, const struct hlo_instruction *i)
{
    struct hlo_text t = hlo_attribute(m, i, "slice");
    const char *at = t.at, *end = t.at ? t.at + t.size : NULL;

    while (at && (at = memchr(at, '[', (size_t)(end - at))) != NULL) {
        uint64_t value[3] = { 0, 0, 1 };
        unsigned n = 0;
        for (at++; at < end && *at != ']'; at++) {
            if (*at == ':')
                n += n < 2;
            else
                value[n] = 10 * (n == 2 && value[2] == 1 && at[-1] == ':' ? 0 : value[n]) +
                           (uint64_t)(*at - '0');
        }
        proto_begin(p, HLO_PROTO_SLICE);
        for (uint32_t k = 0; k < 3; k++)
            proto_uint(p, k + 1, value[k]);
        proto_end(p);
    }
}

/* padding=0_1x2_0_1 */
static void put_padding(struct proto *p, const struct hlo_module *m,
                        const struct hlo_instruction *i)
{
    struct hlo_text t = hlo_attribute(m, i, "padding");

    if (i->opcode != HLO_OP_PAD || !t.at)
        return;
    char *text = memory_copy_part(t.at, t.size), *rest = text, *word;
    proto_begin(p, HLO_PROTO_PADDING);
    while ((word = strsep(&rest, "x")) != NULL) {
        proto_begin(p, 1);
        for (uint32_t k = 1; k <= 3 && word; k++) {
            char *part = strsep(&word, "_");
            proto_uint(p, k, (uint64_t)strtoll(part, NULL, 10));
        }
        proto_end(p);
    }
    proto_end(p);
    free(text);
}

static void put_gather(struct proto *p, const struct hlo_module *m, const struct hlo_instruction *i)
{
    if (i->opcode == HLO_OP_GATHER) {
        proto_begin(p, HLO_PROTO_GATHER);
        put_key(p, 1, m, i, "offset_dims");
        put_key(p, 2, m, i, "collapsed_slice_dims");
        put_key(p, 3, m, i, "start_index_map");
    } else if (i->opcode == HLO_OP_SCATTER) {
        proto_begin(p, HLO_PROTO_SCATTER);
        put_key(p, 1, m, i, "update_window_dims");
        put_key(p, 2, m, i, "inserted_window_dims");
        put_key(p, 3, m, i, "scatter_dims_to_operand_dims");
    } else {
        return;
    }
    bool gather = i->opcode == HLO_OP_GATHER;
    put_key(p, 4, m, i, "index_vector_dim");
    put_key(p, 5, m, i, gather ? "operand_batching_dims" : "input_batching_dims");
    put_key(p, 6, m, i, gather ? "start_indices_batching_dims" : "scatter_indices_batching_dims");
    proto_end(p);
    if (gather)
        put_key(p, HLO_PROTO_GATHER_SIZES, m, i, "slice_sizes");
    put_flag(p, HLO_PROTO_SORTED, m, i, "indices_are_sorted");
    put_flag(p, HLO_PROTO_UNIQUE, m, i, "unique_indices");
}

/* --- collectives ----------------------------------------------------------------------------- */

static void put_collective(struct proto *p, const struct hlo_module *m,
                           const struct hlo_instruction *i)
{
    struct hlo_groups g = { 0 };
    struct err ignored;

    put_key(p, HLO_PROTO_CHANNEL, m, i, "channel_id");
    put_flag(p, HLO_PROTO_GLOBAL_IDS, m, i, "use_global_device_ids");
    if (hlo_attribute(m, i, "replica_groups").at && hlo_groups(m, i, &g, &ignored) == 0) {
        for (uint32_t k = 0; k < g.n_groups; k++) {
            proto_begin(p, HLO_PROTO_REPLICA_GROUPS);
            for (uint32_t n = 0; n < g.size; n++)
                if (g.member[k * g.size + n] != HLO_NONE)
                    proto_uint(p, 1, g.member[k * g.size + n]);
            proto_end(p);
        }
        free(g.member);
    }
    struct hlo_text t = hlo_attribute(m, i, "source_target_pairs");
    const char *at = t.at ? t.at + 1 : NULL, *end = t.at ? t.at + t.size : NULL;
    while (at && (at = memchr(at, '{', (size_t)(end - at))) != NULL) {
        int64_t pair[2];
        const char *close = memchr(at, '}', (size_t)(end - at));
        struct hlo_text inner = { at, (uint32_t)((close ? close : end) - at + (close != NULL)) };
        if (hlo_numbers(inner, pair, 2) == 2) {
            proto_begin(p, HLO_PROTO_PAIRS);
            proto_uint(p, 1, (uint64_t)pair[0]);
            proto_uint(p, 2, (uint64_t)pair[1]);
            proto_end(p);
        }
        at++;
    }
}

/* --- constants ------------------------------------------------------------------------------- */

enum literal_form { NONE, VARINT, REAL, RAW };
static const struct {
    uint8_t dtype, field, form, bytes;
} literals[] = {
    { HLO_PRED, 2, VARINT, 1 }, { HLO_U8, 3, RAW, 1 },     { HLO_S32, 4, VARINT, 4 },
    { HLO_S64, 5, VARINT, 8 },  { HLO_U32, 6, VARINT, 4 }, { HLO_U64, 7, VARINT, 8 },
    { HLO_F32, 8, REAL, 4 },    { HLO_F64, 9, REAL, 8 },   { HLO_F16, 11, RAW, 2 },
    { HLO_BF16, 13, RAW, 2 },   { HLO_S8, 15, RAW, 1 },    { HLO_U16, 16, RAW, 2 },
    { HLO_S16, 17, RAW, 2 },
};

#define MOST_ELEMENTS (UINT64_C(1) << 20)

/* The bits of one element: of a scalar its value, else 0. */
static uint64_t bits_of(const struct hlo_instruction *i, enum literal_form form, unsigned bytes,
                        bool half)
{
    char *text = memory_copy_part(i->literal.at ? i->literal.at : "", i->literal.size);
    double real = plain_read(text, NULL);
    float small = (float)real;
    uint64_t bits = 0;
    uint32_t low;

    memcpy(&low, &small, sizeof low);
    if (strcmp(text, "true") == 0)
        bits = 1;
    else if (form == REAL && bytes == 8)
        memcpy(&bits, &real, sizeof bits);
    else if (form == REAL)
        bits = low;
    else if (half)
        bits = low >> 16;
    else
        bits = (uint64_t)strtoll(text, NULL, 10);
    free(text);
    return bits;
}

/* Arrays are 0: the text has no values of most. */
void hlo_encode_literal(struct proto *p, const struct hlo_instruction *i)
{
    uint64_t n = hlo_elements(i->shape);
    size_t k = 0;

    while (k < sizeof literals / sizeof *literals && literals[k].dtype != i->shape->dtype)
        k++;
    if (k == sizeof literals / sizeof *literals || n > MOST_ELEMENTS)
        return;
    uint64_t bits =
        n == 1 ? bits_of(i, literals[k].form, literals[k].bytes, i->shape->dtype == HLO_BF16) : 0;
    proto_begin(p, HLO_PROTO_LITERAL);
    hlo_encode_shape(p, 1, i->shape);
    proto_begin(p, literals[k].field);
    for (uint64_t e = 0; e < n; e++)
        if (literals[k].form == VARINT)
            proto_packed(p, bits);
        else
            proto_raw(p, bits, literals[k].bytes);
    proto_end(p);
    proto_end(p);
}

void hlo_encode_attributes(struct proto *p, const struct hlo_module *m,
                           const struct hlo_instruction *i)
{
    struct hlo_text direction = hlo_attribute(m, i, "direction");

    put_key(p, HLO_PROTO_DIMENSIONS, m, i,
            i->opcode == HLO_OP_IOTA ? "iota_dimension" : "dimensions");
    put_window(p, m, i);
    put_convolution(p, m, i);
    put_dot(p, m, i);
    put_precision(p, m, i);
    put_slice(p, m, i);
    put_key(p, HLO_PROTO_DYNAMIC_SLICE_SIZES, m, i, "dynamic_slice_sizes");
    put_padding(p, m, i);
    put_gather(p, m, i);
    put_collective(p, m, i);
    put_key(p, HLO_PROTO_EXPONENT_BITS, m, i, "exponent_bits");
    put_key(p, HLO_PROTO_MANTISSA_BITS, m, i, "mantissa_bits");
    put_key(p, HLO_PROTO_PREFETCH, m, i, "cross_program_prefetch_index");
    put_key(p, HLO_PROTO_K, m, i, "k");
    put_flag(p, HLO_PROTO_LARGEST, m, i, "largest");
    put_flag(p, HLO_PROTO_STABLE, m, i, "is_stable");
    put_flag(p, HLO_PROTO_SIDE_EFFECT, m, i, "custom_call_has_side_effect");
    if (direction.at)
        proto_bytes(p, HLO_PROTO_DIRECTION, direction.at, direction.size);
    struct hlo_text config = hlo_attribute(m, i, "backend_config");
    if (config.at && *config.at == '{')
        proto_bytes(p, HLO_PROTO_BACKEND_CONFIG, config.at, config.size);
}
