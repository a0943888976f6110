/* hlo_proto_attribute.c - attributes of an instruction: see hlo_proto_write.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hlo/proto/hlo_proto_write.h"

enum { META_TYPE = 1, META_NAME, META_FILE, META_LINE, META_FRAME = 15 };
enum { LOCATION_FILE = 1, LOCATION_LINE = 3, FRAME_LOCATION = 1 };
enum { ALIAS_OUTPUT = 1, ALIAS_OPERAND, ALIAS_PART };

static void write_text(FILE *out, const char *key, const struct hlo_proto_instruction *i,
                       enum hlo_proto_field field)
{
    if (!i->has[field] || i->field[field].value == 0)
        return;
    fprintf(out, ", %s=", key);
    hlo_proto_bytes(out, proto_inner(&i->field[field]));
}

static void write_number(FILE *out, const char *key, const struct hlo_proto_instruction *i,
                         enum hlo_proto_field field, uint64_t usual)
{
    if (i->has[field] && i->field[field].type == PROTO_VARINT && i->field[field].value != usual)
        fprintf(out, ", %s=%" PRId64, key, (int64_t)i->field[field].value);
}

static void write_flag(FILE *out, const char *key, const struct hlo_proto_instruction *i,
                       enum hlo_proto_field field)
{
    if (i->has[field] && i->field[field].value)
        fprintf(out, ", %s=true", key);
}

/* The keys of called computations, in the order of called_computation_ids. */
static const char *find_key(const struct hlo_proto_instruction *i, unsigned number)
{
    static const struct {
        const char *opcode, *key[2];
    } keys[] = {
        { "fusion", { "calls", NULL } },
        { "while", { "body", "condition" } },
        { "select-and-scatter", { "select", "scatter" } },
        { "async-start", { "calls", NULL } },
        { "async-update", { "calls", NULL } },
        { "async-done", { "calls", NULL } },
    };

    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (hlo_proto_is(i, keys[k].opcode))
            return number < 2 ? keys[k].key[number] : NULL;
    if (hlo_proto_is(i, "conditional") && i->predicate)
        return number == 0 ? "true_computation" : number == 1 ? "false_computation" : NULL;
    return number == 0 ? "to_apply" : NULL;
}

static int write_called(struct hlo_proto_writer *w, const struct hlo_proto_instruction *i)
{
    bool listed =
        hlo_proto_is(i, "custom-call") || (hlo_proto_is(i, "conditional") && !i->predicate);
    struct proto_message all = i->all;
    struct proto_field f;
    uint64_t id;
    unsigned n = 0;

    while (proto_next(&all, &f) > 0)
        while (f.number == HLO_PROTO_CALLED && proto_number(&f, &id)) {
            const struct hlo_proto_name *callee = hlo_proto_find(&w->computations, id);
            const char *key = listed ? NULL : find_key(i, n);
            if (!callee)
                return err_set(w->err, ERR_FORMAT,
                               "%.160s: HLO: a computation %" PRIu64 " is called and not there",
                               w->name, id);
            if (listed)
                fprintf(w->out, "%s%%",
                        n                                ? ", "
                        : hlo_proto_is(i, "conditional") ? ", branch_computations={"
                                                         : ", called_computations={");
            else if (key)
                fprintf(w->out, ", %s=%%", key);
            if (listed || key)
                hlo_proto_bytes(w->out, callee->name);
            n++;
        }
    fputs(listed && n ? "}" : "", w->out);
    return 0;
}

static void write_precision(FILE *out, const struct hlo_proto_instruction *i)
{
    static const char *const names[] = { "default", "high", "highest", "packed_nibble" };
    struct proto_message m = proto_inner(&i->field[HLO_PROTO_PRECISION]), walk = m;
    struct proto_field f;
    uint64_t value;
    bool needed = false;
    unsigned n = 0;

    if (!i->has[HLO_PROTO_PRECISION])
        return;
    while (proto_next(&walk, &f) > 0)
        while (f.number == 1 && proto_number(&f, &value))
            needed |= value > 0 && value < 4;
    if (!needed)
        return;
    fputs(", operand_precision={", out);
    while (proto_next(&m, &f) > 0)
        while (f.number == 1 && proto_number(&f, &value))
            fprintf(out, "%s%s", n++ ? "," : "", names[value < 4 ? value : 0]);
    putc('}', out);
}

/* output_to_operand_aliasing={{}: (0, {})} */
static void write_aliasing(FILE *out, const struct hlo_proto_instruction *i)
{
    struct proto_message all = i->all;
    struct proto_field f;
    unsigned n = 0;

    while (proto_next(&all, &f) > 0) {
        if (f.number != HLO_PROTO_ALIASING)
            continue;
        struct proto_message m = proto_inner(&f);
        fputs(n++ ? ", " : ", output_to_operand_aliasing={", out);
        hlo_proto_list(out, m, ALIAS_OUTPUT);
        fprintf(out, ": (%" PRIu64 ", ", hlo_proto_value(m, ALIAS_OPERAND));
        hlo_proto_list(out, m, ALIAS_PART);
        putc(')', out);
    }
    fputs(n ? "}" : "", out);
}

static void write_frontend(FILE *out, const struct hlo_proto_instruction *i)
{
    struct proto_message m = proto_inner(&i->field[HLO_PROTO_FRONTEND]);
    struct proto_field f;
    unsigned n = 0;

    if (!i->has[HLO_PROTO_FRONTEND])
        return;
    while (proto_next(&m, &f) > 0) {
        struct proto_field key = hlo_proto_member(proto_inner(&f), 1);
        struct proto_field value = hlo_proto_member(proto_inner(&f), 2);
        if (f.number != 1 || key.number != 1)
            continue;
        fputs(n++ ? "," : ", frontend_attributes={", out);
        hlo_proto_bytes(out, proto_inner(&key));
        putc('=', out);
        hlo_proto_quoted(out, proto_inner(&value));
    }
    fputs(n ? "}" : "", out);
}

/* JSON stands as it is; anything else between quotes. */
static void write_config(FILE *out, const struct hlo_proto_instruction *i)
{
    struct proto_message m = proto_inner(&i->field[HLO_PROTO_BACKEND_CONFIG]);

    if (!i->has[HLO_PROTO_BACKEND_CONFIG] || m.at == m.end)
        return;
    fputs(", backend_config=", out);
    if (m.at[0] == '{')
        hlo_proto_bytes(out, m);
    else
        hlo_proto_quoted(out, m);
}

static struct proto_message pick_message(const struct proto_message *list, uint32_t n, uint64_t id)
{
    return id >= 1 && id <= n ? list[id - 1] : (struct proto_message){ NULL, NULL };
}

/* The place in the program's source: of the metadata, or of the frame of the stack that they name.
 * Empty if neither does. */
static struct proto_message find_source(const struct hlo_proto_frames *s, struct proto_message m,
                                        uint64_t *line)
{
    struct proto_field file = hlo_proto_member(m, META_FILE);

    *line = hlo_proto_value(m, META_LINE);
    if (file.number == META_FILE)
        return proto_inner(&file);
    struct proto_message frame =
        pick_message(s->frame, s->n_frames, hlo_proto_value(m, META_FRAME));
    struct proto_message location =
        pick_message(s->location, s->n_locations, hlo_proto_value(frame, FRAME_LOCATION));
    *line = hlo_proto_value(location, LOCATION_LINE);
    return pick_message(s->file, s->n_files, hlo_proto_value(location, LOCATION_FILE));
}

static void write_metadata(struct hlo_proto_writer *w, const struct hlo_proto_instruction *i)
{
    struct proto_message m = proto_inner(&i->field[HLO_PROTO_METADATA]);
    struct proto_field name = hlo_proto_member(m, META_NAME);
    bool named = i->has[HLO_PROTO_METADATA] && name.number == META_NAME;
    uint64_t line = 0;

    if (!i->has[HLO_PROTO_METADATA])
        return;
    struct proto_message source = find_source(&w->frames, m, &line);
    if (!named && !source.at)
        return;
    fputs(", metadata={", w->out);
    if (named) {
        fputs("op_name=", w->out);
        hlo_proto_quoted(w->out, proto_inner(&name));
    }
    if (source.at) {
        fputs(named ? " source_file=" : "source_file=", w->out);
        hlo_proto_quoted(w->out, source);
        fprintf(w->out, " source_line=%" PRIu64, line);
    }
    putc('}', w->out);
}

static void write_target(FILE *out, const struct hlo_proto_instruction *i)
{
    if (!i->has[HLO_PROTO_TARGET] || i->field[HLO_PROTO_TARGET].value == 0)
        return;
    fputs(", custom_call_target=", out);
    hlo_proto_quoted(out, proto_inner(&i->field[HLO_PROTO_TARGET]));
}

static void write_thread(FILE *out, const struct hlo_proto_instruction *i)
{
    const struct proto_field *thread = &i->field[HLO_PROTO_THREAD];

    if (!i->has[HLO_PROTO_THREAD] || thread->type != PROTO_BYTES || thread->value == 0 ||
        !hlo_proto_is(i, "async-start") ||
        (thread->value == 4 && memcmp(thread->bytes, "main", 4) == 0))
        return;
    fputs(", async_execution_thread=", out);
    hlo_proto_quoted(out, proto_inner(thread));
}

static void write_fft(FILE *out, const struct hlo_proto_instruction *i)
{
    static const char *const types[] = { "FFT", "IFFT", "RFFT", "IRFFT" };
    uint64_t type = i->has[HLO_PROTO_FFT_TYPE] ? i->field[HLO_PROTO_FFT_TYPE].value : 0;

    if (!hlo_proto_is(i, "fft"))
        return;
    fprintf(out, ", fft_type=%s, fft_length=", types[type < 4 ? type : 0]);
    hlo_proto_list(out, i->all, HLO_PROTO_FFT_LENGTH);
}

/* Attributes that depend on the opcode. */
static int write_extra(struct hlo_proto_writer *w, const struct hlo_proto_instruction *i)
{
    FILE *out = w->out;

    hlo_proto_dimensions(out, i);
    if (hlo_proto_is(i, "convolution")) {
        write_number(out, "feature_group_count", i, HLO_PROTO_FEATURE_GROUPS, 1);
        write_number(out, "batch_group_count", i, HLO_PROTO_BATCH_GROUPS, 1);
    }
    hlo_proto_collective(w, i);
    if (hlo_proto_is(i, "get-tuple-element"))
        fprintf(out, ", index=%" PRIu64,
                i->has[HLO_PROTO_TUPLE_INDEX] ? i->field[HLO_PROTO_TUPLE_INDEX].value : 0);
    write_text(out, "direction", i, HLO_PROTO_DIRECTION);
    if (hlo_proto_is(i, "fusion"))
        write_text(out, "kind", i, HLO_PROTO_FUSION_KIND);
    write_fft(out, i);
    write_number(out, "exponent_bits", i, HLO_PROTO_EXPONENT_BITS, 0);
    write_number(out, "mantissa_bits", i, HLO_PROTO_MANTISSA_BITS, 0);
    write_number(out, "k", i, HLO_PROTO_K, 0);
    write_number(out, "cross_program_prefetch_index", i, HLO_PROTO_PREFETCH, UINT64_MAX);
    write_flag(out, "largest", i, HLO_PROTO_LARGEST);
    write_flag(out, "is_stable", i, HLO_PROTO_STABLE);
    write_flag(out, "indices_are_sorted", i, HLO_PROTO_SORTED);
    write_flag(out, "unique_indices", i, HLO_PROTO_UNIQUE);
    write_flag(out, "is_host_transfer", i, HLO_PROTO_HOST_TRANSFER);
    write_target(out, i);
    if (write_called(w, i) != 0)
        return -1;
    write_flag(out, "custom_call_has_side_effect", i, HLO_PROTO_SIDE_EFFECT);
    write_precision(out, i);
    write_aliasing(out, i);
    return 0;
}

static int write_wrapped(struct hlo_proto_writer *w, struct proto_message wrapped)
{
    struct hlo_proto_instruction *inner = memory_zeroed(1, sizeof *inner);

    hlo_proto_fields(inner, wrapped);
    int rc = write_extra(w, inner);
    free(inner);
    return rc;
}

int hlo_proto_attributes(struct hlo_proto_writer *w, const struct hlo_proto_instruction *i)
{
    struct proto_message wrapped = hlo_proto_wrapped(w, i);
    int rc = 0;

    write_thread(w->out, i);
    if (!wrapped.at)
        rc = write_extra(w, i);
    else if (hlo_proto_is(i, "async-start"))
        rc = write_wrapped(w, wrapped);
    if (rc != 0)
        return -1;
    write_frontend(w->out, i);
    write_metadata(w, i);
    write_config(w->out, i);
    return 0;
}
