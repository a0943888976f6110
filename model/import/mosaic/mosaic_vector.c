/* mosaic_vector.c - vector operations of a kernel in Mosaic: their class, and registers that
 * differ.
 *
 *     math.exp, log          add 3: a multiplication, the unit for functions, its result
 *     math.exp2, tanh, rsqrt add 2: the unit for functions, its result; powf add 5, two of them
 *     math.sin, cos, tan     sine 1
 *     other math.X           exp 1
 *     arith.divf             divide 1
 *     arith.extf, truncf     add 1 on the result: registers are unpacked or packed
 *     arith.sitofp, ...      cast 1
 *     arith.select           select 1
 *     other arith.X          add 1 */
#include <string.h>

#include "import/mosaic/mosaic.h"

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

uint64_t mosaic_vector_registers(const struct mlir_type *t, bool native16, uint8_t vary)
{
    uint64_t n = t->elements, rows = native16 && t->bits == 16 ? 16 : 8;

    if (t->rank == 0 || n == 0)
        return 0;
    uint64_t lanes = (uint64_t)t->dim[t->rank - 1];
    uint64_t sublanes = t->rank >= 2 ? (uint64_t)t->dim[t->rank - 2] : 1;
    if (n / lanes < sublanes)
        return 0;
    uint64_t others = vary & MOSAIC_VARY_OTHERS ? n / lanes / sublanes : 1;
    lanes = vary & MOSAIC_VARY_LANES ? round_up(lanes, 128) : 128;
    sublanes = vary & MOSAIC_VARY_SUBLANES ? round_up(sublanes, rows) : rows;
    return mosaic_multiply(others, mosaic_multiply(lanes, sublanes)) / (rows / 8);
}

static uint8_t vary_of_dim(const struct mlir_type *t, int64_t d)
{
    return d == (int64_t)t->rank - 1   ? MOSAIC_VARY_LANES
           : d == (int64_t)t->rank - 2 ? MOSAIC_VARY_SUBLANES
                                       : MOSAIC_VARY_OTHERS;
}

/* Dimensions of a broadcast: those that its operand has. */
static uint8_t vary_broadcast(const struct mlir_type *to, const struct mlir_type *from,
                              uint8_t operand)
{
    uint8_t vary = 0;

    for (uint32_t k = 1; k <= from->rank && k <= to->rank; k++)
        if (from->dim[from->rank - k] != 1)
            vary |= vary_of_dim(to, (int64_t)to->rank - k);
    return vary & operand;
}

uint8_t mosaic_vector_vary(const struct mlir_module *m, const struct mlir_op *o,
                           const uint8_t *vary)
{
    const struct mlir_type *t = mlir_result_type(m, o, 0);
    const struct mlir_attribute *a = mlir_attribute(m, o, "dimensions");
    uint8_t all = 0;
    int64_t d;

    for (uint32_t k = 0; k < o->operands; k++)
        all |= vary[m->ref[o->first_operand + k]];
    if (mlir_is(o->name, "tpu.iota")) {
        a = a ? a : mlir_attribute(m, o, "dimension");
        for (uint32_t k = 0; mlir_number(m, a, k, &d); k++)
            all |= vary_of_dim(t, d);
        return all ? all : MOSAIC_VARY_ALL;
    }
    if (mlir_is(o->name, "arith.constant")) {
        a = mlir_attribute(m, o, "value");
        return t->kind == MLIR_VECTOR && a && a->form == MLIR_NUMBERS && a->n > 1 ? MOSAIC_VARY_ALL
                                                                                  : 0;
    }
    if (mlir_is(o->name, "vector.broadcast"))
        return vary_broadcast(t, mlir_operand_type(m, o, 0), all);
    if (mlir_starts(o->name, "arith.") || mlir_starts(o->name, "math."))
        return all;
    return t->kind == MLIR_VECTOR && (all || !mlir_is(o->name, "vector.shape_cast"))
               ? MOSAIC_VARY_ALL
               : 0;
}

bool mosaic_vector_class(struct mlir_text name, enum mosaic_class *class, uint32_t *slots)
{
    static const struct {
        const char *name;
        enum mosaic_class class;
        uint32_t slots;
    } rules[] = {
        { "arith.constant", MOSAIC_ADD, 0 }, { "arith.index_cast", MOSAIC_ADD, 0 },
        { "arith.bitcast", MOSAIC_ADD, 0 },  { "arith.extf", MOSAIC_ADD, 1 },
        { "arith.truncf", MOSAIC_ADD, 1 },   { "arith.sitofp", MOSAIC_CAST, 1 },
        { "arith.uitofp", MOSAIC_CAST, 1 },  { "arith.fptosi", MOSAIC_CAST, 1 },
        { "arith.fptoui", MOSAIC_CAST, 1 },  { "arith.extsi", MOSAIC_CAST, 1 },
        { "arith.extui", MOSAIC_CAST, 1 },   { "arith.trunci", MOSAIC_CAST, 1 },
        { "arith.divf", MOSAIC_DIVIDE, 1 },  { "arith.select", MOSAIC_SELECT, 1 },
        { "math.exp", MOSAIC_ADD, 3 },       { "math.log", MOSAIC_ADD, 3 },
        { "math.exp2", MOSAIC_ADD, 2 },      { "math.log2", MOSAIC_ADD, 2 },
        { "math.tanh", MOSAIC_ADD, 2 },      { "math.rsqrt", MOSAIC_ADD, 2 },
        { "math.powf", MOSAIC_ADD, 5 },      { "math.sin", MOSAIC_SINE, 1 },
        { "math.cos", MOSAIC_SINE, 1 },      { "math.tan", MOSAIC_SINE, 1 },
        { "math.absf", MOSAIC_ADD, 1 },      { "math.absi", MOSAIC_ADD, 1 },
        { "math.floor", MOSAIC_ADD, 1 },     { "math.ceil", MOSAIC_ADD, 1 },
        { "math.round", MOSAIC_ADD, 1 },     { "math.roundeven", MOSAIC_ADD, 1 },
        { "math.copysign", MOSAIC_ADD, 1 },  { "math.fma", MOSAIC_ADD, 1 },
        { "tpu.reciprocal", MOSAIC_ADD, 2 }, { "tpu.sitofp", MOSAIC_CAST, 1 },
        { "tpu.fptosi", MOSAIC_CAST, 1 },    { "tpu.extf", MOSAIC_ADD, 1 },
        { "tpu.truncf", MOSAIC_ADD, 1 },     { "tpu.stochastic_convert", MOSAIC_CAST, 1 },
    };

    *slots = 1;
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (mlir_is(name, rules[k].name)) {
            *class = rules[k].class;
            *slots = rules[k].slots;
            return *slots > 0;
        }
    *class = mlir_starts(name, "math.") ? MOSAIC_EXP : MOSAIC_ADD;
    return mlir_starts(name, "math.") || mlir_starts(name, "arith.");
}
