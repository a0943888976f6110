/* aten.h - which operation of a trace an operation of PyTorch is: one row for each name.
 *
 * A row says what its arguments are by a letter each, in their order; what stands behind the last
 * letter is not read.  Letters mean the same in all rows:
 *
 *     x y z   operands          w b   a weight, a bias       t   a table of rows
 *     i       indices           v     values of rows         d   dimensions that are summed over
 *     k       keeps them (reductions); the size of a window (pools)
 *     s p l g o   stride, padding, dilation, groups, padding of the result
 *     m       which gradients are wanted       c   a causal mask       .   nothing
 *
 * A new operation is a row of aten.c; a new way to write one is a function of aten_write.h. */
#ifndef IMPORT_KINETO_ATEN_H
#define IMPORT_KINETO_ATEN_H

#include "trace/trace.h"

struct aten_job;

/* Write the operation of a job.  False: its arguments do not say what it does. */
typedef bool aten_write(struct aten_job *j);

struct aten_row {
    const char *name; /* without "aten::" */
    const char *args;
    aten_write *write;
    enum trace_fn fn;
    uint32_t flops; /* of an element; 0: 1 */
};

/* The row of a name ("aten::mm"), or NULL. */
const struct aten_row *aten_find(const char *name);

#endif
