/* hlo_check.c - numbers of operands, parts and parameters that fit, so that whoever reads a module
 * may ask for operand 1 of an `add`.  Shapes are taken as they are written. */
#include "hlo/hlo_parser.h"

#define ANY 255

static const struct rule {
    uint8_t opcode, least, most, called; /* operands; computations at least */
} rules[] = {
    { HLO_OP_ADD, 2, 2, 0 },
    { HLO_OP_ADD_DEPENDENCY, 2, 2, 0 },
    { HLO_OP_ALL_GATHER, 1, ANY, 0 },
    { HLO_OP_ALL_GATHER_START, 1, ANY, 0 },
    { HLO_OP_ALL_GATHER_DONE, 1, 1, 0 },
    { HLO_OP_ALL_REDUCE_DONE, 1, 1, 0 },
    { HLO_OP_AND, 2, 2, 0 },
    { HLO_OP_ATAN2, 2, 2, 0 },
    { HLO_OP_ASYNC_START, 0, ANY, 1 },
    { HLO_OP_ASYNC_UPDATE, 1, ANY, 0 },
    { HLO_OP_ASYNC_DONE, 1, 1, 0 },
    { HLO_OP_BATCH_NORM_GRAD, 5, 5, 0 },
    { HLO_OP_BATCH_NORM_INFERENCE, 5, 5, 0 },
    { HLO_OP_BATCH_NORM_TRAINING, 3, 3, 0 },
    { HLO_OP_CALL, 0, ANY, 1 },
    { HLO_OP_CALL_START, 0, ANY, 1 },
    { HLO_OP_CALL_DONE, 1, 1, 0 },
    { HLO_OP_CLAMP, 3, 3, 0 },
    { HLO_OP_COLLECTIVE_PERMUTE, 1, ANY, 0 },
    { HLO_OP_COLLECTIVE_PERMUTE_START, 1, ANY, 0 },
    { HLO_OP_COLLECTIVE_PERMUTE_DONE, 1, 1, 0 },
    { HLO_OP_COMPARE, 2, 2, 0 },
    { HLO_OP_COMPLEX, 2, 2, 0 },
    { HLO_OP_CONCATENATE, 1, ANY, 0 },
    { HLO_OP_CONDITIONAL, 2, ANY, 1 },
    { HLO_OP_CONVOLUTION, 2, 2, 0 },
    { HLO_OP_DIVIDE, 2, 2, 0 },
    { HLO_OP_DOT, 2, 4, 0 },
    { HLO_OP_DYNAMIC_RESHAPE, 1, ANY, 0 },
    { HLO_OP_DYNAMIC_SLICE, 1, ANY, 0 },
    { HLO_OP_DYNAMIC_UPDATE_SLICE, 2, ANY, 0 },
    { HLO_OP_FUSION, 0, ANY, 1 },
    { HLO_OP_GATHER, 2, 2, 0 },
    { HLO_OP_INFEED, 0, 1, 0 },
    { HLO_OP_MAP, 0, ANY, 1 },
    { HLO_OP_MAXIMUM, 2, 2, 0 },
    { HLO_OP_MINIMUM, 2, 2, 0 },
    { HLO_OP_MULTIPLY, 2, 2, 0 },
    { HLO_OP_OR, 2, 2, 0 },
    { HLO_OP_OUTFEED, 1, 2, 0 },
    { HLO_OP_PAD, 2, 2, 0 },
    { HLO_OP_POWER, 2, 2, 0 },
    { HLO_OP_RAGGED_DOT, 3, 3, 0 },
    { HLO_OP_REDUCE, 2, ANY, 1 },
    { HLO_OP_REDUCE_WINDOW, 2, ANY, 1 },
    { HLO_OP_REMAINDER, 2, 2, 0 },
    { HLO_OP_RNG, 0, ANY, 0 },
    { HLO_OP_SCALED_DOT, 2, 4, 0 },
    { HLO_OP_SCATTER, 3, ANY, 1 },
    { HLO_OP_SELECT, 3, 3, 0 },
    { HLO_OP_SELECT_AND_SCATTER, 3, 3, 2 },
    { HLO_OP_SEND, 1, ANY, 0 },
    { HLO_OP_SET_DIMENSION_SIZE, 2, 2, 0 },
    { HLO_OP_SHIFT_LEFT, 2, 2, 0 },
    { HLO_OP_SHIFT_RIGHT_ARITHMETIC, 2, 2, 0 },
    { HLO_OP_SHIFT_RIGHT_LOGICAL, 2, 2, 0 },
    { HLO_OP_SLICE_START, 1, ANY, 0 },
    { HLO_OP_SLICE_DONE, 1, 1, 0 },
    { HLO_OP_SORT, 1, ANY, 1 },
    { HLO_OP_STOCHASTIC_CONVERT, 2, 2, 0 },
    { HLO_OP_SUBTRACT, 2, 2, 0 },
    { HLO_OP_TRIANGULAR_SOLVE, 2, 2, 0 },
    { HLO_OP_WHILE, 1, 1, 2 },
    { HLO_OP_XOR, 2, 2, 0 },
    { HLO_OP_UPDATE, 1, ANY, 0 },
    { HLO_OP_DONE, 1, 1, 0 },
};

/* Opcodes of one operand. */
static const uint8_t unary[] = {
    HLO_OP_ABS,
    HLO_OP_ASIN,
    HLO_OP_ASINH,
    HLO_OP_ACOS,
    HLO_OP_ACOSH,
    HLO_OP_ATANH,
    HLO_OP_BITCAST,
    HLO_OP_BITCAST_CONVERT,
    HLO_OP_BROADCAST,
    HLO_OP_CBRT,
    HLO_OP_CEIL,
    HLO_OP_CHOLESKY,
    HLO_OP_CONVERT,
    HLO_OP_COPY,
    HLO_OP_COPY_START,
    HLO_OP_COPY_DONE,
    HLO_OP_COSINE,
    HLO_OP_COSH,
    HLO_OP_COUNT_LEADING_ZEROS,
    HLO_OP_DOMAIN,
    HLO_OP_ERF,
    HLO_OP_EXP,
    HLO_OP_EXPM1,
    HLO_OP_FFT,
    HLO_OP_FLOOR,
    HLO_OP_GET_DIMENSION_SIZE,
    HLO_OP_GET_TUPLE_ELEMENT,
    HLO_OP_IMAG,
    HLO_OP_IS_FINITE,
    HLO_OP_LOG,
    HLO_OP_LOG1P,
    HLO_OP_LOGISTIC,
    HLO_OP_NEGATE,
    HLO_OP_NOT,
    HLO_OP_POPCNT,
    HLO_OP_REAL,
    HLO_OP_RECV,
    HLO_OP_RECV_DONE,
    HLO_OP_REDUCE_PRECISION,
    HLO_OP_RESHAPE,
    HLO_OP_REVERSE,
    HLO_OP_RNG_BIT_GENERATOR,
    HLO_OP_ROUND_NEAREST_AFZ,
    HLO_OP_ROUND_NEAREST_EVEN,
    HLO_OP_RSQRT,
    HLO_OP_SEND_DONE,
    HLO_OP_SIGN,
    HLO_OP_SINE,
    HLO_OP_SINH,
    HLO_OP_SLICE,
    HLO_OP_SQRT,
    HLO_OP_TAN,
    HLO_OP_TANH,
    HLO_OP_TOPK,
    HLO_OP_TRANSPOSE,
};

static void make_table(struct rule table[HLO_N_OPCODES])
{
    for (unsigned op = 0; op < HLO_N_OPCODES; op++)
        table[op] = (struct rule){ (uint8_t)op, 0, ANY, 0 };
    for (unsigned k = 0; k < sizeof unary; k++)
        table[unary[k]] = (struct rule){ unary[k], 1, 1, 0 };
    for (unsigned k = 0; k < sizeof rules / sizeof *rules; k++)
        table[rules[k].opcode] = rules[k];
}

static int check_counts(struct hlo_parser *p, const struct hlo_instruction *i, struct rule r)
{
    int size = i->opcode_text.size > 60 ? 60 : (int)i->opcode_text.size;
    const char *name = i->opcode_text.at;

    if (i->n_operands < r.least)
        return hlo_error(p->m, i, p->lex.err, "%.*s of %u operands, expected %u%s", size, name,
                         i->n_operands, r.least, r.least == r.most ? "" : " or more");
    if (r.most != ANY && i->n_operands > r.most)
        return hlo_error(p->m, i, p->lex.err, "%.*s of %u operands, expected %u%s", size, name,
                         i->n_operands, r.most, r.least == r.most ? "" : " or less");
    if (i->n_called < r.called)
        return hlo_error(p->m, i, p->lex.err, "%.*s calls %u computations, expected %u", size, name,
                         i->n_called, r.called);
    return 0;
}

/* `given` operands go to the parameters of computation `n` that `i` calls. */
static int check_parameters(struct hlo_parser *p, const struct hlo_instruction *i, uint32_t n,
                            uint32_t given)
{
    const struct hlo_computation *c = hlo_called(p->m, i, n);

    if (c->n_parameters == given)
        return 0;
    return hlo_error(p->m, i, p->lex.err, "%u operands for '%.*s', which has %u parameters", given,
                     c->name.size > 80 ? 80 : (int)c->name.size, c->name.at, c->n_parameters);
}

static int check_tuple(struct hlo_parser *p, const struct hlo_instruction *i)
{
    const struct hlo_shape *s = i->shape;

    if (i->opcode == HLO_OP_TUPLE && s->n_parts != i->n_operands)
        return hlo_error(p->m, i, p->lex.err, "a tuple of %u operands with a shape of %u parts",
                         i->n_operands, s->n_parts);
    if (i->opcode != HLO_OP_GET_TUPLE_ELEMENT)
        return 0;
    s = hlo_operand(p->m, i, 0)->shape;
    if (s->dtype != HLO_TUPLE || i->number >= s->n_parts)
        return hlo_error(p->m, i, p->lex.err, "part %u of an operand of %u parts",
                         (unsigned)i->number, s->n_parts);
    return 0;
}

static int check_called(struct hlo_parser *p, const struct hlo_instruction *i)
{
    switch (i->opcode) {
    case HLO_OP_CALL:
    case HLO_OP_FUSION:
    case HLO_OP_MAP: return check_parameters(p, i, 0, i->n_operands);
    case HLO_OP_WHILE: return check_parameters(p, i, 0, 1) || check_parameters(p, i, 1, 1) ? -1 : 0;
    case HLO_OP_CONDITIONAL:
        if (i->n_called != i->n_operands - 1)
            return hlo_error(p->m, i, p->lex.err, "a conditional of %u operands and %u branches",
                             i->n_operands, i->n_called);
        for (uint32_t n = 0; n < i->n_called; n++)
            if (check_parameters(p, i, n, 1) != 0)
                return -1;
        return 0;
    default: return 0;
    }
}

int hlo_parser_check(struct hlo_parser *p)
{
    struct rule table[HLO_N_OPCODES];

    make_table(table);
    for (uint32_t n = 0; n < p->m->n_instructions; n++) {
        const struct hlo_instruction *i = &p->m->instruction[n];
        if (check_counts(p, i, table[i->opcode]) != 0 || check_tuple(p, i) != 0 ||
            check_called(p, i) != 0)
            return -1;
    }
    return 0;
}
