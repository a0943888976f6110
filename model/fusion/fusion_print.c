/* fusion_print.c - the program with kernels as scheduled HLO text.
 *
 * A kernel of one operation is that operation; others are fusions whose bodies stand before the
 * entry.  Arrays have layouts with tiles.  A kernel that is no product writes a result over an
 * operand of the same size that nobody reads later, which its backend_config says as XLA does. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fusion/fusion_impl.h"

struct printing {
    const struct fusion_graph *g;
    FILE *out;
    uint32_t *last; /* [node] the place in the order of its last reader */
};

/* --- names and shapes ----------------------------------------------------------------------- */

static void print_text(FILE *out, struct hlo_text t)
{
    fwrite(t.at ? t.at : "", 1, t.size, out);
}

/* The name of the program, its number replaced by that of the node. */
static void print_name(const struct printing *p, uint32_t v)
{
    struct hlo_text t = p->g->node[v].from->name;
    uint32_t size = t.size;

    while (size > 1 && t.at[size - 1] >= '0' && t.at[size - 1] <= '9')
        size--;
    if (size > 1 && t.at[size - 1] == '.')
        t.size = size - 1;
    print_text(p->out, t);
    fprintf(p->out, ".%" PRIu32, v);
}

static void print_use(const struct printing *p, struct fusion_use u)
{
    print_name(p, u.node);
    if (p->g->node[u.node].shape->dtype == HLO_TUPLE)
        fprintf(p->out, ".part%" PRIu32, u.leaf);
}

static void print_leaf(const struct printing *p, uint32_t v, uint32_t leaf)
{
    const struct fusion_node *n = &p->g->node[v];
    const struct hlo_shape *s = fusion_graph_leaf(n->shape, leaf);
    uint32_t plain[FUSION_DIMS];

    for (uint32_t d = 0; d < s->rank; d++)
        plain[d] = s->rank - 1 - d;
    bool own = s->rank == fusion_graph_leaf(n->shape, 0)->rank;
    fusion_layout_print(p->g, s, own ? n->order : plain, p->out);
}

static void print_shape(const struct printing *p, uint32_t v)
{
    const struct hlo_shape *s = p->g->node[v].shape;

    if (s->dtype != HLO_TUPLE) {
        print_leaf(p, v, 0);
        return;
    }
    for (uint32_t k = 0; k < s->leaves; k++) {
        fputs(k ? ", " : "(", p->out);
        print_leaf(p, v, k);
    }
    putc(')', p->out);
}

/* --- instructions --------------------------------------------------------------------------- */

static void print_attributes(const struct printing *p, const struct hlo_instruction *i)
{
    for (uint32_t k = 0; k < i->n_attributes; k++) {
        const struct hlo_attribute *a = &p->g->m->attribute[i->first_attribute + k];
        if (hlo_text_is(a->key, "sharding") || hlo_text_is(a->key, "frontend_attributes"))
            continue;
        fputs(", ", p->out);
        print_text(p->out, a->key);
        putc('=', p->out);
        print_text(p->out, a->value);
    }
}

static void print_node(const struct printing *p, uint32_t v, bool root)
{
    const struct fusion_node *n = &p->g->node[v];

    fputs(root ? "  ROOT " : "  ", p->out);
    print_name(p, v);
    fputs(" = ", p->out);
    print_shape(p, v);
    putc(' ', p->out);
    if (n->bitcast)
        fputs("bitcast", p->out);
    else
        print_text(p->out, n->from->opcode_text);
    putc('(', p->out);
    print_text(p->out, n->from->literal);
    for (uint32_t k = 0; k < n->n_in; k++) {
        fputs(k ? ", " : "", p->out);
        print_use(p, *fusion_in(p->g, n, k));
    }
    putc(')', p->out);
    if (n->attributes)
        fputs(n->attributes, p->out);
    else if (!n->bitcast)
        print_attributes(p, n->from);
    putc('\n', p->out);
}

/* Leaves of a tuple by their names. */
static void print_parts(const struct printing *p, uint32_t v)
{
    for (uint32_t k = 0; p->g->node[v].shape->dtype == HLO_TUPLE && k < p->g->node[v].shape->leaves;
         k++) {
        fputs("  ", p->out);
        print_use(p, (struct fusion_use){ .node = v, .leaf = k });
        fputs(" = ", p->out);
        print_leaf(p, v, k);
        fputs(" get-tuple-element(", p->out);
        print_name(p, v);
        fprintf(p->out, "), index=%" PRIu32 "\n", k);
    }
}

/* --- bodies --------------------------------------------------------------------------------- */

static void print_held(const struct printing *p, const struct fusion_list *nodes)
{
    struct fusion_list held = { 0 };

    for (uint32_t k = 0; k < nodes->n; k++) {
        const struct fusion_node *n = &p->g->node[nodes->at[k]];
        for (uint32_t j = 0; j < n->n_in; j++) {
            uint32_t v = fusion_in(p->g, n, j)->node;
            if (!fusion_value_is_held(p->g, v) || fusion_list_has(&held, v))
                continue;
            fusion_list_add(&held, v);
            print_node(p, v, false);
        }
    }
    free(held.at);
}

/* Parts of tuples that a body reads are parameters of their own. */
static uint32_t print_parameters(const struct printing *p, const struct fusion_list *in)
{
    uint32_t number = 0;

    for (uint32_t k = 0; k < in->n; k++) {
        uint32_t v = in->at[k];
        for (uint32_t leaf = 0; leaf < p->g->node[v].shape->leaves; leaf++) {
            fputs("  ", p->out);
            print_use(p, (struct fusion_use){ .node = v, .leaf = leaf });
            fputs(" = ", p->out);
            print_leaf(p, v, leaf);
            fprintf(p->out, " parameter(%" PRIu32 ")\n", number++);
        }
    }
    return number;
}

/* "(shape, shape) tuple(name, name)" */
static void print_tuple(const struct printing *p, const struct fusion_use *use, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        fputs(k ? ", " : "(", p->out);
        print_leaf(p, use[k].node, use[k].leaf);
    }
    fputs(n ? ") tuple(" : "() tuple(", p->out);
    for (uint32_t k = 0; k < n; k++) {
        fputs(k ? ", " : "", p->out);
        print_use(p, use[k]);
    }
    fputs(")\n", p->out);
}

/* Leaves of several nodes in a row; free() it. */
static struct fusion_use *list_leaves(const struct printing *p, const struct fusion_list *nodes,
                                      uint32_t *n)
{
    struct fusion_use *use = NULL;
    uint32_t cap = 0;

    *n = 0;
    for (uint32_t k = 0; k < nodes->n; k++)
        for (uint32_t leaf = 0; leaf < p->g->node[nodes->at[k]].shape->leaves; leaf++) {
            MEMORY_GROW(use, *n + 1, cap);
            use[(*n)++] = (struct fusion_use){ .node = nodes->at[k], .leaf = leaf };
        }
    return use;
}

static bool is_fusion(const struct fusion_graph *g, uint32_t group)
{
    const struct fusion_list *nodes = &g->group[group].nodes;

    return nodes->n > 1 && g->node[nodes->at[nodes->n - 1]].from->opcode != HLO_OP_ALL_REDUCE;
}

static void print_body(const struct printing *p, uint32_t group)
{
    const struct fusion_list *nodes = &p->g->group[group].nodes;
    struct fusion_list in = { 0 }, out = { 0 };

    fusion_value_read(p->g, group, &in);
    fusion_value_results(p->g, group, &out);
    fprintf(p->out, "fused.%" PRIu32 " {\n", group);
    print_parameters(p, &in);
    print_held(p, nodes);
    bool single = out.n == 1;
    for (uint32_t k = 0; k < nodes->n; k++) {
        uint32_t v = nodes->at[k];
        print_node(p, v, single && v == out.at[0]);
        print_parts(p, v);
    }
    if (!single) {
        uint32_t n;
        struct fusion_use *use = list_leaves(p, &out, &n);
        fputs("  ROOT results = ", p->out);
        print_tuple(p, use, n);
        free(use);
    }
    fputs("}\n\n", p->out);
    free(in.at);
    free(out.at);
}

/* --- results in place of operands ------------------------------------------------------------- */

/* True if `v`, which kernel `group` at place `at` reads, may be written over. */
static bool is_spent(const struct printing *p, uint32_t v, uint32_t group, uint32_t at)
{
    const struct fusion_node *n = &p->g->node[v];
    const struct fusion_group *k = &p->g->group[group];

    if (n->home == FUSION_NONE || n->output || p->last[v] != at || n->shape->dtype == HLO_TUPLE ||
        n->from->opcode == HLO_OP_CONSTANT)
        return false;
    for (uint32_t j = 0; j < n->users.n; j++) {
        const struct fusion_node *u = &p->g->node[n->users.at[j]];
        if (!fusion_list_has(&u->groups, group) || u->from->opcode == HLO_OP_ALL_REDUCE)
            continue;
        if (u->class != FUSION_MAP && u->class != FUSION_REDUCE && !u->bitcast)
            return false;
        if (k->product != FUSION_NONE && n->users.at[j] < k->product)
            return false;
    }
    return true;
}

/* The operand that result `v` takes the place of, or FUSION_NONE; *taken: those that are. */
static uint32_t find_place(const struct printing *p, uint32_t v, const struct fusion_list *in,
                           uint32_t group, uint32_t at, const bool *taken)
{
    const struct fusion_node *n = &p->g->node[v];

    if (n->shape->dtype == HLO_TUPLE || n->shape->rank == 0 || n->output)
        return FUSION_NONE;
    for (uint32_t k = 0; k < in->n; k++) {
        const struct fusion_node *x = &p->g->node[in->at[k]];
        if (!taken[k] && x->shape->dtype == n->shape->dtype && x->shape->rank == n->shape->rank &&
            memcmp(x->order, n->order, sizeof n->order) == 0 &&
            memcmp(x->shape->dim, n->shape->dim, n->shape->rank * sizeof *n->shape->dim) == 0 &&
            is_spent(p, in->at[k], group, at))
            return k;
    }
    return FUSION_NONE;
}

/* backend_config with pairs of an operand and a leaf of the result, which count behind them. */
static void print_places(const struct printing *p, const struct fusion_list *in,
                         const struct fusion_list *out, uint32_t group, uint32_t at)
{
    bool *taken = memory_zeroed(in->n, sizeof *taken), any = false;
    uint32_t operands = 0;

    for (uint32_t k = 0; k < in->n; k++)
        operands += p->g->node[in->at[k]].shape->leaves;
    for (uint32_t k = 0, leaf = 0; k < out->n; k++) {
        uint32_t place = find_place(p, out->at[k], in, group, at, taken), operand = 0;
        if (place != FUSION_NONE) {
            taken[place] = true;
            for (uint32_t j = 0; j < place; j++)
                operand += p->g->node[in->at[j]].shape->leaves;
            fprintf(p->out, "%s{\"indices\":[\"%" PRIu32 "\",\"%" PRIu32 "\"]}",
                    any ? "," : ", backend_config={\"aliasing_operands\":{\"lists\":[", operand,
                    operands + leaf);
            any = true;
        }
        leaf += p->g->node[out->at[k]].shape->leaves;
    }
    fputs(any ? "]}}" : "", p->out);
    free(taken);
}

/* --- the entry -------------------------------------------------------------------------------- */

static void print_operands(const struct printing *p, const struct fusion_list *in)
{
    uint32_t n;
    struct fusion_use *use = list_leaves(p, in, &n);

    putc('(', p->out);
    for (uint32_t k = 0; k < n; k++) {
        fputs(k ? ", " : "", p->out);
        print_use(p, use[k]);
    }
    putc(')', p->out);
    free(use);
}

/* Results of a kernel of several nodes by their names. */
static void print_results(const struct printing *p, const struct fusion_list *out, uint32_t group)
{
    uint32_t n;
    struct fusion_use *use = list_leaves(p, out, &n);

    for (uint32_t k = 0; k < n; k++) {
        fputs("  ", p->out);
        print_use(p, use[k]);
        fputs(" = ", p->out);
        print_leaf(p, use[k].node, use[k].leaf);
        fprintf(p->out, " get-tuple-element(kernel.%" PRIu32 "), index=%" PRIu32 "\n", group, k);
    }
    free(use);
}

static void print_kernel_shape(const struct printing *p, const struct fusion_list *out)
{
    uint32_t n;
    struct fusion_use *use = list_leaves(p, out, &n);

    for (uint32_t k = 0; k < n; k++) {
        fputs(k ? ", " : "(", p->out);
        print_leaf(p, use[k].node, use[k].leaf);
    }
    putc(')', p->out);
    free(use);
}

static void print_fusion(const struct printing *p, uint32_t group, uint32_t at)
{
    struct fusion_list in = { 0 }, out = { 0 };
    bool product = p->g->group[group].product != FUSION_NONE;

    fusion_value_read(p->g, group, &in);
    fusion_value_results(p->g, group, &out);
    fputs("  ", p->out);
    if (out.n == 1)
        print_name(p, out.at[0]);
    else
        fprintf(p->out, "kernel.%" PRIu32, group);
    fputs(" = ", p->out);
    if (out.n == 1)
        print_shape(p, out.at[0]);
    else
        print_kernel_shape(p, &out);
    fputs(" fusion", p->out);
    print_operands(p, &in);
    fprintf(p->out, ", kind=%s, calls=fused.%" PRIu32, product ? "kOutput" : "kLoop", group);
    print_places(p, &in, &out, group, at);
    putc('\n', p->out);
    if (out.n > 1)
        print_results(p, &out, group);
    else
        print_parts(p, out.at[0]);
    free(in.at);
    free(out.at);
}

/* Sums are put where their operands were. */
static void print_sum_places(const struct printing *p, uint32_t group, uint32_t at)
{
    const struct fusion_list *nodes = &p->g->group[group].nodes;
    bool any = false;

    for (uint32_t k = 0; k < nodes->n; k++) {
        uint32_t v = fusion_in(p->g, &p->g->node[nodes->at[k]], 0)->node;
        if (!is_spent(p, v, group, at))
            continue;
        fprintf(p->out, "%s{\"indices\":[\"%" PRIu32 "\",\"%" PRIu32 "\"]}",
                any ? "," : ", backend_config={\"aliasing_operands\":{\"lists\":[", k,
                nodes->n + k);
        any = true;
    }
    fputs(any ? "]}}" : "", p->out);
}

/* Several all-reduces as one. */
static void print_sum(const struct printing *p, uint32_t group, uint32_t at)
{
    const struct fusion_list *nodes = &p->g->group[group].nodes;

    fprintf(p->out, "  kernel.%" PRIu32 " = ", group);
    print_kernel_shape(p, nodes);
    fputs(" all-reduce(", p->out);
    for (uint32_t k = 0; k < nodes->n; k++) {
        fputs(k ? ", " : "", p->out);
        print_use(p, *fusion_in(p->g, &p->g->node[nodes->at[k]], 0));
    }
    putc(')', p->out);
    print_attributes(p, p->g->node[nodes->at[0]].from);
    print_sum_places(p, group, at);
    putc('\n', p->out);
    print_results(p, nodes, group);
}

static void print_kernel(const struct printing *p, uint32_t at)
{
    uint32_t group = p->g->order.at[at];
    const struct fusion_group *k = &p->g->group[group];

    if (is_fusion(p->g, group)) {
        print_fusion(p, group, at);
    } else if (k->nodes.n > 1) {
        print_sum(p, group, at);
    } else {
        print_node(p, k->nodes.at[0], false);
        print_parts(p, k->nodes.at[0]);
    }
}

static void find_last(struct printing *p)
{
    const struct fusion_graph *g = p->g;

    for (uint32_t at = 0; at < g->order.n; at++) {
        struct fusion_list in = { 0 };
        fusion_value_read(g, g->order.at[at], &in);
        for (uint32_t k = 0; k < in.n; k++)
            p->last[in.at[k]] = at;
        free(in.at);
    }
}

static void print_entry(const struct printing *p)
{
    const struct fusion_graph *g = p->g;

    fputs("ENTRY main {\n", p->out);
    for (uint32_t v = 0; v < g->n; v++) {
        if (!g->node[v].live || g->node[v].class != FUSION_LEAF)
            continue;
        if (g->node[v].from->opcode == HLO_OP_CONSTANT) {
            print_node(p, v, false);
            continue;
        }
        fputs("  ", p->out);
        print_name(p, v);
        fputs(" = ", p->out);
        print_shape(p, v);
        fprintf(p->out, " parameter(%" PRId64 ")\n", g->node[v].from->number);
        print_parts(p, v);
    }
    for (uint32_t at = 0; at < g->order.n; at++)
        print_kernel(p, at);
    fputs("  ROOT results = ", p->out);
    print_tuple(p, g->out, g->n_out);
    fputs("}\n", p->out);
}

void fusion_print(const struct fusion_graph *g, FILE *out)
{
    struct printing p = { .g = g, .out = out };

    p.last = memory_zeroed(g->n, sizeof *p.last);
    find_last(&p);
    for (uint32_t k = 0; k < g->order.n; k++)
        if (is_fusion(g, g->order.at[k]))
            print_body(&p, g->order.at[k]);
    print_entry(&p);
    free(p.last);
}
