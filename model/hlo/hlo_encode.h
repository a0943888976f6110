/* hlo_encode.h - a program as the HloProto that profilers read: what hlo_proto.h reads, the other
 * way.
 *
 * Names, opcodes, shapes with layouts, operands, calls, attributes, where instructions come from,
 * the schedule, and the buffers that the caller knows.  Arrays of constants are zeros.  Field
 * numbers: xla/service/hlo.proto and xla/xla_data.proto of openxla/xla. */
#ifndef HLO_HLO_ENCODE_H
#define HLO_HLO_ENCODE_H

#include "base/proto.h"
#include "hlo/hlo_module.h"

/* A buffer of the entry computation: bytes in device memory, from the instruction that makes it,
 * and of what part of its result, to the last that reads it. */
struct hlo_encode_buffer {
    uint32_t instruction, part; /* part: leaf of a tuple */
    uint32_t last;              /* HLO_NONE: the whole program */
    uint64_t bytes;
};

/* Append an HloProto.  O(size of the module + buffers log buffers). */
void hlo_encode(struct proto *p, const struct hlo_module *m, const struct hlo_encode_buffer *buffer,
                uint32_t n);

#endif
