/* recorded.h - one step of a recording: its operations that worked on a GPU, in the order in which
 * the host launched them.
 *
 *     calls, work --steps--> one step --by the innermost operation that a row knows--> operations
 *
 * Steps are those of annotations (ProfilerStep#12), else what ends with an Optimizer.step, else a
 * sequence of kernels that repeats, else all there is is one.  Of several the one in the middle by
 * its length is taken. */
#ifndef IMPORT_KINETO_RECORDED_H
#define IMPORT_KINETO_RECORDED_H

#include "profile/kineto.h"

enum recorded_phase { RECORDED_FORWARD, RECORDED_BACKWARD, RECORDED_UPDATE };

struct recorded_op {
    uint32_t call; /* the operation, or KINETO_NONE: nothing says what the work is of */
    const struct aten_row *row; /* NULL: unknown */
    uint32_t first, n;          /* the first of its work in the recording, and how many */
    uint64_t time;              /* ns of its work */
    uint64_t dispatch;          /* of the host, in hundredths of a launch, before its first work */
    enum recorded_phase phase;
    int64_t sequence; /* of autograd, forward and backward alike; -1: none */
    uint32_t last_work;
    uint32_t number; /* among those of its name in the step, from 1 */
};

struct recorded_step {
    struct recorded_op *op;
    uint32_t n, cap;
    uint32_t n_steps;    /* in the recording */
    const char *found;   /* by what: "annotations" */
    int64_t begin, end;  /* of the host's calls */
    uint64_t launch;     /* ns, the median of its launches */
    uint64_t host, wall; /* ns: the thread's work as recorded, from begin to the end of all work */
    uint64_t time;       /* ns of all work */
    uint64_t queue_gap;  /* ns, the median time without work before a kernel that waited for it */
    uint64_t queue_part; /* ns between the quarters of those times */
    uint32_t lost;       /* launches of kernels that the recording does not have */
    uint32_t queued;     /* kernels that waited so */
    uint64_t host_wait;  /* ns without work while the next was not launched */
    uint32_t *gradient;  /* calls that take a gradient of a weight */
    uint32_t n_gradients;
    uint32_t *backward; /* calls of autograd's nodes with shapes, by their sequence number */
    uint32_t n_backward;
};

/* Find a step and its operations.  O(n log n). */
void recorded_read(struct recorded_step *s, const struct kineto *k);
void recorded_free(struct recorded_step *s);

#define RECORDED_MOST_BYTES (UINT64_C(1) << 40) /* of one copy or message */

/* The direction of a copy between the host and the GPU. */
enum recorded_copy { RECORDED_NO_COPY, RECORDED_IN, RECORDED_OUT };
/* The direction in which an operation copies. */
enum recorded_copy recorded_copy(const struct kineto *k, const struct recorded_op *op);

/* True of calls that launch a kernel, "cudaLaunchKernel". */
bool recorded_is_launch(const char *name);

/* The time of the host for each operation (recorded_host.c).  O(n). */
void recorded_host(struct recorded_step *s, const struct kineto *k);

/* Gaps between kernels that the host does not cause (recorded_queue.c).  O(n log n). */
void recorded_queue(struct recorded_step *s, const struct kineto *k);

/* The window of the step (recorded_window.c). */
void recorded_window(struct recorded_step *s, const struct kineto *k);

/* List the calls of the backward pass of a step. */
void recorded_list_backward(struct recorded_step *s, const struct kineto *k);
/* The node of autograd for what ran forward with that number, whose name holds `name`; or
 * KINETO_NONE.  O(log n). */
uint32_t recorded_backward(const struct recorded_step *s, const struct kineto *k, int64_t sequence,
                           const char *name);

#define RECORDED_LABEL 256 /* bytes of a label */

/* "aten::mm.3": the name and the number of an operation, which no other of the step has.  What the
 * text of a trace does not take becomes "?", and a long name is cut. */
void recorded_label(const struct recorded_step *s, const struct kineto *k, uint32_t op,
                    char label[RECORDED_LABEL]);

/* The name of a call. */
static inline const char *recorded_name(const struct kineto *k, uint32_t call)
{
    return kineto_text(k, k->call[call].name);
}

#endif
