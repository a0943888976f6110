/* fusion_header.c - the text before the kernels: the line of the module, and the functions of
 * scalars that reductions and sorts apply.
 *
 * Arguments that may be given away are matched with results of the same shape, the first with the
 * first, as XLA does. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fusion/fusion_header.h"

static void print_text(FILE *out, struct hlo_text t)
{
    fwrite(t.at ? t.at : "", 1, t.size, out);
}

static struct hlo_text header_attribute(const struct hlo_module *m, const char *key)
{
    for (uint32_t k = 0; k < m->n_header_attributes; k++)
        if (hlo_text_is(m->attribute[m->first_header_attribute + k].key, key))
            return m->attribute[m->first_header_attribute + k].value;
    return (struct hlo_text){ NULL, 0 };
}

static uint32_t find_parameter(const struct fusion_graph *g, uint64_t number)
{
    for (uint32_t v = 0; v < g->n; v++)
        if (g->node[v].from->opcode == HLO_OP_PARAMETER &&
            (uint64_t)g->node[v].from->number == number)
            return v;
    return FUSION_NONE;
}

static bool same_array(const struct hlo_shape *a, const struct hlo_shape *b)
{
    return a->dtype == b->dtype && a->rank == b->rank && a->dtype != HLO_TUPLE &&
           (a->rank == 0 || memcmp(a->dim, b->dim, a->rank * sizeof *a->dim) == 0);
}

/* Give the first result of the shape of parameter `number` that has none its place. */
static void match_donor(const struct fusion_graph *g, uint64_t number, bool *taken, FILE *out,
                        bool *any)
{
    uint32_t v = find_parameter(g, number);

    for (uint32_t k = 0; v != FUSION_NONE && k < g->n_out; k++) {
        const struct fusion_use *u = &g->out[k];
        if (taken[k] ||
            !same_array(g->node[v].shape, fusion_graph_leaf(g->node[u->node].shape, u->leaf)))
            continue;
        taken[k] = true;
        fprintf(out, "%s{%" PRIu32 "}: (%" PRIu64 ", {}, may-alias)",
                *any ? ", " : ", input_output_alias={ ", k, number);
        *any = true;
        return;
    }
}

/* The next number that follows "(" in { (0, {}), (1, {}) }, from *k on; false if there is none. */
static bool next_donor(struct hlo_text t, uint32_t *k, uint64_t *number)
{
    while (*k < t.size && t.at[*k] != '(')
        ++*k;
    if (*k >= t.size)
        return false;
    *number = 0;
    for (++*k; *k < t.size && t.at[*k] >= '0' && t.at[*k] <= '9' && *number < UINT32_MAX; ++*k)
        *number = 10 * *number + (uint64_t)(t.at[*k] - '0');
    return true;
}

bool fusion_header_gives(const struct hlo_module *m, uint64_t number)
{
    struct hlo_text t = header_attribute(m, "buffer_donor");
    uint64_t donor;

    for (uint32_t k = 0; k < m->n_aliases; k++)
        if (m->alias[k].parameter == number)
            return true;
    for (uint32_t k = 0; next_donor(t, &k, &donor);)
        if (donor == number)
            return true;
    return false;
}

static void match_donors(const struct fusion_graph *g, FILE *out)
{
    struct hlo_text t = header_attribute(g->m, "buffer_donor");
    uint64_t number;
    bool *taken = memory_zeroed(g->n_out, sizeof *taken), any = false;

    for (uint32_t k = 0; k < g->m->n_aliases; k++) {
        const struct hlo_alias *a = &g->m->alias[k];
        uint32_t output = a->n_output ? a->output[0] : 0;
        if (a->n_output > 1 || a->n_part || output >= g->n_out || taken[output])
            continue;
        taken[output] = true;
        fprintf(out, "%s{%" PRIu32 "}: (%" PRIu32 ", {}, may-alias)",
                any ? ", " : ", input_output_alias={ ", output, a->parameter);
        any = true;
    }
    for (uint32_t k = 0; next_donor(t, &k, &number);)
        match_donor(g, number, taken, out, &any);
    fputs(any ? " }" : "", out);
    free(taken);
}

static void print_scalars(const struct hlo_shape *s, FILE *out)
{
    if (s->dtype != HLO_TUPLE) {
        fprintf(out, "%s[]", hlo_dtype_name[s->dtype]);
        return;
    }
    for (uint32_t k = 0; k < s->leaves; k++)
        fprintf(out, "%s%s[]", k ? ", " : "(", hlo_dtype_name[fusion_graph_leaf(s, k)->dtype]);
    putc(')', out);
}

static void print_function(const struct hlo_module *m, const struct hlo_computation *c, FILE *out)
{
    print_text(out, c->name);
    fputs(" {\n", out);
    for (uint32_t k = 0; k < c->n; k++) {
        const struct hlo_instruction *i = &m->instruction[c->first + k];
        fputs(c->first + k == c->root ? "  ROOT " : "  ", out);
        print_text(out, i->name);
        fputs(" = ", out);
        print_scalars(i->shape, out);
        putc(' ', out);
        print_text(out, i->opcode_text);
        putc('(', out);
        print_text(out, i->literal);
        if (i->opcode == HLO_OP_PARAMETER)
            fprintf(out, "%" PRId64, i->number);
        for (uint32_t j = 0; j < i->n_operands; j++) {
            fputs(j ? ", " : "", out);
            print_text(out, hlo_operand(m, i, j)->name);
        }
        putc(')', out);
        for (uint32_t j = 0; j < i->n_attributes; j++) {
            const struct hlo_attribute *a = &m->attribute[i->first_attribute + j];
            fputs(", ", out);
            print_text(out, a->key);
            putc('=', out);
            print_text(out, a->value);
        }
        putc('\n', out);
    }
    fputs("}\n\n", out);
}

bool fusion_header_knows(const struct hlo_module *m)
{
    for (uint32_t k = 0; k < m->n_computations; k++) {
        const struct hlo_computation *c = &m->computation[k];
        for (uint32_t j = 0; c->scalar && j < c->n; j++) {
            const struct hlo_instruction *i = &m->instruction[c->first + j];
            if (i->n_called || i->shape->rank)
                return false;
        }
    }
    return true;
}

void fusion_header_print(const struct fusion_graph *g, FILE *out)
{
    const struct hlo_module *m = g->m;

    if (m->comment.at) {
        fputs("// cyclotron: ", out);
        print_text(out, m->comment);
        putc('\n', out);
    }
    fputs("HloModule ", out);
    print_text(out, m->name);
    fputs(", is_scheduled=true", out);
    match_donors(g, out);
    if (m->replicas > 1)
        fprintf(out, ", replica_count=%" PRIu64, m->replicas);
    fprintf(out, ", num_partitions=%" PRIu64 "\n\n", hlo_partitions(m));
    if (g->n_made)
        fputs(FUSION_DOT_SUM " {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                             "  ROOT c = f32[] add(a, b)\n}\n\n",
              out);
    for (uint32_t k = 0; k < m->n_computations; k++)
        if (m->computation[k].scalar)
            print_function(m, &m->computation[k], out);
}
