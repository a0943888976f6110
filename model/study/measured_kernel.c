#include "study/measured_kernel.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/lower.h"
#include "machine/machine.h"
#include "step/step.h"

#define FLOOR_US 0.9            /* the shortest kernel measured on a TPU v4 */
#define HBM_BYTES_PER_US 1.23e6 /* peak of a TPU v4 chip: 1.23 TB/s */

enum { TPU_V4, TPU_V6E, N_CHIPS };

static const struct measured_chip chips[N_CHIPS] = {
    [TPU_V4] = { "tpu_v4_", "tpu-v4-2", "TPU v4" },
    [TPU_V6E] = { "tpu_v6e_", "tpu-v6e-1", "TPU v6e" },
};

const struct measured_chip *measured_chip_find(const char *stem)
{
    for (size_t i = 0; i < N_CHIPS; i++)
        if (strncmp(stem, chips[i].stem, strlen(chips[i].stem)) == 0)
            return &chips[i];
    return NULL;
}

enum measured_class measured_kernel_class(const struct measured_kernel *r)
{
    static const char *const unseen[] = { "convert", "compare", "select", "reshape" };

    if (strcmp(r->op, "matmul") == 0)
        return MEASURED_MATMUL;
    if (strcmp(r->op, "reduce") == 0)
        return MEASURED_REDUCE;
    if (strcmp(r->op, "layer-norm") == 0)
        return MEASURED_NORM;
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
        if (strcmp(r->op, unseen[i]) == 0)
            return MEASURED_UNSEEN;
    return MEASURED_OTHER;
}

int measured_kernel_half(const struct measured_kernel *r)
{
    char text[96];
    uint32_t hash = 2166136261u;

    snprintf(text, sizeof text, "%s,%llu,%llu,%llu", r->op, (unsigned long long)r->d[0],
             (unsigned long long)r->d[1], (unsigned long long)r->d[2]);
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return (int)(hash >> 16 & 1);
}

int measured_kernel_on_chip(const struct measured_kernel *r)
{
    double bytes = 2.0 * (double)r->d[0] * (double)r->d[1] * (double)r->d[2];

    if (strcmp(r->op, "reduce") != 0)
        return 0;
    if (r->chip != &chips[TPU_V4])
        return 4;
    if (r->us <= FLOOR_US || bytes / (r->us - FLOOR_US) <= HBM_BYTES_PER_US)
        return 0;
    return bytes < 6e6 ? 4 : 2;
}

/* --- the trace of a kernel ------------------------------------------------------------------ */

/* A shape of a kernel: its dimensions, 0 for none. */
struct shape {
    uint64_t dim[3];
};

static void print_shape(FILE *out, const char *dtype, struct shape s)
{
    fprintf(out, "%s[%" PRIu64, dtype, s.dim[0]);
    for (int i = 1; i < 3 && s.dim[i]; i++)
        fprintf(out, ",%" PRIu64, s.dim[i]);
    fputc(']', out);
}

static void print_input(FILE *out, const char *name, const char *dtype, struct shape s)
{
    fprintf(out, "tensor %%%s ", name);
    print_shape(out, dtype, s);
    fputs(" input\n", out);
}

static void print_step(FILE *out, const char *dtype, struct shape s, const char *operation)
{
    fputs("step {\n%out ", out);
    print_shape(out, dtype, s);
    fprintf(out, " = %s\n}\n", operation);
}

/* The larger operand is on chip, but of a product of vectors. */
static void print_matmul(FILE *out, const struct measured_kernel *r)
{
    uint64_t m = r->d[0], n = r->d[1], k = r->d[2];

    print_input(out, "a", "bf16", (struct shape){ { m, k, 0 } });
    print_input(out, "b", "bf16", (struct shape){ { k, n, 0 } });
    print_step(out, "bf16", (struct shape){ { m, n, 0 } },
               m == 1 || n == 1 || k == 1 ? "matmul(%a, %b)"
               : m >= n                   ? "matmul(%a, %b) resident=lhs"
                                          : "matmul(%a, %b) resident=rhs");
}

/* One operand that is moved: the result has another shape. */
static void print_move(FILE *out, struct shape from, struct shape to)
{
    print_input(out, "a", "bf16", from);
    print_step(out, "bf16", to, "copy(%a)");
}

static void print_concatenate(FILE *out, const struct measured_kernel *r)
{
    uint64_t half = r->d[2] / 2 ? r->d[2] / 2 : 1;
    uint64_t rest = r->d[2] > half ? r->d[2] - half : 1;

    print_input(out, "a", "bf16", (struct shape){ { r->d[0], r->d[1], half } });
    print_input(out, "b", "bf16", (struct shape){ { r->d[0], r->d[1], rest } });
    print_step(out, "bf16", (struct shape){ { r->d[0], r->d[1], r->d[2] } }, "copy(%a, %b)");
}

static void print_reduce(FILE *out, const struct measured_kernel *r)
{
    uint64_t d = r->d[2], on = d * (unsigned)r->on_chip / 4;
    bool parts = on && on < d;

    print_input(out, "a", "bf16", (struct shape){ { r->d[0], r->d[1], parts ? on : d } });
    if (parts)
        print_input(out, "b", "bf16", (struct shape){ { r->d[0], r->d[1], d - on } });
    print_step(out, "bf16", (struct shape){ { r->d[0], r->d[1], 1 } },
               parts ? "reduce(%a, %b) resident=lhs"
               : on  ? "reduce(%a) resident=lhs"
                     : "reduce(%a)");
}

/* Three kernels: the sums; the factor of each row; the result. */
static void print_norm(FILE *out, const struct measured_kernel *r)
{
    struct shape all = { { r->d[0], r->d[1], r->d[2] } }, row = { { r->d[0], r->d[1], 0 } };

    print_input(out, "a", "bf16", all);
    fputs("step {\n  fusion %mean, %var {\n    %mean ", out);
    print_shape(out, "f32", row);
    fputs(" = reduce(%a)\n    %square ", out);
    print_shape(out, "bf16", all);
    fputs(" = elementwise(%a)\n    %var ", out);
    print_shape(out, "f32", row);
    fputs(" = reduce(%square)\n  }\n  fusion %out {\n    %factor ", out);
    print_shape(out, "f32", row);
    fputs(" = elementwise(%mean, %var) fn=rsqrt\n    %out ", out);
    print_shape(out, "bf16", all);
    fputs(" = elementwise(%a, %mean, %factor)\n  }\n}\n", out);
}

/* Element by element: of one operand or two, and for a choice of a mask. */
static void print_elementwise(FILE *out, const struct measured_kernel *r)
{
    static const char *const two[] = { "add", "multiply", "divide", "compare", "select" };
    struct shape all = { { r->d[0], r->d[1], r->d[2] } };
    bool mask = strcmp(r->op, "select") == 0, binary = false;
    char operation[64];
    /* those of which lowering knows a cost of their own */
    const char *fn = strcmp(r->op, "divide") == 0 || strcmp(r->op, "tanh") == 0 ||
                             strcmp(r->op, "exponential") == 0
                         ? r->op
                         : "add";

    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        binary = binary || strcmp(r->op, two[i]) == 0;
    print_input(out, "a", "bf16", all);
    if (binary)
        print_input(out, "b", "bf16", all);
    if (mask)
        print_input(out, "mask", "pred", all);
    snprintf(operation, sizeof operation, "elementwise(%%a%s%s) fn=%s", binary ? ", %b" : "",
             mask ? ", %mask" : "", fn);
    print_step(out, strcmp(r->op, "convert") == 0 ? "f32" : "bf16", all, operation);
}

static void print_kernel(FILE *out, const struct measured_kernel *r)
{
    uint64_t a = r->d[0], b = r->d[1], c = r->d[2], half = c / 2 ? c / 2 : 1;
    struct shape all = { { a, b, c } };

    fputs("cyclotron-trace 1\nworkload \"kernel\"\n", out);
    if (strcmp(r->op, "matmul") == 0)
        print_matmul(out, r);
    else if (strcmp(r->op, "transpose") == 0)
        print_move(out, all, (struct shape){ { a, c, b } });
    else if (strcmp(r->op, "broadcast") == 0)
        print_move(out, (struct shape){ { a, 1, c } }, all);
    else if (strcmp(r->op, "slice") == 0)
        print_move(out, all, (struct shape){ { a, b, half } });
    else if (strcmp(r->op, "reshape") == 0)
        print_move(out, all, (struct shape){ { a, b * c, 0 } });
    else if (strcmp(r->op, "concatenate") == 0)
        print_concatenate(out, r);
    else if (strcmp(r->op, "reduce") == 0)
        print_reduce(out, r);
    else if (strcmp(r->op, "layer-norm") == 0)
        print_norm(out, r);
    else
        print_elementwise(out, r);
}

uint64_t measured_kernel_fs(const struct machine_spec *spec, const struct measured_kernel *r,
                            struct err *err)
{
    struct cap cap;
    struct step step;
    struct trace *t = NULL;
    struct task_program p;
    uint64_t fs = 0;
    struct memory_text text;

    spec_cap(spec, &cap);
    memory_text_begin(&text);
    print_kernel(text.out, r);
    char *trace = memory_text_end(&text);
    step_init(&step);
    if (trace_open_memory(&t, r->op, trace, text.size, false, err) == 0 &&
        step_read_tensors(&step, t, err) == 0 && step_read_next(&step, t, err) == 1 &&
        lower_step(&p, &step, &cap, r->op, err) == 0) {
        struct machine *m = machine_new(spec, false);
        if (machine_step(m, &p, NULL, err) == 0)
            fs = machine_now(m);
        machine_free(m);
        lower_free(&p);
    }
    step_free(&step);
    trace_close(t);
    free(trace);
    return fs;
}
