/* ops_table.h - a generated trace beside the published operations of its model. */
#ifndef TESTS_VALIDATION_OPS_TABLE_H
#define TESTS_VALIDATION_OPS_TABLE_H

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"
#include "traces/gen.h"

struct ops_row {
    char phase[32], op[96], kind[16];
    uint64_t flops, in, out;
};

struct ops_table {
    struct ops_row *row;
    size_t n, cap;
};

static inline struct ops_row *ops_add(struct ops_table *t)
{
    if (t->n == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 512;
        t->row = realloc(t->row, t->cap * sizeof *t->row);
        cr_assert_not_null(t->row);
    }
    return &t->row[t->n++];
}

/* One CSV field, quoted when it holds a comma; returns what follows it. */
static inline const char *ops_field(const char *s, char *to, size_t size)
{
    bool quoted = *s == '"';
    size_t n = 0;

    for (s += quoted; *s && *s != '\n' && (quoted ? *s != '"' : *s != ','); s++)
        if (n + 1 < size)
            to[n++] = *s;
    to[n] = '\0';
    s += quoted && *s == '"';
    return *s == ',' ? s + 1 : s;
}

static inline uint64_t ops_number(const char **s)
{
    char text[32];

    *s = ops_field(*s, text, sizeof text);
    return strtoull(text, NULL, 10);
}

/* Columns phase, op, kind, flops, bytes_in, bytes_out; the first line names them. */
static inline struct ops_table ops_read(const char *path)
{
    struct ops_table t = { 0 };
    char line[512];
    FILE *f = fopen(path, "r");

    cr_assert_not_null(f, "%s", path);
    cr_assert_not_null(fgets(line, sizeof line, f));
    while (fgets(line, sizeof line, f)) {
        struct ops_row *r = ops_add(&t);
        const char *s = ops_field(line, r->phase, sizeof r->phase);

        s = ops_field(s, r->op, sizeof r->op);
        s = ops_field(s, r->kind, sizeof r->kind);
        r->flops = ops_number(&s);
        r->in = ops_number(&s);
        r->out = ops_number(&s);
    }
    fclose(f);
    return t;
}

/* The text of a generated trace, to be freed. */
static inline char *ops_generate(const char *name, const char *const *set, size_t n_set,
                                 size_t *size)
{
    char *text;
    struct err err;
    FILE *out = open_memstream(&text, size);

    cr_assert_not_null(out);
    cr_assert_eq(gen_write(name, set, n_set, out, &err), 0, "%s", err.msg);
    fclose(out);
    return text;
}

/* The published name of the kind of an operation. */
static inline const char *ops_kind(enum trace_kind k)
{
    switch (k) {
    case TRACE_CONV:
    case TRACE_CONV_DGRAD:
    case TRACE_CONV_WGRAD: return "conv3d";
    case TRACE_OPTIMIZER: return "elementwise";
    case TRACE_ALL_REDUCE: return "allreduce";
    default: return trace_kind_name[k];
    }
}

/* "g_fwd" of pass 2 is "g2_fwd". */
static inline void ops_pass(char phase[32], char pass)
{
    memmove(phase + 2, phase + 1, strlen(phase + 1) + 1);
    phase[1] = pass;
}

/* The operations of a trace, loops unrolled with the pass in the phase: g_fwd is g1_fwd, g2_fwd.
 * Slices and sums of gradients that count nothing are left out: the tables have no row for them. */
static inline struct ops_table ops_run(const char *text, size_t size)
{
    struct ops_table t = { 0 };
    struct trace *r;
    struct trace_item item;
    struct err err;
    char phase[24] = "";
    size_t loop = 0;
    uint64_t times = 1;

    cr_assert_eq(trace_open_memory(&r, "generated", text, size, false, &err), 0, "%s", err.msg);
    do {
        cr_assert_eq(trace_next(r, &item, &err), 0, "%s", err.msg);
        const struct trace_op *op = &item.op;
        if (item.kind == TRACE_ITEM_PHASE) {
            snprintf(phase, sizeof phase, "%.20s", item.name);
        } else if (item.kind == TRACE_ITEM_REPEAT_BEGIN) {
            times = item.count;
            loop = t.n;
        } else if (item.kind == TRACE_ITEM_REPEAT_END) {
            for (size_t i = loop, end = t.n; times == 2 && i < end; i++) {
                struct ops_row *second = ops_add(&t);
                *second = t.row[i];
                ops_pass(t.row[i].phase, '1');
                ops_pass(second->phase, '2');
            }
            times = 1;
        } else if (item.kind == TRACE_ITEM_OP &&
                   op->flops + op->reads + op->writes + op->payload > 0) {
            struct ops_row *row = ops_add(&t);
            *row = (struct ops_row){ .flops = op->flops, .in = op->reads, .out = op->writes };
            snprintf(row->phase, sizeof row->phase, "%s", phase);
            snprintf(row->op, sizeof row->op, "%.90s", op->name);
            snprintf(row->kind, sizeof row->kind, "%s", ops_kind(op->kind));
            if (op->payload)
                row->in = row->out = op->payload;
        }
    } while (item.kind != TRACE_ITEM_END);
    trace_close(r);
    return t;
}

#endif
