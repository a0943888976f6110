/* kineto.h - what PyTorch's profiler recorded: calls of the host's threads, work of the GPUs, and
 * which call began which work.
 *
 *     Chrome JSON --json_stream--> events --kineto_read()--> calls in a tree, work in its order
 *
 * A call is an operation (aten::mm), a call of the CUDA runtime or driver, or an annotation; its
 * parent is the innermost call of its thread that holds it.  Work is a kernel, a copy or a fill.
 * Times are nanoseconds from an origin of the file's own.  Texts (names, and arguments as the file
 * writes them) are kept once each; a call has 96 bytes.  Processes and threads are one number.
 *
 * The bytes of a collective are read from its kernel, else from a call around its launch: from
 * the arguments of record_param_comms, before PyTorch 2.1 from the operand of "nccl:all_reduce". */
#ifndef PROFILE_KINETO_H
#define PROFILE_KINETO_H

#include "profile/profile_index.h"
#include "profile/source/profile_source.h"

#define KINETO_NONE UINT32_MAX /* no such call */

enum kineto_kind { KINETO_OPERATION, KINETO_RUNTIME, KINETO_ANNOTATION, KINETO_OVERHEAD };

struct kineto_call {
    int64_t begin, end;
    uint64_t id;                           /* "External id"; 0: none */
    uint64_t matches;                      /* "correlation"; 0: none */
    int64_t sequence;                      /* of autograd; -1: none */
    uint32_t name;                         /* these are texts: kineto_text() */
    uint32_t dims, types, strides, values; /* "Input Dims" ...; 0: the empty text */
    uint32_t thread;
    uint32_t parent;  /* a call, or KINETO_NONE */
    uint32_t message; /* 1 + its place in kineto.message; 0: none */
    enum kineto_kind kind;
};

struct kineto_message {
    uint64_t elements_in, elements_out; /* of each rank; 0: not said */
    uint32_t collective, types, ranks;  /* texts: "allreduce", "Float", "[0, 1]" */
    uint32_t group;                     /* ranks of a collective; 0: no collective */
};

struct kineto_work {
    int64_t begin, end;
    int64_t launched; /* the begin of the call that began it, or its own */
    uint64_t id, matches;
    uint64_t bytes; /* of a copy or a fill */
    uint32_t name;
    struct kineto_message message;
    uint32_t grid;            /* blocks along x; 0: not said */
    uint32_t blocks, threads; /* in all, and of each */
    uint32_t device, stream;
    uint32_t launch; /* the call of the runtime that began it, or KINETO_NONE */
    bool copies, fills;
};

struct kineto {
    struct kineto_call *call; /* by thread, then in the order in which they begin */
    struct kineto_work *work; /* in the order in which they were launched */
    struct kineto_message *message;
    uint32_t n_calls, n_work, n_messages, cap_calls, cap_work, cap_messages;
    char *text; /* texts, each with a 0 behind it; the first is empty */
    size_t n_text, cap_text;
    struct profile_index index;
    uint32_t *place; /* of text i in `text` */
    uint32_t n_places, cap_places;
    char device[64];      /* "NVIDIA H100 80GB HBM3"; empty: not said */
    uint32_t rank, ranks; /* 0 of 1 where the file says nothing */
    bool shapes;          /* some call has shapes */
};

/* True if a file begins as such a recording does, within 64 KiB: JSON, plain or packed.  Takes
 * nothing from the source. */
bool kineto_likes(struct profile_source *s);

/* Read a recording.  O(n log n) in its events.  Errors: those of json_stream.h; ERR_FORMAT no
 * event of a host's thread or a GPU; ERR_RANGE more events than 32 bits count. */
int kineto_read(struct kineto *k, struct profile_source *s, struct err *err);
void kineto_free(struct kineto *k);

/* A text by its number. */
static inline const char *kineto_text(const struct kineto *k, uint32_t text)
{
    return k->text + k->place[text];
}

/* The number of a text, which is kept if it is new. */
uint32_t kineto_keep(struct kineto *k, const char *text, size_t n);

/* Order calls and work, and find parents and launches: the end of kineto_read (kineto_order.c). */
void kineto_order(struct kineto *k);

/* Give work the messages of the calls around its launch, after that (kineto_message.c). */
void kineto_messages(struct kineto *k);

#endif
