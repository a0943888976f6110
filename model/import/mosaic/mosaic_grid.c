/* mosaic_grid.c - the grid of a kernel in Mosaic: how often what runs, and how often a block moves.
 *
 * Only grid steps that differ are run: indices that a condition or the block of a window depends on
 * take all their values, in a grid that is too large values at equal distances. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/mosaic/mosaic.h"

/* --- the grid ------------------------------------------------------------------------------- */

/* Some steps of the grid: of index d every stride[d]-th value, in order, the others 0. */
struct visit {
    uint32_t n;
    uint64_t size[MOSAIC_MAX_GRID], stride[MOSAIC_MAX_GRID];
    int64_t index[MOSAIC_MAX_GRID];
};

/* All steps of the grid along the dimensions `which`; returns their number. */
static uint64_t begin_visit(struct visit *v, const struct mosaic_work *w, uint64_t which)
{
    uint64_t all = 1;

    v->n = w->n_grid;
    for (uint32_t d = 0; d < v->n; d++) {
        v->size[d] = which >> d & 1 ? w->grid[d] : 1;
        v->stride[d] = 1;
        v->index[d] = 0;
        all = mosaic_multiply(all, v->size[d]);
    }
    return all;
}

/* Take fewer of the longest dimensions, until there are at most so many. */
static uint64_t thin_visit(struct visit *v, uint64_t most)
{
    for (;;) {
        uint64_t all = 1, longest = 1;
        uint32_t at = 0;
        for (uint32_t d = 0; d < v->n; d++) {
            uint64_t n = (v->size[d] - 1) / v->stride[d] + 1;
            all = mosaic_multiply(all, n);
            if (n > longest) {
                longest = n;
                at = d;
            }
        }
        if (all <= most || longest == 1)
            return all;
        v->stride[at] = mosaic_multiply(v->stride[at], 2);
    }
}

static bool next_visit(struct visit *v)
{
    for (uint32_t d = v->n; d-- > 0;) {
        v->index[d] += (int64_t)v->stride[d];
        if ((uint64_t)v->index[d] < v->size[d])
            return true;
        v->index[d] = 0;
    }
    return false;
}

/* Run the steps that differ; what has run counts for the others. */
static void run_grid(struct mosaic_work *w, struct mosaic_walk *walk)
{
    struct visit v;
    uint64_t active = 0, seen = 0;
    uint64_t all = begin_visit(&v, w, mosaic_walk_control(walk));

    mosaic_walk_step(walk, v.index); /* a trial, for what a step costs */
    memset(walk->ran, 0, walk->m->n_regions * sizeof *walk->ran);
    uint64_t each = walk->spent ? walk->spent : 1;
    if (all > walk->budget / each)
        thin_visit(&v, walk->budget / each);
    do {
        walk->products = 0;
        mosaic_walk_step(walk, v.index);
        active += walk->products > 0;
        seen++;
    } while (next_visit(&v));
    for (uint32_t r = 0; r < walk->m->n_regions; r++)
        walk->ran[r] = mosaic_scale(walk->ran[r], w->steps, seen);
    w->active = mosaic_scale(active, w->steps, seen);
    w->open |= walk->open;
    w->partial |= walk->partial;
    w->mask_blocks = 1;
    for (uint32_t d = 0; d < w->n_grid; d++)
        if (walk->decided >> d & 1)
            w->mask_blocks = mosaic_multiply(w->mask_blocks, w->grid[d]);
}

/* --- windows -------------------------------------------------------------------------------- */

struct block {
    uint32_t n, known;
    int64_t at[MLIR_MAX_RANK];
};

static bool is_same_block(const struct block *a, const struct block *b)
{
    uint32_t all = (1u << a->n) - 1;

    if (a->n != b->n || (a->known & b->known) != all)
        return false;
    return memcmp(a->at, b->at, a->n * sizeof *a->at) == 0;
}

/* Steps of the loops `from` to `to`, both included. */
static uint64_t count_steps(const struct mosaic_work *w, uint32_t from, uint32_t to)
{
    uint64_t n = 1;

    for (uint32_t d = from; d < to; d++)
        n = mosaic_multiply(n, w->grid[d]);
    return n;
}

/* The number of steps in which the block of a window is another one than before.  Loops outside of
 * all that it depends on repeat the same blocks, those inside keep one. */
static uint64_t count_moves(struct mosaic_work *w, struct mosaic_walk *walk,
                            const struct mlir_op *f, bool *open)
{
    uint64_t taint = mosaic_walk_taint(walk, f), which = 0, moves = 0;
    struct visit v;
    struct block first, last, now;

    for (uint32_t d = 0; d < w->n_grid; d++)
        if (w->grid[d] == 1)
            taint &= ~(UINT64_C(1) << d);
    if (taint == 0)
        return 1;
    uint32_t outer = (uint32_t)__builtin_ctzll(taint);
    uint32_t inner = 63 - (uint32_t)__builtin_clzll(taint);
    for (uint32_t d = outer; d <= inner; d++)
        which |= UINT64_C(1) << d;
    uint64_t all = begin_visit(&v, w, which), again = count_steps(w, 0, outer);
    walk->spent = 0;
    last.n = mosaic_walk_block(walk, f, v.index, last.at, &last.known);
    if (all > walk->budget / (walk->spent + 1))
        return mosaic_multiply(all, again);
    first = last;
    *open = last.known != (1u << last.n) - 1;
    for (moves = 1; next_visit(&v); last = now) {
        now.n = mosaic_walk_block(walk, f, v.index, now.at, &now.known);
        moves += !is_same_block(&now, &last);
    }
    return mosaic_add(moves, mosaic_multiply(again - 1, moves - is_same_block(&first, &last)));
}

static const struct mlir_op *find_function(const struct mlir_module *m, struct mlir_text name)
{
    for (uint32_t i = 0; i < m->n_ops; i++) {
        const struct mlir_attribute *a = mlir_attribute(m, &m->op[i], "sym_name");
        if (a && mlir_is(m->op[i].name, "func.func") && a->text.size == name.size && name.at &&
            memcmp(a->text.at, name.at, name.size) == 0)
            return &m->op[i];
    }
    return NULL;
}

static void read_window(struct mosaic_work *w, struct mosaic_walk *walk,
                        const struct mlir_attribute *a, struct mosaic_window *out)
{
    const struct mlir_module *m = walk->m;
    const struct mlir_attribute *bounds = mlir_member(m, a, "window_bounds");
    const struct mlir_attribute *f = mlir_member(m, a, "transform_indices");
    int64_t n;

    for (uint32_t k = 0; k < MLIR_MAX_RANK && mlir_number(m, bounds, k, &n); k++)
        out->block[out->rank++] = n;
    const struct mlir_op *function = f ? find_function(m, f->text) : NULL;
    out->given = out->rank > 0 && function;
    out->moves = function ? count_moves(w, walk, function, &out->open) : 1;
}

static void read_windows(struct mosaic_work *w, struct mosaic_walk *walk)
{
    const struct mlir_module *m = walk->m;
    const struct mlir_attribute *list = mlir_attribute(m, walk->main, "window_params");
    const struct mlir_attribute *scratch = mlir_attribute(m, walk->main, "scratch_operands");
    const struct mlir_region *g = &m->region[walk->main->first_region];
    uint64_t used = (uint64_t)w->n_grid + w->n_prefetch;

    w->n_windows = list && list->form == MLIR_LIST ? list->n : 0;
    if (w->n_windows == 0) { /* a kernel without a grid: operands and results as they are */
        used += scratch && scratch->value > 0 ? (uint64_t)scratch->value : 0;
        w->n_windows = used < g->args ? (uint32_t)(g->args - used) : 0;
        list = NULL;
    }
    w->window = memory_zeroed(w->n_windows, sizeof *w->window);
    for (uint32_t k = 0; list && k < w->n_windows; k++)
        read_window(w, walk, &m->attribute[m->item[list->first + k]], &w->window[k]);
}

/* --- reading -------------------------------------------------------------------------------- */

/* The function that is a grid step: with iteration_bounds, else the first one. */
static const struct mlir_op *find_main(const struct mlir_module *m)
{
    const struct mlir_op *first = NULL;

    for (uint32_t i = 0; i < m->n_ops; i++) {
        if (!mlir_is(m->op[i].name, "func.func") || m->op[i].regions == 0)
            continue;
        if (mlir_attribute(m, &m->op[i], "iteration_bounds"))
            return &m->op[i];
        first = first ? first : &m->op[i];
    }
    return first;
}

/* The longest array of scalars: lists of the steps that a grid of unknown size takes are of it. */
static uint64_t count_scalars(const struct mlir_module *m, const struct mlir_op *main,
                              uint32_t n_grid, uint32_t n)
{
    const struct mlir_region *g = &m->region[main->first_region];
    uint64_t most = 1;

    for (uint32_t k = n_grid; k < g->args && k < n_grid + n; k++) {
        uint32_t type = m->value[g->first_arg + k];
        const struct mlir_type *t = type < m->n_types ? &m->type[type] : NULL;
        if (t && t->rank == 1 && t->elements > most)
            most = t->elements;
    }
    return most;
}

static void read_grid(struct mosaic_work *w, const struct mlir_module *m,
                      const struct mlir_op *main, const struct mosaic_scalars *scalars,
                      uint32_t n_scalars, uint32_t *n_open)
{
    const struct mlir_attribute *bounds = mlir_attribute(m, main, "iteration_bounds");
    int64_t n;

    w->steps = 1;
    *n_open = 0;
    while (w->n_grid < MOSAIC_MAX_GRID && mlir_number(m, bounds, w->n_grid, &n))
        w->grid[w->n_grid++] = n > 0 ? (uint64_t)n : n == 0 ? 1 : 0;
    for (uint32_t d = 0; d < w->n_grid; d++) {
        if (w->grid[d] == 0) {
            uint32_t at = (*n_open)++;
            bool known = at < n_scalars && scalars[at].n == 1 && scalars[at].number[0] > 0;
            w->grid[d] = known ? (uint64_t)scalars[at].number[0]
                               : count_scalars(m, main, w->n_grid, w->n_prefetch);
            w->open |= !known;
        }
        w->steps = mosaic_multiply(w->steps, w->grid[d]);
    }
}

/* A list of the grid's loops, each parallel or arbitrary. */
static bool has_no_parallel(const struct mosaic_work *w, const struct mlir_module *m,
                            const struct mlir_op *main)
{
    const struct mlir_attribute *a = mlir_attribute(m, main, "dimension_semantics");

    if (a == NULL || a->form != MLIR_LIST)
        return false;
    for (uint32_t d = 0; d < a->n && d < w->n_grid; d++) {
        struct mlir_text t = m->attribute[m->item[a->first + d]].text;
        if (w->grid[d] > 1 && t.at && memmem(t.at, t.size, "parallel", 8))
            return false;
    }
    return true;
}

bool mosaic_read(struct mosaic_work *w, const struct mlir_module *m,
                 const struct mosaic_scalars *scalars, uint32_t n_scalars, bool native16,
                 uint64_t budget)
{
    const struct mlir_op *main = find_main(m);
    struct mosaic_walk walk = { .budget = budget };
    uint32_t n_open;

    *w = (struct mosaic_work){ 0 };
    if (main == NULL)
        return false;
    const struct mlir_attribute *prefetch = mlir_attribute(m, main, "scalar_prefetch");
    if (prefetch && prefetch->value > 0 && prefetch->value < UINT32_MAX / 2)
        w->n_prefetch = (uint32_t)prefetch->value;
    read_grid(w, m, main, scalars, n_scalars, &n_open);
    w->alone = has_no_parallel(w, m, main);
    walk.scalars = scalars + (n_open < n_scalars ? n_open : n_scalars);
    walk.n_scalars = n_scalars > n_open ? n_scalars - n_open : 0;
    if (walk.n_scalars > w->n_prefetch)
        walk.n_scalars = w->n_prefetch;
    mosaic_walk_begin(&walk, m, main, w->n_grid);
    run_grid(w, &walk);
    read_windows(w, &walk);
    mosaic_work_add(w, &walk, native16);
    mosaic_walk_end(&walk);
    return true;
}

void mosaic_free(struct mosaic_work *w)
{
    free(w->window);
    w->window = NULL;
}
