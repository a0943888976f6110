/* mosaic_walk.c - the scalar code of a grid step, run for some of the grid's indices.
 *
 * Integers are computed as far as they are known: constants, indices, scalars that the program
 * has.  Of a condition that is known one branch runs, of another the one with more work.  Loops of
 * a few turns run turn by turn, others once for all; one whose bounds are not known counts once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/mosaic/mosaic.h"

#define MOST_TURNS 64 /* of a loop that is run turn by turn */

static uint32_t operand_of(const struct mosaic_walk *w, const struct mlir_op *o, uint32_t n)
{
    return w->m->ref[o->first_operand + n];
}

static const struct mlir_region *region_of(const struct mosaic_walk *w, const struct mlir_op *o,
                                           uint32_t n)
{
    return &w->m->region[o->first_region + n];
}

/* --- what depends on which index of the grid ------------------------------------------------- */

static uint64_t taint_operands(const struct mosaic_walk *w, const struct mlir_op *o)
{
    uint64_t all = 0;

    for (uint32_t k = 0; k < o->operands; k++)
        all |= w->taint[operand_of(w, o, k)];
    return all;
}

/* One pass in the order of the text; values of loops are taken to depend on all that is in them.
 * Returns what conditions and loops depend on. */
static uint64_t taint_ops(struct mosaic_walk *w, uint32_t first, uint32_t end, uint64_t around)
{
    uint64_t control = 0;

    for (uint32_t i = first; i < end; i = w->m->op[i].end) {
        const struct mlir_op *o = &w->m->op[i];
        uint64_t all = taint_operands(w, o) | around;
        if (w->code[i] == MOSAIC_OP_IF || w->code[i] == MOSAIC_OP_FOR ||
            w->code[i] == MOSAIC_OP_WHILE)
            control |= all;
        for (uint32_t k = 0; k < o->regions; k++) {
            const struct mlir_region *g = region_of(w, o, k);
            for (uint32_t a = 0; a < g->args; a++)
                w->taint[g->first_arg + a] = all;
            uint64_t inside =
                taint_ops(w, g->first, g->end, w->code[i] == MOSAIC_OP_IF ? all : around);
            control |= inside;
            all |= inside;
            for (uint32_t j = g->first; j < g->end; j = w->m->op[j].end)
                if (w->code[j] == MOSAIC_OP_YIELD)
                    all |= taint_operands(w, &w->m->op[j]);
        }
        for (uint32_t k = 0; k < o->results; k++)
            w->taint[o->first_result + k] = all;
    }
    return control;
}

static const struct mlir_region *body_of(const struct mosaic_walk *w, const struct mlir_op *f)
{
    return f->regions ? region_of(w, f, 0) : NULL;
}

static uint64_t taint_function(struct mosaic_walk *w, const struct mlir_op *f, uint64_t *returned)
{
    const struct mlir_region *g = body_of(w, f);
    uint64_t control;

    *returned = 0;
    if (g == NULL)
        return 0;
    for (uint32_t a = 0; a < g->args; a++)
        w->taint[g->first_arg + a] = a < w->n_grid ? UINT64_C(1) << a : 0;
    control = taint_ops(w, g->first, g->end, 0);
    for (uint32_t j = g->first; j < g->end; j = w->m->op[j].end)
        if (w->code[j] == MOSAIC_OP_YIELD)
            *returned |= taint_operands(w, &w->m->op[j]);
    return control;
}

uint64_t mosaic_walk_control(struct mosaic_walk *w)
{
    uint64_t returned;

    return taint_function(w, w->main, &returned);
}

uint64_t mosaic_walk_taint(struct mosaic_walk *w, const struct mlir_op *f)
{
    uint64_t returned, control = taint_function(w, f, &returned);

    return control | returned;
}

/* --- integers ------------------------------------------------------------------------------- */

/* An element of the scalars that the program has. */
static bool load_scalar(struct mosaic_walk *w, const struct mlir_region *f, const struct mlir_op *o,
                        int64_t *out)
{
    if (o->operands == 0)
        return false;
    uint32_t array = operand_of(w, o, 0), arg = array - f->first_arg;
    const struct mlir_type *t = mlir_operand_type(w->m, o, 0);
    uint64_t at = 0;

    if (array < f->first_arg || arg < w->n_grid || arg - w->n_grid >= w->n_scalars ||
        o->operands != t->rank + 1)
        return false;
    for (uint32_t d = 0; d < t->rank; d++) {
        uint32_t v = operand_of(w, o, 1 + d);
        if (!w->known[v] || w->value[v] < 0 || w->value[v] >= t->dim[d])
            return false;
        at = at * (uint64_t)t->dim[d] + (uint64_t)w->value[v];
    }
    const struct mosaic_scalars *s = &w->scalars[arg - w->n_grid];
    if (s->number && at >= s->n)
        return false;
    w->guessed |= s->number == NULL;
    *out = s->number ? s->number[at] : w->guess;
    return s->number || w->guesses;
}

static bool evaluate_op(struct mosaic_walk *w, const struct mlir_region *f, const struct mlir_op *o,
                        enum mosaic_code c, int64_t *out)
{
    const struct mlir_attribute *a;
    uint32_t v[3] = { 0 };

    for (uint32_t k = 0; k < 3 && k < o->operands; k++)
        v[k] = operand_of(w, o, k);
    switch (c) {
    case MOSAIC_OP_CONSTANT:
        a = mlir_attribute(w->m, o, "value");
        *out = a ? a->value : 0;
        return a && a->form == MLIR_NUMBER;
    case MOSAIC_OP_CAST:
    case MOSAIC_OP_CAST_UNSIGNED:
        *out = o->operands ? w->value[v[0]] : 0;
        return o->operands && w->known[v[0]];
    case MOSAIC_OP_LOAD: return load_scalar(w, f, o, out);
    case MOSAIC_OP_SELECT:
        if (o->operands < 3 || !w->known[v[0]])
            return false;
        *out = w->value[v[w->value[v[0]] ? 1 : 2]];
        return w->known[v[w->value[v[0]] ? 1 : 2]];
    case MOSAIC_OP_COMPARE:
        a = mlir_attribute(w->m, o, "predicate");
        if (a == NULL || o->operands < 2 || !w->known[v[0]] || !w->known[v[1]])
            return false;
        *out = mosaic_code_compare(a->value, w->value[v[0]], w->value[v[1]]);
        return true;
    case MOSAIC_OP_AND: /* a part that is false decides */
        if (o->operands >= 2 &&
            ((w->known[v[0]] && w->value[v[0]] == 0) || (w->known[v[1]] && w->value[v[1]] == 0))) {
            *out = 0;
            return true;
        }
        break;
    default: break;
    }
    return o->operands >= 2 && w->known[v[0]] && w->known[v[1]] &&
           mosaic_code_compute(c, w->value[v[0]], w->value[v[1]], out);
}

/* --- running ------------------------------------------------------------------------------- */

static const struct mlir_op *run_block(struct mosaic_walk *w, const struct mlir_region *f,
                                       const struct mlir_region *g, uint64_t times);

/* Results are what a region hands on; NULL: they are not known. */
static void hand_on(struct mosaic_walk *w, const struct mlir_op *yield, uint32_t first, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        bool there = yield && k < yield->operands;
        uint32_t v = there ? operand_of(w, yield, k) : 0;
        w->known[first + k] = there && w->known[v];
        w->value[first + k] = w->known[first + k] ? w->value[v] : 0;
    }
}

static void run_if(struct mosaic_walk *w, const struct mlir_region *f, const struct mlir_op *o,
                   uint64_t times)
{
    uint32_t v = o->operands ? operand_of(w, o, 0) : 0, taken = 0;
    bool known = o->operands && w->known[v];

    if (o->regions == 0)
        return;
    if (known)
        taken = w->value[v] ? 0 : 1;
    else if (o->regions > 1)
        taken = w->weight[o->first_region + 1] > w->weight[o->first_region];
    w->open |= !known && w->weight[o->first_region + taken] > 1;
    if (taken < o->regions && w->weight[o->first_region + taken] >= MOSAIC_PRODUCT_WEIGHT)
        w->decided |= o->operands ? w->taint[v] : 0;
    const struct mlir_op *yield =
        taken < o->regions ? run_block(w, f, region_of(w, o, taken), times) : NULL;
    hand_on(w, known ? yield : NULL, o->first_result, o->results);
}

/* for i = from to end step by, with values that go round */
static void run_for(struct mosaic_walk *w, const struct mlir_region *f, const struct mlir_op *o,
                    uint64_t times)
{
    bool known = o->operands >= 3 && o->regions > 0;
    int64_t n[3] = { 0 };

    if (!known)
        return;
    for (uint32_t k = 0; k < 3; k++) {
        known &= w->known[operand_of(w, o, k)];
        n[k] = w->value[operand_of(w, o, k)];
    }
    const struct mlir_region *g = region_of(w, o, 0);
    uint32_t carried = g->args ? g->args - 1 : 0;
    uint64_t turns = 1;
    if (known && n[2] > 0)
        turns = n[1] > n[0] ? ((uint64_t)n[1] - (uint64_t)n[0] - 1) / (uint64_t)n[2] + 1 : 0;
    w->partial |= !known;
    bool each = known && turns <= MOST_TURNS && w->spent < w->budget;
    if (turns == 0 || g->args == 0)
        return;
    hand_on(w, NULL, g->first_arg, g->args);
    for (uint32_t k = 0; each && k < carried && k + 3 < o->operands; k++) {
        w->known[g->first_arg + 1 + k] = w->known[operand_of(w, o, k + 3)];
        w->value[g->first_arg + 1 + k] = w->value[operand_of(w, o, k + 3)];
    }
    const struct mlir_op *yield = NULL;
    for (uint64_t t = 0; t < (each ? turns : 1); t++) {
        w->known[g->first_arg] = each;
        w->value[g->first_arg] = (int64_t)((uint64_t)n[0] + t * (uint64_t)n[2]);
        uint64_t all;
        if (__builtin_mul_overflow(times, each ? 1 : turns, &all))
            all = UINT64_MAX;
        yield = run_block(w, f, g, all);
        if (each)
            hand_on(w, yield, g->first_arg + 1, carried);
    }
    hand_on(w, each ? yield : NULL, o->first_result, o->results);
}

static void run_other(struct mosaic_walk *w, const struct mlir_region *f, const struct mlir_op *o,
                      enum mosaic_code c, uint64_t times)
{
    w->partial |= c == MOSAIC_OP_WHILE;
    for (uint32_t k = 0; k < o->regions; k++) {
        const struct mlir_region *g = region_of(w, o, k);
        hand_on(w, NULL, g->first_arg, g->args);
        run_block(w, f, g, times);
    }
    hand_on(w, NULL, o->first_result, o->results);
}

/* Returns the operation that ends it. */
static const struct mlir_op *run_block(struct mosaic_walk *w, const struct mlir_region *f,
                                       const struct mlir_region *g, uint64_t times)
{
    uint64_t *ran = &w->ran[g - w->m->region];

    if (w->times && __builtin_add_overflow(*ran, times, ran))
        *ran = UINT64_MAX;
    for (uint32_t i = g->first; i < g->end; i = w->m->op[i].end) {
        const struct mlir_op *o = &w->m->op[i];
        enum mosaic_code c = (enum mosaic_code)w->code[i];
        w->spent++;
        if (c == MOSAIC_OP_YIELD)
            return o;
        if (c == MOSAIC_OP_IF)
            run_if(w, f, o, times);
        else if (c == MOSAIC_OP_FOR)
            run_for(w, f, o, times);
        else if (c == MOSAIC_OP_OTHER || c == MOSAIC_OP_WHILE || o->results != 1)
            run_other(w, f, o, c, times);
        else
            w->known[o->first_result] = evaluate_op(w, f, o, c, &w->value[o->first_result]);
        w->products += c == MOSAIC_OP_PRODUCT && w->times;
        w->heavy += w->weigh[i];
    }
    return NULL;
}

static const struct mlir_op *run_function(struct mosaic_walk *w, const struct mlir_op *f,
                                          const int64_t *index)
{
    const struct mlir_region *g = body_of(w, f);

    if (g == NULL)
        return NULL;
    for (uint32_t a = 0; a < g->args; a++) {
        w->known[g->first_arg + a] = a < w->n_grid;
        w->value[g->first_arg + a] = a < w->n_grid ? index[a] : 0;
    }
    return run_block(w, g, g, 1);
}

/* Scalars that the text does not have are 0, 1 or 2, all alike: which of these gives the step most
 * work.  Kernels that are told of each block whether it is masked out, in part or not at all, are
 * told so by these. */
void mosaic_walk_step(struct mosaic_walk *w, const int64_t *index)
{
    uint64_t most = 0;
    int64_t best = 0;

    w->guesses = true;
    w->guessed = false;
    for (w->guess = 0; w->guess < 3; w->guess++) {
        w->times = 0;
        w->heavy = 0;
        run_function(w, w->main, index);
        if (!w->guessed)
            best = 0;
        if (w->heavy > most) {
            most = w->heavy;
            best = w->guess;
        }
        if (!w->guessed)
            break;
    }
    w->times = 1;
    w->guess = best;
    w->open |= w->guessed;
    run_function(w, w->main, index);
    w->guesses = false;
}

uint32_t mosaic_walk_block(struct mosaic_walk *w, const struct mlir_op *f, const int64_t *index,
                           int64_t *block, uint32_t *known)
{
    const struct mlir_op *r = run_function(w, f, index);
    uint32_t n = r ? r->operands < MLIR_MAX_RANK ? r->operands : MLIR_MAX_RANK : 0;

    *known = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t v = operand_of(w, r, k);
        block[k] = w->known[v] ? w->value[v] : 0;
        *known |= (uint32_t)w->known[v] << k;
    }
    return n;
}

/* --- */

static void weigh_regions(struct mosaic_walk *w)
{
    const struct mlir_module *m = w->m;

    for (uint32_t i = 0; i < m->n_ops; i++)
        w->weigh[i] = w->code[i] == MOSAIC_OP_PRODUCT
                          ? MOSAIC_PRODUCT_WEIGHT
                          : mlir_result_type(m, &m->op[i], 0)->kind == MLIR_VECTOR;
    for (uint32_t r = 0; r < m->n_regions; r++)
        for (uint32_t i = m->region[r].first; i < m->region[r].end; i++)
            w->weight[r] += 1 + w->weigh[i]; /* those inside count too */
}

bool mosaic_walk_begin(struct mosaic_walk *w, const struct mlir_module *m,
                       const struct mlir_op *main, uint32_t n_grid)
{
    w->m = m;
    w->main = main;
    w->n_grid = n_grid;
    w->value = memory_zeroed(m->n_values, sizeof *w->value);
    w->known = memory_zeroed(m->n_values, sizeof *w->known);
    w->taint = memory_zeroed(m->n_values, sizeof *w->taint);
    w->ran = memory_zeroed(m->n_regions, sizeof *w->ran);
    w->weight = memory_zeroed(m->n_regions, sizeof *w->weight);
    w->code = memory_zeroed(m->n_ops, sizeof *w->code);
    w->weigh = memory_zeroed(m->n_ops, sizeof *w->weigh);
    for (uint32_t i = 0; i < m->n_ops; i++)
        w->code[i] = (uint8_t)mosaic_code_of(m->op[i].name);
    weigh_regions(w);
    return true;
}

void mosaic_walk_end(struct mosaic_walk *w)
{
    free(w->value);
    free(w->known);
    free(w->taint);
    free(w->ran);
    free(w->weight);
    free(w->code);
    free(w->weigh);
}
