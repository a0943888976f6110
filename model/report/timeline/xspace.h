/* xspace.h - a run as the XPlane file that XProf and TensorBoard open: a plane for the first core,
 * with lines of steps, programs, operations and asynchronous ones, and the program itself.
 *
 * An operation has its category, scope, line of source, FLOPs and bytes of HBM, so that the tools
 * which add these up (op profile, HLO stats, roofline) work on a prediction.  Times are in
 * picoseconds, rounded down.  Field numbers: tsl/profiler/protobuf/xplane.proto. */
#ifndef REPORT_TIMELINE_XSPACE_H
#define REPORT_TIMELINE_XSPACE_H

#include <stdio.h>

#include "run/result/result.h"

/* The program that ran, where the trace is one. */
struct xspace_program {
    const char *name;  /* "jit_step" */
    const void *proto; /* an HloProto of `size` bytes, or NULL */
    size_t size;
    /* "%fusion.3 = f32[8] fusion(...)" of an operation, to be freed; NULL: it is not of the text */
    char *(*text)(void *self, const char *operation);
    const char *(*category)(void *self, const char *operation); /* "loop fusion"; NULL as text */
    void *self;
};

struct xspace;

/* An empty recording, and the observer that fills it. */
struct xspace *xspace_new(void);
struct run_observer xspace_observer(struct xspace *x);

/* After the run: write all.  `program` may be NULL.  Errors: ERR_IO; ERR_RANGE for more than
 * XSPACE_MOST spans. */
#define XSPACE_MOST UINT32_C(20000000)
int xspace_write(const struct xspace *x, const struct run_result *r,
                 const struct xspace_program *program, FILE *out, struct err *err);
void xspace_free(struct xspace *x);

#endif
