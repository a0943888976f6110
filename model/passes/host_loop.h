/* host_loop.h - costs that a training loop on the host adds to a step: values that it reads,
 * programs that it compiles again, operations that fall back to its CPU, the input that it
 * prepares.
 *
 *     item=N          it reads N values after each step and waits for each, as item() does
 *     shapes=N        once in N steps a batch has a shape that no program was compiled for
 *     compile-time=T  ... and to compile takes so long; else what xla.compile_time of a TPU says
 *     fallback=NAME   it runs the operations of that name, which may have * and ?; their operands
 *                     and results cross PCIe.  Of a fusion any member: the whole fusion goes
 *     element-time=T  ... at so much for an element (1 ns, unverified)
 *     input=BYTES     it prepares so many bytes of a core's batch ahead; auto: those of its inputs
 *     storage=BYTES   ... which come from so many bytes of files
 *
 * A trace with these is a trace like any other: lines are added to its text (docs/model/host.md).
 */
#ifndef PASSES_HOST_LOOP_H
#define PASSES_HOST_LOOP_H

#include "trace/trace.h"

#define HOST_LOOP_MOST 16 /* names that fall back */

struct host_loop {
    uint64_t items, shapes, input, storage; /* 0: not given */
    bool input_auto;
    uint64_t compile_fs, element_fs; /* 0: not given */
    const char *fallback[HOST_LOOP_MOST];
    size_t n_fallback;
};

/* Take one "KEY=VALUE", which is borrowed.  Errors: ERR_UNKNOWN with the nearest key, ERR_FORMAT,
 * ERR_UNIT, ERR_RANGE; ERR_FORMAT also for a second value of a key but fallback. */
int host_loop_add(struct host_loop *h, const char *text, struct err *err);
bool host_loop_any(const struct host_loop *h);

/* "item=1, shapes=100", to be freed. */
char *host_loop_text(const struct host_loop *h);

/* Write the trace at `t`, whose header was read, with what the loop adds; a host drives
 * `host_cores` cores.  Reads `t` twice.  Errors: those of trace_next(); ERR_UNKNOWN no operation
 * has such a name, with the nearest; ERR_FIT it cannot run on a CPU, the trace has an infeed of its
 * own, or nothing says how much input there is. */
int host_loop_write(struct trace *t, const struct host_loop *h, uint64_t host_cores, FILE *out,
                    struct err *err);

#endif
