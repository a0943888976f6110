#include "import/chakra/chakra_node.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "base/units.h"
#include "base/wide.h"
#include "import/chakra/chakra_own.h"
#include "import/chakra/chakra_shapes.h"
#include "trace/attr.h"

#define MAX_RANKS UINT32_C(1000000) /* that are listed, of all groups */

Chakra__Node *chakra_node_new(uint64_t id, const char *name, Chakra__NodeType type)
{
    Chakra__Node *n = memory_zeroed(1, sizeof *n);

    chakra__node__init(n);
    n->id = id;
    n->name = memory_copy(name);
    n->type = type;
    return n;
}

static int fail_op(const struct chakra_maker *m, const struct step_op *op, struct err *err,
                   enum err_code code, const char *what)
{
    return err_set(err, code, "%.200s:%" PRIu32 ": %.60s: %s", m->step->file, op->op.line,
                   step_text(m->step, op->name), what);
}

static uint64_t operand_bytes(const struct step *step, const struct step_op *op)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < op->n_in; i++)
        sum += trace_bytes(&step->value[step_operand(step, op, i)].shape);
    return sum;
}

/* --- what it costs ------------------------------------------------------------------------ */

static bool is_resident(const struct step_op *op, uint32_t i, bool result)
{
    if (result)
        return op->op.resident & TRACE_RESIDENT_OUT;
    return op->op.resident & (i == 0 ? TRACE_RESIDENT_LHS : i == 1 ? TRACE_RESIDENT_RHS : 0);
}

/* Operand or result i is not in HBM: it stays inside a fusion, or in another memory. */
static bool is_elsewhere(const struct step *step, const struct step_op *op, uint32_t v, uint32_t i,
                         bool result)
{
    return step->value[v].on_chip || is_resident(op, i, result) ||
           trace_space(&step->value[v].shape) != TRACE_IN_HBM;
}

/* A copy in the background: the bytes that it moves, once for each end in HBM. */
static uint64_t copied_bytes(const struct step *step, const struct step_op *op)
{
    uint64_t ends = 0;

    ends += trace_space(&step->value[step_operand(step, op, 0)].shape) == TRACE_IN_HBM;
    ends += trace_space(&step->value[step_result(step, op, 0)].shape) == TRACE_IN_HBM;
    return ends * op->op.payload;
}

/* Bytes that the operation moves over HBM: its reads and writes without what stays on chip, and
 * without what another member of its fusion has read before. */
static uint64_t crossing_bytes(struct chakra_maker *m, const struct step_op *op)
{
    const struct step *step = m->step;
    uint64_t in = 0, out = 0, reads = op->op.reads, writes = op->op.writes;
    bool fused = step->node[op->node].fusion;

    if (op->op.kind == TRACE_KERNEL) /* it states what it fetches and stores */
        return reads + writes;
    if (op->op.kind == TRACE_COPY && op->op.async == TRACE_START)
        return copied_bytes(step, op);
    for (uint32_t i = 0; i < op->n_in; i++) {
        uint32_t v = step_operand(step, op, i);
        if (is_elsewhere(step, op, v, i, false) || (fused && m->touched[v] == m->kernel))
            in += trace_bytes(&step->value[v].shape);
        m->touched[v] = m->kernel;
    }
    for (uint32_t i = 0; i < op->n_out; i++) {
        uint32_t v = step_result(step, op, i);
        if (is_elsewhere(step, op, v, i, true))
            out += trace_bytes(&step->value[v].shape);
        m->touched[v] = m->kernel;
    }
    return (reads > in ? reads - in : 0) + (writes > out ? writes - out : 0);
}

/* Microseconds that work of a CPU takes, rounded up. */
static uint64_t work_micros(const struct trace_work *w)
{
    u128 fs = (u128)w->calls * w->call_fs + (u128)w->items * w->item_fs;
    u128 us = (fs + (u128)w->bytes * w->byte_fs) / w->threads;

    us = (us + FS_PER_US - 1) / FS_PER_US;
    return us > INT64_MAX ? INT64_MAX : (uint64_t)us;
}

static Chakra__NodeType type_of(const struct trace_op *op)
{
    if (op->async == TRACE_DONE) /* it only waits, but for what comes from another rank */
        return op->kind == TRACE_PERMUTE ? CHAKRA__NODE_TYPE__COMM_RECV_NODE
                                         : CHAKRA__NODE_TYPE__COMP_NODE;
    if (op->kind == TRACE_PERMUTE)
        return CHAKRA__NODE_TYPE__COMM_SEND_NODE;
    if (trace_is_collective(op->kind))
        return CHAKRA__NODE_TYPE__COMM_COLL_NODE;
    if (op->kind == TRACE_INFEED)
        return CHAKRA__NODE_TYPE__MEM_LOAD_NODE;
    if (op->kind == TRACE_OUTFEED)
        return CHAKRA__NODE_TYPE__MEM_STORE_NODE;
    return CHAKRA__NODE_TYPE__COMP_NODE;
}

static int64_t comm_type(enum trace_kind k)
{
    switch (trace_kinds[k].net) {
    case TRACE_NET_REDUCE_SCATTER: return CHAKRA__COLLECTIVE_COMM_TYPE__REDUCE_SCATTER;
    case TRACE_NET_ALL_GATHER: return CHAKRA__COLLECTIVE_COMM_TYPE__ALL_GATHER;
    case TRACE_NET_ALL_TO_ALL: return CHAKRA__COLLECTIVE_COMM_TYPE__ALL_TO_ALL;
    case TRACE_NET_BROADCAST: return CHAKRA__COLLECTIVE_COMM_TYPE__BROADCAST;
    case TRACE_NET_BARRIER: return CHAKRA__COLLECTIVE_COMM_TYPE__BARRIER;
    case TRACE_NET_NONE: /* no collective, and a permute is a pair of nodes */
    case TRACE_NET_PERMUTE:
    case TRACE_NET_ALL_REDUCE: break;
    }
    return CHAKRA__COLLECTIVE_COMM_TYPE__ALL_REDUCE;
}

/* --- groups ------------------------------------------------------------------------------- */

static uint32_t find_group(struct chakra_maker *m, const struct trace_op *op)
{
    char name[48];

    snprintf(name, sizeof name, "%" PRIu32 " %" PRIu64, op->group, op->group_stride);
    size_t i = numbered_find(&m->known, name);
    if (i < m->n_groups)
        return (uint32_t)i;
    MEMORY_ADD(m->group, m->n_groups);
    m->group[m->n_groups] = (struct chakra_group){ op->group, op->group_stride };
    return m->n_groups++;
}

/* Member i of the group of our rank. */
static uint64_t member_rank(const struct chakra_export *x, const struct chakra_group *g, uint64_t i)
{
    uint64_t own = x->rank / g->stride % g->size;

    return x->rank - own * g->stride + i * g->stride;
}

/* Add the groups of all collectives, whose ranks are to be listed. */
static int find_groups(struct chakra_maker *m, struct err *err)
{
    uint64_t listed = 0, last;

    for (uint32_t i = 0; i < m->step->n_ops; i++) {
        const struct trace_op *op = &m->step->op[i].op;
        uint32_t known = m->n_groups;
        if (m->step->op[i].members != STEP_NONE || m->step->op[i].pairs != STEP_NONE)
            return fail_op(m, &m->step->op[i], err, ERR_FIT,
                           "groups and pairs that are listed (members=, pairs=) are not written");
        if (!trace_is_collective(op->kind) || op->group == 0 || find_group(m, op) < known)
            continue;
        if (op->group > MAX_RANKS - listed)
            return fail_op(m, &m->step->op[i], err, ERR_RANGE,
                           "up to this group more than 1000000 replicas are to be listed");
        listed += op->group;
        if (__builtin_mul_overflow(op->group - 1, op->group_stride, &last) || last > INT32_MAX)
            return fail_op(m, &m->step->op[i], err, ERR_RANGE,
                           "its group has replicas beyond 2147483647");
    }
    return 0;
}

int chakra_node_groups(struct chakra_maker *m, uint64_t id, Chakra__Node **node, struct err *err)
{
    struct memory_text text;

    *node = NULL;
    if (find_groups(m, err) != 0)
        return -1;
    if (m->n_groups == 0)
        return 0;
    *node = chakra_node_new(id, "## process_group:init ##", CHAKRA__NODE_TYPE__METADATA_NODE);
    memory_text_begin(&text);
    fputs("['[", text.out);
    for (uint32_t i = 0; i < m->n_groups; i++) {
        fprintf(text.out, "%s{\"pg_name\": \"%" PRIu32 "\", \"ranks\": [", i ? ", " : "", i + 1);
        for (uint64_t k = 0; k < m->group[i].size; k++)
            fprintf(text.out, "%s%" PRIu64, k ? ", " : "", member_rank(m->x, &m->group[i], k));
        fprintf(text.out, "], \"group_size\": %" PRIu64 "}", m->group[i].size);
    }
    fputs("]']", text.out);
    Chakra__IOInfo *in = (*node)->inputs = memory_zeroed(1, sizeof *in);
    chakra__ioinfo__init(in);
    in->values = memory_text_end(&text);
    in->shapes = memory_copy("[[]]");
    in->types = memory_copy("['String']");
    chakra_add_bool(chakra_list_of(*node), "is_cpu_op", true);
    return 0;
}

/* Name the ranks that a permute sends to and receives from. */
static int add_ranks(struct chakra_maker *m, const struct step_op *op, uint64_t tag,
                     Chakra__Node *node, struct err *err)
{
    const struct trace_op *o = &op->op;
    struct chakra_group all = { m->x->ranks, 1 }, own = { o->group, o->group_stride };
    const struct chakra_group *g = o->group ? &own : &all;
    struct chakra_list list = chakra_list_of(node);

    if (g->size == 0)
        return fail_op(m, op, err, ERR_RANGE,
                       "it sends to another rank, but nobody said how many there are (--ranks)");
    uint64_t i = m->x->rank / g->stride % g->size, shift = o->shift % g->size;
    uint64_t to = member_rank(m->x, g, (i + shift) % g->size);
    uint64_t from = member_rank(m->x, g, (i + g->size - shift) % g->size);
    if (to > INT32_MAX || from > INT32_MAX || m->x->rank > INT32_MAX)
        return fail_op(m, op, err, ERR_RANGE, "a rank beyond 2147483647");
    bool sends = node->type == CHAKRA__NODE_TYPE__COMM_SEND_NODE;
    chakra_add_int32(list, "comm_src", (int32_t)(sends ? m->x->rank : from));
    chakra_add_int32(list, "comm_dst", (int32_t)(sends ? to : m->x->rank));
    chakra_add_int32(list, "comm_tag", (int32_t)(tag & INT32_MAX));
    return 0;
}

/* The start whose handle a done takes; the operation itself if it is none. */
static const struct step_op *start_of(const struct step *step, const struct step_op *op)
{
    if (op->op.async != TRACE_DONE)
        return op;
    return &step->op[step->value[step_operand(step, op, 0)].op];
}

/* --- the tensors -------------------------------------------------------------------------- */

static void write_dims(const struct trace_shape *s, FILE *out)
{
    putc('[', out);
    for (uint32_t i = 0; i < s->rank; i++)
        fprintf(out, "%s%" PRIu64, i ? ", " : "", s->dim[i]);
    putc(']', out);
}

/* Values, shapes and types of n values, as Python prints lists. */
static Chakra__IOInfo *make_tensors(const struct step *step, const uint32_t *value, uint32_t n)
{
    Chakra__IOInfo *io = memory_zeroed(1, sizeof *io);
    struct memory_text text[3];

    chakra__ioinfo__init(io);
    for (int k = 0; k < 3; k++) {
        memory_text_begin(&text[k]);
        putc('[', text[k].out);
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct trace_shape *s = &step->value[value[i]].shape;
        const char *comma = i ? ", " : "";
        fprintf(text[0].out, "%s'%s'", comma, step_name(step, value[i]));
        fputs(comma, text[1].out);
        write_dims(s, text[1].out);
        fprintf(text[2].out, "%s'", comma);
        chakra_shapes_type(s->dtype, text[2].out);
        putc('\'', text[2].out);
    }
    for (int k = 0; k < 3; k++)
        putc(']', text[k].out);
    io->values = memory_text_end(&text[0]);
    io->shapes = memory_text_end(&text[1]);
    io->types = memory_text_end(&text[2]);
    return io;
}

/* --- attributes of our own ---------------------------------------------------------------- */

static void free_texts(char **text, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        free(text[i]);
    free(text);
}

static void add_values(const struct step *step, const struct step_op *op, struct chakra_list list)
{
    char **text = memory_zeroed(op->n_in + op->n_out, sizeof *text);

    for (uint32_t i = 0; i < op->n_out; i++) {
        struct memory_text t;
        memory_text_begin(&t);
        step_print_result(step, op, i, t.out);
        text[i] = memory_text_end(&t);
    }
    chakra_add_texts(list, OWN_RESULTS, text, op->n_out);
    for (uint32_t i = 0; i < op->n_in; i++)
        text[op->n_out + i] = memory_format("%%%s", step_name(step, step_operand(step, op, i)));
    chakra_add_texts(list, OWN_OPERANDS, text + op->n_out, op->n_in);
    free_texts(text, op->n_in + op->n_out);
}

/* The end of a word, or of a string in quotes with its escapes. */
static char *skip_value(char *p)
{
    if (*p != '"')
        return p + strcspn(p, " ");
    for (p++; *p && *p != '"'; p++)
        p += *p == '\\' && p[1];
    return *p ? p + 1 : p;
}

/* Add an attribute for each " key=value" of the text that a trace has. */
static void add_attributes(const struct step *step, const struct step_op *op,
                           struct chakra_list list)
{
    struct trace_op x = step_attributes(step, op);
    struct memory_text t;

    memory_text_begin(&t);
    attr_print(&x, op->bias == STEP_NONE ? NULL : step_name(step, op->bias), t.out);
    char *text = memory_text_end(&t);
    for (char *key = text; *key;) {
        key += strspn(key, " ");
        char *value = key + strcspn(key, "=");
        if (*value == '\0')
            break;
        *value++ = '\0';
        char *end = skip_value(value), was = *end;
        *end = '\0';
        char *name = memory_format(OWN_ATTR "%s", key);
        chakra_add_text(list, name, value);
        free(name);
        *end = was;
        key = end;
    }
    free(text);
}

static void add_own(const struct step *step, const struct step_op *op, struct chakra_list list)
{
    const struct trace_op *o = &op->op;
    const struct step_node *node = &step->node[op->node];

    chakra_add_text(list, OWN_KIND, step_text(step, op->kind_text));
    add_values(step, op, list);
    add_attributes(step, op, list);
    if (trace_is_gemm(o->kind))
        chakra_add_numbers(list, OWN_GEMM, (const uint64_t[]){ o->b, o->m, o->k, o->n }, 4);
    else if (o->compiled && trace_has_product(o->compiled))
        chakra_add_numbers(list, OWN_GEMM, o->compiled->product, TRACE_N_DIMS);
    if (*step_phase_name(step, node))
        chakra_add_text(list, OWN_PHASE, step_phase_name(step, node));
}

/* --- nodes -------------------------------------------------------------------------------- */

static void add_costs(struct chakra_maker *m, const struct step_op *op, Chakra__Node *n)
{
    const struct trace_op *o = &op->op;
    struct chakra_list list = chakra_list_of(n);
    bool waits = o->async == TRACE_DONE;
    uint64_t bytes = trace_is_collective(o->kind)                   ? 0
                     : trace_kinds[o->kind].family == TRACE_OF_FEED ? o->payload
                                                                    : crossing_bytes(m, op);

    chakra_add_bool(list, "is_cpu_op", trace_is_host(o->kind));
    if (trace_is_host(o->kind))
        n->duration_micros = work_micros(&o->work);
    chakra_add_int64(list, "num_ops", (int64_t)o->flops);
    chakra_add_uint64(list, "tensor_size", waits ? 0 : bytes);
    mpz_add_ui(m->x->ops, m->x->ops, o->flops);
}

static int add_transfer(struct chakra_maker *m, const struct step_op *op, Chakra__Node *n,
                        uint64_t tag, struct err *err)
{
    struct chakra_list list = chakra_list_of(n);
    const struct trace_op *o = &op->op;
    uint64_t bytes = operand_bytes(m->step, op);

    if (bytes > INT64_MAX)
        return fail_op(m, op, err, ERR_RANGE, "more than 2^63 bytes");
    chakra_add_bool(list, "is_cpu_op", false);
    if (n->type == CHAKRA__NODE_TYPE__COMM_COLL_NODE)
        chakra_add_int64(list, "comm_type", comm_type(o->kind));
    chakra_add_int64(list, "comm_size", (int64_t)bytes);
    if (n->type != CHAKRA__NODE_TYPE__COMM_RECV_NODE)
        mpz_add_ui(m->x->comm_bytes, m->x->comm_bytes, bytes);
    if (o->group != 0) {
        char name[16];
        snprintf(name, sizeof name, "%" PRIu32, find_group(m, o) + 1);
        chakra_add_text(list, "pg_name", name);
    }
    return n->type == CHAKRA__NODE_TYPE__COMM_COLL_NODE ? 0 : add_ranks(m, op, tag, n, err);
}

int chakra_node_make(struct chakra_maker *m, const struct step_op *op, uint64_t id, uint64_t start,
                     Chakra__Node **node, struct err *err)
{
    const struct step *step = m->step;
    Chakra__NodeType type = type_of(&op->op);
    int rc = 0;

    if (op->op.flops > INT64_MAX)
        return fail_op(m, op, err, ERR_RANGE, "more than 2^63 FLOPs");
    *node = chakra_node_new(id, step_text(step, op->name), type);
    if (type == CHAKRA__NODE_TYPE__COMM_COLL_NODE || type == CHAKRA__NODE_TYPE__COMM_SEND_NODE ||
        type == CHAKRA__NODE_TYPE__COMM_RECV_NODE) {
        if (op->op.flops)
            chakra_add_int64(chakra_list_of(*node), "num_ops", (int64_t)op->op.flops);
        mpz_add_ui(m->x->ops, m->x->ops, op->op.flops);
        rc = add_transfer(m, start_of(step, op), *node, op->op.async == TRACE_DONE ? start : id,
                          err);
    } else {
        add_costs(m, op, *node);
    }
    (*node)->inputs = make_tensors(step, step->ref + op->first_in, op->n_in);
    (*node)->outputs = make_tensors(step, step->ref + op->first_out, op->n_out);
    add_own(step, op, chakra_list_of(*node));
    if (rc != 0)
        protobuf_c_message_free_unpacked(&(*node)->base, NULL);
    return rc;
}

int chakra_node_receive(struct chakra_maker *m, const struct step_op *op, uint64_t id, uint64_t of,
                        Chakra__Node **node, struct err *err)
{
    *node = chakra_node_new(id, step_text(m->step, op->name), CHAKRA__NODE_TYPE__COMM_RECV_NODE);
    chakra_add_uint64(chakra_list_of(*node), OWN_OF, of);
    if (add_transfer(m, op, *node, of, err) == 0)
        return 0;
    protobuf_c_message_free_unpacked(&(*node)->base, NULL);
    return -1;
}
