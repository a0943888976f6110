/* hlo_proto_numbers.c - dimension numbers and windows: see hlo_proto_write.h. */
#include <inttypes.h>
#include <string.h>

#include "hlo/proto/hlo_proto_write.h"

enum {
    WINDOW_SIZE = 1,
    WINDOW_STRIDE,
    WINDOW_LOW,
    WINDOW_HIGH,
    WINDOW_DILATION,
    WINDOW_BASE,
    WINDOW_REVERSAL
};
enum { DOT_LHS = 1, DOT_RHS, DOT_LHS_BATCH, DOT_RHS_BATCH };

#define LABELS_MAX 32u

static struct proto_message field_message(const struct hlo_proto_instruction *i,
                                          enum hlo_proto_field field)
{
    return i->has[field] ? proto_inner(&i->field[field]) : (struct proto_message){ NULL, NULL };
}

static bool has_numbers(struct proto_message m, uint32_t number)
{
    return hlo_proto_member(m, number).number == number;
}

static void write_list(FILE *out, const char *key, struct proto_message m, uint32_t number,
                       bool always)
{
    if (!always && !has_numbers(m, number))
        return;
    fprintf(out, ", %s=", key);
    hlo_proto_list(out, m, number);
}

/* One part of a window, "3x3", of its dimensions; left out where all have the value `usual`. */
static void write_window_part(FILE *out, struct proto_message window, const char *key,
                              uint32_t number, uint64_t usual, const char **space)
{
    struct proto_message walk = window;
    struct proto_field f;
    bool needed = false;
    unsigned n = 0;

    while (proto_next(&walk, &f) > 0)
        needed |= f.number == 1 && hlo_proto_value(proto_inner(&f), number) != usual;
    if (!needed)
        return;
    fprintf(out, "%s%s=", *space, key);
    *space = " ";
    while (proto_next(&window, &f) > 0)
        if (f.number == 1)
            fprintf(out, "%s%" PRId64, n++ ? "x" : "",
                    (int64_t)hlo_proto_value(proto_inner(&f), number));
}

static void write_window_pad(FILE *out, struct proto_message window, const char **space)
{
    struct proto_message walk = window;
    struct proto_field f;
    bool needed = false;
    unsigned n = 0;

    while (proto_next(&walk, &f) > 0)
        needed |= f.number == 1 && (hlo_proto_value(proto_inner(&f), WINDOW_LOW) != 0 ||
                                    hlo_proto_value(proto_inner(&f), WINDOW_HIGH) != 0);
    if (!needed)
        return;
    fprintf(out, "%spad=", *space);
    *space = " ";
    while (proto_next(&window, &f) > 0)
        if (f.number == 1)
            fprintf(out, "%s%" PRId64 "_%" PRId64, n++ ? "x" : "",
                    (int64_t)hlo_proto_value(proto_inner(&f), WINDOW_LOW),
                    (int64_t)hlo_proto_value(proto_inner(&f), WINDOW_HIGH));
}

static void write_window(FILE *out, struct proto_message window)
{
    const char *space = "";

    if (!has_numbers(window, 1))
        return;
    fputs(", window={", out);
    write_window_part(out, window, "size", WINDOW_SIZE, UINT64_MAX, &space);
    write_window_part(out, window, "stride", WINDOW_STRIDE, 1, &space);
    write_window_pad(out, window, &space);
    write_window_part(out, window, "lhs_dilate", WINDOW_BASE, 1, &space);
    write_window_part(out, window, "rhs_dilate", WINDOW_DILATION, 1, &space);
    write_window_part(out, window, "rhs_reversal", WINDOW_REVERSAL, 0, &space);
    putc('}', out);
}

/* Labels of one array of a convolution: two letters and the spatial dimensions. */
static void write_labels(FILE *out, struct proto_message m, char first, uint32_t first_field,
                         char second, uint32_t second_field, uint32_t spatial)
{
    char label[LABELS_MAX];
    struct proto_field f;
    uint64_t at;
    unsigned n = 2, number = 0;

    memset(label, '?', sizeof label);
    uint64_t a = hlo_proto_value(m, first_field), b = hlo_proto_value(m, second_field);
    label[a < LABELS_MAX ? a : 0] = first;
    label[b < LABELS_MAX ? b : 0] = second;
    while (proto_next(&m, &f) > 0)
        while (f.number == spatial && proto_number(&f, &at) && number < 10) {
            label[at < LABELS_MAX ? at : 0] = (char)('0' + number++);
            n++;
        }
    fprintf(out, "%.*s", (int)n, label);
}

static void write_convolution(FILE *out, struct proto_message m)
{
    if (!m.at)
        return;
    fputs(", dim_labels=", out);
    write_labels(out, m, 'b', 7, 'f', 8, 11);
    putc('_', out);
    write_labels(out, m, 'i', 3, 'o', 4, 6);
    fputs("->", out);
    write_labels(out, m, 'b', 9, 'f', 10, 12);
}

static void write_slice(FILE *out, struct proto_message all)
{
    struct proto_field f;
    unsigned n = 0;

    while (proto_next(&all, &f) > 0) {
        if (f.number != HLO_PROTO_SLICE)
            continue;
        struct proto_message m = proto_inner(&f);
        fprintf(out, "%s[%" PRIu64 ":%" PRIu64, n++ ? ", " : ", slice={", hlo_proto_value(m, 1),
                hlo_proto_value(m, 2));
        if (hlo_proto_value(m, 3) > 1)
            fprintf(out, ":%" PRIu64, hlo_proto_value(m, 3));
        putc(']', out);
    }
    fputs(n ? "}" : "", out);
}

static void write_padding(FILE *out, struct proto_message padding)
{
    struct proto_field f;
    unsigned n = 0;

    while (proto_next(&padding, &f) > 0) {
        if (f.number != 1)
            continue;
        struct proto_message m = proto_inner(&f);
        fprintf(out, "%s%" PRId64 "_%" PRId64,
                n++ ? "x" : ", padding=", (int64_t)hlo_proto_value(m, 1),
                (int64_t)hlo_proto_value(m, 2));
        if (hlo_proto_value(m, 3) > 0)
            fprintf(out, "_%" PRIu64, hlo_proto_value(m, 3));
    }
}

static void write_dot(FILE *out, struct proto_message dot)
{
    if (!dot.at)
        return;
    write_list(out, "lhs_batch_dims", dot, DOT_LHS_BATCH, false);
    write_list(out, "lhs_contracting_dims", dot, DOT_LHS, true);
    write_list(out, "rhs_batch_dims", dot, DOT_RHS_BATCH, false);
    write_list(out, "rhs_contracting_dims", dot, DOT_RHS, true);
}

static void write_gather(FILE *out, const struct hlo_proto_instruction *i)
{
    struct proto_message m = field_message(i, HLO_PROTO_GATHER);

    if (!i->has[HLO_PROTO_GATHER])
        return;
    write_list(out, "offset_dims", m, 1, true);
    write_list(out, "collapsed_slice_dims", m, 2, true);
    write_list(out, "start_index_map", m, 3, true);
    write_list(out, "operand_batching_dims", m, 5, false);
    write_list(out, "start_indices_batching_dims", m, 6, false);
    fprintf(out, ", index_vector_dim=%" PRIu64, hlo_proto_value(m, 4));
    write_list(out, "slice_sizes", i->all, HLO_PROTO_GATHER_SIZES, true);
}

static void write_scatter(FILE *out, const struct hlo_proto_instruction *i)
{
    struct proto_message m = field_message(i, HLO_PROTO_SCATTER);

    if (!i->has[HLO_PROTO_SCATTER])
        return;
    write_list(out, "update_window_dims", m, 1, true);
    write_list(out, "inserted_window_dims", m, 2, true);
    write_list(out, "scatter_dims_to_operand_dims", m, 3, true);
    write_list(out, "input_batching_dims", m, 5, false);
    write_list(out, "scatter_indices_batching_dims", m, 6, false);
    fprintf(out, ", index_vector_dim=%" PRIu64, hlo_proto_value(m, 4));
}

static void write_dimensions(FILE *out, const struct hlo_proto_instruction *i)
{
    if (hlo_proto_is(i, "iota")) {
        struct proto_field f = i->field[HLO_PROTO_DIMENSIONS];
        uint64_t at = 0;
        if (i->has[HLO_PROTO_DIMENSIONS] && proto_number(&f, &at))
            fprintf(out, ", iota_dimension=%" PRIu64, at);
        return;
    }
    write_list(out, "dimensions", i->all, HLO_PROTO_DIMENSIONS,
               hlo_proto_is(i, "broadcast") || hlo_proto_is(i, "reduce") ||
                   hlo_proto_is(i, "transpose"));
}

void hlo_proto_dimensions(FILE *out, const struct hlo_proto_instruction *i)
{
    struct proto_message ragged = field_message(i, HLO_PROTO_RAGGED);
    struct proto_field dot = hlo_proto_member(ragged, 1);

    write_dimensions(out, i);
    write_window(out, field_message(i, HLO_PROTO_WINDOW));
    write_convolution(out, field_message(i, HLO_PROTO_CONVOLUTION));
    write_slice(out, i->all);
    write_list(out, "dynamic_slice_sizes", i->all, HLO_PROTO_DYNAMIC_SLICE_SIZES, false);
    write_padding(out, field_message(i, HLO_PROTO_PADDING));
    write_dot(out, field_message(i, HLO_PROTO_DOT));
    if (ragged.at) {
        write_dot(out, proto_inner(&dot));
        write_list(out, "lhs_ragged_dims", ragged, 2, true);
        write_list(out, "rhs_group_dims", ragged, 3, false);
    }
    write_gather(out, i);
    write_scatter(out, i);
}
