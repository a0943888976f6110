/* hlo_proto.c - a module, its computations and instructions: see hlo_proto.h. */
#include "hlo/proto/hlo_proto.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hlo/proto/hlo_proto_write.h"

enum {
    MODULE_NAME = 1,
    MODULE_ENTRY_NAME,
    MODULE_COMPUTATIONS,
    MODULE_ENTRY = 6,
    MODULE_SCHEDULE,
    MODULE_ALIAS,
    MODULE_DEVICES = 15,
    MODULE_FRAMES = 17,
    MODULE_DONOR
};
enum {
    COMPUTATION_NAME = 1,
    COMPUTATION_INSTRUCTIONS,
    COMPUTATION_ID = 5,
    COMPUTATION_ROOT,
    COMPUTATION_THREAD = 8
};
enum { ALIAS_OUTPUT = 1, ALIAS_PARAMETER, ALIAS_PART, ALIAS_KIND };

static int report_damage(const struct hlo_proto_writer *w, const char *what)
{
    return err_set(w->err, ERR_FORMAT, "%.160s: HLO: %s", w->name, what);
}

/* Instructions of a computation in the order in which they are written. */
struct placed {
    uint64_t id;
    struct proto_message all;
    bool done; /* it has its place */
};

struct order {
    struct placed *item;
    uint32_t n, cap;
};

static int compare_ids(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static void list_instructions(struct order *o, struct proto_message computation)
{
    struct proto_field f;

    while (proto_next(&computation, &f) > 0) {
        if (f.number != COMPUTATION_INSTRUCTIONS || f.type != PROTO_BYTES)
            continue;
        MEMORY_GROW(o->item, o->n + 1, o->cap);
        struct proto_message m = proto_inner(&f);
        o->item[o->n++] = (struct placed){ hlo_proto_value(m, HLO_PROTO_ID), m, false };
    }
}

/* The list of ids that the schedule has for a computation; `number` 0: none. */
static struct proto_field find_sequence(struct proto_message schedule, uint64_t id)
{
    struct proto_field f;

    while (proto_next(&schedule, &f) > 0) {
        if (f.number != 1 || hlo_proto_value(proto_inner(&f), 1) != id)
            continue;
        struct proto_field sequence = hlo_proto_member(proto_inner(&f), 2);
        return hlo_proto_member(proto_inner(&sequence), 1);
    }
    return (struct proto_field){ 0 };
}

/* Put instructions into the order of the schedule, which has all of them once. */
static int order_instructions(const struct hlo_proto_writer *w, struct order *o,
                              struct proto_message schedule, uint64_t id)
{
    struct proto_field sequence = find_sequence(schedule, id);
    struct placed *sorted, *found, key = { 0 };
    uint32_t n = 0;

    if (sequence.number == 0 || o->n == 0)
        return 0;
    sorted = memory_zeroed(o->n, sizeof *sorted);
    memcpy(sorted, o->item, o->n * sizeof *sorted);
    qsort(sorted, o->n, sizeof *sorted, compare_ids);
    while (n < o->n && proto_number(&sequence, &key.id)) {
        found = bsearch(&key, sorted, o->n, sizeof *sorted, compare_ids);
        if (!found || found->done)
            break;
        found->done = true;
        o->item[n++] = *found;
    }
    free(sorted);
    return n == o->n ? 0 : report_damage(w, "a schedule that is not one of its computation");
}

/* Is the first operand a pred? */
static bool is_predicate(const struct order *o, const struct hlo_proto_instruction *i)
{
    struct proto_field f = i->field[HLO_PROTO_OPERANDS];
    uint64_t id;

    if (!i->has[HLO_PROTO_OPERANDS] || !proto_number(&f, &id))
        return false;
    for (uint32_t k = 0; k < o->n; k++)
        if (o->item[k].id == id) {
            struct proto_field shape = hlo_proto_member(o->item[k].all, HLO_PROTO_SHAPE);
            return hlo_proto_value(proto_inner(&shape), 2) == 1;
        }
    return false;
}

static int write_operands(struct hlo_proto_writer *w, const struct hlo_proto_instruction *i)
{
    struct proto_message all = i->all;
    struct proto_field f;
    uint64_t id;
    unsigned n = 0;

    if (hlo_proto_is(i, "parameter")) {
        fprintf(w->out, "%" PRIu64,
                i->has[HLO_PROTO_PARAMETER] ? i->field[HLO_PROTO_PARAMETER].value : 0);
        return 0;
    }
    if (hlo_proto_is(i, "constant")) {
        hlo_proto_literal(w->out, proto_inner(&i->field[HLO_PROTO_LITERAL]));
        return 0;
    }
    while (proto_next(&all, &f) > 0)
        while (f.number == HLO_PROTO_OPERANDS && proto_number(&f, &id)) {
            const struct hlo_proto_name *operand = hlo_proto_find(&w->instructions, id);
            if (!operand)
                return report_damage(w, "an operand that its computation lacks");
            fputs(n++ ? ", %" : "%", w->out);
            hlo_proto_bytes(w->out, operand->name);
        }
    return 0;
}

/* async-start of a slice is a slice-start. */
static void write_opcode(const struct hlo_proto_writer *w, const struct hlo_proto_instruction *i)
{
    struct proto_message wrapped = hlo_proto_wrapped(w, i);
    struct proto_field opcode = i->field[HLO_PROTO_OPCODE];

    if (wrapped.at) {
        struct proto_field inner = hlo_proto_member(wrapped, HLO_PROTO_OPCODE);
        hlo_proto_bytes(w->out, proto_inner(&inner));
        opcode.bytes += sizeof "async" - 1;
        opcode.value -= sizeof "async" - 1;
    }
    hlo_proto_bytes(w->out, proto_inner(&opcode));
}

static int write_instruction(struct hlo_proto_writer *w, const struct hlo_proto_instruction *i,
                             bool root)
{
    struct proto_field name = i->field[HLO_PROTO_NAME];

    if (!i->has[HLO_PROTO_NAME] || !i->has[HLO_PROTO_OPCODE] || !i->has[HLO_PROTO_SHAPE])
        return report_damage(w, "an instruction without name, opcode or shape");
    fputs(root ? "  ROOT %" : "  %", w->out);
    hlo_proto_bytes(w->out, proto_inner(&name));
    fputs(" = ", w->out);
    if (hlo_proto_shape(w, proto_inner(&i->field[HLO_PROTO_SHAPE]), 0) != 0)
        return -1;
    putc(' ', w->out);
    write_opcode(w, i);
    putc('(', w->out);
    if (write_operands(w, i) != 0)
        return -1;
    putc(')', w->out);
    if (hlo_proto_attributes(w, i) != 0)
        return -1;
    putc('\n', w->out);
    return 0;
}

static int write_listed(struct hlo_proto_writer *w, const struct order *o, uint64_t root)
{
    struct hlo_proto_instruction *i = memory_zeroed(1, sizeof *i);
    int rc = 0;

    for (uint32_t k = 0; k < o->n && rc == 0; k++) {
        hlo_proto_fields(i, o->item[k].all);
        i->predicate = hlo_proto_is(i, "conditional") && is_predicate(o, i);
        rc = write_instruction(w, i, o->item[k].id == root);
    }
    free(i);
    return rc;
}

static int write_computation(struct hlo_proto_writer *w, struct proto_message computation,
                             struct proto_message schedule, bool entry)
{
    struct proto_field name = hlo_proto_member(computation, COMPUTATION_NAME);
    struct proto_field thread = hlo_proto_member(computation, COMPUTATION_THREAD);
    struct order o = { 0 };

    hlo_proto_find_names(&w->instructions, computation, COMPUTATION_INSTRUCTIONS, HLO_PROTO_ID);
    list_instructions(&o, computation);
    fputs(entry ? "\nENTRY %" : "\n%", w->out);
    hlo_proto_bytes(w->out, proto_inner(&name));
    fputs(" {\n", w->out);
    int rc = order_instructions(w, &o, schedule, hlo_proto_value(computation, COMPUTATION_ID));
    if (rc == 0)
        rc = write_listed(w, &o, hlo_proto_value(computation, COMPUTATION_ROOT));
    putc('}', w->out);
    if (thread.number == COMPUTATION_THREAD && thread.type == PROTO_BYTES && thread.value > 0 &&
        !(thread.value == 4 && memcmp(thread.bytes, "main", 4) == 0)) {
        fputs(", execution_thread=", w->out);
        hlo_proto_quoted(w->out, proto_inner(&thread));
    }
    putc('\n', w->out);
    free(o.item);
    return rc;
}

/* The message of a module's field. */
static struct proto_message find_part(struct proto_message module, uint32_t number)
{
    struct proto_field f = hlo_proto_member(module, number);

    return proto_inner(&f);
}

static void write_aliases(FILE *out, struct proto_message alias)
{
    struct proto_field f;
    unsigned n = 0;

    while (proto_next(&alias, &f) > 0) {
        if (f.number != 1)
            continue;
        struct proto_message m = proto_inner(&f);
        fputs(n++ ? ", " : ", input_output_alias={ ", out);
        hlo_proto_list(out, m, ALIAS_OUTPUT);
        fprintf(out, ": (%" PRIu64 ", ", hlo_proto_value(m, ALIAS_PARAMETER));
        hlo_proto_list(out, m, ALIAS_PART);
        fprintf(out, ", %s)", hlo_proto_value(m, ALIAS_KIND) == 2 ? "must-alias" : "may-alias");
    }
    fputs(n ? " }" : "", out);
}

static void write_donors(FILE *out, struct proto_message donor)
{
    struct proto_field f;
    unsigned n = 0;

    while (proto_next(&donor, &f) > 0) {
        if (f.number != 1)
            continue;
        fprintf(out, "%s(%" PRIu64 ", ", n++ ? ", " : ", buffer_donor={ ",
                hlo_proto_value(proto_inner(&f), 1));
        hlo_proto_list(out, proto_inner(&f), 2);
        putc(')', out);
    }
    fputs(n ? " }" : "", out);
}

/* The module says on how many devices it runs, or its collectives do. */
static void write_devices(const struct hlo_proto_writer *w, FILE *out, struct proto_message module)
{
    struct proto_message devices = find_part(module, MODULE_DEVICES);
    uint64_t replicas = hlo_proto_value(devices, 1), partitions = hlo_proto_value(devices, 2);

    if (replicas * partitions == 0) {
        replicas = w->by_partition || w->devices == 0 ? 1 : w->devices;
        partitions = w->by_partition && w->devices > 0 ? w->devices : 1;
    }
    if (replicas > 1)
        fprintf(out, ", replica_count=%" PRIu64, replicas);
    if (partitions > 1)
        fprintf(out, ", num_partitions=%" PRIu64, partitions);
}

static void write_header(const struct hlo_proto_writer *w, FILE *out, struct proto_message module)
{
    fputs("HloModule ", out);
    hlo_proto_bytes(out, find_part(module, MODULE_NAME));
    if (find_part(module, MODULE_SCHEDULE).at)
        fputs(", is_scheduled=true", out);
    write_aliases(out, find_part(module, MODULE_ALIAS));
    write_donors(out, find_part(module, MODULE_DONOR));
    write_devices(w, out, module);
    putc('\n', out);
}

static int write_computations(struct hlo_proto_writer *w, struct proto_message module)
{
    struct proto_message schedule = find_part(module, MODULE_SCHEDULE);
    uint64_t entry = hlo_proto_value(module, MODULE_ENTRY);
    struct proto_field f;
    unsigned entries = 0;
    int rc;

    hlo_proto_find_names(&w->computations, module, MODULE_COMPUTATIONS, COMPUTATION_ID);
    for (uint32_t i = 0; i < w->computations.n; i++)
        hlo_proto_find_wrapped(w, w->computations.name[i].all);
    while ((rc = proto_next(&module, &f)) > 0) {
        if (f.number != MODULE_COMPUTATIONS)
            continue;
        uint64_t id = hlo_proto_value(proto_inner(&f), COMPUTATION_ID);
        const struct hlo_proto_name *this = hlo_proto_find(&w->computations, id);
        bool is_entry = id == entry;
        if (this && this->wrapped.at && !is_entry)
            continue;
        entries += is_entry;
        if (write_computation(w, proto_inner(&f), schedule, is_entry) != 0)
            return -1;
    }
    if (rc < 0)
        return report_damage(w, "damaged protocol buffer");
    return entries == 1 ? 0 : report_damage(w, "a module without an entry computation");
}

#define ADD_FRAME(to, n, cap, f) (MEMORY_GROW(to, (n) + 1, cap), (to)[(n)++] = proto_inner(f))

static void find_frames(struct hlo_proto_frames *s, struct proto_message index)
{
    struct proto_field f;

    while (proto_next(&index, &f) > 0) {
        if (f.number == 1)
            ADD_FRAME(s->file, s->n_files, s->cap_files, &f);
        else if (f.number == 3)
            ADD_FRAME(s->location, s->n_locations, s->cap_locations, &f);
        else if (f.number == 4)
            ADD_FRAME(s->frame, s->n_frames, s->cap_frames, &f);
    }
}

/* The header tells what the computations hold, so they are written first. */
static char *join_module(struct hlo_proto_writer *w, struct proto_message module,
                         const struct memory_text *body, size_t *size)
{
    struct memory_text all;

    memory_text_begin(&all);
    write_header(w, all.out, module);
    fwrite(body->text, 1, body->size, all.out);
    char *text = memory_text_end(&all);
    *size = all.size;
    return text;
}

int hlo_proto_text(char **text, size_t *size, const char *name, const void *bytes, size_t n,
                   struct err *err)
{
    struct proto_message all = { bytes, (const unsigned char *)bytes + n };
    struct hlo_proto_writer w = { .name = name, .err = err };
    struct memory_text body;
    struct proto_field f = hlo_proto_member(all, 1);

    *text = NULL;
    if (f.number != 1 || f.type != PROTO_BYTES)
        return report_damage(&w, "no module in it");
    memory_text_begin(&body);
    w.out = body.out;
    find_frames(&w.frames, find_part(proto_inner(&f), MODULE_FRAMES));
    int rc = write_computations(&w, proto_inner(&f));
    memory_text_end(&body);
    if (rc == 0)
        *text = join_module(&w, proto_inner(&f), &body, size);
    free(body.text);
    free(w.computations.name);
    free(w.instructions.name);
    free(w.frames.file);
    free(w.frames.location);
    free(w.frames.frame);
    return rc;
}
