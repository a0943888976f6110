/* emit.h - a training step under construction: record operations, then print them as a trace.
 *
 * A generator names the phase, then appends operations in program order.  An operation starts a
 * kernel of its own or joins that of the operation before it; a kernel of several operations is
 * printed as a fusion that lists exactly the values that a later kernel uses.  Values are handles,
 * 0 is none.  A result is named after its phase and operation: "%fwd/fc.relu".  All text is
 * copied; what is wrong here is a bug of the generator and aborts. */
#ifndef TRACES_EMIT_H
#define TRACES_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/trace.h"

struct emit;

/* clang-format off */
#define EMIT_COUNT(type, ...) (sizeof((const type[]){ __VA_ARGS__ }) / sizeof(type))
/* A shape: EMIT_F32(batch, 128). */
#define EMIT_SHAPE(id, ...) ((struct trace_shape){ id, (uint32_t)EMIT_COUNT(uint64_t, __VA_ARGS__), { __VA_ARGS__ } })
#define EMIT_F32(...) EMIT_SHAPE(TRACE_F32, __VA_ARGS__)
#define EMIT_S32(...) EMIT_SHAPE(TRACE_S32, __VA_ARGS__)
#define EMIT_SCALAR ((struct trace_shape){ .dtype = TRACE_F32 })
/* Operands and results of a struct emit_op: EMIT_IN(x, w), EMIT_OUT({ .shape = EMIT_F32(m, n) }). */
#define EMIT_IN(...) .in = (const uint32_t[]){ __VA_ARGS__ }, .n_in = EMIT_COUNT(uint32_t, __VA_ARGS__)
#define EMIT_OUT(...) .out = (const struct emit_result[]){ __VA_ARGS__ }, .n_out = EMIT_COUNT(struct emit_result, __VA_ARGS__)
/* clang-format on */

struct emit_result {
    struct trace_shape shape;
    const char *part; /* appended to the name with a dot: needed when there are several */
    bool gradient;
};

#define EMIT_ZERO UINT64_MAX /* as reads or writes: 0 bytes, although there are operands */

struct emit_op {
    enum trace_kind kind;
    const char *name;
    const uint32_t *in; /* zeros are left out, so that an operand may be optional */
    size_t n_in;
    const struct emit_result *out;
    size_t n_out;
    uint32_t bias;          /* 0: none */
    uint64_t flops;         /* 0: as derived from the shapes */
    uint64_t reads, writes; /* bytes; 0: as derived from operands and results */
    const char *attr;       /* further attributes, or NULL */
    const char *note;       /* where its figures come from, or NULL */
    bool joins;             /* the kernel of the operation before it, in the same phase */
};

enum emit_precision {
    EMIT_F32_TENSORS, /* f32 tensors, multiplied in bf16 */
    EMIT_MIXED,       /* weights, their states and gradients f32, all else bf16 */
    EMIT_BF16,        /* everything bf16 */
    EMIT_HIGHEST,     /* f32 tensors, multiplied in f32 */
};

struct emit_head { /* the header of the trace */
    const char *workload, *provenance;
    uint64_t step_samples, epoch_samples; /* an epoch of 0 is not said */
    uint64_t epoch_steps;                 /* 0: as many as its samples make */
    const char *const *key;               /* generator parameters */
    const uint64_t *value;
    const char *const *word; /* what is printed for value[i] where not NULL; or NULL */
    size_t n_params;
    enum emit_precision precision;
};

struct emit *emit_new(const struct emit_head *head);
void emit_free(struct emit *e);

/* Text that lives as long as `e`. */
const char *emit_text(struct emit *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A persistent tensor. */
uint32_t emit_tensor(struct emit *e, enum trace_role role, struct trace_shape shape,
                     const char *name);

/* What follows runs between the steps, once in `count` of them; 1: it is another step, and they
 * take turns. */
void emit_every(struct emit *e, uint64_t count);

void emit_phase(struct emit *e, const char *name);
void emit_repeat(struct emit *e, uint64_t count);
void emit_repeat_end(struct emit *e);

/* Append an operation; its first result, the others follow as first + 1, ...; 0 without results. */
uint32_t emit_op(struct emit *e, const struct emit_op *op);

/* The gradient of a parameter: it stays f32 in mixed precision. */
void emit_keep(struct emit *e, uint32_t value);

/* Operations so far. */
uint64_t emit_operations(const struct emit *e);

/* Kernels and other operations so far. */
uint32_t emit_kernels(const struct emit *e);

const char *emit_name(const struct emit *e, uint32_t value);
struct trace_shape emit_shape(const struct emit *e, uint32_t value);
uint64_t emit_elements(const struct emit *e, uint32_t value);

/* Print the whole trace in canonical form. */
void emit_print(const struct emit *e, FILE *out);

#endif
