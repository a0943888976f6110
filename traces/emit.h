/* emit.h - a training step under construction: operations are recorded, then printed as a trace.
 *
 * A generator names a phase, then appends operations in program order.  An operation starts a
 * kernel or joins the kernel of the operation before it.  A kernel of several operations is printed
 * as a fusion, which lists exactly the values that another kernel uses.  Values are handles; 0 is
 * none. A result is named after its phase and operation: "%fwd/fc.relu".  All text is copied.  An
 * error of a generator is a bug and aborts. */
#ifndef TRACES_EMIT_H
#define TRACES_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/trace.h"

struct emit;

/* clang-format off */
/* The number of values of a type that the arguments are. */
#define EMIT_COUNT(type, ...) (sizeof((const type[]){ __VA_ARGS__ }) / sizeof(type))
/* A shape: EMIT_F32(batch, 128). */
#define EMIT_SHAPE(id, ...) ((struct trace_shape){ .dtype = id, .rank = (uint32_t)EMIT_COUNT(uint64_t, __VA_ARGS__), .dim = { __VA_ARGS__ } })
#define EMIT_F32(...) EMIT_SHAPE(TRACE_F32, __VA_ARGS__)
#define EMIT_S32(...) EMIT_SHAPE(TRACE_S32, __VA_ARGS__)
#define EMIT_SCALAR ((struct trace_shape){ .dtype = TRACE_F32 })
/* Operands and results of a struct emit_op: EMIT_IN(x, w), EMIT_OUT({ .shape = EMIT_F32(m, n) }). */
#define EMIT_IN(...) .in = (const uint32_t[]){ __VA_ARGS__ }, .n_in = EMIT_COUNT(uint32_t, __VA_ARGS__)
#define EMIT_OUT(...) .out = (const struct emit_result[]){ __VA_ARGS__ }, .n_out = EMIT_COUNT(struct emit_result, __VA_ARGS__)
/* clang-format on */

struct emit_result {
    struct trace_shape shape;
    const char *part; /* appended to the name with a dot; needed if there are several results */
    bool gradient;
};

#define EMIT_ZERO UINT64_MAX /* as reads or writes: 0 bytes, although there are operands */

struct emit_op {
    enum trace_kind kind;
    const char *name;
    const uint32_t *in; /* operands; 0 is left out, so an operand may be optional */
    size_t n_in;
    const struct emit_result *out;
    size_t n_out;
    uint32_t bias;          /* 0: none */
    uint64_t flops;         /* 0: derived from the shapes */
    uint64_t reads, writes; /* bytes, of f32 values; 0: derived from operands and results */
    const char *attr;       /* further attributes, or NULL */
    const char *note;       /* the source of its figures, or NULL */
    bool joins;             /* it joins the kernel of the operation before it, in the same phase */
};

enum emit_precision {
    EMIT_F32_TENSORS, /* f32 tensors, multiplied in bf16 */
    EMIT_MIXED,       /* weights, their states and gradients f32, all else bf16 */
    EMIT_BF16,        /* everything bf16 */
    EMIT_HIGHEST,     /* f32 tensors, multiplied in f32 */
};

struct emit_head { /* the header of the trace */
    const char *workload, *provenance;
    uint64_t step_samples, epoch_samples; /* per replica; of the data set, 0: unknown */
    uint64_t epoch_steps;                 /* 0: they follow from the samples */
    const char *const *key;               /* generator parameters */
    const uint64_t *value;
    const char *const *word; /* word[i] is printed for value[i] if it is not NULL; may be NULL */
    size_t n_params;
    const struct trace_padding *padding; /* n_padding sizes; those without padding are left out */
    size_t n_padding;
    enum emit_precision precision;
    bool products; /* activations=products, not narrow */
    enum trace_framework framework;
};

/* A trace under construction, to be freed by emit_free(); what `head` points to outlives it. */
struct emit *emit_new(const struct emit_head *head);
void emit_free(struct emit *e);

/* Text that lives as long as `e`. */
const char *emit_text(struct emit *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Declare a persistent tensor. */
uint32_t emit_tensor(struct emit *e, enum trace_role role, struct trace_shape shape,
                     const char *name);

/* Begin another step.  With count = 0 the steps run in turn; else it runs between the others, once
 * in `count` of them. */
void emit_every(struct emit *e, uint64_t count);

/* Name the phase of what follows; begin a loop of `count` turns; end the innermost loop. */
void emit_phase(struct emit *e, const char *name);
void emit_repeat(struct emit *e, uint64_t count);
void emit_repeat_end(struct emit *e);

/* Append an operation.  Returns its first result; the others are first + 1, ...  0: no results. */
uint32_t emit_op(struct emit *e, const struct emit_op *op);

/* Mark the gradient of a parameter, which stays f32 in mixed precision. */
void emit_keep(struct emit *e, uint32_t value);

/* The number of operations so far. */
uint64_t emit_operations(const struct emit *e);

/* The number of kernels so far; an operation that is no kernel counts as one. */
uint32_t emit_kernels(const struct emit *e);

/* Name, shape and number of elements of a value. */
const char *emit_name(const struct emit *e, uint32_t value);
struct trace_shape emit_shape(const struct emit *e, uint32_t value);
uint64_t emit_elements(const struct emit *e, uint32_t value);

/* Print the whole trace in canonical form. */
void emit_print(const struct emit *e, FILE *out);

#endif
