/* aten_args.h - the arguments of a recorded operation: shapes, types, strides, values. */
#ifndef IMPORT_KINETO_ATEN_ARGS_H
#define IMPORT_KINETO_ATEN_ARGS_H

#include "profile/kineto.h"
#include "trace/trace.h"

#define ATEN_MOST_ARGS 32 /* of a call; more are not read */

enum aten_arg_kind { ATEN_ABSENT, ATEN_TENSOR, ATEN_LIST, ATEN_VALUE };

struct aten_arg {
    enum aten_arg_kind kind;
    enum trace_dtype dtype;
    bool empty; /* a tensor without elements */
    uint32_t rank;
    uint64_t dim[TRACE_MAX_RANK], stride[TRACE_MAX_RANK]; /* strides in elements */
    bool strided;                                         /* the file says strides */
    const char *list; /* of tensors, as the file writes their shapes: "[[64,32],[64]]"; else NULL */
    uint32_t n_list;
    const char *value; /* of others, without quotes, n bytes: "[1, 1]", "True" */
    size_t n;
};

struct aten_args { /* of one call, in their order */
    struct aten_arg arg[ATEN_MOST_ARGS];
    uint32_t n;
};

/* The type of elements that PyTorch calls so, "c10::Half". */
bool aten_args_type(const char *name, size_t n, enum trace_dtype *dtype);

/* Arguments of a call; n is 0 where the recording has no shapes. */
void aten_args_read(struct aten_args *a, const struct kineto *k, const struct kineto_call *call);

/* Tensor i of a list; false behind the last one.  Call it with i = 0, 1, 2 ...; *at is NULL first.
 */
bool aten_args_next(const struct aten_arg *list, const char **at, struct aten_arg *tensor);

/* Whole numbers of a value, "[3, 3]" or "1"; how many, at most `most`. */
uint32_t aten_args_numbers(const struct aten_arg *value, int64_t *number, uint32_t most);
bool aten_args_true(const struct aten_args *a, uint32_t i);

/* Elements of a tensor; 0 if it has none, or more than 2^50. */
uint64_t aten_args_elements(const struct aten_arg *a);

#endif
