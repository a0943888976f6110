/* hlo_proto_async.c - asynchronous instructions that the text writes as one: see hlo_proto_write.h.
 */
#include <string.h>

#include "hlo/proto/hlo_proto_write.h"

enum { COMPUTATION_INSTRUCTIONS = 2 };

static bool is_opcode(struct proto_message instruction, const char *opcode)
{
    struct proto_field f = hlo_proto_member(instruction, HLO_PROTO_OPCODE);

    return f.number == HLO_PROTO_OPCODE && f.type == PROTO_BYTES && f.value == strlen(opcode) &&
           memcmp(f.bytes, opcode, f.value) == 0;
}

/* The one instruction of a computation that is no parameter; empty if it has another number. */
static struct proto_message find_only(struct proto_message computation)
{
    struct proto_message only = { NULL, NULL };
    struct proto_field f;
    unsigned n = 0;

    while (proto_next(&computation, &f) > 0)
        if (f.number == COMPUTATION_INSTRUCTIONS && !is_opcode(proto_inner(&f), "parameter")) {
            only = proto_inner(&f);
            n++;
        }
    return n == 1 ? only : (struct proto_message){ NULL, NULL };
}

void hlo_proto_find_wrapped(struct hlo_proto_writer *w, struct proto_message computation)
{
    struct proto_field f;
    uint64_t id;

    while (proto_next(&computation, &f) > 0) {
        if (f.number != COMPUTATION_INSTRUCTIONS || !is_opcode(proto_inner(&f), "async-start"))
            continue;
        struct proto_field called = hlo_proto_member(proto_inner(&f), HLO_PROTO_CALLED);
        struct hlo_proto_name *callee =
            proto_number(&called, &id) ? hlo_proto_find(&w->computations, id) : NULL;
        if (callee)
            callee->wrapped = find_only(callee->all);
    }
}

/* The async-start of an asynchronous instruction, which is its first operand, or that one's first
 * operand, and so on; empty if there is none. */
static struct proto_message find_start(const struct hlo_proto_writer *w, struct proto_message m)
{
    for (uint32_t k = 0; k <= w->instructions.n; k++) {
        struct proto_field operand = hlo_proto_member(m, HLO_PROTO_OPERANDS);
        const struct hlo_proto_name *before;
        uint64_t id;
        if (is_opcode(m, "async-start"))
            return m;
        if (!is_opcode(m, "async-update") && !is_opcode(m, "async-done"))
            break;
        before = operand.number == HLO_PROTO_OPERANDS && proto_number(&operand, &id)
                     ? hlo_proto_find(&w->instructions, id)
                     : NULL;
        if (!before)
            break;
        m = before->all;
    }
    return (struct proto_message){ NULL, NULL };
}

struct proto_message hlo_proto_wrapped(const struct hlo_proto_writer *w,
                                       const struct hlo_proto_instruction *i)
{
    struct proto_field called = hlo_proto_member(find_start(w, i->all), HLO_PROTO_CALLED);
    const struct hlo_proto_name *callee;
    uint64_t id;

    callee = called.number == HLO_PROTO_CALLED && proto_number(&called, &id)
                 ? hlo_proto_find(&w->computations, id)
                 : NULL;
    return callee ? callee->wrapped : (struct proto_message){ NULL, NULL };
}
