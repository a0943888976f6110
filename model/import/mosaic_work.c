/* mosaic_work.c - products, vector work and transfers of a kernel in Mosaic, all steps of its grid.
 *
 *     tpu.matmul             a product, by its dimension numbers; without them k = sqrt(|A| |B| /
 *                            |C|)
 *     math.exp, log          add 3: a multiplication, the unit for functions, its result
 *     math.exp2, tanh, rsqrt add 2: the unit for functions, its result; powf add 5, two of them
 *     math.sin, cos, tan     sine 1
 *     other math.X           exp 1
 *     arith.divf             divide 1
 *     arith.extf, truncf, sitofp, ...   cast 1
 *     arith.select           select 1
 *     other arith.X          add 1
 *     vector.multi_reduction add 1 on its operand; XLU where the last dimension goes
 *     vector.broadcast       XLU where one lane becomes all
 *     tpu.transpose, rotate  XLU
 *     tpu.enqueue_dma        elements of its source, of the argument that it is a part of
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/mosaic.h"

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* 32-bit elements of the whole registers of 8 x 128 that hold it. */
static uint64_t registers_of(const struct mlir_type *t, bool native16)
{
    uint64_t n = t->elements, rows = native16 && t->bits == 16 ? 16 : 8;

    if (t->rank == 0 || n == 0)
        return 0;
    uint64_t lanes = (uint64_t)t->dim[t->rank - 1];
    uint64_t sublanes = t->rank >= 2 ? (uint64_t)t->dim[t->rank - 2] : 1;
    if (n / lanes < sublanes)
        return 0;
    n = mosaic_multiply(n / lanes / sublanes,
                        mosaic_multiply(round_up(lanes, 128), round_up(sublanes, rows)));
    return n / (rows / 8);
}

/* --- products ------------------------------------------------------------------------------- */

/* "<[1], [0], [0], [1], ..." : the product of the dimensions that list `which` names. */
static bool read_dims(struct mlir_text t, uint32_t which, const struct mlir_type *s, uint64_t *out)
{
    const char *p = t.at, *end = t.at + t.size;

    *out = 1;
    for (uint32_t k = 0; p && p < end; k++) {
        p = memchr(p, '[', (size_t)(end - p));
        if (p == NULL)
            return false;
        for (p++; k == which && p < end && *p != ']'; p++) {
            if (*p < '0' || *p > '9')
                continue;
            uint32_t d = (uint32_t)(*p - '0');
            if (d >= s->rank || s->dim[d] < 0)
                return false;
            *out = mosaic_multiply(*out, (uint64_t)s->dim[d]);
        }
        if (k == which)
            return true;
    }
    return false;
}

static uint64_t find_root(uint64_t n)
{
    uint64_t root = 0;

    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((root | bit) <= n / (root | bit))
            root |= bit;
    return root;
}

static bool read_product(const struct mlir_module *m, const struct mlir_op *o,
                         struct mosaic_product *p)
{
    const struct mlir_type *a = mlir_operand_type(m, o, 0), *b = mlir_operand_type(m, o, 1);
    const struct mlir_type *c = mlir_operand_type(m, o, 2);
    const struct mlir_attribute *dims = mlir_attribute(m, o, "dimension_numbers");
    const struct mlir_attribute *precision = mlir_attribute(m, o, "precision");

    *p = (struct mosaic_product){ .b = 1 };
    if (a->elements == 0 || b->elements == 0 || c->elements == 0)
        return false;
    if (dims == NULL || !read_dims(dims->text, 0, a, &p->k) ||
        !read_dims(dims->text, 5, a, &p->b)) {
        p->b = 1;
        p->k = find_root(mosaic_multiply(a->elements, b->elements) / c->elements);
    }
    if (p->k == 0 || p->b == 0 || a->elements % mosaic_multiply(p->b, p->k))
        return false;
    p->m = a->elements / p->b / p->k;
    p->n = b->elements / p->b / p->k;
    p->casts = (a->bits == 32 && a->of == MLIR_FLOAT ? registers_of(a, false) : 0) +
               (b->bits == 32 && b->of == MLIR_FLOAT ? registers_of(b, false) : 0);
    p->exact = a->bits == 32 && a->of == MLIR_FLOAT && precision && precision->text.at &&
               memmem(precision->text.at, precision->text.size, "fp32", 4);
    return p->n > 0;
}

static void add_product(struct mosaic_work *w, const struct mosaic_product *p)
{
    uint32_t k = 0;

    if (!p->exact) /* f32 operands are rounded before they enter the array */
        w->vector[MOSAIC_CAST] =
            mosaic_add(w->vector[MOSAIC_CAST], mosaic_multiply(p->casts, p->times));
    w->flops = mosaic_add(
        w->flops, mosaic_multiply(mosaic_multiply(mosaic_multiply(2 * p->times, p->b), p->m),
                                  mosaic_multiply(p->k, p->n)));
    while (k < w->n_products &&
           (w->product[k].b != p->b || w->product[k].m != p->m || w->product[k].k != p->k ||
            w->product[k].n != p->n || w->product[k].exact != p->exact))
        k++;
    if (k == w->n_products && w->n_products == MOSAIC_MAX_PRODUCTS) {
        w->open = true;
        return;
    }
    if (k == w->n_products)
        w->product[w->n_products++] = *p;
    else
        w->product[k].times = mosaic_add(w->product[k].times, p->times);
}

/* --- vector work ---------------------------------------------------------------------------- */

static bool starts_with(struct mlir_text t, const char *s)
{
    size_t n = strlen(s);

    return t.size >= n && memcmp(t.at, s, n) == 0;
}

static bool is_any(struct mlir_text t, const char *const *names, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (mlir_is(t, names[k]))
            return true;
    return false;
}

/* Which class an operation on elements is of, and how many of it; false: it does no such work. The
 * unit for functions has exp2, log2, tanh, rsqrt and reciprocal: one slot takes an operand there,
 * another one the result back. */
static bool find_class(struct mlir_text name, enum mosaic_class *class, uint32_t *slots)
{
    static const struct {
        const char *name;
        enum mosaic_class class;
        uint32_t slots;
    } rules[] = {
        { "arith.constant", MOSAIC_ADD, 0 }, { "arith.index_cast", MOSAIC_ADD, 0 },
        { "arith.bitcast", MOSAIC_ADD, 0 },  { "arith.extf", MOSAIC_CAST, 1 },
        { "arith.truncf", MOSAIC_CAST, 1 },  { "arith.sitofp", MOSAIC_CAST, 1 },
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
        { "tpu.fptosi", MOSAIC_CAST, 1 },    { "tpu.extf", MOSAIC_CAST, 1 },
        { "tpu.truncf", MOSAIC_CAST, 1 },    { "tpu.stochastic_convert", MOSAIC_CAST, 1 },
    };

    *slots = 1;
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (mlir_is(name, rules[k].name)) {
            *class = rules[k].class;
            *slots = rules[k].slots;
            return *slots > 0;
        }
    *class = starts_with(name, "math.") ? MOSAIC_EXP : MOSAIC_ADD;
    return starts_with(name, "math.") || starts_with(name, "arith.");
}

/* Registers with one lane of each of eight rows pass the XLU. */
static uint64_t count_rows(const struct mlir_type *t)
{
    uint64_t lanes = t->rank ? (uint64_t)t->dim[t->rank - 1] : 1;

    return lanes ? (t->elements / lanes + 7) / 8 * 1024 : 0;
}

static void add_reduction(struct mosaic_work *w, const struct mlir_module *m,
                          const struct mlir_op *o, uint64_t times, bool native16)
{
    const struct mlir_type *t = mlir_operand_type(m, o, 0);
    const struct mlir_attribute *dims = mlir_attribute(m, o, "reduction_dims");
    int64_t d;
    bool lanes = dims == NULL;

    for (uint32_t k = 0; mlir_number(m, dims, k, &d); k++)
        lanes |= t->rank > 0 && d == (int64_t)t->rank - 1;
    w->vector[MOSAIC_ADD] =
        mosaic_add(w->vector[MOSAIC_ADD], mosaic_multiply(registers_of(t, native16), times));
    w->flops = mosaic_add(w->flops, mosaic_multiply(t->elements, times));
    if (lanes)
        w->xlu = mosaic_add(w->xlu, mosaic_multiply(count_rows(t), times));
}

static void add_vector(struct mosaic_work *w, const struct mlir_module *m, const struct mlir_op *o,
                       uint64_t times, bool native16)
{
    static const char *const moves[] = {
        "tpu.transpose",      "vector.transpose", "tpu.rotate", "tpu.dynamic_rotate",
        "tpu.dynamic_gather", "tpu.gather",       "tpu.roll"
    };
    const struct mlir_type *t = mlir_result_type(m, o, 0), *from = mlir_operand_type(m, o, 0);
    enum mosaic_class class;
    uint32_t slots;

    if (t->kind != MLIR_VECTOR)
        return;
    uint64_t n = mosaic_multiply(registers_of(t, native16), times);
    if (mlir_is(o->name, "vector.multi_reduction") || mlir_is(o->name, "vector.reduction")) {
        add_reduction(w, m, o, times, native16);
    } else if (is_any(o->name, moves, sizeof moves / sizeof *moves)) {
        w->xlu = mosaic_add(w->xlu, n);
    } else if (mlir_is(o->name, "vector.broadcast")) {
        if (from->rank && t->rank && from->dim[from->rank - 1] == 1 && t->dim[t->rank - 1] > 1)
            w->xlu = mosaic_add(w->xlu, mosaic_multiply(count_rows(from), times));
    } else if (find_class(o->name, &class, &slots)) {
        w->vector[class] = mosaic_add(w->vector[class], mosaic_multiply(n, slots));
        if (starts_with(o->name, "math.") && (slots > 1 || class != MOSAIC_ADD))
            w->transcendentals =
                mosaic_add(w->transcendentals, mosaic_multiply(t->elements, times));
        else
            w->flops = mosaic_add(w->flops, mosaic_multiply(t->elements, times));
    }
}

/* --- causal masks --------------------------------------------------------------------------- */

/* True if a value is made of an iota, as far as a few operations back. */
static bool is_iota(const struct mlir_module *m, const uint32_t *maker, uint32_t value,
                    uint32_t depth)
{
    uint32_t o = value < m->n_values ? maker[value] : MLIR_NONE;

    if (o == MLIR_NONE || depth == 0)
        return false;
    if (mlir_is(m->op[o].name, "tpu.iota"))
        return true;
    for (uint32_t k = 0; k < m->op[o].operands && k < 2; k++)
        if (is_iota(m, maker, m->ref[m->op[o].first_operand + k], depth - 1))
            return true;
    return false;
}

/* Positions of rows and columns that are compared, one of them counted from an iota. */
static void find_mask(struct mosaic_work *w, const struct mlir_module *m, const uint32_t *maker,
                      const struct mlir_op *o)
{
    const struct mlir_type *t = mlir_operand_type(m, o, 0);
    const struct mlir_attribute *a = mlir_attribute(m, o, "predicate");

    if (!mlir_is(o->name, "arith.cmpi") || t->kind != MLIR_VECTOR || t->rank < 2 || a == NULL ||
        a->value < 2 || a->value > 5 || t->dim[t->rank - 2] < 2 || t->dim[t->rank - 1] < 2)
        return;
    for (uint32_t k = 0; k < o->operands; k++)
        if (is_iota(m, maker, m->ref[o->first_operand + k], 4)) {
            w->mask_rows = (uint64_t)t->dim[t->rank - 2];
            w->mask_cols = (uint64_t)t->dim[t->rank - 1];
        }
}

/* --- transfers ------------------------------------------------------------------------------ */

/* The argument of the kernel that a part of a memref is of; `maker` has the operation that makes a
 * value, or MLIR_NONE. */
static uint32_t find_argument(const struct mlir_module *m, const uint32_t *maker,
                              const struct mlir_region *g, uint32_t value)
{
    for (uint32_t k = 0; k < MLIR_MAX_DEPTH; k++) {
        if (value >= g->first_arg && value - g->first_arg < g->args)
            return value - g->first_arg;
        uint32_t o = value < m->n_values ? maker[value] : MLIR_NONE;
        if (o == MLIR_NONE || m->op[o].operands == 0)
            return MLIR_NONE;
        value = m->ref[m->op[o].first_operand];
    }
    return MLIR_NONE;
}

static void add_transfer(struct mosaic_work *w, const struct mlir_module *m, const uint32_t *maker,
                         const struct mlir_region *g, const struct mlir_op *o, uint64_t times)
{
    uint64_t elements = 0, before = (uint64_t)w->n_grid + w->n_prefetch;

    for (uint32_t k = 0; k < o->operands; k++) {
        const struct mlir_type *t = mlir_operand_type(m, o, k);
        if (t->kind != MLIR_MEMREF || t->of == MLIR_OTHER)
            continue; /* a semaphore */
        elements = elements ? elements : t->elements;
        uint32_t arg = find_argument(m, maker, g, m->ref[o->first_operand + k]);
        if (arg == MLIR_NONE || arg < before || arg - before >= w->n_windows)
            continue;
        struct mosaic_window *to = &w->window[arg - before];
        to->elements = mosaic_add(to->elements, mosaic_multiply(elements, times));
    }
}

/* All operations of the function that have run. */
void mosaic_work_add(struct mosaic_work *w, const struct mosaic_walk *walk, bool native16)
{
    const struct mlir_module *m = walk->m;
    const struct mlir_region *body = &m->region[walk->main->first_region];
    uint32_t *maker = memory_zeroed(m->n_values, sizeof *maker);
    uint64_t *times = memory_zeroed(m->n_ops, sizeof *times);

    memset(maker, 0xFF, m->n_values * sizeof *maker);
    for (uint32_t i = body->first; i < body->end; i++)
        for (uint32_t k = 0; k < m->op[i].results; k++)
            maker[m->op[i].first_result + k] = i;
    for (uint32_t i = body->first; i < body->end; i = m->op[i].end)
        times[i] = walk->ran[body - m->region];
    for (uint32_t i = body->first; i < body->end; i++) {
        const struct mlir_op *o = &m->op[i];
        struct mosaic_product p;
        for (uint32_t r = 0; r < o->regions; r++) {
            const struct mlir_region *g = &m->region[o->first_region + r];
            for (uint32_t j = g->first; j < g->end; j = m->op[j].end)
                times[j] = walk->ran[o->first_region + r];
        }
        find_mask(w, m, maker, o);
        if (times[i] == 0)
            continue;
        if (mlir_is(o->name, "tpu.matmul") && read_product(m, o, &p)) {
            p.times = times[i];
            add_product(w, &p);
        } else if (mlir_is(o->name, "tpu.enqueue_dma")) {
            add_transfer(w, m, maker, body, o, times[i]);
        } else {
            add_vector(w, m, o, times[i], native16);
        }
    }
    free(maker);
    free(times);
}
