/* hlo_encode_buffers.c - a BufferAssignmentProto: see hlo_encode.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "hlo/hlo_encode_impl.h"

enum { PROTO_ASSIGNMENT = 3 };
enum { BUFFER_ID = 1, BUFFER_SIZE, BUFFER_DEFINED };
enum { LOCATION_NAME = 2, LOCATION_PART, LOCATION_ID };
enum { ALLOCATION_INDEX = 1, ALLOCATION_SIZE, ALLOCATION_PARAMETER = 5, ALLOCATION_ASSIGNED = 9 };
enum { EVENT_KIND = 1, EVENT_BUFFER, EVENT_COMPUTATION, EVENT_INSTRUCTION };
enum { ALLOC, FREE };

/* One begins or ends at an instruction of the schedule. */
struct change {
    uint32_t at, kind, buffer;
};

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->kind != y->kind) /* what an instruction makes and what it reads are there together */
        return x->kind == ALLOC ? -1 : 1;
    return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

static bool is_argument(const struct hlo_module *m, const struct hlo_encode_buffer *b)
{
    return m->instruction[b->instruction].opcode == HLO_OP_PARAMETER;
}

static void put_buffers(struct proto *p, const struct hlo_module *m,
                        const struct hlo_encode_buffer *buffer, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct hlo_instruction *by = &m->instruction[buffer[i].instruction];
        proto_begin(p, 1);
        proto_uint(p, BUFFER_ID, hlo_encode_id(i));
        proto_uint(p, BUFFER_SIZE, buffer[i].bytes);
        proto_begin(p, BUFFER_DEFINED);
        hlo_encode_text(p, LOCATION_NAME, by->name);
        if (by->shape->n_parts)
            proto_uint(p, LOCATION_PART, buffer[i].part);
        proto_uint(p, LOCATION_ID, hlo_encode_id(buffer[i].instruction));
        proto_end(p);
        proto_end(p);
    }
}

static void put_assigned(struct proto *p, uint32_t i, uint64_t offset, uint64_t bytes)
{
    proto_begin(p, ALLOCATION_ASSIGNED);
    proto_uint(p, 1, hlo_encode_id(i));
    proto_uint(p, 2, offset);
    proto_uint(p, 3, bytes);
    proto_end(p);
}

/* An allocation for each argument, and one for all others, each at a place of its own. */
static void put_allocations(struct proto *p, const struct hlo_module *m,
                            const struct hlo_encode_buffer *buffer, uint32_t n)
{
    uint64_t index = 0, offset = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (!is_argument(m, &buffer[i]))
            continue;
        proto_begin(p, 3);
        proto_uint(p, ALLOCATION_INDEX, index++);
        proto_uint(p, ALLOCATION_SIZE, buffer[i].bytes);
        proto_uint(p, ALLOCATION_PARAMETER, 1);
        put_assigned(p, i, 0, buffer[i].bytes);
        proto_end(p);
    }
    for (uint32_t i = 0; i < n; i++)
        offset += is_argument(m, &buffer[i]) ? 0 : buffer[i].bytes;
    proto_begin(p, 3);
    proto_uint(p, ALLOCATION_INDEX, index);
    proto_uint(p, ALLOCATION_SIZE, offset);
    offset = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!is_argument(m, &buffer[i])) {
            put_assigned(p, i, offset, buffer[i].bytes);
            offset += buffer[i].bytes;
        }
    proto_end(p);
}

static void put_trace(struct proto *p, const struct hlo_module *m, const struct change *change,
                      uint32_t n)
{
    const struct hlo_computation *entry = &m->computation[m->entry];

    proto_begin(p, 4);
    for (uint32_t i = 0; i < n; i++) {
        proto_begin(p, 1);
        proto_uint(p, EVENT_KIND, change[i].kind);
        proto_uint(p, EVENT_BUFFER, hlo_encode_id(change[i].buffer));
        hlo_encode_text(p, EVENT_COMPUTATION, entry->name);
        hlo_encode_text(p, EVENT_INSTRUCTION, m->instruction[change[i].at].name);
        proto_end(p);
    }
    proto_end(p);
}

void hlo_encode_buffers(struct proto *p, const struct hlo_module *m,
                        const struct hlo_encode_buffer *buffer, uint32_t n)
{
    const struct hlo_computation *entry = &m->computation[m->entry];
    struct change *change = memory_zeroed(2 * (size_t)n, sizeof *change);
    uint32_t k = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (is_argument(m, &buffer[i])) /* there all the time, in an allocation of its own */
            continue;
        uint32_t last = buffer[i].last == HLO_NONE ? entry->first + entry->n - 1 : buffer[i].last;
        change[k++] = (struct change){ buffer[i].instruction, ALLOC, i };
        change[k++] = (struct change){ last, FREE, i };
    }
    qsort(change, k, sizeof *change, compare_changes);
    proto_begin(p, PROTO_ASSIGNMENT);
    put_buffers(p, m, buffer, n);
    put_allocations(p, m, buffer, n);
    put_trace(p, m, change, k);
    proto_end(p);
    free(change);
}
