/* kernel_table.h - measured kernels, one a row, and what the project says of them: each row becomes
 * a trace of one operation, which is lowered and run on a machine. */
#ifndef TESTS_VALIDATION_KERNEL_TABLE_H
#define TESTS_VALIDATION_KERNEL_TABLE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/graph.h"
#include "kernels/lower.h"
#include "machine/machine.h"

struct kernel_row {
    char op[16];
    uint64_t d[3];
    double us;   /* measured */
    int on_chip; /* reductions: parts of four of the operand that were on chip before */
};

/* Rows "op,d0,d1,d2,us" after lines that begin with # and one that names the columns. */
static inline size_t kernel_read(const char *path, struct kernel_row *row, size_t max)
{
    char line[256];
    size_t n = 0;
    FILE *f = fopen(path, "r");

    if (!f)
        return 0;
    do {
        if (!fgets(line, sizeof line, f))
            break;
    } while (line[0] == '#');
    while (n < max && fgets(line, sizeof line, f)) {
        unsigned long long d[3];
        struct kernel_row *r = &row[n];
        *r = (struct kernel_row){ 0 };
        if (sscanf(line, "%15[a-z],%llu,%llu,%llu,%lf", r->op, &d[0], &d[1], &d[2], &r->us) != 5)
            break;
        for (int i = 0; i < 3; i++)
            r->d[i] = d[i];
        n++;
    }
    fclose(f);
    return n;
}

/* Half the rows were fitted on (0), half only held against (1): by FNV-1a over the shape. */
static inline int kernel_half(const struct kernel_row *r)
{
    char text[96];
    uint32_t hash = 2166136261u;

    snprintf(text, sizeof text, "%s,%llu,%llu,%llu", r->op, (unsigned long long)r->d[0],
             (unsigned long long)r->d[1], (unsigned long long)r->d[2]);
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return (int)(hash >> 16 & 1);
}

/* The operation as a trace.  d of a matmul: m, n, k; its larger operand is on chip. */
static inline void kernel_text(const struct kernel_row *r, char *text, size_t size)
{
    unsigned long long a = r->d[0], b = r->d[1], c = r->d[2], h = c / 2 ? c / 2 : 1;
    char tensors[256], body[256];
    int arity =
        strcmp(r->op, "add") == 0 || strcmp(r->op, "multiply") == 0 || strcmp(r->op, "divide") == 0;

    if (strcmp(r->op, "matmul") == 0) {
        snprintf(tensors, sizeof tensors,
                 "tensor %%a bf16[%llu,%llu] input\ntensor %%b bf16[%llu,%llu] input\n", a, c, c,
                 b);
        snprintf(body, sizeof body, "%%c bf16[%llu,%llu] = matmul(%%a, %%b)%s", a, b,
                 a == 1 || b == 1 || c == 1 ? ""
                 : a >= b                   ? " resident=lhs"
                                            : " resident=rhs");
    } else if (strcmp(r->op, "transpose") == 0) {
        snprintf(tensors, sizeof tensors, "tensor %%a bf16[%llu,%llu,%llu] input\n", a, b, c);
        snprintf(body, sizeof body, "%%c bf16[%llu,%llu,%llu] = copy(%%a)", a, c, b);
    } else if (strcmp(r->op, "broadcast") == 0) {
        snprintf(tensors, sizeof tensors, "tensor %%a bf16[%llu,1,%llu] input\n", a, c);
        snprintf(body, sizeof body, "%%c bf16[%llu,%llu,%llu] = copy(%%a)", a, b, c);
    } else if (strcmp(r->op, "slice") == 0) {
        snprintf(tensors, sizeof tensors, "tensor %%a bf16[%llu,%llu,%llu] input\n", a, b, c);
        snprintf(body, sizeof body, "%%c bf16[%llu,%llu,%llu] = copy(%%a)", a, b, h);
    } else if (strcmp(r->op, "concatenate") == 0) {
        snprintf(tensors, sizeof tensors,
                 "tensor %%a bf16[%llu,%llu,%llu] input\ntensor %%b bf16[%llu,%llu,%llu] input\n",
                 a, b, h, a, b, c > h ? c - h : 1);
        snprintf(body, sizeof body, "%%c bf16[%llu,%llu,%llu] = copy(%%a, %%b)", a, b, c);
    } else if (strcmp(r->op, "reduce") == 0) {
        unsigned long long on = c * (unsigned)r->on_chip / 4;
        snprintf(tensors, sizeof tensors,
                 "tensor %%a bf16[%llu,%llu,%llu] input\ntensor %%b bf16[%llu,%llu,%llu] input\n",
                 a, b, on && on < c ? on : c, a, b, c - on ? c - on : 1);
        snprintf(body, sizeof body, "%%c bf16[%llu,%llu,1] = reduce(%%a%s)%s", a, b,
                 on && on < c ? ", %b" : "", on ? " resident=lhs" : "");
    } else {
        snprintf(tensors, sizeof tensors,
                 "tensor %%a bf16[%llu,%llu,%llu] input\ntensor %%b bf16[%llu,%llu,%llu] input\n",
                 a, b, c, a, b, c);
        const char *fn =
            strcmp(r->op, "add") == 0 || strcmp(r->op, "multiply") == 0 ? "add" : r->op;
        snprintf(body, sizeof body, "%%c bf16[%llu,%llu,%llu] = elementwise(%%a%s) fn=%s", a, b, c,
                 arity ? ", %b" : "", fn);
    }
    snprintf(text, size, "cyclotron-trace 1\nworkload \"kernel\"\n%sstep {\n%s\n}\n", tensors,
             body);
}

/* Microseconds of the operation on the machine; negative, with `err`, where it cannot run. */
static inline double kernel_us(const struct machine_spec *spec, const struct kernel_row *r,
                               struct err *err)
{
    struct cap cap;
    struct graph g;
    struct trace *t = NULL;
    struct task_program p;
    double us = -1;
    char text[1024];

    spec_cap(spec, &cap);
    kernel_text(r, text, sizeof text);
    graph_init(&g);
    if (trace_open_memory(&t, r->op, text, strlen(text), false, err) == 0 &&
        graph_read_tensors(&g, t, err) == 0 && graph_read_step(&g, t, err) == 1 &&
        lower_step(&p, &g, &cap, r->op, err) == 0) {
        struct machine *m = machine_new(spec, false);
        if (machine_step(m, &p, NULL, err) == 0)
            us = (double)machine_now(m) / 1e9;
        machine_free(m);
        lower_free(&p);
    }
    graph_free(&g);
    trace_close(t);
    return us;
}

#endif
