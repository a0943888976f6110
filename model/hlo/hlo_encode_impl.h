/* hlo_encode_impl.h - the parts of hlo_encode: texts, shapes, constants, attributes, buffers. */
#ifndef HLO_HLO_ENCODE_IMPL_H
#define HLO_HLO_ENCODE_IMPL_H

#include "hlo/hlo_encode.h"
#include "hlo/proto/hlo_proto_write.h"

/* The id of an instruction or computation by its index: they count from 1. */
static inline uint64_t hlo_encode_id(uint32_t index)
{
    return (uint64_t)index + 1;
}

/* A text as a field; nothing if it is empty. */
void hlo_encode_text(struct proto *p, uint32_t field, struct hlo_text t);
/* A ShapeProto as a field. */
void hlo_encode_shape(struct proto *p, uint32_t field, const struct hlo_shape *s);
/* The value of a constant: of arrays zeros, of those of a million elements nothing. */
void hlo_encode_literal(struct proto *p, const struct hlo_instruction *i);
/* All attributes that are fields of an instruction. */
void hlo_encode_attributes(struct proto *p, const struct hlo_module *m,
                           const struct hlo_instruction *i);
/* The buffers as the field of an HloProto. */
void hlo_encode_buffers(struct proto *p, const struct hlo_module *m,
                        const struct hlo_encode_buffer *buffer, uint32_t n);

#endif
