/* The trace of all stages, line by line.  A value of micro-batch m is called %value:m, the sum of
 * those up to m %value:acc<m>, and what another stage s gets of either has :s<s> behind it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "shard/pipeline_impl.h"
#include "trace/attr.h"
#include "trace/print.h"
#include "trace/shape.h"

struct print {
    const struct pipe *p;
    const struct trace *t;
    FILE *out;
    const char *phase;
    uint64_t once; /* in place of a micro-batch: after, or before, all of them */
    bool *there;   /* [value][stage][micro-batch or once] it has come */
};

/* Which it is, and where. */
struct place {
    uint32_t stage;
    uint64_t micro;
};

static void write_sum(const struct print *o, uint32_t v, uint64_t micro)
{
    fprintf(o->out, "%%%s:%s%" PRIu64, o->p->s.value[v].name, micro ? "acc" : "", micro);
}

static void write_local(const struct print *o, uint32_t v, uint64_t micro)
{
    if (!pipe_value_each(o->p, v))
        fprintf(o->out, "%%%s", o->p->s.value[v].name);
    else if (micro == o->once)
        write_sum(o, v, o->once - 1);
    else
        fprintf(o->out, "%%%s:%" PRIu64, o->p->s.value[v].name, micro);
}

static void write_name(const struct print *o, uint32_t v, struct place at)
{
    write_local(o, v, at.micro);
    if (!pipe_persistent(o->p, v) && o->p->stage[v] != at.stage)
        fprintf(o->out, ":s%" PRIu32, at.stage);
}

static void write_type(const struct print *o, uint32_t v)
{
    const struct shard_value *x = &o->p->s.value[v];
    struct trace_shape shape = x->shape;
    char buf[SHAPE_TEXT_MAX];

    if (x->split != SHARD_WHOLE)
        shape.dim[x->split] /= o->p->s.parts;
    fprintf(o->out, " %s%s", shape_text(buf, &shape), x->role == TRACE_GRADIENT ? " gradient" : "");
}

/* --- between stages ----------------------------------------------------------------------- */

static bool *there(const struct print *o, uint32_t v, struct place at)
{
    return &o->there[((size_t)v * o->p->plan->stages + at.stage) * (o->once + 1) + at.micro];
}

static uint64_t which(const struct print *o, uint32_t v, uint64_t micro)
{
    return pipe_value_each(o->p, v) ? micro : o->once;
}

/* Before its first use there. */
static void receive(const struct print *o, uint32_t v, struct place at)
{
    at.micro = which(o, v, at.micro);
    if (pipe_persistent(o->p, v) || o->p->stage[v] == at.stage || *there(o, v, at))
        return;
    *there(o, v, at) = true;
    write_name(o, v, at);
    write_type(o, v);
    fputs(" = send-done(", o->out);
    write_name(o, v, at);
    fprintf(o->out, ":t) name=\"%s.receive\" stage=%" PRIu32 "\n", o->p->s.value[v].name, at.stage);
}

/* As soon as it is made. */
static void send(const struct print *o, uint32_t v, uint64_t micro)
{
    const struct pipe *p = o->p;

    for (uint32_t k = 0; k < p->plan->stages; k++) {
        if (!p->needs[((size_t)v * p->plan->stages + k) * 2 + (micro == o->once)])
            continue;
        write_name(o, v, (struct place){ k, micro });
        fputs(":t u32[] = send-start(", o->out);
        write_local(o, v, micro);
        fprintf(o->out, ") name=\"%s.send\" stage=%" PRIu32 " to=%" PRIu32 "\n", p->s.value[v].name,
                p->stage[v], k);
    }
}

/* --- operations --------------------------------------------------------------------------- */

static void write_phase(struct print *o, const struct pipe_node *n)
{
    if (n->phase && (!o->phase || strcmp(o->phase, n->phase) != 0))
        fprintf(o->out, "phase %s\n", n->phase);
    o->phase = n->phase ? n->phase : o->phase;
}

/* "results = kind(operands) attributes": of what `take` says, or all. */
static void write_op(const struct print *o, uint32_t n, struct place at, const struct trace_op *x,
                     const bool *take)
{
    const struct shard_op *op = &o->p->s.op[n];
    uint32_t some = 0;

    for (uint32_t i = 0; i < op->n_out; i++) {
        if (take && !take[i])
            continue;
        fputs(some++ ? ", " : "", o->out);
        write_local(o, o->p->s.ref[op->first_out + i], at.micro);
        write_type(o, o->p->s.ref[op->first_out + i]);
    }
    fprintf(o->out, "%s%s(", some ? " = " : "", x->kind_text);
    some = 0;
    for (uint32_t i = 0; i < op->n_in; i++) {
        if (take && !take[i])
            continue;
        fputs(some++ ? ", " : "", o->out);
        write_name(o, pipe_operand(o->p, n, i), at);
    }
    fputc(')', o->out);
    if (op->bias != SHARD_NONE) {
        fputs(" bias=", o->out);
        write_name(o, pipe_operand(o->p, n, op->n_in), at);
    }
    attr_print(x, NULL, o->out);
    fputc('\n', o->out);
}

static void write_single(const struct print *o, uint32_t n, struct place at)
{
    struct trace_op x = o->p->op[n].x;

    x.stage = at.stage;
    x.given |= ATTR_BIT(STAGE);
    write_op(o, n, at, &x, NULL);
}

/* --- kernels ------------------------------------------------------------------------------ */

static bool leaves(const struct print *o, const struct pipe_node *n, uint32_t v)
{
    return !n->fusion || o->p->s.value[v].listed;
}

/* Does it add to the sum of the micro-batches before? */
static bool adds(const struct print *o, uint32_t v, uint64_t micro)
{
    return o->p->summed[v] && micro > 0 && micro < o->once;
}

static bool wanted(const struct print *o, uint32_t v)
{
    bool used = o->p->used_each[v];

    for (uint32_t k = 0; k < o->p->plan->stages; k++)
        used |= o->p->needs[((size_t)v * o->p->plan->stages + k) * 2];
    return used;
}

/* fn(of every result of the node) */
#define EACH_RESULT(o, n, i, j, v)                                                                 \
    for (uint32_t i = (n)->first, v; i < (n)->first + (n)->n; i++)                                 \
        for (uint32_t j = 0;                                                                       \
             j < (o)->p->s.op[i].n_out && (v = (o)->p->s.ref[(o)->p->s.op[i].first_out + j], 1);   \
             j++)

/* Sums are made where they are added to, on chip. */
static bool sums_up(const struct print *o, const struct pipe_node *n, uint64_t micro)
{
    EACH_RESULT(o, n, i, j, v)
    if (adds(o, v, micro))
        return true;
    return false;
}

static void open_fusion(const struct print *o, const struct pipe_node *n, struct place at)
{
    uint32_t some = 0;

    fputs("fusion", o->out);
    EACH_RESULT(o, n, i, j, v)
    {
        bool sum = adds(o, v, at.micro);
        if (!leaves(o, n, v))
            continue;
        if (sum) {
            fputs(some++ ? ", " : " ", o->out);
            write_sum(o, v, at.micro);
        }
        if (!sum || wanted(o, v)) {
            fputs(some++ ? ", " : " ", o->out);
            write_local(o, v, at.micro);
        }
    }
    if (n->named || !n->gemm) { /* one without a name is known by the product in it */
        fputs(" name=", o->out);
        print_string(n->name, o->out);
    }
    fprintf(o->out, " stage=%" PRIu32, at.stage);
    if (n->note) {
        fputs(" note=", o->out);
        print_string(n->note, o->out);
    }
    fputs(" {\n", o->out);
}

static void write_additions(const struct print *o, const struct pipe_node *n, uint64_t micro)
{
    EACH_RESULT(o, n, i, j, v)
    {
        const struct shard_value *x = &o->p->s.value[v];
        if (!adds(o, v, micro))
            continue;
        write_sum(o, v, micro);
        write_type(o, v);
        fputs(" = elementwise(", o->out);
        write_sum(o, v, micro - 1);
        fputs(", ", o->out);
        write_local(o, v, micro);
        fprintf(o->out, ") name=\"%s.sum\" flops=%" PRIu64 "\n", x->name,
                trace_elements(&x->shape));
    }
}

static void write_node(struct print *o, const struct pipe_node *n, struct place at)
{
    bool fusion = n->fusion || sums_up(o, n, at.micro);

    for (uint32_t i = n->first; i < n->first + n->n; i++)
        for (uint32_t j = 0; j < pipe_operands(&o->p->s.op[i]); j++) {
            uint32_t v = pipe_operand(o->p, i, j);
            if (!pipe_persistent(o->p, v) &&
                o->p->op[o->p->s.value[v].def].node != o->p->op[i].node)
                receive(o, v, at);
        }
    write_phase(o, n);
    if (fusion)
        open_fusion(o, n, at);
    for (uint32_t i = n->first; i < n->first + n->n; i++)
        if (fusion)
            write_op(o, i, at, &o->p->op[i].x, NULL);
        else
            write_single(o, i, at);
    if (fusion) {
        write_additions(o, n, at.micro);
        fputs("}\n", o->out);
    }
    EACH_RESULT(o, n, i, j, v)
    {
        send(o, v, which(o, v, at.micro));
        if (o->p->summed[v] && at.micro + 1 == o->once)
            send(o, v, o->once);
    }
}

/* --- what is parted by stages ------------------------------------------------------------- */

/* A share of `all`, so that the shares of weights add up to it. */
static uint64_t share(uint64_t all, uint64_t before, uint64_t part, uint64_t of)
{

    return of ? (uint64_t)((u128)all * (before + part) / of - (u128)all * before / of) : all;
}

struct parted {
    uint64_t all, done, part; /* the sizes that shares go by */
};

static void share_out(struct trace_op *x, const struct parted *s)
{
    x->flops = share(x->flops, s->done, s->part, s->all);
    x->reads = share(x->reads, s->done, s->part, s->all);
    x->writes = share(x->writes, s->done, s->part, s->all);
}

/* Input for each stage that takes some of it; what is read from storage comes with the first. */
static void write_infeed(struct print *o, const struct pipe_node *node, struct place at)
{
    const struct pipe *p = o->p;
    const struct shard_op *op = &p->s.op[node->first];
    bool *take = calloc((size_t)op->n_out + 1, sizeof *take), some = false, first = true;
    struct trace_op x = p->op[node->first].x;
    struct parted s = { 0, 0, 0 };

    BUG_ON(!take);
    for (uint32_t i = 0; i < op->n_out; i++) {
        const struct shard_value *v = shard_out(&p->s, op, i);
        uint32_t stage = p->stage[p->s.ref[op->first_out + i]];
        uint64_t bytes = trace_bytes(&v->shape);
        take[i] = stage == at.stage;
        some |= take[i];
        first &= stage >= at.stage;
        s.all += bytes;
        s.part += take[i] ? bytes : 0;
        s.done += stage < at.stage ? bytes : 0;
    }
    if (some) {
        share_out(&x, &s);
        if (!first)
            x.given &=
                ~(ATTR_BIT(TIME) | ATTR_BIT(CALLS) | ATTR_BIT(ITEMS) | ATTR_BIT(ITEM_TIME) |
                  ATTR_BIT(BYTES) | ATTR_BIT(BYTE_TIME) | ATTR_BIT(THREADS) | ATTR_BIT(READERS));
        x.stage = at.stage;
        x.given |= ATTR_BIT(STAGE);
        write_phase(o, node);
        write_op(o, node->first, at, &x, take);
        for (uint32_t i = 0; i < op->n_out; i++)
            if (take[i])
                send(o, p->s.ref[op->first_out + i], at.micro);
    }
    free(take);
}

/* An update or an all-reduce: of each stage what is there. */
static void write_parts(struct print *o, const struct pipe_node *node)
{
    const struct pipe *p = o->p;
    uint32_t n = node->first;
    const struct shard_op *op = &p->s.op[n];
    bool *take = calloc((size_t)op->n_in + 1, sizeof *take), updates = pipe_updates(p, n);
    struct parted s = { 0, 0, 0 };

    BUG_ON(!take);
    for (uint32_t i = 0; i < op->n_in; i++)
        if (!updates || shard_in(&p->s, op, i)->role == TRACE_WEIGHT)
            s.all += trace_elements(&shard_in(&p->s, op, i)->shape);
    for (uint32_t k = 0; k < p->plan->stages; k++) {
        struct place at = { k, o->once };
        struct trace_op x = p->op[n].x;
        bool some = false;
        for (uint32_t i = 0; i < op->n_in; i++) {
            take[i] = pipe_use_stage(p, n, i) == k;
            some |= take[i];
            if (!take[i])
                continue;
            receive(o, pipe_operand(p, n, i), at);
            if (!updates || shard_in(&p->s, op, i)->role == TRACE_WEIGHT)
                s.part += trace_elements(&shard_in(&p->s, op, i)->shape);
        }
        if (!some)
            continue;
        share_out(&x, &s);
        s.done += s.part;
        s.part = 0;
        x.stage = k;
        x.given |= ATTR_BIT(STAGE);
        write_phase(o, node);
        write_op(o, n, at, &x, take);
        for (uint32_t i = 0; i < op->n_out; i++)
            if (take[i])
                send(o, p->s.ref[op->first_out + i], o->once);
    }
    free(take);
}

/* --- the step ----------------------------------------------------------------------------- */

static void write_unit(struct print *o, const struct pipe_unit *u)
{
    const struct pipe *p = o->p;
    struct place at = { u->stage, u->micro };

    for (uint32_t i = 0; i < p->n_nodes; i++) {
        const struct pipe_node *n = &p->node[i];
        if (n->class != (u->backward ? PIPE_BACKWARD : PIPE_FORWARD))
            continue;
        if (p->s.op[n->first].kind == TRACE_INFEED)
            write_infeed(o, n, at);
        else if (n->stage == u->stage)
            write_node(o, n, at);
    }
}

static void write_micro_batches(struct print *o)
{
    const struct pipe *p = o->p;
    uint64_t units = p->plan->stages * p->plan->microbatches * 2;
    uint64_t *cost = calloc(p->plan->stages * 2, sizeof *cost);
    struct pipe_unit *unit = calloc(units, sizeof *unit);

    BUG_ON(!cost || !unit);
    for (uint32_t i = 0; i < p->n_nodes; i++)
        if (pipe_each(p->node[i].class))
            cost[2 * p->node[i].stage + (p->node[i].class == PIPE_BACKWARD)] += p->node[i].cost;
    pipe_order(p->plan, cost, unit);
    for (uint64_t u = 0; u < units; u++)
        write_unit(o, &unit[u]);
    free(cost);
    free(unit);
}

static void write_once(struct print *o, enum pipe_class class)
{
    const struct pipe *p = o->p;

    for (uint32_t i = 0; i < p->n_nodes; i++) {
        const struct pipe_node *n = &p->node[i];
        const struct shard_op *op = &p->s.op[n->first];
        if (n->class != class || op->dropped)
            continue;
        if (!n->fusion && (op->kind == TRACE_ALL_REDUCE || pipe_updates(p, n->first)))
            write_parts(o, n);
        else
            write_node(o, n, (struct place){ n->stage, o->once });
    }
}

static void write_head(const struct print *o)
{
    const struct pipeline_plan *plan = o->p->plan;
    struct trace_header h = *trace_head(o->t);
    size_t n = strlen(h.provenance);

    h.shared = h.stages = plan->stages;
    h.cores = plan->stages * plan->data;
    snprintf(h.provenance + n, sizeof h.provenance - n,
             "%scut: pipeline=%" PRIu64 " microbatches=%" PRIu64 " data=%" PRIu64 " schedule=%s",
             n ? "; " : "", plan->stages, plan->microbatches, plan->data,
             plan->schedule == PIPELINE_GPIPE ? "gpipe" : "1f1b");
    print_header(&h, o->out);
}

void pipe_print(const struct pipe *p, const struct trace *t, FILE *out)
{
    struct print o = { .p = p, .t = t, .out = out, .once = p->plan->microbatches };

    o.there = calloc((size_t)p->s.n_values * p->plan->stages * (o.once + 1) + 1, sizeof *o.there);
    BUG_ON(!o.there);
    write_head(&o);
    for (uint32_t v = 0; v < p->s.n_values; v++) {
        if (!pipe_persistent(p, v))
            continue;
        fprintf(out, "tensor %%%s", p->s.value[v].name);
        write_type(&o, v);
        fprintf(out, " %s", trace_role_name[p->s.value[v].role]);
        if (p->stage[v] != PIPE_NONE)
            fprintf(out, " stage=%" PRIu32, p->stage[v]);
        fputc('\n', out);
    }
    fputs(p->before, out);
    fputs("step {\n", out);
    write_once(&o, PIPE_BEFORE);
    write_micro_batches(&o);
    write_once(&o, PIPE_AFTER);
    fputs("}\n", out);
    fputs(p->after, out);
    free(o.there);
}
