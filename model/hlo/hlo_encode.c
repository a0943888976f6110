#include "hlo/hlo_encode_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { PROTO_MODULE = 1 };
enum {
    MODULE_NAME = 1,
    MODULE_ENTRY_NAME,
    MODULE_COMPUTATIONS,
    MODULE_SHAPE,
    MODULE_ID,
    MODULE_ENTRY,
    MODULE_SCHEDULE,
    MODULE_ALIAS
};
enum { ALIAS_OUTPUT = 1, ALIAS_PARAMETER, ALIAS_PART, ALIAS_KIND };
enum {
    COMPUTATION_NAME = 1,
    COMPUTATION_INSTRUCTIONS,
    COMPUTATION_SHAPE = 4,
    COMPUTATION_ID,
    COMPUTATION_ROOT
};
enum {
    NAME = 1,
    OPCODE = 2,
    SHAPE = 3,
    METADATA = 7,
    PARAMETER = 9,
    FUSION_KIND = 11,
    TUPLE_INDEX = 13,
    DIMENSIONS = 14,
    TARGET = 28,
    ID = 35,
    OPERANDS = 36,
    CALLED = 38
};
enum { META_NAME = 2, META_FILE, META_LINE };
enum { SHAPE_PARAMETERS = 1, SHAPE_RESULT, SHAPE_NAMES };

#define MOST_WRAPPED 64 /* operands of what runs asynchronously, and itself */

/* A text between quotes, without the backslashes in front of quotes and backslashes. */
static void put_quoted(struct proto *p, uint32_t field, struct hlo_text t)
{
    struct hlo_text inner = hlo_unquoted(t);

    if (!inner.at || inner.size == 0)
        return;
    char *plain = memory_zeroed((size_t)inner.size + 1, 1);
    size_t n = 0;
    for (uint32_t i = 0; i < inner.size; i++) {
        bool escape = inner.at[i] == '\\' && i + 1 < inner.size && strchr("'\"\\", inner.at[i + 1]);
        plain[n++] = inner.at[escape ? ++i : i];
    }
    proto_bytes(p, field, plain, n);
    free(plain);
}

/* --- shapes ---------------------------------------------------------------------------------- */

static void put_program_shape(struct proto *p, uint32_t field, const struct hlo_module *m,
                              const struct hlo_computation *c)
{
    proto_begin(p, field);
    for (uint32_t i = 0; i < c->n_parameters; i++)
        if (c->parameter[i] != HLO_NONE)
            hlo_encode_shape(p, SHAPE_PARAMETERS, m->instruction[c->parameter[i]].shape);
    hlo_encode_shape(p, SHAPE_RESULT, m->instruction[c->root].shape);
    for (uint32_t i = 0; i < c->n_parameters; i++)
        if (c->parameter[i] != HLO_NONE)
            hlo_encode_text(p, SHAPE_NAMES, m->instruction[c->parameter[i]].name);
    proto_end(p);
}

/* --- instructions ---------------------------------------------------------------------------- */

static void put_metadata(struct proto *p, const struct hlo_module *m,
                         const struct hlo_instruction *i)
{
    struct hlo_text name = hlo_part(hlo_attribute(m, i, "metadata"), "op_name"), file;
    uint32_t line;
    bool sourced = hlo_source(m, i, &file, &line);

    if (!name.at && !sourced)
        return;
    proto_begin(p, METADATA);
    put_quoted(p, META_NAME, name);
    if (sourced) {
        hlo_encode_text(p, META_FILE, file);
        proto_uint(p, META_LINE, line);
    }
    proto_end(p);
}

/* "slice-start", which the text writes for an async-start of a computation with a slice alone. */
static bool is_wrapped_start(const struct hlo_instruction *i)
{
    return i->opcode == HLO_OP_SLICE_START || i->opcode == HLO_OP_CALL_START ||
           (i->opcode == HLO_OP_START && i->shape->n_parts >= 2);
}

static bool is_wrapped_end(const struct hlo_instruction *i)
{
    return i->opcode == HLO_OP_SLICE_DONE || i->opcode == HLO_OP_CALL_DONE ||
           i->opcode == HLO_OP_DONE || i->opcode == HLO_OP_UPDATE;
}

/* The start of an asynchronous instruction, and of what waits for it; HLO_NONE: it is no such. */
static uint32_t start_of(const struct hlo_module *m, const struct hlo_instruction *i)
{
    while (is_wrapped_end(i) && i->n_operands > 0)
        i = hlo_operand(m, i, 0);
    return is_wrapped_start(i) ? (uint32_t)(i - m->instruction) : HLO_NONE;
}

/* Ids of computations that the text leaves out count from the last of the module. */
static uint64_t wrapped_id(const struct hlo_module *m, uint32_t start)
{
    return hlo_encode_id(m->n_computations) + start;
}

static void put_opcode(struct proto *p, const struct hlo_module *m, const struct hlo_instruction *i)
{
    uint32_t start = start_of(m, i);

    if (start == HLO_NONE)
        hlo_encode_text(p, OPCODE, i->opcode_text);
    else
        proto_text(p, OPCODE,
                   is_wrapped_start(i)          ? "async-start"
                   : i->opcode == HLO_OP_UPDATE ? "async-update"
                                                : "async-done");
    if (start != HLO_NONE)
        proto_uint(p, CALLED, wrapped_id(m, start));
}

static void put_instruction(struct proto *p, const struct hlo_module *m,
                            const struct hlo_instruction *i)
{
    proto_begin(p, COMPUTATION_INSTRUCTIONS);
    hlo_encode_text(p, NAME, i->name);
    put_opcode(p, m, i);
    hlo_encode_shape(p, SHAPE, i->shape);
    put_metadata(p, m, i);
    if (i->opcode == HLO_OP_PARAMETER)
        proto_uint(p, PARAMETER, (uint64_t)i->number);
    if (i->opcode == HLO_OP_FUSION)
        hlo_encode_text(p, FUSION_KIND, hlo_attribute(m, i, "kind"));
    if (i->opcode == HLO_OP_GET_TUPLE_ELEMENT)
        proto_uint(p, TUPLE_INDEX, (uint64_t)i->number);
    if (i->opcode == HLO_OP_CONSTANT)
        hlo_encode_literal(p, i);
    if (start_of(m, i) == HLO_NONE)
        hlo_encode_attributes(p, m, i);
    put_quoted(p, TARGET, hlo_attribute(m, i, "custom_call_target"));
    proto_uint(p, ID, hlo_encode_id((uint32_t)(i - m->instruction)));
    for (uint32_t k = 0; k < i->n_operands; k++)
        proto_uint(p, OPERANDS, hlo_encode_id(m->operand[i->first_operand + k]));
    bool last_first = i->opcode == HLO_OP_WHILE; /* its body, then its condition */
    for (uint32_t k = 0; k < i->n_called && start_of(m, i) == HLO_NONE; k++)
        proto_uint(
            p, CALLED,
            hlo_encode_id(m->called[i->first_called + (last_first ? i->n_called - 1 - k : k)]));
    proto_end(p);
}

static void put_computation(struct proto *p, const struct hlo_module *m, uint32_t index)
{
    const struct hlo_computation *c = &m->computation[index];

    proto_begin(p, MODULE_COMPUTATIONS);
    hlo_encode_text(p, COMPUTATION_NAME, c->name);
    for (uint32_t i = c->first; i < c->first + c->n; i++)
        put_instruction(p, m, &m->instruction[i]);
    put_program_shape(p, COMPUTATION_SHAPE, m, c);
    proto_uint(p, COMPUTATION_ID, hlo_encode_id(index));
    proto_uint(p, COMPUTATION_ROOT, hlo_encode_id(c->root));
    proto_end(p);
}

/* Ids of its instructions: parameters, and the one that does it. */
static uint64_t wrapped_first(const struct hlo_module *m, uint32_t start)
{
    return hlo_encode_id(m->n_instructions) + (uint64_t)start * MOST_WRAPPED;
}

static uint32_t count_wrapped(const struct hlo_instruction *i)
{
    return i->n_operands < MOST_WRAPPED - 1 ? i->n_operands : MOST_WRAPPED - 1;
}

/* The work of an asynchronous instruction, in a computation of its own. */
static void put_wrapped(struct proto *p, const struct hlo_module *m, uint32_t start)
{
    const struct hlo_instruction *i = &m->instruction[start];
    uint64_t first = wrapped_first(m, start);
    uint32_t n = count_wrapped(i);
    char *name = memory_format("wrapped_%.*s", (int)i->name.size, i->name.at);

    proto_begin(p, MODULE_COMPUTATIONS);
    proto_text(p, COMPUTATION_NAME, name);
    for (uint32_t k = 0; k < n; k++) {
        char *parameter = memory_format("%s.param_%u", name, (unsigned)k);
        proto_begin(p, COMPUTATION_INSTRUCTIONS);
        proto_text(p, NAME, parameter);
        proto_text(p, OPCODE, "parameter");
        hlo_encode_shape(p, SHAPE, hlo_operand(m, i, k)->shape);
        proto_uint(p, PARAMETER, k);
        proto_uint(p, ID, first + k);
        proto_end(p);
        free(parameter);
    }
    proto_begin(p, COMPUTATION_INSTRUCTIONS);
    char *own = memory_format("%s.own", name);
    proto_text(p, NAME, own);
    free(own);
    proto_bytes(p, OPCODE, i->opcode_text.at, i->opcode_text.size - strlen("-start"));
    hlo_encode_shape(p, SHAPE, &i->shape->part[1]);
    put_metadata(p, m, i);
    hlo_encode_attributes(p, m, i);
    proto_uint(p, ID, first + n);
    for (uint32_t k = 0; k < n; k++)
        proto_uint(p, OPERANDS, first + k);
    for (uint32_t k = 0; k < i->n_called; k++)
        proto_uint(p, CALLED, hlo_encode_id(m->called[i->first_called + k]));
    proto_end(p);
    proto_begin(p, COMPUTATION_SHAPE);
    for (uint32_t k = 0; k < n; k++)
        hlo_encode_shape(p, SHAPE_PARAMETERS, hlo_operand(m, i, k)->shape);
    hlo_encode_shape(p, SHAPE_RESULT, &i->shape->part[1]);
    proto_end(p);
    proto_uint(p, COMPUTATION_ID, wrapped_id(m, start));
    proto_uint(p, COMPUTATION_ROOT, first + n);
    proto_end(p);
    free(name);
}

static void put_sequence(struct proto *p, uint64_t computation, uint64_t first, uint64_t n)
{
    proto_begin(p, 1);
    proto_uint(p, 1, computation);
    proto_begin(p, 2);
    proto_begin(p, 1);
    for (uint64_t i = 0; i < n; i++)
        proto_packed(p, first + i);
    proto_end(p);
    proto_end(p);
    proto_end(p);
}

/* The order of the text is that of the schedule, but inside fusions. */
static void put_schedule(struct proto *p, const struct hlo_module *m)
{
    if (!m->scheduled)
        return;
    proto_begin(p, MODULE_SCHEDULE);
    for (uint32_t k = 0; k < m->n_computations; k++)
        if (!m->computation[k].fused)
            put_sequence(p, hlo_encode_id(k), hlo_encode_id(m->computation[k].first),
                         m->computation[k].n);
    for (uint32_t i = 0; i < m->n_instructions; i++)
        if (is_wrapped_start(&m->instruction[i]))
            put_sequence(p, wrapped_id(m, i), wrapped_first(m, i),
                         (uint64_t)count_wrapped(&m->instruction[i]) + 1);
    proto_end(p);
}

/* Arguments whose place a result takes. */
static void put_aliases(struct proto *p, const struct hlo_module *m)
{
    if (m->n_aliases == 0)
        return;
    proto_begin(p, MODULE_ALIAS);
    for (uint32_t i = 0; i < m->n_aliases; i++) {
        const struct hlo_alias *a = &m->alias[i];
        proto_begin(p, 1);
        for (uint32_t k = 0; k < a->n_output; k++)
            proto_uint(p, ALIAS_OUTPUT, a->output[k]);
        proto_uint(p, ALIAS_PARAMETER, a->parameter);
        for (uint32_t k = 0; k < a->n_part; k++)
            proto_uint(p, ALIAS_PART, a->part[k]);
        proto_uint(p, ALIAS_KIND, 1);
        proto_end(p);
    }
    proto_end(p);
}

void hlo_encode(struct proto *p, const struct hlo_module *m, const struct hlo_encode_buffer *buffer,
                uint32_t n)
{
    proto_begin(p, PROTO_MODULE);
    hlo_encode_text(p, MODULE_NAME, m->name);
    hlo_encode_text(p, MODULE_ENTRY_NAME, m->computation[m->entry].name);
    for (uint32_t k = 0; k < m->n_computations; k++) {
        const struct hlo_computation *c = &m->computation[k];
        for (uint32_t i = c->first; i < c->first + c->n; i++) /* what is called comes first */
            if (is_wrapped_start(&m->instruction[i]))
                put_wrapped(p, m, i);
        put_computation(p, m, k);
    }
    put_program_shape(p, MODULE_SHAPE, m, &m->computation[m->entry]);
    proto_uint(p, MODULE_ID, 1);
    proto_uint(p, MODULE_ENTRY, hlo_encode_id(m->entry));
    put_schedule(p, m);
    put_aliases(p, m);
    proto_end(p);
    if (n > 0)
        hlo_encode_buffers(p, m, buffer, n);
}
