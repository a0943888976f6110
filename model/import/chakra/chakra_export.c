/* chakra_export.c - see chakra_export.h: the nodes in program order, and what each waits for. */
#include "import/chakra/chakra_export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/chakra/chakra_node.h"
#include "import/chakra/chakra_own.h"

#define MAX_OPS UINT64_C(10000000)
#define VERSION "0.0.4" /* of the format, as other writers state it */

/* A repeat that is being written out. */
struct turn {
    uint32_t begin;        /* its bracket, a node of the step */
    uint64_t at, of, loop; /* turn, turns, its number in the step from 1 */
};

struct walk {
    struct chakra_maker maker;
    struct step step;
    FILE *out;
    uint64_t *writer; /* [value] the node that made or changed it last; 0: none */
    uint64_t *dep;    /* of the node at hand */
    uint32_t n_deps, cap_deps;
    uint64_t next, last; /* ids: of the next node; of the last one that is waited for */
    struct turn turn[OWN_MAX_LOOPS];
    uint32_t n_turns;
    uint32_t *number; /* [node] of repeats and of fusions in the text, from 1 */
    struct err *err;
};

void chakra_export_init(struct chakra_export *x)
{
    *x = (struct chakra_export){ 0 };
    mpz_inits(x->ops, x->comm_bytes, NULL);
}

void chakra_export_clear(struct chakra_export *x)
{
    mpz_clears(x->ops, x->comm_bytes, NULL);
}

/* --- dependencies ------------------------------------------------------------------------- */

static void add_dep(struct walk *w, uint64_t id)
{
    for (uint32_t i = 0; i < w->n_deps; i++)
        if (w->dep[i] == id)
            return;
    if (id == 0)
        return;
    MEMORY_GROW(w->dep, w->n_deps + 1, w->cap_deps);
    w->dep[w->n_deps++] = id;
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Data: who made or changed the operands last.  Control: the node before it in the program, unless
 * that only starts something or is waited for anyway. */
static void add_dependencies(struct walk *w, const struct step_op *op, Chakra__Node *n)
{
    bool waited = false;

    w->n_deps = 0;
    for (uint32_t i = 0; i < step_n_operands(op); i++)
        add_dep(w, w->writer[step_operand(&w->step, op, i)]);
    if (w->n_deps > 0)
        qsort(w->dep, w->n_deps, sizeof *w->dep, compare_ids);
    n->n_data_deps = w->n_deps;
    n->data_deps = memory_zeroed(w->n_deps, sizeof *n->data_deps);
    for (uint32_t i = 0; i < w->n_deps; i++) {
        n->data_deps[i] = w->dep[i];
        waited = waited || w->dep[i] == w->last;
    }
    if (w->last == 0 || waited)
        return;
    n->n_ctrl_deps = 1;
    n->ctrl_deps = memory_zeroed(1, sizeof *n->ctrl_deps);
    n->ctrl_deps[0] = w->last;
}

/* The operation whose operands change in place when `op` is done, or NULL. */
static const struct step_op *changed_by(const struct step *step, const struct step_op *op)
{
    switch (trace_kinds[op->op.kind].changes) {
    case TRACE_CHANGES_NOTHING:
    case TRACE_CHANGES_FIRST: return NULL; /* that is its result */
    case TRACE_CHANGES_VARIABLES:
    case TRACE_CHANGES_OPERANDS: return op;
    case TRACE_CHANGES_UNNAMED:
        if (op->n_out > 0) /* also a start, whose result is its handle */
            return NULL;
        return op->op.async == TRACE_DONE ? &step->op[step->value[step_operand(step, op, 0)].op]
                                          : op;
    }
    return NULL;
}

/* A result that takes the place of another value changes that as well. */
static void note_result(struct walk *w, uint32_t v, uint64_t id)
{
    w->writer[v] = id;
    while (w->step.value[v].placed) {
        v = w->step.value[v].at;
        w->writer[v] = id;
    }
}

static void note_writes(struct walk *w, const struct step_op *op, uint64_t id)
{
    const struct step_op *in_place = changed_by(&w->step, op);

    for (uint32_t i = 0; i < op->n_out; i++)
        note_result(w, step_result(&w->step, op, i), id);
    for (uint32_t i = 0; in_place && i < in_place->n_in; i++) {
        uint32_t v = step_operand(&w->step, in_place, i);
        enum trace_role role = w->step.value[v].role;
        if (op->op.kind != TRACE_OPTIMIZER || role == TRACE_WEIGHT || role == TRACE_STATE)
            w->writer[v] = id;
    }
}

/* --- nodes -------------------------------------------------------------------------------- */

static char *fusion_line(const struct step *step, const struct step_node *n)
{
    struct memory_text t;

    memory_text_begin(&t);
    step_print_fusion(step, n, t.out);
    return memory_text_end(&t);
}

/* The attributes that say which blocks it stands in. */
static void add_blocks(struct walk *w, uint32_t node, uint32_t op, Chakra__Node *n)
{
    const struct step *step = &w->step;
    const struct step_node *x = &step->node[node];
    struct chakra_list list = chakra_list_of(n);
    uint64_t loop[3 * OWN_MAX_LOOPS], depth = 0;

    for (uint32_t i = 0; i < w->n_turns; i++) {
        const struct turn *t = &w->turn[i];
        memcpy(loop + 3 * i, (const uint64_t[]){ t->loop, t->at, t->of }, 3 * sizeof *loop);
        depth += step->phase[x->phase].before > t->begin; /* its line stands inside */
    }
    if (w->n_turns > 0)
        chakra_add_numbers(list, OWN_LOOP, loop, 3 * w->n_turns);
    if (depth > 0 && x->phase > 0)
        chakra_add_uint64(list, OWN_PHASE_DEPTH, depth);
    if (!x->fusion)
        return;
    chakra_add_uint64(list, OWN_KERNEL, w->number[node]);
    if (op != x->first_op)
        return;
    char *line = fusion_line(step, x);
    chakra_add_text(list, OWN_FUSION, line);
    free(line);
}

static int write_node(struct walk *w, Chakra__Node *n)
{
    int rc = chakra_wire_write(&n->base, w->out, w->err);

    protobuf_c_message_free_unpacked(&n->base, NULL);
    w->maker.x->nodes++;
    return rc;
}

/* A permute that waits for what it receives is two nodes. */
static int write_receive(struct walk *w, const struct step_op *op, uint64_t sent)
{
    Chakra__Node *n;

    if (chakra_node_receive(&w->maker, op, w->next, sent, &n, w->err) != 0)
        return -1;
    n->n_data_deps = 1;
    n->data_deps = memory_zeroed(1, sizeof *n->data_deps);
    n->data_deps[0] = sent;
    w->next++;
    return write_node(w, n);
}

static int write_op(struct walk *w, uint32_t node, uint32_t i)
{
    const struct step_op *op = &w->step.op[i];
    uint64_t id = w->next, start = 0;
    Chakra__Node *n;

    if (op->op.async == TRACE_DONE)
        start = w->writer[step_operand(&w->step, op, 0)];
    if (chakra_node_make(&w->maker, op, id, start, &n, w->err) != 0)
        return -1;
    add_dependencies(w, op, n);
    add_blocks(w, node, i, n);
    w->next++;
    if (write_node(w, n) != 0)
        return -1;
    if (op->op.kind == TRACE_PERMUTE && op->op.async == TRACE_SYNC && write_receive(w, op, id) != 0)
        return -1;
    note_writes(w, op, w->next - 1);
    if (op->op.async != TRACE_START)
        w->last = w->next - 1;
    return 0;
}

static int write_kernel(struct walk *w, uint32_t node)
{
    const struct step_node *n = &w->step.node[node];

    w->maker.kernel++;
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        if (write_op(w, node, i) != 0)
            return -1;
    return 0;
}

/* Is there an operation in the repeat that begins at this node?  Turns of one without need not be
 * counted. */
static bool has_work(const struct step *step, uint32_t repeat)
{
    for (uint32_t i = repeat; i < step->node[repeat].match; i++)
        if (step->node[i].kind == STEP_OP)
            return true;
    return false;
}

/* Check that the step is not too long with all loops written out. */
static int check_length(struct walk *w)
{
    uint64_t times[OWN_MAX_LOOPS + 1] = { 1 },
                                   n = 0; /* around an operation, by depth of its loops */
    uint32_t depth = 0;

    for (uint32_t i = 0; i < w->step.n_nodes && n <= MAX_OPS; i++) {
        const struct step_node *x = &w->step.node[i];
        if (x->kind == STEP_END) {
            depth--;
        } else if (x->kind == STEP_REPEAT) {
            BUG_ON(depth == OWN_MAX_LOOPS); /* the reader allows no more blocks */
            depth++;
            if (__builtin_mul_overflow(times[depth - 1], x->count, &times[depth]) ||
                times[depth] > MAX_OPS)
                times[depth] = MAX_OPS + 1;
        } else {
            n += times[depth] * x->n_ops;
        }
    }
    if (n <= MAX_OPS)
        return 0;
    return err_set(w->err, ERR_RANGE,
                   "%.200s: written out, the step has more than %" PRIu64 " operations",
                   w->step.file, MAX_OPS);
}

static int write_nodes(struct walk *w)
{
    for (uint32_t i = 0; i < w->step.n_nodes; i++) {
        const struct step_node *n = &w->step.node[i];
        struct turn *t = w->n_turns ? &w->turn[w->n_turns - 1] : NULL;
        if (n->kind == STEP_OP) {
            if (write_kernel(w, i) != 0)
                return -1;
        } else if (n->kind == STEP_REPEAT) {
            if (has_work(&w->step, i))
                w->turn[w->n_turns++] = (struct turn){ i, 1, n->count, w->number[i] };
            else
                i = n->match;
        } else {
            BUG_ON(!t);
            if (t->at < t->of) {
                t->at++;
                i = t->begin;
            } else {
                w->n_turns--;
            }
        }
    }
    return 0;
}

/* --- the file ----------------------------------------------------------------------------- */

/* The header as lines: those of tensors without their first word, and the others. */
static int write_metadata(struct walk *w)
{
    Chakra__GlobalMetadata meta = CHAKRA__GLOBAL_METADATA__INIT;
    struct chakra_list list = { &meta.attr, &meta.n_attr };
    char **line[2] = { NULL, NULL };
    size_t n[2] = { 0, 0 };
    struct memory_text t;

    memory_text_begin(&t);
    step_print_head(&w->step, t.out);
    char *text = memory_text_end(&t), *rest = text + strcspn(text, "\n"); /* the format's version */
    for (char *l = strtok_r(rest, "\n", &rest); l; l = strtok_r(NULL, "\n", &rest)) {
        bool tensor = strncmp(l, "tensor ", 7) == 0;
        MEMORY_ADD(line[tensor], n[tensor]);
        line[tensor][n[tensor]++] = l + 7 * tensor;
    }
    meta.version = (char[]){ VERSION };
    chakra_add_texts(list, OWN_HEADER, line[0], n[0]);
    chakra_add_texts(list, OWN_TENSORS, line[1], n[1]);
    int rc = chakra_wire_write(&meta.base, w->out, w->err);
    for (size_t i = 0; i < meta.n_attr; i++)
        protobuf_c_message_free_unpacked(&meta.attr[i]->base, NULL);
    free(meta.attr);
    free(line[0]);
    free(line[1]);
    free(text);
    return rc;
}

static int write_step(struct walk *w)
{
    Chakra__Node *groups;
    uint32_t loops = 0, kernels = 0;

    w->writer = memory_zeroed(w->step.n_values, sizeof *w->writer);
    w->maker.touched = memory_zeroed(w->step.n_values, sizeof *w->maker.touched);
    w->number = memory_zeroed(w->step.n_nodes, sizeof *w->number);
    for (uint32_t i = 0; i < w->step.n_nodes; i++) {
        const struct step_node *n = &w->step.node[i];
        w->number[i] = n->kind == STEP_REPEAT ? ++loops : n->fusion ? ++kernels : 0;
    }
    if (check_length(w) != 0 || write_metadata(w) != 0 ||
        chakra_node_groups(&w->maker, w->next, &groups, w->err) != 0)
        return -1;
    if (groups) {
        w->next++;
        if (write_node(w, groups) != 0)
            return -1;
    }
    return write_nodes(w);
}

/* Hold the step that is wanted, and count those of the trace. */
static int find_step(struct walk *w, struct trace *t, struct err *err)
{
    struct chakra_export *x = w->maker.x;
    uint64_t wanted = x->step;
    struct trace_item item = { 0 };

    for (x->steps = 0; item.kind != TRACE_ITEM_END;) {
        if (trace_next(t, &item, err) != 0)
            return -1;
        if (item.kind != TRACE_ITEM_STEP_BEGIN)
            continue;
        x->steps++;
        if (wanted == 0 && item.count == 0)
            wanted = x->steps;
    }
    if (wanted == 0 || wanted > x->steps)
        return err_set(err, ERR_RANGE, "%.200s: step %" PRIu64 ": the trace has %" PRIu64,
                       trace_file(t), wanted, x->steps);
    x->step = wanted;
    if (trace_rewind(t, err) != 0 || step_read_tensors(&w->step, t, err) != 0)
        return -1;
    for (uint64_t i = 0; i < wanted; i++)
        if (step_read_next(&w->step, t, err) < 0)
            return -1;
    return 0;
}

static int check_ranks(struct walk *w, struct err *err)
{
    const struct trace_header *h = &w->step.head;
    struct chakra_export *x = w->maker.x;

    if (h->stages > 1)
        return err_set(err, ERR_FIT,
                       "%.200s: a pipeline of %" PRIu64 " stages: each has a program of its own, "
                       "and a Chakra trace is written of one",
                       w->step.file, h->stages);
    if (x->ranks == 0)
        x->ranks = h->cores;
    if (x->ranks != 0 && x->rank >= x->ranks)
        return err_set(err, ERR_RANGE, "rank %" PRIu64 ": outside [0, %" PRIu64 "]", x->rank,
                       x->ranks - 1);
    return 0;
}

int chakra_export(struct trace *t, struct chakra_export *x, FILE *out, struct err *err)
{
    struct walk w = { .maker = { .x = x }, .out = out, .next = 1, .err = err };

    w.maker.step = &w.step;
    step_init(&w.step);
    int rc = find_step(&w, t, err);
    if (rc == 0)
        rc = check_ranks(&w, err);
    if (rc == 0)
        rc = write_step(&w);
    step_free(&w.step);
    free(w.writer);
    free(w.maker.touched);
    free(w.maker.group);
    numbered_clear(&w.maker.known);
    free(w.number);
    free(w.dep);
    return rc;
}
