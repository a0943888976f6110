/* mosaic_work.c - products, vector work and transfers of a kernel in Mosaic, all steps of its grid.
 *
 *     tpu.matmul             a product, by its dimension numbers; without them k = sqrt(|A| |B| /
 *                            |C|)
 *     arith.X, math.X        by class (mosaic_vector.c)
 *     vector.multi_reduction add 1 on its operand; XLU where the last dimension goes
 *     vector.broadcast       XLU where one lane becomes all
 *     tpu.transpose, rotate  XLU
 *     tpu.enqueue_dma        elements of its source, of the argument that it is a part of
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/mosaic/mosaic.h"

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
    p->casts =
        (a->bits == 32 && a->of == MLIR_FLOAT ? mosaic_vector_registers(a, false, MOSAIC_VARY_ALL)
                                              : 0) +
        (b->bits == 32 && b->of == MLIR_FLOAT ? mosaic_vector_registers(b, false, MOSAIC_VARY_ALL)
                                              : 0);
    p->exact = a->bits == 32 && a->of == MLIR_FLOAT && precision && precision->text.at &&
               memmem(precision->text.at, precision->text.size, "fp32", 4);
    return p->n > 0;
}

static void add_product(struct mosaic_work *w, const struct mosaic_product *p)
{
    uint32_t k = 0;

    if (!p->exact) /* f32 operands are packed, two registers at a time */
        w->vector[MOSAIC_ADD] =
            mosaic_add(w->vector[MOSAIC_ADD], mosaic_multiply(p->casts / 2, p->times));
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

static bool is_any(struct mlir_text t, const char *const *names, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (mlir_is(t, names[k]))
            return true;
    return false;
}

/* Registers with one lane of each of eight rows pass the XLU. */
static uint64_t count_rows(const struct mlir_type *t)
{
    uint64_t lanes = t->rank ? (uint64_t)t->dim[t->rank - 1] : 1;

    return lanes ? (t->elements / lanes + 7) / 8 * 1024 : 0;
}

/* Transposes and the like. */
static bool is_move(const struct mlir_op *o)
{
    static const char *const moves[] = {
        "tpu.transpose",      "vector.transpose", "tpu.rotate", "tpu.dynamic_rotate",
        "tpu.dynamic_gather", "tpu.gather",       "tpu.roll"
    };

    return is_any(o->name, moves, sizeof moves / sizeof *moves);
}

static bool is_reduction(const struct mlir_op *o)
{
    return mlir_is(o->name, "vector.multi_reduction") || mlir_is(o->name, "vector.reduction");
}

/* A reduction that takes the lanes together. */
static bool sums_lanes(const struct mlir_module *m, const struct mlir_op *o)
{
    const struct mlir_attribute *dims = mlir_attribute(m, o, "reduction_dims");
    const struct mlir_type *t = mlir_operand_type(m, o, 0);
    int64_t d;

    for (uint32_t k = 0; mlir_number(m, dims, k, &d); k++)
        if (t->rank > 0 && d == (int64_t)t->rank - 1)
            return true;
    return dims == NULL;
}

/* A broadcast of one lane to all. */
static bool spreads_lanes(const struct mlir_module *m, const struct mlir_op *o)
{
    const struct mlir_type *t = mlir_result_type(m, o, 0), *from = mlir_operand_type(m, o, 0);

    return mlir_is(o->name, "vector.broadcast") && from->rank && t->rank &&
           from->dim[from->rank - 1] == 1 && t->dim[t->rank - 1] > 1;
}

static void add_reduction(struct mosaic_work *w, const struct mlir_module *m,
                          const struct mlir_op *o, uint64_t times, bool native16)
{
    const struct mlir_type *t = mlir_operand_type(m, o, 0);

    w->vector[MOSAIC_ADD] =
        mosaic_add(w->vector[MOSAIC_ADD],
                   mosaic_multiply(mosaic_vector_registers(t, native16, MOSAIC_VARY_ALL), times));
    w->flops = mosaic_add(w->flops, mosaic_multiply(t->elements, times));
    if (sums_lanes(m, o))
        w->lane_sums = mosaic_add(w->lane_sums, mosaic_multiply(count_rows(t), times));
}

static void add_vector(struct mosaic_work *w, const struct mlir_module *m, const struct mlir_op *o,
                       uint64_t times, bool native16, uint8_t vary)
{
    const struct mlir_type *t = mlir_result_type(m, o, 0), *from = mlir_operand_type(m, o, 0);
    enum mosaic_class class;
    uint32_t slots;

    if (t->kind != MLIR_VECTOR)
        return;
    uint64_t n = mosaic_multiply(mosaic_vector_registers(t, native16, vary), times);
    if (is_reduction(o)) {
        add_reduction(w, m, o, times, native16);
    } else if (is_move(o)) {
        w->xlu = mosaic_add(w->xlu, n);
    } else if (spreads_lanes(m, o)) {
        w->lane_sums = mosaic_add(w->lane_sums, mosaic_multiply(count_rows(from), times));
    } else if (mosaic_vector_class(o->name, &class, &slots)) {
        w->vector[class] = mosaic_add(w->vector[class], mosaic_multiply(n, slots));
        if (mlir_starts(o->name, "math.") && (slots > 1 || class != MOSAIC_ADD))
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

    w->remote |= o->operands >= 5; /* two ends, a semaphore of each, and the device */
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

/* --- waits ---------------------------------------------------------------------------------- */

static bool waits_for_unit(const struct mlir_module *m, const struct mlir_op *o)
{
    return mlir_is(o->name, "tpu.matmul") || is_move(o) || spreads_lanes(m, o) ||
           (is_reduction(o) && sums_lanes(m, o));
}

/* The most results of the MXU and the XLU that wait for each other in a region. */
static uint32_t find_depth(const struct mlir_module *m, const struct mlir_region *g,
                           uint32_t *depth)
{
    uint32_t most = 0;

    for (uint32_t i = g->first; i < g->end; i = m->op[i].end) {
        const struct mlir_op *o = &m->op[i];
        uint32_t d = 0;
        for (uint32_t k = 0; k < o->operands; k++) {
            uint32_t before = depth[m->ref[o->first_operand + k]];
            d = before > d ? before : d;
        }
        d += waits_for_unit(m, o);
        for (uint32_t k = 0; k < o->results; k++)
            depth[o->first_result + k] = d;
        most = d > most ? d : most;
    }
    for (uint32_t i = g->first; i < g->end; i = m->op[i].end) /* those inside begin anew */
        for (uint32_t k = 0; k < m->op[i].results; k++)
            depth[m->op[i].first_result + k] = 0;
    return most;
}

static void add_waits(struct mosaic_work *w, const struct mosaic_walk *walk, const uint64_t *times)
{
    const struct mlir_module *m = walk->m;
    const struct mlir_region *body = &m->region[walk->main->first_region];
    uint32_t *depth = memory_zeroed(m->n_values, sizeof *depth);

    /* a step waits for its windows */
    w->waits = mosaic_multiply(walk->ran[body - m->region], 1 + find_depth(m, body, depth));
    for (uint32_t i = body->first; i < body->end; i++)
        for (uint32_t r = 0; times[i] && r < m->op[i].regions; r++) {
            uint32_t g = m->op[i].first_region + r;
            if (walk->ran[g])
                w->waits = mosaic_add(
                    w->waits, mosaic_multiply(walk->ran[g], find_depth(m, &m->region[g], depth)));
        }
    free(depth);
}

/* --- all operations ------------------------------------------------------------------------- */

void mosaic_work_add(struct mosaic_work *w, const struct mosaic_walk *walk, bool native16)
{
    const struct mlir_module *m = walk->m;
    const struct mlir_region *body = &m->region[walk->main->first_region];
    uint32_t *maker = memory_zeroed(m->n_values, sizeof *maker);
    uint64_t *times = memory_zeroed(m->n_ops, sizeof *times);
    uint8_t *vary = memory_zeroed(m->n_values, sizeof *vary);

    memset(maker, 0xFF, m->n_values * sizeof *maker);
    for (uint32_t i = body->first; i < body->end; i = m->op[i].end)
        times[i] = walk->ran[body - m->region];
    for (uint32_t i = body->first; i < body->end; i++) {
        const struct mlir_op *o = &m->op[i];
        struct mosaic_product p;
        uint8_t differs = mosaic_vector_vary(m, o, vary);
        for (uint32_t k = 0; k < o->results; k++) {
            maker[o->first_result + k] = i;
            vary[o->first_result + k] = differs;
        }
        for (uint32_t r = 0; r < o->regions; r++) {
            const struct mlir_region *g = &m->region[o->first_region + r];
            memset(vary + g->first_arg, MOSAIC_VARY_ALL, g->args);
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
            add_vector(w, m, o, times[i], native16, differs);
        }
    }
    add_waits(w, walk, times);
    free(maker);
    free(times);
    free(vary);
}
