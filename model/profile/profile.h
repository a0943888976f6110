/* profile.h - what a profiler measured on real devices, whatever wrote the file.
 *
 * A profile holds programs that ran on devices, and of each program its kernels.  A run of a
 * program that the capture cuts at its begin or end is left out, with its kernels.  Times are whole
 * picoseconds by the clock of the device where the file has them, as it has of kernels; those of
 * asynchronous ones, programs' begins and idle time are of the time line that devices and hosts
 * share, which profilers bend now and then to make clocks agree.  Names are those of the file;
 * nothing is matched with a prediction here.
 *
 * An XPlane file is read as a stream; what is kept are sums per kernel and the events of one run of
 * each program, so memory grows with kernels, not with the file.  JSON is read into memory.  Time:
 * linear in the file. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct profile_device {
    char *name;            /* "/device:TPU:0" */
    char *type;            /* "TPU v6 Lite"; "": the file does not say */
    char *host;            /* "": the file does not say */
    double peak_flops;     /* FLOP/s; 0: the file does not say */
    double peak_hbm_bytes; /* B/s; 0: the file does not say */
    bool megacore;         /* its chip's two cores are one device of XLA, with an entry for each */
    uint64_t chip;         /* 1 + its number among the chips of all hosts; 0: not said */
    uint64_t idle;         /* between the first and the last run: no program runs */
};

struct profile_program {
    char *name;          /* "jit_step"; "": the file names none */
    uint64_t id;         /* fingerprint of the compiler; 0: the file does not say */
    uint64_t runs;       /* whole ones, on all devices */
    uint64_t cut;        /* those that the capture cuts, on all devices */
    uint64_t total;      /* ps of whole runs, on all devices; 0: only kernels are known */
    uint64_t median;     /* ps of a whole run */
    uint64_t period;     /* median ps from one run's begin to the next one's, of those that
                            follow without another program between; 0: unknown */
    uint64_t busy;       /* ps of whole runs in which a kernel runs, on all devices */
    uint64_t waits;      /* ps of whole runs before the first kernel: launch, barrier */
    uint64_t queue_gap;  /* median ps from kernel to kernel where the next stood in the queue; 0:
                            unknown */
    uint64_t queue_part; /* ps between the quarters of those */
    uint64_t queued;     /* kernels that stood there */
    uint64_t host_wait;  /* ps of whole runs in which no kernel runs and none is launched */
    uint64_t launch;     /* median ps of a call that launches a kernel; 0: unknown */
    unsigned char *hlo;  /* serialised HloProto in the file; NULL: none */
    size_t hlo_size;
};

struct profile_kernel {
    uint32_t program;      /* of profile.program */
    char *name;            /* of the instruction, without '%': "fusion.12" */
    char *text;            /* the instruction as HLO text; "": the file has none */
    char *scope;           /* where the framework made it: "jit(step)/add:"; "": not known */
    char *category;        /* XLA's: "convolution fusion"; "": the file does not say */
    bool asynchronous;     /* runs beside others: its time is no part of busy */
    bool container;        /* a loop, call or conditional: its time is that of kernels in it */
    uint64_t count;        /* occurrences in whole runs, on all devices */
    uint64_t total;        /* ps of them */
    uint64_t least, most;  /* ps of one; 0: the file has sums only */
    uint64_t flops, bytes; /* of an occurrence, as the file says; 0: it does not */
};

/* One occurrence in the run that stands for its program: the whole run of median length on the
 * first device. */
struct profile_event {
    uint32_t kernel; /* of profile.kernel */
    uint64_t begin;  /* ps since the run began */
    uint64_t length; /* ps */
};

/* Steps as the profiler counts them. */
struct profile_steps {
    uint64_t n;      /* 0: the file marks none */
    uint64_t median; /* ps */
};

struct profile {
    char *path;
    const char *format; /* "xplane", "hlo_stats", "op_profile", "trace_viewer", "csv" */
    struct profile_device *device;
    struct profile_program *program;
    struct profile_kernel *kernel; /* by program, then in the order in which they first run */
    struct profile_event *event;   /* by program, then by begin */
    size_t n_devices, n_programs, n_kernels, n_events;
    struct profile_steps steps;
};

/* Read a file of any format, or a folder with the files of several hosts; gzip and zstd frames are
 * unpacked.  On failure *p is NULL.  Errors: ERR_IO, ERR_FORMAT with the place in the file as
 * "FILE: byte N: what" or "FILE:LINE: what", ERR_RANGE. */
int profile_read(struct profile **p, const char *path, struct err *err);
/* Read `n` bytes as a file that messages call `name`. */
int profile_read_memory(struct profile **p, const char *name, const void *bytes, size_t n,
                        struct err *err);
void profile_free(struct profile *p); /* NULL is allowed */

/* Devices as XLA counts them: the two cores of a megacore are one.  O(entries^2) with megacores. */
size_t profile_devices(const struct profile *p);

#endif
