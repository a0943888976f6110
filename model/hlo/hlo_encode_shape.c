/* Shapes and texts of a program as messages of XLA. */
#include <string.h>

#include "hlo/hlo_encode_impl.h"

enum { SHAPE_TYPE = 2, SHAPE_DIMENSIONS, SHAPE_PARTS, SHAPE_LAYOUT };
enum { LAYOUT_ORDER = 1, LAYOUT_TILES = 6, LAYOUT_BITS, LAYOUT_SPACE };

/* PrimitiveType of xla_data.proto */
static const uint8_t type_of[HLO_N_DTYPES] = {
    [HLO_PRED] = 1,
    [HLO_S8] = 2,
    [HLO_S16] = 3,
    [HLO_S32] = 4,
    [HLO_S64] = 5,
    [HLO_U8] = 6,
    [HLO_U16] = 7,
    [HLO_U32] = 8,
    [HLO_U64] = 9,
    [HLO_F16] = 10,
    [HLO_F32] = 11,
    [HLO_F64] = 12,
    [HLO_TUPLE] = 13,
    [HLO_OPAQUE] = 14,
    [HLO_C64] = 15,
    [HLO_BF16] = 16,
    [HLO_TOKEN] = 17,
    [HLO_C128] = 18,
    [HLO_F8E5M2] = 19,
    [HLO_F8E4M3FN] = 20,
    [HLO_S4] = 21,
    [HLO_U4] = 22,
    [HLO_F8E4M3B11FNUZ] = 23,
    [HLO_F8E5M2FNUZ] = 24,
    [HLO_F8E4M3FNUZ] = 25,
    [HLO_S2] = 26,
    [HLO_U2] = 27,
    [HLO_F8E4M3] = 28,
    [HLO_F8E3M4] = 29,
    [HLO_S1] = 30,
    [HLO_U1] = 31,
    [HLO_F4E2M1FN] = 32,
    [HLO_F8E8M0FNU] = 33,
    [HLO_BUFFER] = 34,
};

void hlo_encode_text(struct proto *p, uint32_t field, struct hlo_text t)
{
    if (t.at && t.size > 0)
        proto_bytes(p, field, t.at, t.size);
}

static void put_layout(struct proto *p, const struct hlo_shape *s)
{
    const struct hlo_layout *l = &s->layout;

    proto_begin(p, SHAPE_LAYOUT);
    for (uint32_t i = 0; i < s->rank; i++)
        proto_uint(p, LAYOUT_ORDER, l->minor_first ? l->minor_first[i] : s->rank - 1 - i);
    for (uint32_t i = 0; i < l->n_tiles; i++) {
        proto_begin(p, LAYOUT_TILES);
        for (uint32_t k = 0; k < l->tile[i].rank; k++) /* '*' is the least number of 64 bits */
            proto_uint(p, 1, l->tile[i].dim[k] ? l->tile[i].dim[k] : UINT64_C(1) << 63);
        proto_end(p);
    }
    if (l->bits)
        proto_uint(p, LAYOUT_BITS, l->bits);
    if (l->space)
        proto_uint(p, LAYOUT_SPACE, l->space);
    proto_end(p);
}

void hlo_encode_shape(struct proto *p, uint32_t field, const struct hlo_shape *s)
{
    proto_begin(p, field);
    proto_uint(p, SHAPE_TYPE, type_of[s->dtype]);
    for (uint32_t i = 0; i < s->rank; i++)
        proto_uint(p, SHAPE_DIMENSIONS, s->dim[i]);
    for (uint32_t i = 0; i < s->n_parts; i++)
        hlo_encode_shape(p, SHAPE_PARTS, &s->part[i]);
    if (s->n_parts == 0 && s->dtype < HLO_TOKEN)
        put_layout(p, s);
    proto_end(p);
}
