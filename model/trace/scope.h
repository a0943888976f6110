/* scope.h - the names in scope: a stack of tensors with a hash index.
 *
 * Ids are places on the stack.  A scope is closed by cutting the stack back to the height it had
 * when the scope began, so ids are dense and are used again.  A tensor does not move, and what it
 * was stays readable until its place is taken. */
#ifndef TRACE_SCOPE_H
#define TRACE_SCOPE_H

#include "trace/trace.h"

/* An asynchronous operation under way, kept with the handle that its start defined. */
struct scope_start {
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
    bool defined; /* false: a fusion lists it and has not defined it yet */
    bool handle;  /* the result of a start */
    struct scope_start start;
};

struct scope {
    struct scope_tensor **chunk;
    uint32_t n, n_chunks, cap_chunks;
    uint32_t *index;  /* open addressing: id + 1, or 0 */
    uint32_t n_index; /* a power of two, or 0 */
};

#define SCOPE_MAX (UINT32_C(1) << 28) /* names in scope at a time */

void scope_free(struct scope *s);
struct scope_tensor *scope_at(const struct scope *s, uint32_t id);
/* The tensor called `name`, or NULL; `*id` is set when found. */
struct scope_tensor *scope_find(const struct scope *s, const char *name, uint32_t *id);
/* Push `name`, which must not be in scope; the caller fills in the rest.  O(1) amortised. */
struct scope_tensor *scope_push(struct scope *s, const char *name, uint32_t *id);
/* Forget all names from `height` on. */
void scope_cut(struct scope *s, uint32_t height);
/* The defined name closest to `name`, or NULL. */
const char *scope_nearest(const struct scope *s, const char *name);

#endif
