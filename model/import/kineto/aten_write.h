/* aten_write.h - operations of a recording as lines of a trace: what their writers share.
 *
 * A recording has no names of tensors.  An operand is the value of its shape that was made last;
 * backward, one that the operation of the same number in autograd read or made forward; else a
 * tensor that is there before the step.  Of equal elements another shape is a view, which costs
 * nothing. */
#ifndef IMPORT_KINETO_ATEN_WRITE_H
#define IMPORT_KINETO_ATEN_WRITE_H

#include <stdio.h>

#include "import/kineto/aten.h"
#include "import/kineto/aten_args.h"
#include "import/kineto/recorded.h"
#include "profile/profile_index.h"

#define ATEN_NO_VALUE UINT32_MAX /* no such value */
#define ATEN_MOST_OPERANDS 64    /* of a line; more are left out */

struct aten_value {
    struct trace_shape shape;
    bool tensor, weight; /* declared before the step */
    uint64_t elements;
    uint32_t before; /* the value of this shape before it, or ATEN_NO_VALUE */
};

struct aten_saved { /* by an operation of the forward pass */
    int64_t sequence;
    uint32_t value;
};

#define ATEN_MOST_PENDING 64 /* collectives that run beside operations */

struct aten_pending { /* a collective that has begun */
    const char *kind;
    uint32_t handle;
};

struct aten_writer {
    const struct kineto *k;
    const struct recorded_step *step;
    FILE *out;
    struct aten_value *value;
    uint32_t n_values, cap_values;
    uint32_t *latest; /* [2 * value]: of its shape, of its size, if it was the first one of those */
    struct profile_index by_shape, by_size; /* the latest value of a shape, of a size */
    struct aten_saved *saved;
    uint32_t n_saved, cap_saved;
    uint64_t parameters; /* elements of all gradients */
    enum trace_dtype parameter_type;
    uint64_t unknown, unknown_ns, timed; /* operations without a row, their time; costed by it */
    uint32_t list[8];                    /* flat tensors: parameters, gradients, state */
    uint32_t ranks;                      /* that run the step */
    uint32_t n_pending;                  /* collectives that have begun */
    struct aten_pending pending[ATEN_MOST_PENDING];
};

/* One operation at hand. */
struct aten_job {
    struct aten_writer *w;
    const struct recorded_op *op;
    const struct aten_row *row;
    const char *name, *label; /* "aten::mm", and "aten::mm.3" of its lines */
    struct aten_args args;
    bool dispatched;                   /* its host time is written */
    uint32_t used[ATEN_MOST_OPERANDS]; /* operands: no two are one value */
    uint32_t n_used;
};

/* --- arguments ------------------------------------------------------------------------------ */

/* The argument with letter `as`, the n-th of those; NULL: none, or it was not given. */
const struct aten_arg *aten_arg(const struct aten_job *j, char as);
const struct aten_arg *aten_tensor(const struct aten_job *j, char as);
uint32_t aten_numbers(const struct aten_job *j, char as, int64_t *number, uint32_t most);
bool aten_flag(const struct aten_job *j, char as);
/* The letter of argument i, 0 behind the last. */
char aten_letter(const struct aten_job *j, uint32_t i);

/* The shape of a tensor: what is broadcast has one element along there. */
struct trace_shape aten_shape(const struct aten_arg *a);
struct trace_shape aten_shape_of(enum trace_dtype dtype, uint32_t rank, const uint64_t *dim);
uint64_t aten_elements(const struct trace_shape *s);
/* A shape with its last dimensions, or all but those of `over`, merged or left out. */
struct trace_shape aten_reduced(const struct trace_shape *s, uint32_t over);

/* --- values and lines ----------------------------------------------------------------------- */

/* The value that an operand is; a line with a view may be written before it. */
uint32_t aten_operand(struct aten_job *j, const struct trace_shape *s);
void aten_operands(struct aten_job *j, const struct trace_shape *s, uint32_t n, uint32_t *v);
uint32_t aten_weight(struct aten_job *j, const struct trace_shape *s);
/* A flat tensor of lists of tensors: list i of n elements. */
uint32_t aten_flat(struct aten_job *j, uint32_t i, uint64_t n, enum trace_dtype dtype);
/* One element of that type, made once. */
uint32_t aten_scalar(struct aten_job *j, enum trace_dtype dtype);
/* A new result. */
uint32_t aten_result(struct aten_job *j, const struct trace_shape *s);
/* ... that stays inside a fusion. */
uint32_t aten_inner(struct aten_job *j, const struct trace_shape *s);

/* "  %v1 f32[8], %v2 f32[8] = kind(%v0, %v3)": without the end of the line. */
void aten_begin(struct aten_job *j, uint32_t depth, const char *kind, const uint32_t *out,
                uint32_t n_out, const uint32_t *in, uint32_t n_in);
/* An attribute with a format; then name=, dispatch= and the end of the line. */
void aten_attr(struct aten_job *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void aten_end(struct aten_job *j, bool named);
/* A fusion that is a kernel of the library: its first line, and its last. */
void aten_open(struct aten_job *j, const uint32_t *out, uint32_t n_out);
void aten_close(struct aten_job *j);

/* --- writers -------------------------------------------------------------------------------- */

/* Products (aten_product.c): aten_write. */
bool aten_write_product(struct aten_job *j);
bool aten_write_conv(struct aten_job *j);
bool aten_write_conv_gradients(struct aten_job *j);
bool aten_write_attention(struct aten_job *j);
bool aten_write_attention_gradient(struct aten_job *j);

/* Element-wise operations, copies, sums, lists (aten_map.c): aten_write. */
bool aten_write_map(struct aten_job *j);
bool aten_write_compare(struct aten_job *j);
bool aten_write_dropout(struct aten_job *j);
bool aten_write_fill(struct aten_job *j);
bool aten_write_range(struct aten_job *j);
bool aten_write_random(struct aten_job *j);
bool aten_write_copy(struct aten_job *j);
bool aten_write_join(struct aten_job *j);
bool aten_write_reduce(struct aten_job *j);
bool aten_write_list(struct aten_job *j);
bool aten_write_update(struct aten_job *j);

/* Kernels of the library (aten_norm.c): aten_write. */
bool aten_write_softmax(struct aten_job *j);
bool aten_write_softmax_gradient(struct aten_job *j);
bool aten_write_norm(struct aten_job *j);
bool aten_write_norm_gradient(struct aten_job *j);
bool aten_write_group_norm(struct aten_job *j);
bool aten_write_group_norm_gradient(struct aten_job *j);
bool aten_write_batch_norm(struct aten_job *j);
bool aten_write_batch_norm_gradient(struct aten_job *j);

/* Rows by index, sorts, windows (aten_rows.c): aten_write. */
bool aten_write_gather(struct aten_job *j);
bool aten_write_rows(struct aten_job *j);
bool aten_write_scatter(struct aten_job *j);
bool aten_write_sorted_scatter(struct aten_job *j);
bool aten_write_sort(struct aten_job *j);
bool aten_write_loss(struct aten_job *j);
bool aten_write_pool(struct aten_job *j);
bool aten_write_pool_gradient(struct aten_job *j);
bool aten_write_resize(struct aten_job *j);

/* An operation without a row: by the bytes of its arguments, else by its time. */
void aten_write_unknown(struct aten_job *j);
/* Copies to and from the host; collectives of NCCL, of which some go on beside what follows, until
 * aten_wait() writes that they are waited for. */
bool aten_write_transfer(struct aten_job *j);
bool aten_write_collective(struct aten_job *j);
void aten_wait(struct aten_writer *w);

#endif
