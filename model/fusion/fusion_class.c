/* fusion_class.c - classes of operations: those that join kernels, those that are kernels. */
#include "fusion/fusion_impl.h"

static bool is_map(enum hlo_opcode o)
{
    switch (o) {
    case HLO_OP_ABS:
    case HLO_OP_ADD:
    case HLO_OP_AND:
    case HLO_OP_ATAN2:
    case HLO_OP_CBRT:
    case HLO_OP_CEIL:
    case HLO_OP_CLAMP:
    case HLO_OP_COMPARE:
    case HLO_OP_CONVERT:
    case HLO_OP_COSINE:
    case HLO_OP_COUNT_LEADING_ZEROS:
    case HLO_OP_DIVIDE:
    case HLO_OP_ERF:
    case HLO_OP_EXP:
    case HLO_OP_EXPM1:
    case HLO_OP_FLOOR:
    case HLO_OP_IS_FINITE:
    case HLO_OP_LOG:
    case HLO_OP_LOG1P:
    case HLO_OP_LOGISTIC:
    case HLO_OP_MAXIMUM:
    case HLO_OP_MINIMUM:
    case HLO_OP_MULTIPLY:
    case HLO_OP_NEGATE:
    case HLO_OP_NOT:
    case HLO_OP_OR:
    case HLO_OP_POPCNT:
    case HLO_OP_POWER:
    case HLO_OP_REDUCE_PRECISION:
    case HLO_OP_REMAINDER:
    case HLO_OP_ROUND_NEAREST_AFZ:
    case HLO_OP_ROUND_NEAREST_EVEN:
    case HLO_OP_RSQRT:
    case HLO_OP_SELECT:
    case HLO_OP_SHIFT_LEFT:
    case HLO_OP_SHIFT_RIGHT_ARITHMETIC:
    case HLO_OP_SHIFT_RIGHT_LOGICAL:
    case HLO_OP_SIGN:
    case HLO_OP_SINE:
    case HLO_OP_SQRT:
    case HLO_OP_SUBTRACT:
    case HLO_OP_TAN:
    case HLO_OP_TANH:
    case HLO_OP_XOR:
    case HLO_OP_BITCAST_CONVERT: return true;
    default: return false;
    }
}

static bool is_move(enum hlo_opcode o)
{
    switch (o) {
    case HLO_OP_BROADCAST:
    case HLO_OP_RESHAPE:
    case HLO_OP_BITCAST:
    case HLO_OP_TRANSPOSE:
    case HLO_OP_SLICE:
    case HLO_OP_PAD:
    case HLO_OP_CONCATENATE:
    case HLO_OP_IOTA:
    case HLO_OP_REVERSE:
    case HLO_OP_COPY:
    case HLO_OP_DYNAMIC_SLICE: return true;
    default: return false;
    }
}

enum fusion_class fusion_class_of(enum hlo_opcode o)
{
    if (o == HLO_OP_PARAMETER || o == HLO_OP_CONSTANT)
        return FUSION_LEAF;
    if (o == HLO_OP_DOT || o == HLO_OP_CONVOLUTION)
        return FUSION_PRODUCT;
    if (o == HLO_OP_REDUCE)
        return FUSION_REDUCE;
    return is_map(o) ? FUSION_MAP : is_move(o) ? FUSION_MOVE : FUSION_OPAQUE;
}

bool fusion_class_is_dear(enum hlo_opcode o)
{
    return o == HLO_OP_COSINE || o == HLO_OP_SINE || o == HLO_OP_TAN;
}
