/* Products of numbers that XLA:TPU computes part by part, in a program that is not compiled, as the
 * kernels that the compiler makes of one.
 *
 *     c64        T = B0 (A0 + A1)      R0 = T - A1 (B1 + B0)      R1 = T + A0 (B1 - B0)
 *     f64        each operand is cut into eight slices in f32, four sums of two, and both in bf16;
 *                16 times: three products, whose sums are added to eight arrays; those are summed
 *     c128       three products of f64, whose operands and results are sums
 *
 * Parts that fit the memory of the chip stay there, those that most kernels touch first, as the
 * compiler places them; the others cross HBM, those of operands as often as their windows come by
 * (window.h).  Operations on an element are those of the fusions that jax 0.10.2 compiles
 * [xla-programs]. */
#include <string.h>

#include "base/arith.h"
#include "kernels/tpu/parts.h"
#include "kernels/tpu/window.h"

#define TIMES 16   /* three products and their sums */
#define F64 48     /* products of bf16 parts that one of f64 is */
#define ADD_F64 25 /* operations of a sum of two f64 */

/* Arrays that kernels pass on to each other. */
/* clang-format off */
enum part_array {
    A0, A1, B0, B1, T, R0, R1, /* c64: parts of operands and results, the first product */
    SLICES,                    /* f64: of one operand, in f32; */
    A_PIECES, A_SHORT, B_PIECES, B_SHORT, /* in bf16: sums of two, and all eight */
    SUM, P, Q,                 /* the eight sums; results of two products */
};
/* clang-format on */
#define N_ARRAYS (Q + 1)

struct parts {
    struct lowering *l;
    const struct stated *c;
    uint32_t row;
    uint64_t size[4];     /* b, m, k and n of one real product */
    uint64_t elements[3]; /* of A, B and C */
    bool on_chip[N_ARRAYS];
    uint64_t taken;     /* bytes of them */
    uint64_t workspace; /* bytes of HBM for the others */
};

/* --- where arrays lie ---------------------------------------------------------------------- */

/* Bytes of VMEM that arrays may take: what windows of kernels leave. */
static uint64_t count_free(const struct cap *cap)
{
    uint64_t window =
        cap->xla.window_memory < cap->vmem_bytes ? cap->xla.window_memory : cap->vmem_bytes;

    return (cap->vmem_bytes - window) * cap->halves;
}

struct placed {
    enum part_array array;
    uint64_t bytes;
};

/* Put arrays on the chip as long as there is room, in the order given. */
static void place_arrays(struct parts *p, const struct placed *list, uint32_t n)
{
    uint64_t vmem = count_free(p->c->cap), cmem = p->c->cap->cmem_bytes;

    p->taken = p->workspace = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bytes = list[i].bytes;
        bool in_vmem = bytes <= vmem, in_cmem = !in_vmem && bytes < cmem;
        p->on_chip[list[i].array] = in_vmem || in_cmem;
        vmem -= in_vmem ? bytes : 0;
        cmem -= in_cmem ? bytes : 0;
        p->taken += in_vmem ? bytes : 0;
        p->workspace += in_vmem || in_cmem ? 0 : bytes;
    }
}

static uint64_t bytes_of(const struct parts *p, enum part_array a, uint64_t bytes)
{
    return p->on_chip[a] ? 0 : bytes;
}

/* --- kernels ------------------------------------------------------------------------------- */

/* Operations on each of so many elements. */
struct effort {
    uint64_t elements, add, select, cast, divide, loads, stores;
};

static void add_effort(struct work *w, const struct effort *e, const struct cap *cap)
{
    uint64_t registers = arith_ceil_div(e->elements, cap->vector_elements);

    w->vpu[VECTOR_ADD] += registers * e->add;
    w->vpu[VECTOR_SELECT] += registers * e->select;
    w->vpu[VECTOR_CAST] += registers * e->cast;
    w->vpu[VECTOR_DIVIDE] += registers * e->divide;
    w->loads += registers * e->loads;
    w->stores += registers * e->stores;
}

static struct task *new_kernel(struct parts *p)
{
    struct task *t = lowering_task(p->l, TASK_KERNEL, p->row);

    t->workspace = p->workspace;
    t->retiled = (uint8_t)(1 + TASK_RETILED_UNSTATED);
    return t;
}

/* A kernel of the vector unit; bytes are those that cross HBM. */
static void add_stream(struct parts *p, uint64_t in, uint64_t out, const struct effort *e)
{
    struct work w = { .in.bytes = in, .out.bytes = out, .reserved = p->taken };

    add_effort(&w, e, p->c->cap);
    lower_tile(&new_kernel(p)->kernel, &w, p->c->cap);
}

/* A product: bytes of HBM of an element of A and B, operations on each on its way; arrays beside C
 * in and out. */
struct part {
    uint32_t a, b, element; /* bytes; element: as it is multiplied */
    struct effort on_a, on_b, on_c;
    uint64_t in, out, c_bytes;
};

/* Add what one operand moves, and its work; returns the bytes that come before the first grid step.
 */
static uint64_t bring_operand(struct work *w, const struct parts *p, const struct trace_compiled *k,
                              int f, const struct part *x)
{
    uint64_t bytes = p->elements[f] * (f == 0 ? x->a : x->b);
    uint64_t reads = window_reads(k, f, p->c->cap);
    struct effort e = f == 0 ? x->on_a : x->on_b;

    e.elements *= reads;
    add_effort(w, &e, p->c->cap);
    if (window_stays(k, f))
        return bytes;
    w->in.bytes += bytes * reads;
    return 0;
}

static int add_product(struct parts *p, const struct part *x, struct err *why)
{
    const struct cap *cap = p->c->cap;
    struct work w = { .in.bytes = x->in, .out.bytes = x->out };
    struct trace_compiled k = { .taps = 1,
                                .has_lanes = true,
                                .lanes = { TRACE_DIM_K, TRACE_DIM_N, TRACE_DIM_N } };
    struct window_operands o = { .element = { x->a ? x->a : x->element, x->b ? x->b : x->element,
                                              4 },
                                 .on_chip = { !x->a, !x->b, x->c_bytes == 0 },
                                 .taken = p->taken / cap->halves,
                                 .summed = true,
                                 .beside = x->in + x->out - x->c_bytes };

    memcpy(k.product, p->size, sizeof k.product);
    window_choose(&k, &o, cap);
    uint64_t held = bring_operand(&w, p, &k, 0, x) + bring_operand(&w, p, &k, 1, x);
    add_effort(&w, &x->on_c, cap);
    w.mode.more_passes = x->element == 4 ? lower_more_passes(p->c->op->op.precision) : 0;
    w.a_element = w.b_element = x->element;
    uint64_t flops = 2 * p->elements[2] * p->size[TRACE_DIM_K];
    struct task *t = new_kernel(p);
    if (stated_blocks(&t->kernel, &w, &k, flops, cap, why) != 0)
        return -1;
    t->kernel.resident_in = held;
    lower_expose_ends(&t->kernel, cap);
    t->kernel.windows = k.vmem * cap->halves + p->taken;
    return 0;
}

/* The tasks from `begin` on so many times in all. */
static void repeat_tasks(struct parts *p, uint32_t begin, uint32_t times)
{
    uint32_t end = p->l->p->n_tasks;

    for (uint32_t n = 1; n < times; n++)
        for (uint32_t i = begin; i < end; i++) {
            struct task t = p->l->p->task[i];
            *lowering_task(p->l, t.kind, p->row) = t;
        }
}

static void repeat_stream(struct parts *p, uint32_t times, uint64_t in, uint64_t out,
                          const struct effort *e)
{
    uint32_t begin = p->l->p->n_tasks;

    add_stream(p, in, out, e);
    repeat_tasks(p, begin, times);
}

/* --- c64 ----------------------------------------------------------------------------------- */

/* Parts of operands are copied out of them first, to the chip or to HBM. */
static void bring_parts(struct parts *p)
{
    static const enum part_array part[] = { A0, A1, B0, B1 };

    for (int i = 0; i < 4; i++) {
        uint64_t n = p->elements[i / 2];
        add_stream(p, 4 * n, bytes_of(p, part[i], 4 * n),
                   &(struct effort){ .elements = n, .loads = 2, .stores = 1 });
    }
}

/* Both parts of the result are put together in HBM. */
static void take_parts(struct parts *p)
{
    uint64_t n = p->elements[2];

    add_stream(p, bytes_of(p, R0, 4 * n) + bytes_of(p, R1, 4 * n), 8 * n,
               &(struct effort){ .elements = n, .loads = 2, .stores = 2 });
}

static int add_complex(struct parts *p, struct err *why)
{
    uint64_t a = 4 * p->elements[0], b = 4 * p->elements[1], c = 4 * p->elements[2];
    const struct placed list[] = { { B0, b }, { T, c },  { B1, b }, { A0, a },
                                   { A1, a }, { R0, c }, { R1, c } };

    place_arrays(p, list, sizeof list / sizeof *list);
    p->workspace = bytes_of(p, T, c);
    struct effort sum_a = { .elements = p->elements[0], .add = 1, .loads = 2 };
    struct effort sum_b = { .elements = p->elements[1], .add = 1, .loads = 2 };
    struct effort join = { .elements = p->elements[2], .add = 1, .loads = 1, .stores = 1 };
    uint32_t a0 = p->on_chip[A0] ? 0 : 4, a1 = p->on_chip[A1] ? 0 : 4;
    uint32_t b0 = p->on_chip[B0] ? 0 : 4, b1 = p->on_chip[B1] ? 0 : 4;
    uint64_t t = bytes_of(p, T, c), r0 = bytes_of(p, R0, c), r1 = bytes_of(p, R1, c);
    const struct part kernel[] = {
        { .a = a0 + a1,
          .b = b0,
          .element = 4,
          .on_a = sum_a,
          .on_c = { .elements = p->elements[2], .stores = 1 },
          .out = t,
          .c_bytes = t },
        { .a = a1,
          .b = b0 + b1,
          .element = 4,
          .on_b = sum_b,
          .on_c = join,
          .in = t,
          .out = r0,
          .c_bytes = r0 },
        { .a = a0,
          .b = b0 + b1,
          .element = 4,
          .on_b = sum_b,
          .on_c = join,
          .in = t,
          .out = r1,
          .c_bytes = r1 },
    };
    bring_parts(p);
    for (int i = 0; i < 3; i++)
        if (add_product(p, &kernel[i], why) != 0)
            return -1;
    take_parts(p);
    return 0;
}

/* --- f64 ----------------------------------------------------------------------------------- */

/* The slices of operand `f`: its low half is copied first. */
static void add_slices(struct parts *p, int f)
{
    uint64_t n = p->elements[f];
    enum part_array pieces = f == 0 ? A_PIECES : B_PIECES, shorts = f == 0 ? A_SHORT : B_SHORT;

    add_stream(p, 4 * n, 4 * n, &(struct effort){ .elements = n, .loads = 1, .stores = 1 });
    add_stream(p, 0, bytes_of(p, SLICES, 32 * n),
               &(struct effort){ .elements = 8 * n, .stores = 1 });
    repeat_stream(
        p, 8, 8 * n, bytes_of(p, SLICES, 4 * n),
        &(struct effort){
            .elements = n, .add = 60, .select = 15, .divide = 4, .loads = 3, .stores = 1 });
    repeat_stream(
        p, 4, bytes_of(p, SLICES, 8 * n), bytes_of(p, pieces, 2 * n) + bytes_of(p, SLICES, 4 * n),
        &(struct effort){ .elements = 2 * n, .add = 1, .select = 1, .loads = 1, .stores = 1 });
    add_stream(p, bytes_of(p, SLICES, 32 * n), bytes_of(p, shorts, 16 * n),
               &(struct effort){ .elements = 4 * n, .cast = 2, .loads = 2, .stores = 1 });
}

/* Three products, and the sums that they are added to. */
static int add_sums(struct parts *p, struct err *why)
{
    uint64_t n = p->elements[2], sum = bytes_of(p, SUM, 4 * n), one = bytes_of(p, P, 4 * n),
             two = bytes_of(p, Q, 4 * n);
    uint32_t a = p->on_chip[A_SHORT] ? 0 : 2, b = p->on_chip[B_SHORT] ? 0 : 2;
    const struct part kernel[] = {
        { .a = a,
          .b = b,
          .element = 2,
          .on_c = { .elements = n, .add = 1, .select = 1, .loads = 1, .stores = 2 },
          .in = sum,
          .out = sum + one,
          .c_bytes = one },
        { .a = a,
          .b = b,
          .element = 2,
          .on_c = { .elements = n, .stores = 1 },
          .out = two,
          .c_bytes = two },
        { .a = p->on_chip[A_PIECES] ? 0 : 2,
          .b = p->on_chip[B_PIECES] ? 0 : 2,
          .element = 2,
          .on_c = { .elements = n, .add = 4, .select = 1, .loads = 3, .stores = 1 },
          .in = sum + one + two,
          .out = sum,
          .c_bytes = sum },
    };
    uint32_t begin = p->l->p->n_tasks;

    for (int i = 0; i < 3; i++)
        if (add_product(p, &kernel[i], why) != 0)
            return -1;
    add_stream(p, sum + two, sum,
               &(struct effort){ .elements = n, .add = 2, .select = 1, .loads = 2, .stores = 1 });
    repeat_tasks(p, begin, TIMES);
    return 0;
}

/* The eight sums as the two halves of the result. */
static void add_halves(struct parts *p)
{
    uint64_t n = p->elements[2];

    for (int i = 0; i < 2; i++)
        add_stream(p, 0, bytes_of(p, R0, 32 * n),
                   &(struct effort){ .elements = 8 * n, .stores = 1 });
    repeat_stream(
        p, 8, bytes_of(p, SUM, 8 * n), bytes_of(p, R0, 8 * n),
        &(struct effort){ .elements = 2 * n, .add = 3, .select = 1, .loads = 1, .stores = 1 });
    add_stream(p, bytes_of(p, R0, 32 * n), bytes_of(p, R0, 20 * n),
               &(struct effort){ .elements = n, .add = 69, .select = 5, .loads = 8, .stores = 5 });
    add_stream(p, bytes_of(p, R0, 16 * n), bytes_of(p, R0, 4 * n),
               &(struct effort){ .elements = n, .add = 21, .select = 1, .loads = 4, .stores = 1 });
}

static int add_double(struct parts *p, struct err *why)
{
    uint64_t a = p->elements[0], b = p->elements[1], c = p->elements[2];
    const struct placed operands[] = { { A_SHORT, 16 * a },
                                       { B_SHORT, 16 * b },
                                       { A_PIECES, 8 * a },
                                       { B_PIECES, 8 * b },
                                       { SLICES, 32 * (a > b ? a : b) } };
    const struct placed products[] = { { Q, 4 * c },        { P, 4 * c },
                                       { A_SHORT, 16 * a }, { B_SHORT, 16 * b },
                                       { A_PIECES, 8 * a }, { B_PIECES, 8 * b },
                                       { SUM, 32 * c } };
    const struct placed results[] = { { SUM, 32 * c }, { R0, 64 * c } };

    place_arrays(p, operands, sizeof operands / sizeof *operands);
    add_slices(p, 0);
    add_slices(p, 1);
    place_arrays(p, products, sizeof products / sizeof *products);
    add_stream(p, 0, bytes_of(p, SUM, 32 * c), &(struct effort){ .elements = 8 * c, .stores = 1 });
    if (add_sums(p, why) != 0)
        return -1;
    place_arrays(p, results, sizeof results / sizeof *results);
    add_halves(p);
    return 0;
}

/* --- c128 ---------------------------------------------------------------------------------- */

/* Sums of two operands of f64: one of A, two of B, three of results. */
static void add_double_sums(struct parts *p)
{
    uint64_t n = p->elements[0] + 2 * p->elements[1] + 3 * p->elements[2];

    p->taken = p->workspace = 0;
    add_stream(p, 16 * n, 8 * n,
               &(struct effort){ .elements = n, .add = ADD_F64, .loads = 4, .stores = 2 });
}

static int add_double_complex(struct parts *p, struct err *why)
{
    add_double_sums(p);
    uint32_t begin = p->l->p->n_tasks;
    if (add_double(p, why) != 0)
        return -1;
    repeat_tasks(p, begin, 3);
    return 0;
}

/* --- which products ------------------------------------------------------------------------- */

static enum trace_dtype dtype_of(const struct stated *c, uint32_t value)
{
    return c->step->value[value].shape.dtype;
}

static uint64_t count_products(enum trace_dtype d)
{
    switch (d) {
    case TRACE_C64: return 3;
    case TRACE_F64: return F64;
    case TRACE_C128: return 3 * F64;
    default: return 0;
    }
}

bool parts_has(const struct stated *c)
{
    const struct trace_compiled *k = c->kernel;
    const struct step_op *op = c->op;

    if (c->cap->kind != CHIP_TPU || !c->cap->xla.window_memory || !trace_has_product(k) ||
        k->counts[TRACE_DIM_B] || k->has_lanes || k->taps > 1 || op->n_in != 2 || op->n_out != 1)
        return false;
    enum trace_dtype d = dtype_of(c, step_result(c->step, op, 0));
    uint64_t n = count_products(d), all = 1;
    for (uint32_t i = 0; i < 2; i++)
        if (dtype_of(c, step_operand(c->step, op, i)) != d)
            return false;
    for (int i = 0; i < TRACE_N_DIMS; i++)
        if (__builtin_mul_overflow(all, k->product[i], &all) || all > LOWER_MAX_MACS / 64)
            return false;
    return n && k->product[TRACE_DIM_B] % n == 0;
}

int parts_lower(struct lowering *l, const struct stated *c, uint32_t row, struct err *why)
{
    struct parts p = { .l = l, .c = c, .row = row };
    enum trace_dtype d = dtype_of(c, step_result(c->step, c->op, 0));

    memcpy(p.size, c->kernel->product, sizeof p.size);
    p.size[TRACE_DIM_B] /= count_products(d);
    uint64_t b = p.size[TRACE_DIM_B], m = p.size[TRACE_DIM_M], k = p.size[TRACE_DIM_K],
             n = p.size[TRACE_DIM_N];
    p.elements[0] = b * m * k;
    p.elements[1] = b * k * n;
    p.elements[2] = b * m * n;
    l->p->notes.retiled[TASK_RETILED_UNSTATED]++;
    return d == TRACE_C64   ? add_complex(&p, why)
           : d == TRACE_F64 ? add_double(&p, why)
                            : add_double_complex(&p, why);
}
