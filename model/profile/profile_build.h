/* profile_build.h - a profile in the making: what readers put in, whatever the format.
 *
 * A reader of events tells all runs of its devices first, then their kernels in any order of
 * devices; a reader of sums tells programs and kernels with their sums.  Only the first and the
 * last run of a device can be cut by the capture, and whether they are is known at the end: their
 * kernels are kept apart until then.
 *
 *   profile_build_begin -> device, program, run ... -> profile_build_runs_known
 *                       -> op, event ...            -> profile_build_end */
#ifndef PROFILE_PROFILE_BUILD_H
#define PROFILE_PROFILE_BUILD_H

#include "profile/profile.h"
#include "profile/profile_index.h"

#define PROFILE_BUILD_NONE UINT32_MAX                         /* an index of nothing */
#define PROFILE_BUILD_PS_MAX (INT64_C(1) << 60)               /* of a time or a length: 13 days */
#define PROFILE_BUILD_US_MAX (PROFILE_BUILD_PS_MAX / 1000000) /* the same in whole us */
#define PROFILE_BUILD_COUNT_MAX (UINT64_C(1) << 40)           /* of occurrences */
#define PROFILE_BUILD_OPEN 64u /* kernels of a line that are looked at together */

/* Does an event of it hold the events of kernels that run in it? */
enum profile_holds { PROFILE_HOLDS_NONE, PROFILE_HOLDS_ALL, PROFILE_HOLDS_IF_SEEN };

/* An instruction of a program, as events name it. */
struct profile_op {
    uint64_t program_id;                  /* 0: unknown */
    char *name, *text, *category, *scope; /* as in struct profile_kernel */
    uint64_t flops, bytes;
    enum profile_holds holds;
    uint32_t program[2], kernel[2]; /* where it was put last: [1] if asynchronous */
};

struct profile_sum {
    uint64_t count, total, least, most;
};

/* When something ran, in ps: on the time line that all devices and hosts share, which profilers
 * bend now and then to make clocks agree, and by the clock of the device alone.  A file that has
 * one of them has it twice. */
struct profile_build_times {
    int64_t begin, clock_begin;
    uint64_t length, clock_length;
};

struct profile_build_run {
    int64_t begin;   /* ps */
    uint64_t length; /* by the clock of the device, once that is known */
    uint64_t shared_length;
    uint32_t program;
    uint32_t n_kernels;
    struct profile_build_times kernels; /* from the begin of the first to the end of the last */
    bool has_kernels;
    uint64_t busy;   /* ps in which a kernel runs */
    int64_t covered; /* time by the clock up to which that is known */
    uint64_t wait;   /* ps before the first kernel; UINT64_MAX: none ran */
    bool cut;
    struct profile_build_log *log; /* its events, if it may stand for its program */
};

/* Events of one run, in the order in which they came. */
struct profile_build_log {
    struct profile_event *event;
    uint32_t n, cap;
};

/* An event whose nature the next ones tell. */
struct profile_build_open {
    uint32_t op, run; /* PROFILE_BUILD_NONE: in no run */
    struct profile_build_times at;
};

struct profile_build_device {
    struct profile_device is;
    struct profile_build_run *run; /* by begin once they are known */
    uint32_t n_runs, cap_runs, cursor;
    struct profile_sum *edge[2]; /* sums per kernel of the first and the last run */
    uint32_t cap_edge[2];
    struct profile_build_open open[PROFILE_BUILD_OPEN]; /* by begin */
    uint32_t n_open;
    int64_t latest;   /* begin of an event by the clock */
    uint32_t outside; /* program of the event before, if it was in no run */
};

struct profile_build_program {
    struct profile_program is;
    uint32_t device, stands; /* the run that stands for it, at last */
};

struct profile_build {
    char *path;
    const char *format;
    struct profile_build_device *device;
    struct profile_build_program *program;
    struct profile_kernel *kernel;
    struct profile_op *op;
    uint32_t n_devices, n_programs, n_kernels, n_ops, n_known; /* devices whose runs are known */
    uint32_t cap_devices, cap_programs, cap_kernels, cap_ops;
    struct profile_index program_index, kernel_index, op_index;
    uint64_t *step;
    uint32_t n_steps, cap_steps;
};

/* Begin the profile of the file `path`; `format` outlives it. */
void profile_build_begin(struct profile_build *b, const char *path, const char *format);
/* Give all up. */
void profile_build_free(struct profile_build *b);

/* A new device. */
uint32_t profile_build_device(struct profile_build *b, const char *name);
/* The program with this id, or without one of this name; added if it is not there. */
uint32_t profile_build_program(struct profile_build *b, const char *name, size_t n, uint64_t id);
/* Split "jit_step(1234)" into the program's name and id. */
uint32_t profile_build_module(struct profile_build *b, const char *module, size_t n);
/* Keep the HLO of a program, unless it has one. */
void profile_build_hlo(struct profile_build *b, uint32_t program, const unsigned char *hlo,
                       size_t n);

/* A run of a program: |begin| and length are at most PROFILE_BUILD_PS_MAX. */
void profile_build_run(struct profile_build *b, uint32_t device, uint32_t program, int64_t begin,
                       uint64_t length);
void profile_build_runs_known(struct profile_build *b);

/* The instruction of this program id, name and text; added if it is not there.  Owns the strings of
 * `op` from here on. */
uint32_t profile_build_op(struct profile_build *b, struct profile_op *op);
/* An event of a device.  Those of a core are told in the order of begin, containers before what
 * they hold; one that comes late counts, but is not seen to be inside of others. */
void profile_build_event(struct profile_build *b, uint32_t device, uint32_t op, bool asynchronous,
                         const struct profile_build_times *at);

/* The kernel of this name; added if it is not there. */
uint32_t profile_build_kernel(struct profile_build *b, uint32_t program, const char *name, size_t n,
                              bool asynchronous);
/* Add occurrences and their ps to those of a kernel.  Returns false, and adds nothing, if they come
 * to more than PROFILE_BUILD_COUNT_MAX or PROFILE_BUILD_PS_MAX. */
bool profile_build_add(struct profile_kernel *k, uint64_t count, uint64_t ps);
/* Reads the opcode from the text of an instruction, or from its category where there is no text;
 * where there is neither, the name decides whether it may hold others. */
enum profile_holds profile_build_holds(const char *name, const char *text, const char *category);

/* A step of training took `length` ps, as the profiler marks steps. */
void profile_build_step(struct profile_build *b, uint64_t length);
/* Make the profile.  `b` is empty then. */
struct profile *profile_build_end(struct profile_build *b);

/* For the files of this room alone. */
void profile_sum_add(struct profile_sum *s, uint64_t length);
uint64_t profile_build_median(uint64_t *value, size_t n); /* sorts; 0 if n is 0 */
/* Call `take` with the run of lower median length of each program on a device; cut ones are left
 * out, and so is the device's first or last one if `without` has bit 0 or 1 set. */
typedef void profile_build_take(struct profile_build *b, uint32_t device, uint32_t run);
void profile_build_middle(struct profile_build *b, uint32_t device, unsigned without,
                          profile_build_take *take);
void profile_build_flush(struct profile_build *b, uint32_t device); /* no event of a core follows */

#endif
