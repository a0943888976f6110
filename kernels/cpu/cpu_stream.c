/* Operations of a CPU without a product.
 *
 *     cycles    of an element, by class, as TensorFlow's operations take on one thread with
 *               registers of 256 bits, which its build uses for them [tensorflow-cpu]
 *     passes    as many as the operation of the trace stands for, each over its longest value; 1
 *               where the framework fuses
 *     kernels   at least what they state of arithmetic, at the rate of products: a decomposition
 *               does far more than its bytes tell */
#include "base/arith.h"
#include "base/units.h"
#include "kernels/common/move.h"
#include "kernels/common/vector.h"
#include "kernels/cpu/cpu_work.h"

enum stream_kind {
    ARITHMETIC,
    FUNCTION,
    BROADCAST,
    SUM_ROWS,
    SUM_COLUMNS,
    TRANSPOSE,
    GATHER,
    SCATTER,
    N_STREAM_KINDS
};

/* Cycles of an element, parts per 1e9. */
static uint64_t cycles_of(enum stream_kind kind, const struct elements_params *e)
{
    const uint64_t cycles[N_STREAM_KINDS] = {
        [ARITHMETIC] = e->arithmetic, [FUNCTION] = e->function,       [BROADCAST] = e->broadcast,
        [SUM_ROWS] = e->sum_rows,     [SUM_COLUMNS] = e->sum_columns, [TRANSPOSE] = e->transpose,
        [GATHER] = e->gather,         [SCATTER] = e->scatter,
    };

    return cycles[kind];
}

/* Bytes that a kernel states of a value of `whole` bytes, or those of the rows that it picks. */
static uint64_t stated_bytes(const struct trace_op *o, uint64_t stated, uint64_t whole)
{
    u128 rows = stated ? 0 : (u128)o->rows * o->compiled->row_bytes;
    u128 bytes = rows ? rows : stated;

    return bytes < whole ? (uint64_t)bytes : whole;
}

uint64_t cpu_operand_bytes(const struct step *step, const struct step_op *op, uint32_t i)
{
    uint64_t whole = step_bytes(step, step_operand(step, op, i));

    return !op->op.compiled || i >= op->n_in
               ? whole
               : stated_bytes(&op->op, op->op.compiled->fetch[i], whole);
}

uint64_t cpu_result_bytes(const struct step *step, const struct step_op *op, uint32_t i)
{
    uint64_t whole = step_bytes(step, step_result(step, op, i));

    return op->op.compiled ? stated_bytes(&op->op, op->op.compiled->store[i], whole) : whole;
}

/* Elements of the longest value, or of the longest part that is moved. */
static uint64_t longest_value(const struct step *step, const struct step_op *op)
{
    uint64_t most = 1;

    for (uint32_t i = 0; i < op->n_in + op->n_out; i++) {
        bool reads = i < op->n_in;
        uint32_t k = reads ? i : i - op->n_in, ref = (reads ? op->first_in : op->first_out) + k;
        uint64_t whole = step_bytes(step, step->ref[ref]), n = vector_elements(step, ref, 1);
        uint64_t part = reads ? cpu_operand_bytes(step, op, k) : cpu_result_bytes(step, op, k);
        if (part < whole)
            n = (uint64_t)((u128)n * part / whole);
        most = n > most ? n : most;
    }
    return most;
}

/* True if an operand has more than one element, and fewer than the longest value. */
static bool is_spread(const struct step *step, const struct step_op *op, uint64_t n)
{
    for (uint32_t i = 0; i < op->n_in; i++) {
        uint64_t x = vector_elements(step, op->first_in + i, 1);
        if (x > 1 && x < n)
            return true;
    }
    return false;
}

/* True if the last dimension of the operand is summed over, whose elements lie side by side. */
static bool is_sum_of_rows(const struct step *step, const struct step_op *op)
{
    const struct trace_shape *x = &step->value[step->ref[op->first_in]].shape;
    const struct trace_shape *y = &step->value[step->ref[op->first_out]].shape;

    if (!x->rank || !y->rank)
        return true;
    return op->op.over ? op->op.over >> (x->rank - 1) & 1
                       : y->dim[y->rank - 1] != x->dim[x->rank - 1];
}

/* The kind of a kernel that no compiler has cut, which runs all that it fuses in one pass. */
static enum stream_kind kind_of_kernel(const struct trace_compiled *k)
{
    bool functions = k->vector[TRACE_VECTOR_EXP] || k->vector[TRACE_VECTOR_SINE];

    switch (k->form) {
    case TRACE_FORM_GATHER: return GATHER;
    case TRACE_FORM_SCATTER: return SCATTER;
    case TRACE_FORM_COPY: return k->pattern == TRACE_PATTERN_TRANSPOSED ? TRANSPOSE : ARITHMETIC;
    default: break;
    }
    return functions                               ? FUNCTION
           : k->pattern == TRACE_PATTERN_COLUMNS   ? SUM_COLUMNS
           : k->pattern == TRACE_PATTERN_REDUCTION ? SUM_ROWS
                                                   : ARITHMETIC;
}

static enum stream_kind kind_of(const struct step *step, const struct step_op *op, uint64_t n)
{
    if (op->op.compiled)
        return kind_of_kernel(op->op.compiled);
    switch (trace_kinds[op->op.kind].cpu) {
    case TRACE_CPU_SUM: return is_sum_of_rows(step, op) ? SUM_ROWS : SUM_COLUMNS;
    case TRACE_CPU_COLUMNS: return SUM_COLUMNS;
    case TRACE_CPU_GATHER: return GATHER;
    case TRACE_CPU_SCATTER: return SCATTER;
    case TRACE_CPU_MOVE: return move_of(step, op) == MOVE_TRANSPOSED ? TRANSPOSE : ARITHMETIC;
    case TRACE_CPU_ELEMENTS:
        return op->op.fn != TRACE_FN_ADD ? FUNCTION
               : is_spread(step, op, n)  ? BROADCAST
                                         : ARITHMETIC;
    case TRACE_CPU_NONE:
    case TRACE_CPU_PRODUCT:
    case TRACE_CPU_SORT: /* besides, it compares */
    case TRACE_CPU_PLAIN: break;
    }
    return ARITHMETIC;
}

/* Every pass but the last leaves its result for the next, which is the longest value: it is written
 * and read again, in the memory of the one before.  An einsum leaves it in memory of its own. */
static void add_passes(struct cpu_work *w, const struct trace_op *o, uint64_t bytes,
                       const struct cap_cpu *cpu)
{
    uint64_t again = o->passes > 1 && !cpu->fused ? (o->passes - 1) * bytes : 0;
    uint64_t einsums = o->einsums < o->passes ? o->einsums : o->passes - 1;

    w->bytes += 2 * again;
    if (bytes <= cpu->l3_bytes)
        return;
    w->read += again;
    w->written += again;
    if (again && cpu->fresh_bytes && bytes > cpu->fresh_bytes)
        w->fresh += einsums * bytes;
}

/* A thread sorts whole rows, with log2(keys) comparisons of each key. */
static void add_sorts(struct cpu_work *w, const struct trace_op *o, const struct cap_cpu *cpu)
{
    u128 cycles = (u128)o->cols * arith_ceil_log2(o->cols) * cpu->elements.compare;

    w->units += o->rows;
    w->unit += cycles * PPB_PER_ONE / cpu->stream;
}

/* Elements of a row of a gather or scatter. */
static uint64_t columns_of(const struct step_op *op, uint32_t element)
{
    return op->op.compiled ? arith_ceil_div(op->op.compiled->row_bytes, element) : op->op.cols;
}

static bool is_sort(const struct trace_op *o)
{
    return o->compiled
               ? o->compiled->form == TRACE_FORM_SORT || o->compiled->form == TRACE_FORM_TOP_K
               : trace_kinds[o->kind].cpu == TRACE_CPU_SORT;
}

/* Cycles of the arithmetic that a kernel states, at the most that cores do. */
static u128 stated_cycles(const struct trace_op *o, const struct cap_cpu *cpu)
{
    u128 sum = 0;

    for (int i = 0; o->compiled && i < TRACE_N_VECTORS; i++)
        sum += o->compiled->vector[i];
    return sum / cpu->macs;
}

void cpu_stream(struct cpu_work *w, const struct step *step, const struct step_op *op,
                const struct cap_cpu *cpu)
{
    uint64_t n = longest_value(step, op), passes = cpu->fused ? 1 : op->op.passes;
    enum stream_kind kind = kind_of(step, op, n);
    uint64_t each = cycles_of(kind, &cpu->elements);
    uint32_t element =
        op->n_out ? trace_dtype_bytes[step->value[step_result(step, op, 0)].stored] : 4;
    u128 all = (u128)n * each + (u128)n * (passes - 1) * cpu->elements.arithmetic;

    if (kind == GATHER || kind == SCATTER)
        all = (u128)op->op.rows * columns_of(op, element) * each;
    /* they are whole before they become those of the clock of products */
    u128 cycles = all / PPB_PER_ONE * PPB_PER_ONE / cpu->stream;
    u128 stated = stated_cycles(&op->op, cpu);
    cycles = stated > cycles ? stated : cycles;
    if (is_sort(&op->op))
        add_sorts(w, &op->op, cpu);
    else if (kind == SCATTER)
        w->serial += cycles; /* the framework adds rows one after the other */
    else
        w->cycles += cycles;
    w->passes = w->passes > passes ? w->passes : passes;
    add_passes(w, &op->op, n * element, cpu);
}
