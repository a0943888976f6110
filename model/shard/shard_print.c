#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "shard/shard_impl.h"
#include "trace/attr.h"
#include "trace/print.h"
#include "trace/shape.h"

struct print {
    const struct shard *s;
    const struct trace *t;
    FILE *out;
    uint32_t depth, next; /* of the operations to come */
    uint32_t segment_end; /* of the fusion being printed: where the part at hand ends */
    bool open, inside;    /* a part has its brace open; within a fusion of the source */
    bool plain;           /* a part of one operation needs no braces */
    char *fusion_attr;    /* name and note of the fusion, for its first part */
};

static uint64_t part(const struct print *p, uint64_t n)
{
    return n / p->s->parts + (n % p->s->parts != 0);
}

static void indent(const struct print *p)
{
    for (uint32_t i = 0; i < p->depth; i++)
        fputs("  ", p->out);
}

static void print_value(const struct print *p, const struct shard_value *v)
{
    struct trace_shape shape = v->shape;
    char buf[SHAPE_TEXT_MAX];

    if (v->split != SHARD_WHOLE)
        shape.dim[v->split] = part(p, shape.dim[v->split]);
    fprintf(p->out, "%%%s %s", v->name, shape_text(buf, &shape));
}

/* --- what is put before an operation ------------------------------------------------------ */

static void print_fixes(const struct print *p, uint32_t n, bool outside)
{
    const struct shard *s = p->s;
    const struct shard_op *op = &s->op[n];

    for (uint32_t i = 0; i < op->n_in; i++) {
        const struct shard_value *v = shard_in(s, op, i);
        enum shard_fix fix = s->fix[op->first_in + i];
        bool ahead = op->fusion != SHARD_NONE && (v->def == SHARD_NONE || v->def < op->fusion);

        if (fix == SHARD_FINE || (op->fusion != SHARD_NONE && ahead != outside))
            continue;
        if (fix == SHARD_EXCHANGE) {
            halo_print_table(s, n, p->depth, p->out);
            continue;
        }
        indent(p);
        if (fix == SHARD_REDUCE) {
            fprintf(p->out, "all-reduce(%%%s) name=\"%s.sum\" group=%" PRIu64 "\n", v->name,
                    v->name, s->parts);
            continue;
        }
        struct shard_value whole = *v;
        char buf[SHAPE_TEXT_MAX];
        fprintf(p->out,
                "%%%s.all%" PRIu32 "_%" PRIu32
                " %s = all-gather(%%%s) name=\"%s.all\" group=%" PRIu64 "\n",
                v->name, n, i, shape_text(buf, &whole.shape), v->name, v->name, s->parts);
    }
}

/* Must a fusion be parted before this member? */
static bool parted(const struct shard *s, uint32_t n)
{
    const struct shard_op *op = &s->op[n];

    for (uint32_t i = 0; i < op->n_in; i++) {
        const struct shard_value *v = shard_in(s, op, i);
        if (s->fix[op->first_in + i] != SHARD_FINE && v->def != SHARD_NONE && v->def >= op->fusion)
            return true;
    }
    return false;
}

/* --- operations --------------------------------------------------------------------------- */

static void scale(const struct print *p, const struct shard_op *op, struct trace_op *x)
{
    const struct shard *s = p->s;

    if (!op->share)
        return;
    x->flops = part(p, x->flops);
    x->reads = part(p, x->reads);
    x->writes = part(p, x->writes);
    if (op->kind == TRACE_GATHER || op->kind == TRACE_SCATTER) {
        bool columns = shard_out(s, op, 0)->split > 0;
        if (columns)
            x->cols = part(p, x->cols);
        else
            x->rows = part(p, x->rows);
        if (op->halo)
            x->table_rows = s->node_count / s->parts + s->halo_buffer;
        else if (s->node_count && !columns && x->table_rows == s->node_count)
            x->table_rows /= s->parts;
    }
}

static void print_operands(const struct print *p, uint32_t n, const bool *take)
{
    const struct shard_op *op = &p->s->op[n];
    bool some = false;

    for (uint32_t i = 0; i < op->n_in; i++) {
        if (take && !take[i])
            continue;
        fprintf(p->out, "%s%%%s", some ? ", " : "", shard_in(p->s, op, i)->name);
        if (p->s->fix[op->first_in + i] == SHARD_GATHER)
            fprintf(p->out, ".all%" PRIu32 "_%" PRIu32, n, i);
        if (op->halo && op->kind == TRACE_GATHER && i == 0)
            fprintf(p->out, ".near%" PRIu32, op->table);
        some = true;
    }
}

/* Gradients of weights that members have alike are reduced over the groups, summands over all. */
static void print_all_reduce(const struct print *p, uint32_t n, struct trace_op x)
{
    const struct shard *s = p->s;
    const struct shard_op *op = &s->op[n];
    bool *take = calloc(op->n_in + 1, sizeof *take);

    BUG_ON(!take);
    for (int all = 1; all >= 0; all--) {
        uint32_t some = 0;
        for (uint32_t i = 0; i < op->n_in; i++) {
            take[i] = s->summand[op->first_in + i] == (all == 1);
            some += take[i];
        }
        if (some == 0 || (!all && s->plan.data == 1 && op->n_out == 0))
            continue;
        indent(p);
        for (uint32_t i = 0; i < op->n_out; i++) {
            fputs(i ? ", " : "", p->out);
            print_value(p, shard_out(s, op, i));
        }
        fprintf(p->out, "%sall-reduce(", op->n_out ? " = " : "");
        print_operands(p, n, take);
        fputc(')', p->out);
        x.given &=
            ~(uint64_t)(ATTR_BIT(FLOPS) | ATTR_BIT(READS) | ATTR_BIT(WRITES) | ATTR_BIT(PAYLOAD));
        attr_print(&x, x.has_bias ? trace_tensor(p->t, x.bias)->name : NULL, p->out);
        if (!all)
            fprintf(p->out, " group=%" PRIu64 " group-stride=%" PRIu64, s->plan.data, s->parts);
        fputc('\n', p->out);
    }
    free(take);
}

static void print_op(const struct print *p, uint32_t n, struct trace_op x)
{
    const struct shard *s = p->s;
    const struct shard_op *op = &s->op[n];

    if (op->kind == TRACE_ALL_REDUCE) {
        print_all_reduce(p, n, x);
        return;
    }
    scale(p, op, &x);
    indent(p);
    for (uint32_t i = 0; i < op->n_out; i++) {
        const struct shard_value *v = shard_out(s, op, i);
        fputs(i ? ", " : "", p->out);
        if (op->halo && op->kind == TRACE_SCATTER) {
            halo_print_result(s, n, p->out);
            continue;
        }
        print_value(p, v);
        fputs(v->role == TRACE_GRADIENT ? " gradient" : "", p->out);
    }
    if (op->halo && op->kind == TRACE_INFEED)
        halo_print_infeed(s, p->out);
    fprintf(p->out, "%s%s(", op->n_out ? " = " : "", x.kind_text);
    print_operands(p, n, NULL);
    fputc(')', p->out);
    attr_print(&x, x.has_bias ? trace_tensor(p->t, x.bias)->name : NULL, p->out);
    fputc('\n', p->out);
    if (op->halo && op->kind == TRACE_SCATTER)
        halo_print_return(s, n, p->depth, p->out);
}

/* --- fusions ------------------------------------------------------------------------------ */

static void end_part(struct print *p)
{
    if (p->open && !p->plain) {
        p->depth--;
        indent(p);
        fputs("}\n", p->out);
    }
    p->open = false;
}

/* Open the part of a fusion that begins with operation n. */
static void begin_part(struct print *p, uint32_t n)
{
    const struct shard *s = p->s;
    const struct shard_op *op = &s->op[n];
    uint32_t end = n + 1, fusion_end = op->fusion + op->n_fusion;
    bool some = false;

    while (end < fusion_end && !parted(s, end))
        end++;
    p->segment_end = end;
    p->open = true;
    p->plain = end == n + 1 && op->n_fusion > 1;
    if (p->plain)
        return;
    indent(p);
    fputs("fusion", p->out);
    for (uint32_t m = n; m < end; m++)
        for (uint32_t i = 0; i < s->op[m].n_out; i++) {
            const struct shard_value *v = shard_out(s, &s->op[m], i);
            if (!v->listed && (v->last_use == SHARD_NONE || v->last_use < end))
                continue;
            fprintf(p->out, "%s%%%s", some ? ", " : " ", v->name);
            some = true;
        }
    if (p->fusion_attr && n == op->fusion)
        fputs(p->fusion_attr, p->out);
    fputs(" {\n", p->out);
    p->depth++;
}

static void begin_fusion(struct print *p, const struct trace_op *fusion)
{
    size_t size;
    FILE *attr;

    free(p->fusion_attr);
    p->fusion_attr = NULL;
    attr = open_memstream(&p->fusion_attr, &size);
    BUG_ON(!attr);
    attr_print(fusion, NULL, attr);
    fclose(attr);
    p->inside = true;
    const struct shard_op *first = &p->s->op[p->next];
    for (uint32_t i = 0; i < first->n_fusion; i++)
        print_fixes(p, p->next + i, true);
}

static void member(struct print *p, const struct trace_op *x)
{
    uint32_t n = p->next;

    if (!p->open || n == p->segment_end) {
        end_part(p);
        print_fixes(p, n, false);
        begin_part(p, n);
    }
    print_op(p, n, *x);
}

/* --- the trace ---------------------------------------------------------------------------- */

/* To the provenance, as far as there is room. */
__attribute__((format(printf, 2, 3))) static void add_word(struct trace_header *h, const char *fmt,
                                                           ...)
{
    size_t n = strlen(h->provenance);
    va_list args;

    va_start(args, fmt);
    vsnprintf(h->provenance + n, sizeof h->provenance - n, fmt, args);
    va_end(args);
}

static void print_head(const struct print *p, const struct trace_header *head)
{
    struct trace_header h = *head;
    const struct shard_plan *plan = &p->s->plan;

    h.shared = p->s->parts;
    h.cores = plan->apart || plan->server ? 0 : p->s->parts * plan->data;
    if (h.provenance[0])
        add_word(&h, "; ");
    if (plan->server)
        add_word(&h, "parameter server");
    else
        add_word(&h, "cut: data=%" PRIu64 " %s=%" PRIu64, plan->data,
                 plan->edges > 1 ? "edges" : "model", p->s->parts);
    if (plan->staleness)
        add_word(&h, ": staleness=%" PRIu64, plan->staleness);
    if (plan->nodes)
        add_word(&h, " halo=%.12g", (double)plan->halo / SHARD_HALO_ONE);
    print_header(&h, p->out);
}

static void print_item(struct print *p, const struct trace_item *item, uint32_t *tensor)
{
    switch (item->kind) {
    case TRACE_ITEM_HEADER: print_head(p, trace_head(p->t)); break;
    case TRACE_ITEM_TENSOR: {
        const struct shard_value *v = &p->s->value[(*tensor)++];
        if (v->role == TRACE_STATE && v->served && !v->kept)
            break; /* the server has it */
        fputs("tensor ", p->out);
        print_value(p, v);
        fprintf(p->out, " %s\n", trace_role_name[v->role]);
        break;
    }
    case TRACE_ITEM_STEP_BEGIN:
    case TRACE_ITEM_REPEAT_BEGIN:
        p->depth++;
        trace_print(p->t, item, p->out);
        break;
    case TRACE_ITEM_PHASE: trace_print(p->t, item, p->out); break;
    case TRACE_ITEM_FUSION_BEGIN: begin_fusion(p, &item->op); break;
    case TRACE_ITEM_FUSION_END:
        end_part(p);
        p->inside = false;
        break;
    case TRACE_ITEM_OP:
        if (p->inside) {
            member(p, &item->op);
        } else if (p->s->plan.server && server_updates(p->s, p->next)) {
            indent(p);
            server_print(p->s, p->next, p->out);
        } else if (!p->s->op[p->next].dropped) {
            print_fixes(p, p->next, false);
            print_op(p, p->next, item->op);
        }
        p->next++;
        break;
    case TRACE_ITEM_STEP_END:
    case TRACE_ITEM_REPEAT_END:
        p->depth--;
        trace_print(p->t, item, p->out);
        break;
    case TRACE_ITEM_END: break;
    }
}

int shard_print(const struct shard *s, struct trace *t, FILE *out, struct err *err)
{
    struct trace_item item = { .kind = TRACE_ITEM_HEADER };
    struct print p = { .s = s, .t = t, .out = out };
    uint32_t tensor = 0;
    int rc = 0;

    while (rc == 0 && item.kind != TRACE_ITEM_END) {
        rc = trace_next(t, &item, err);
        if (rc == 0)
            print_item(&p, &item, &tensor);
    }
    free(p.fusion_attr);
    return rc;
}
