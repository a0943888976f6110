#include "study/measured_kernel.h"

#include <stdio.h>
#include <string.h>

#include "kernels/lower.h"
#include "machine/machine.h"
#include "step/step.h"

#define FLOOR_US 0.9            /* the shortest kernel measured on a TPU v4 */
#define HBM_BYTES_PER_US 1.23e6 /* peak of a TPU v4 chip: 1.23 TB/s */

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

    if (strcmp(r->op, "reduce") != 0 || r->us <= FLOOR_US ||
        bytes / (r->us - FLOOR_US) <= HBM_BYTES_PER_US)
        return 0;
    return bytes < 6e6 ? 4 : 2;
}

/* Write the kernel as a trace.  The larger operand of a matmul is on chip. */
static void write_kernel(const struct measured_kernel *r, char *text, size_t size)
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

uint64_t measured_kernel_fs(const struct machine_spec *spec, const struct measured_kernel *r,
                            struct err *err)
{
    struct cap cap;
    struct step step;
    struct trace *t = NULL;
    struct task_program p;
    uint64_t fs = 0;
    char text[1024];

    spec_cap(spec, &cap);
    write_kernel(r, text, sizeof text);
    step_init(&step);
    if (trace_open_memory(&t, r->op, text, strlen(text), false, err) == 0 &&
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
    return fs;
}
