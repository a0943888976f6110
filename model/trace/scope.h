/* scope.h - the tensors in scope by name: a stack with a hash index.
 *
 * An id is a place on the stack.  The end of a scope cuts the stack to its height at the begin, so
 * ids are dense and are used again.  A tensor does not move, and it can be read until its id is
 * used again. */
#ifndef TRACE_SCOPE_H
#define TRACE_SCOPE_H

#include "trace/trace.h"

/* An asynchronous operation between its start and its done, kept with the first of its results. */
struct scope_start {
    uint32_t first;    /* id of that result; the others of the start have this alone */
    bool destinations; /* they are what the results of the done take the place of, no handle */
    enum trace_kind kind;
    bool done, sync;
    uint32_t group, n_in, cap_in;
    uint64_t group_stride;
    uint64_t payload;
    uint64_t to;            /* of a send */
    struct trace_value *in; /* the operands */
};

struct scope_tensor {
    struct trace_tensor tensor;
    uint32_t line; /* of its definition */
    uint32_t hash;
    uint32_t root; /* id of the value whose memory it has: itself, or where `at` leads to */
    bool defined;  /* false: the open fusion lists it and has not defined it yet */
    bool handle;   /* a result of a start, for its done alone */
    struct scope_start start;
};

struct scope {
    struct scope_tensor **chunk;
    uint32_t n, n_chunks, cap_chunks;
    uint32_t *index;  /* open addressing: id + 1, or 0 */
    uint32_t n_index; /* a power of two, or 0 */
};

#define SCOPE_MAX (UINT32_C(1) << 28) /* names in scope at a time */

/* Free all; `s` is empty then. */
void scope_free(struct scope *s);
/* The tensor with an id that is in scope. */
struct scope_tensor *scope_at(const struct scope *s, uint32_t id);
/* The tensor called `name`, and its id, or NULL. */
struct scope_tensor *scope_find(const struct scope *s, const char *name, uint32_t *id);
/* Push `name`, which must not be in scope.  The caller fills in the rest.  O(1) amortised. */
struct scope_tensor *scope_push(struct scope *s, const char *name, uint32_t *id);
/* Remove all names from `height` on. */
void scope_cut(struct scope *s, uint32_t height);
/* The defined name closest to `name` by err_nearest, or NULL. */
const char *scope_nearest(const struct scope *s, const char *name);

#endif
