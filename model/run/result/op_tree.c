#include "run/result/op_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/numbered.h"

struct part {
    const char *at;
    size_t n;
};

/* A tree under construction: branches in the order in which they first come. */
struct growth {
    struct run_branch *branch;
    uint32_t *parent;
    size_t n, n_parents;
    struct numbered names; /* "parent name" of branch 1 + i */
    uint32_t
        last[TREE_DEPTH]; /* the branches of the operation before, most of which are this one's */
    size_t n_last;
};

/* Length up to `cut` outside brackets. */
static size_t measure_part(const char *at, char cut)
{
    size_t n = 0;
    int depth = 0;

    for (; at[n] && (at[n] != cut || depth > 0); n++)
        depth += (at[n] == '(') - (at[n] == ')');
    return n;
}

/* The parts of a path but for its last one. */
static size_t split_path(struct part *part, size_t n, const char *at, char cut)
{
    const char *last = at;

    for (size_t k; at[k = measure_part(last, cut) + (size_t)(last - at)];)
        last = at + k + 1;
    while (at < last) {
        size_t k = n + 1 < TREE_DEPTH ? measure_part(at, cut) : (size_t)(last - at) - 1;
        if (k > 0)
            part[n++] = (struct part){ at, k };
        at += k + 1;
    }
    return n;
}

static size_t find_path(struct part part[TREE_DEPTH], const struct run_row *op)
{
    size_t n = 0;

    if (*op->phase)
        part[n++] = (struct part){ op->phase, strlen(op->phase) };
    if (*op->scope)
        return split_path(part, n, op->scope, '/');
    return op->compiled ? n : split_path(part, n, op->name, '.');
}

static uint32_t add_branch(struct growth *g, const char *name, uint32_t parent)
{
    MEMORY_ADD(g->parent, g->n_parents);
    g->parent[g->n_parents++] = parent;
    MEMORY_ADD(g->branch, g->n);
    struct run_branch *b = &g->branch[g->n];
    *b = (struct run_branch){ .name = name, .depth = g->n ? g->branch[parent].depth + 1 : 0 };
    mpq_inits(b->seconds, b->wasted, NULL);
    mpz_inits(b->flops, b->hbm_bytes, NULL);
    return (uint32_t)g->n++;
}

static bool is_branch(const struct growth *g, uint32_t at, uint32_t parent, struct part p)
{
    const char *name = g->branch[at].name;

    return g->parent[at] == parent && strncmp(name, p.at, p.n) == 0 && !name[p.n];
}

static uint32_t find_branch(struct growth *g, struct texts *texts, uint32_t parent, struct part p)
{
    char *key = memory_format("%" PRIu32 " %.*s", parent, (int)p.n, p.at);
    size_t number = numbered_find(&g->names, key) + 1;

    if (number == g->n)
        add_branch(g, texts_keep(texts, strchr(key, ' ') + 1), parent);
    free(key);
    return (uint32_t)number;
}

void op_tree_wasted(mpq_t q, const struct run_result *r, const struct run_row *op)
{
    EXACT_Q(least);
    mpq_set_z(least, op->flops);
    if (mpq_sgn(r->peak_flops))
        mpq_div(least, least, r->peak_flops);
    mpq_set_z(q, op->hbm_bytes);
    if (mpq_sgn(r->hbm_bytes_per_second))
        mpq_div(q, q, r->hbm_bytes_per_second);
    if (mpq_cmp(least, q) < 0)
        mpq_set(least, q);
    mpq_sub(q, op->seconds, least);
    if (mpq_sgn(q) < 0)
        mpq_set_ui(q, 0, 1);
}

static void add_op(struct run_result *r, struct growth *g, size_t i)
{
    const struct run_row *op = &r->ops[i];
    struct part part[TREE_DEPTH];
    size_t n = find_path(part, op);
    uint32_t at = 0;

    for (size_t k = 0; k < n; k++) {
        bool same = k < g->n_last && is_branch(g, g->last[k], at, part[k]);
        at = same ? g->last[k] : find_branch(g, &r->texts, at, part[k]);
        g->last[k] = at;
    }
    g->n_last = n;
    struct run_branch *b = &g->branch[at];
    MEMORY_ADD(b->op, b->n_ops);
    b->op[b->n_ops++] = (uint32_t)i;
    b->count += op->count;
    exact_sum(b->seconds, op->seconds);
    mpz_add(b->flops, b->flops, op->flops);
    mpz_add(b->hbm_bytes, b->hbm_bytes, op->hbm_bytes);
    EXACT_Q(wasted);
    op_tree_wasted(wasted, r, op);
    exact_sum(b->wasted, wasted);
}

/* A branch comes after its parent. */
static void sum_up(struct growth *g)
{
    for (size_t i = g->n; i-- > 1;) {
        const struct run_branch *b = &g->branch[i];
        struct run_branch *up = &g->branch[g->parent[i]];
        up->count += b->count;
        exact_sum(up->seconds, b->seconds);
        exact_sum(up->wasted, b->wasted);
        mpz_add(up->flops, up->flops, b->flops);
        mpz_add(up->hbm_bytes, up->hbm_bytes, b->hbm_bytes);
    }
}

struct place {
    const struct run_branch *branch;
    uint32_t parent, self;
};

/* Children of one parent together, the shortest first: a stack gives them back the other way. */
static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    int order = mpq_cmp(x->branch->seconds, y->branch->seconds);
    return order ? order : strcmp(y->branch->name, x->branch->name);
}

/* Put the branches into the order of the result. */
static void lay_out(struct run_result *r, struct growth *g)
{
    struct place *place = memory_zeroed(g->n, sizeof *place);
    size_t *first = memory_zeroed(g->n + 1, sizeof *first);
    uint32_t *stack = memory_zeroed(g->n, sizeof *stack);
    size_t held = 1;

    for (uint32_t i = 1; i < g->n; i++) {
        place[i] = (struct place){ &g->branch[i], g->parent[i], i };
        first[g->parent[i] + 1]++;
    }
    qsort(place + 1, g->n - 1, sizeof *place, compare_places);
    for (size_t i = 0; i < g->n; i++)
        first[i + 1] += first[i];
    r->tree = memory_zeroed(g->n, sizeof *r->tree);
    while (held > 0) {
        uint32_t at = stack[--held];
        r->tree[r->n_tree++] = g->branch[at];
        for (size_t k = first[at]; k < first[at + 1]; k++)
            stack[held++] = place[1 + k].self;
    }
    free(place);
    free(first);
    free(stack);
}

void op_tree_build(struct run_result *r)
{
    struct growth g = { 0 };

    add_branch(&g, "", 0);
    for (size_t i = 0; i < r->n_ops; i++)
        add_op(r, &g, i);
    sum_up(&g);
    lay_out(r, &g);
    free(g.branch);
    free(g.parent);
    numbered_clear(&g.names);
}

void op_tree_free(struct run_result *r)
{
    for (size_t i = 0; i < r->n_tree; i++) {
        mpq_clears(r->tree[i].seconds, r->tree[i].wasted, NULL);
        mpz_clears(r->tree[i].flops, r->tree[i].hbm_bytes, NULL);
        free(r->tree[i].op);
    }
    free(r->tree);
    r->tree = NULL;
    r->n_tree = 0;
}
