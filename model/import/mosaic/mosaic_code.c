/* mosaic_code.c - operations on integers of a kernel in Mosaic. */
#include "import/mosaic/mosaic.h"

static const struct {
    const char *name;
    enum mosaic_code code;
} codes[] = {
    { "arith.constant", MOSAIC_OP_CONSTANT },
    { "arith.index_cast", MOSAIC_OP_CAST },
    { "arith.extsi", MOSAIC_OP_CAST },
    { "arith.trunci", MOSAIC_OP_CAST },
    { "arith.extui", MOSAIC_OP_CAST_UNSIGNED },
    { "arith.index_castui", MOSAIC_OP_CAST_UNSIGNED },
    { "arith.addi", MOSAIC_OP_ADD },
    { "arith.subi", MOSAIC_OP_SUB },
    { "arith.muli", MOSAIC_OP_MUL },
    { "arith.divsi", MOSAIC_OP_DIV },
    { "arith.divui", MOSAIC_OP_DIV },
    { "arith.floordivsi", MOSAIC_OP_DIV_FLOOR },
    { "arith.ceildivsi", MOSAIC_OP_DIV_CEIL },
    { "arith.ceildivui", MOSAIC_OP_DIV_CEIL },
    { "arith.remsi", MOSAIC_OP_REM },
    { "arith.remui", MOSAIC_OP_REM },
    { "arith.andi", MOSAIC_OP_AND },
    { "arith.ori", MOSAIC_OP_OR },
    { "arith.xori", MOSAIC_OP_XOR },
    { "arith.maxsi", MOSAIC_OP_MAX },
    { "arith.minsi", MOSAIC_OP_MIN },
    { "arith.maxui", MOSAIC_OP_MAX },
    { "arith.minui", MOSAIC_OP_MIN },
    { "arith.cmpi", MOSAIC_OP_COMPARE },
    { "arith.select", MOSAIC_OP_SELECT },
    { "arith.shli", MOSAIC_OP_SHIFT_LEFT },
    { "arith.shrsi", MOSAIC_OP_SHIFT_RIGHT },
    { "arith.shrui", MOSAIC_OP_SHIFT_RIGHT },
    { "memref.load", MOSAIC_OP_LOAD },
    { "scf.if", MOSAIC_OP_IF },
    { "scf.for", MOSAIC_OP_FOR },
    { "scf.while", MOSAIC_OP_WHILE },
    { "scf.yield", MOSAIC_OP_YIELD },
    { "func.return", MOSAIC_OP_YIELD },
    { "tpu.yield", MOSAIC_OP_YIELD },
    { "tpu.matmul", MOSAIC_OP_PRODUCT },
    { "tpu.assume_multiple", MOSAIC_OP_CAST },
    { "vector.contract", MOSAIC_OP_PRODUCT },
};

enum mosaic_code mosaic_code_of(struct mlir_text name)
{
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
        if (mlir_is(name, codes[k].name))
            return codes[k].code;
    return MOSAIC_OP_OTHER;
}

static int64_t divide_floor(int64_t a, int64_t b)
{
    int64_t q = a / b;

    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

bool mosaic_code_compare(int64_t predicate, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;

    switch (predicate) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a < b;
    case 3: return a <= b;
    case 4: return a > b;
    case 5: return a >= b;
    case 6: return x < y;
    case 7: return x <= y;
    case 8: return x > y;
    default: return x >= y;
    }
}

/* Wraps around as the core does. */
bool mosaic_code_compute(enum mosaic_code c, int64_t a, int64_t b, int64_t *out)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    bool divides = c == MOSAIC_OP_DIV || c == MOSAIC_OP_DIV_FLOOR || c == MOSAIC_OP_DIV_CEIL ||
                   c == MOSAIC_OP_REM;

    if (divides && (b == 0 || (b == -1 && a == INT64_MIN)))
        return false;
    if ((c == MOSAIC_OP_SHIFT_LEFT || c == MOSAIC_OP_SHIFT_RIGHT) && y > 63)
        return false;
    switch (c) {
    case MOSAIC_OP_ADD: *out = (int64_t)(x + y); return true;
    case MOSAIC_OP_SUB: *out = (int64_t)(x - y); return true;
    case MOSAIC_OP_MUL: *out = (int64_t)(x * y); return true;
    case MOSAIC_OP_DIV: *out = a / b; return true;
    case MOSAIC_OP_DIV_FLOOR: *out = divide_floor(a, b); return true;
    case MOSAIC_OP_DIV_CEIL:
        *out = (int64_t)(0 - (uint64_t)divide_floor((int64_t)(0 - x), b));
        return true;
    case MOSAIC_OP_REM: *out = a % b; return true;
    case MOSAIC_OP_AND: *out = a & b; return true;
    case MOSAIC_OP_OR: *out = a | b; return true;
    case MOSAIC_OP_XOR: *out = a ^ b; return true;
    case MOSAIC_OP_MAX: *out = a > b ? a : b; return true;
    case MOSAIC_OP_MIN: *out = a < b ? a : b; return true;
    case MOSAIC_OP_SHIFT_LEFT: *out = (int64_t)(x << y); return true;
    case MOSAIC_OP_SHIFT_RIGHT: *out = a >> y; return true;
    default: return false;
    }
}
