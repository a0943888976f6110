#include <inttypes.h>
#include <stdlib.h>

#include "remat/remat_impl.h"
#include "trace/print.h"
#include "trace/shape.h"

struct print {
    const struct remat_step *s;
    FILE *out;
    uint32_t depth;
    bool again; /* what is printed is worked out again */
};

static void indent(const struct print *p)
{
    for (uint32_t i = 0; i < p->depth; i++)
        fputs("  ", p->out);
}

static bool runs(const struct print *p, const struct remat_op *op)
{
    return p->again ? op->again : op->first;
}

static bool made_forward(const struct remat_step *s, const struct remat_value *v)
{
    return v->node != REMAT_NONE && s->node[v->node].forward;
}

/* Does who reads it read what was worked out again? */
static bool reads_again(const struct print *p, const struct remat_op *op,
                        const struct remat_value *v)
{
    const struct remat_node *n = &p->s->node[op->node];

    if (v->kept || !made_forward(p->s, v))
        return false;
    return p->again || (n->backward && v->node != op->node);
}

static void print_op(const struct print *p, const struct remat_op *op)
{
    char buf[SHAPE_TEXT_MAX];
    const char *comma = "";

    indent(p);
    for (uint32_t i = 0; i < op->n_out; i++) {
        const struct remat_value *v = remat_out(p->s, op, i);
        fprintf(p->out, "%s%%%s%s %s%s", i ? ", " : "", v->name, p->again ? REMAT_TAIL : "",
                shape_text(buf, &v->shape), v->role == TRACE_GRADIENT ? " gradient" : "");
    }
    fprintf(p->out, "%s%s(", op->n_out ? " = " : "", op->kind_text);
    for (uint32_t i = 0; i < op->n_in - op->biased; i++) {
        const struct remat_value *v = remat_in(p->s, op, i);
        fprintf(p->out, "%s%%%s%s", comma, v->name, reads_again(p, op, v) ? REMAT_TAIL : "");
        comma = ", ";
    }
    fputc(')', p->out);
    if (p->again && !op->named) {
        fputs(" name=", p->out);
        print_string(op->name, p->out);
    }
    fprintf(p->out, "%s\n", op->attr);
}

/* Does it leave its fusion? */
static bool leaves(const struct print *p, const struct remat_value *v)
{
    if (p->again)
        return v->out2 && !v->kept;
    return v->listed && (v->out1 || !v->used);
}

static void print_fusion(struct print *p, const struct remat_node *n)
{
    const char *comma = " ";

    indent(p);
    fputs("fusion", p->out);
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        for (uint32_t k = 0; k < p->s->op[i].n_out && runs(p, &p->s->op[i]); k++) {
            const struct remat_value *v = remat_out(p->s, &p->s->op[i], k);
            if (!leaves(p, v))
                continue;
            fprintf(p->out, "%s%%%s%s", comma, v->name, p->again ? REMAT_TAIL : "");
            comma = ", ";
        }
    if (p->again && !n->named) {
        fputs(" name=", p->out);
        print_string(n->name, p->out);
    }
    fprintf(p->out, "%s {\n", n->text);
    p->depth++;
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        if (runs(p, &p->s->op[i]))
            print_op(p, &p->s->op[i]);
    p->depth--;
    indent(p);
    fputs("}\n", p->out);
}

static void print_kernel(struct print *p, const struct remat_node *n)
{
    bool some = false;

    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        some |= runs(p, &p->s->op[i]);
    if (some && n->fusion)
        print_fusion(p, n);
    else if (some)
        print_op(p, &p->s->op[n->first_op]);
}

/* The kernels that run again before each node, in their own order: a list. */
static uint32_t *queue_up(const struct remat_step *s, uint32_t *first)
{
    uint32_t *next = malloc((s->n_nodes + 1) * sizeof *next);

    BUG_ON(!next);
    for (uint32_t i = 0; i < s->n_nodes; i++)
        first[i] = REMAT_NONE;
    for (uint32_t i = s->n_nodes; i-- > 0;) {
        uint32_t at = s->node[i].at;
        if (at == REMAT_NONE)
            continue;
        next[i] = first[at];
        first[at] = i;
    }
    return next;
}

static void print_again(struct print *p, uint32_t first, const uint32_t *next, uint32_t phase)
{
    p->again = true;
    indent(p);
    fputs("phase " REMAT_PHASE "\n", p->out);
    for (uint32_t i = first; i != REMAT_NONE; i = next[i])
        print_kernel(p, &p->s->node[i]);
    p->again = false;
    if (phase == REMAT_NONE)
        return;
    indent(p);
    fprintf(p->out, "phase %s\n", p->s->node[phase].text);
}

void remat_print(const struct remat_step *s, FILE *out)
{
    uint32_t *first = malloc((s->n_nodes + 1) * sizeof *first), *next;
    struct print p = { .s = s, .out = out, .depth = 1 };

    BUG_ON(!first);
    next = queue_up(s, first);
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        const struct remat_node *n = &s->node[i];
        if (first[i] != REMAT_NONE)
            print_again(&p, first[i], next, n->phase);
        p.depth -= n->kind == REMAT_END;
        if (n->kind == REMAT_KERNEL) {
            print_kernel(&p, n);
            continue;
        }
        indent(&p);
        if (n->kind == REMAT_PHASE_LINE)
            fprintf(out, "phase %s\n", n->text);
        else
            fputs(n->kind == REMAT_END ? "}\n" : n->text, out);
        p.depth += n->kind == REMAT_REPEAT;
    }
    free(next);
    free(first);
}
