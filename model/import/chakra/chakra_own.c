/* chakra_own.c - see chakra_own.h. */
#include "import/chakra/chakra_own.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/print.h"

/* The text so far: which blocks are open, which phase it is in. */
struct writer {
    const struct chakra_graph *g;
    FILE *out;
    uint64_t loop[OWN_MAX_LOOPS]; /* open repeats by their number */
    uint32_t n_loops;
    uint64_t kernel;    /* of the fusion that is open; 0: none */
    const char *phase;  /* NULL: none yet */
    uint64_t told, due; /* nodes that the text stands for, turns multiplied out; nodes there are */
};

bool chakra_own_is(const struct chakra_graph *g)
{
    return chakra_texts(g->meta->attr, g->meta->n_attr, OWN_HEADER) != NULL;
}

/* Texts become lines: none may hold an end of a line. */
static int check_line(const struct chakra_graph *g, const char *what, const char *text,
                      struct err *err)
{
    if (!text[strcspn(text, "\r\n")])
        return 0;
    return err_set(err, ERR_FORMAT, "%.200s: a line ends within %s", g->wire.name, what);
}

static int write_lines(const struct chakra_graph *g, const char *name, const char *before,
                       FILE *out, struct err *err)
{
    const Chakra__StringList *list = chakra_texts(g->meta->attr, g->meta->n_attr, name);

    for (size_t i = 0; list && i < list->n_values; i++) {
        if (check_line(g, name, list->values[i], err) != 0)
            return -1;
        fprintf(out, "%s%s\n", before, list->values[i]);
    }
    return 0;
}

/* --- blocks ------------------------------------------------------------------------------- */

/* Repeats around a node: three numbers each. */
struct place {
    const uint64_t *loop;
    uint32_t n;
    uint64_t turns; /* of all of them */
    bool first;     /* it is the first turn of each */
};

static int read_place(const struct chakra_graph *g, uint32_t node, struct place *p, struct err *err)
{
    const Chakra__Node *x = g->node[node];
    const Chakra__AttributeProto *a = chakra_find(x->attr, x->n_attr, OWN_LOOP);

    *p = (struct place){ .turns = 1, .first = true };
    if (!a)
        return 0;
    if (a->value_case != CHAKRA__ATTRIBUTE_PROTO__VALUE_UINT64_LIST)
        return chakra_fail(g, node, err, ERR_FORMAT, OWN_LOOP " is no list of numbers");
    p->loop = a->uint64_list->values;
    size_t n = a->uint64_list->n_values;
    if (n % 3 != 0 || n / 3 > OWN_MAX_LOOPS)
        return chakra_fail(g, node, err, ERR_FORMAT,
                           OWN_LOOP " has %zu numbers, expected 3 for each of at most %d repeats",
                           n, OWN_MAX_LOOPS);
    p->n = (uint32_t)(n / 3);
    for (uint32_t i = 0; i < p->n; i++) {
        uint64_t turn = p->loop[3 * i + 1], turns = p->loop[3 * i + 2];
        if (turn < 1 || turn > turns)
            return chakra_fail(g, node, err, ERR_RANGE,
                               OWN_LOOP " says turn %" PRIu64 " of %" PRIu64, turn, turns);
        p->first = p->first && turn == 1;
        if (__builtin_mul_overflow(p->turns, turns, &p->turns))
            return chakra_fail(g, node, err, ERR_RANGE, "its repeats have more than 2^64 turns");
    }
    return 0;
}

static void close_kernel(struct writer *w)
{
    if (w->kernel != 0)
        print_close(w->n_loops + 1, w->out);
    w->kernel = 0;
}

static void close_loops(struct writer *w, uint32_t n)
{
    while (w->n_loops > n)
        print_close(w->n_loops--, w->out);
}

/* Write the phase of a node once `n` repeats are open, if it is another one than before. */
static int write_phase(struct writer *w, uint32_t node, uint32_t depth, struct err *err)
{
    const char *phase = chakra_text(w->g->node[node], OWN_PHASE);

    if (!phase || (w->phase && strcmp(phase, w->phase) == 0))
        return 0;
    if (check_line(w->g, OWN_PHASE, phase, err) != 0)
        return -1;
    print_phase(depth + 1, phase, w->out);
    w->phase = phase;
    return 0;
}

static int open_loops(struct writer *w, uint32_t node, const struct place *p, struct err *err)
{
    uint64_t at = 0;

    if (chakra_graph_number(w->g, node, OWN_PHASE_DEPTH, &at, err) != 0)
        return -1;
    for (;; w->n_loops++) {
        if ((w->n_loops >= at || w->n_loops == p->n) && write_phase(w, node, w->n_loops, err) != 0)
            return -1;
        if (w->n_loops == p->n)
            return 0;
        print_repeat(w->n_loops + 1, p->loop[3 * w->n_loops + 2], w->out);
        w->loop[w->n_loops] = p->loop[3 * w->n_loops];
    }
}

static int open_blocks(struct writer *w, uint32_t node, const struct place *p, struct err *err)
{
    const char *line = chakra_text(w->g->node[node], OWN_FUSION);
    uint64_t kernel = 0;
    uint32_t same = 0;

    if (chakra_graph_number(w->g, node, OWN_KERNEL, &kernel, err) != 0)
        return -1;
    if (kernel != 0 && kernel == w->kernel)
        return 0;
    close_kernel(w);
    while (same < p->n && same < w->n_loops && p->loop[3 * same] == w->loop[same])
        same++;
    close_loops(w, same);
    if (open_loops(w, node, p, err) != 0)
        return -1;
    if (kernel == 0)
        return 0;
    if (!line)
        return chakra_fail(w->g, node, err, ERR_FORMAT,
                           "it is the first of fusion %" PRIu64 ", but has no " OWN_FUSION, kernel);
    if (check_line(w->g, OWN_FUSION, line, err) != 0)
        return -1;
    print_indent(w->n_loops + 1, w->out);
    fprintf(w->out, "%s {\n", line);
    w->kernel = kernel;
    return 0;
}

/* --- operations --------------------------------------------------------------------------- */

static int write_list(const struct chakra_graph *g, uint32_t node, const char *name, bool *any,
                      FILE *out, struct err *err)
{
    const Chakra__Node *x = g->node[node];
    const Chakra__StringList *list = chakra_texts(x->attr, x->n_attr, name);

    *any = list && list->n_values > 0;
    for (size_t i = 0; *any && i < list->n_values; i++) {
        if (check_line(g, name, list->values[i], err) != 0)
            return -1;
        fprintf(out, "%s%s", i ? ", " : "", list->values[i]);
    }
    return 0;
}

/* Another tool may have changed what a node costs: then it is another operation. */
static int check_flops(const struct chakra_graph *g, uint32_t node, struct err *err)
{
    const char *given = chakra_text(g->node[node], OWN_ATTR "flops");
    uint64_t ops = 0;

    if (!given)
        return 0;
    if (chakra_graph_number(g, node, "num_ops", &ops, err) != 0)
        return -1;
    if (strtoull(given, NULL, 10) != ops)
        return chakra_fail(g, node, err, ERR_FORMAT,
                           "num_ops = %" PRIu64 ", expected %.40s as in " OWN_ATTR "flops", ops,
                           given);
    return 0;
}

static int write_attributes(const struct chakra_graph *g, uint32_t node, FILE *out, struct err *err)
{
    const Chakra__Node *x = g->node[node];
    size_t n = strlen(OWN_ATTR);

    for (size_t i = 0; i < x->n_attr; i++) {
        const Chakra__AttributeProto *a = x->attr[i];
        if (strncmp(a->name, OWN_ATTR, n) != 0 ||
            a->value_case != CHAKRA__ATTRIBUTE_PROTO__VALUE_STRING_VAL)
            continue;
        if (check_line(g, OWN_ATTR, a->name, err) != 0 ||
            check_line(g, a->name, a->string_val, err) != 0)
            return -1;
        fprintf(out, " %s=%s", a->name + n, a->string_val);
    }
    return 0;
}

static int write_op(struct writer *w, uint32_t node, const char *kind, struct err *err)
{
    bool any;

    print_indent(w->n_loops + 1 + (w->kernel != 0), w->out);
    if (check_flops(w->g, node, err) != 0 || check_line(w->g, OWN_KIND, kind, err) != 0 ||
        write_list(w->g, node, OWN_RESULTS, &any, w->out, err) != 0)
        return -1;
    print_kind(any, kind, w->out);
    if (write_list(w->g, node, OWN_OPERANDS, &any, w->out, err) != 0)
        return -1;
    putc(')', w->out);
    if (write_attributes(w->g, node, w->out, err) != 0)
        return -1;
    putc('\n', w->out);
    return 0;
}

/* A node of a later turn, or one that is none of ours, is counted and left out. */
static int write_node(struct writer *w, uint32_t node, struct err *err)
{
    const Chakra__Node *x = w->g->node[node];
    const char *kind = chakra_text(x, OWN_KIND);
    struct place p;

    if (chakra_find(x->attr, x->n_attr, OWN_OF) ||
        (!kind && (int)x->type == CHAKRA__NODE_TYPE__METADATA_NODE))
        return 0;
    if (!kind)
        return chakra_fail(w->g, node, err, ERR_FORMAT,
                           "it has no " OWN_KIND ", as the nodes that cyclotron wrote have");
    if (read_place(w->g, node, &p, err) != 0)
        return -1;
    w->due++;
    if (!p.first)
        return 0;
    w->told += p.turns;
    return open_blocks(w, node, &p, err) != 0 ? -1 : write_op(w, node, kind, err);
}

int chakra_own_write(const struct chakra_graph *g, FILE *out, struct err *err)
{
    struct writer w = { .g = g, .out = out };

    fputs("cyclotron-trace 1\n", out);
    if (write_lines(g, OWN_HEADER, "", out, err) != 0 ||
        write_lines(g, OWN_TENSORS, "tensor ", out, err) != 0)
        return -1;
    print_step(0, out);
    for (uint32_t i = 0; i < g->n; i++)
        if (write_node(&w, g->order[i], err) != 0)
            return -1;
    close_kernel(&w);
    close_loops(&w, 0);
    print_close(0, out);
    if (w.told != w.due)
        return err_set(err, ERR_RANGE,
                       "%.200s: its repeats stand for %" PRIu64 " nodes, but it has %" PRIu64
                       ": turns are missing or added",
                       g->wire.name, w.told, w.due);
    return 0;
}
