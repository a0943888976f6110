/* xplane_space.h - what is known of an XPlane file while it is read: planes, their lines and names.
 * Only the files of the XPlane reader include it. */
#ifndef PROFILE_XPLANE_SPACE_H
#define PROFILE_XPLANE_SPACE_H

#include "profile/profile_build.h"
#include "profile/source/proto_read.h"
#include "profile/xplane_meta.h"

/* fields of the messages */
enum { XPLANE_SPACE_PLANE = 1, XPLANE_PLANE_LINE = 3, XPLANE_LINE_EVENT = 4 };

#define XPLANE_TPU "/device:TPU:" /* how the names of a TPU's planes begin */
#define XPLANE_GPU "/device:GPU:" /* ... of a GPU's */
#define PLANES_SHOWN 160u         /* bytes of names of planes in a message */

enum xplane_kind { XPLANE_OTHER, XPLANE_MODULES, XPLANE_STEPS, XPLANE_OPS, XPLANE_ASYNC };

struct xplane_line {
    enum xplane_kind kind;
    uint64_t id;
    int64_t timestamp; /* ns */
    bool named, has_events;
};

struct xplane_run { /* of a plane that has not ended */
    uint64_t meta;
    uint32_t line;
    uint64_t offset, length;
};

/* Metadata of an event, `id`, and the operation of the profile that it stands for. */
struct xplane_op {
    uint64_t id;
    uint32_t op;
};

struct xplane_plane {
    uint32_t device; /* PROFILE_BUILD_NONE: none of ours */
    bool named, is_metadata, has_lines, is_gpu;
    struct xplane_line *line;
    uint32_t n_lines, cap_lines;
    struct xplane_op *op;
    uint32_t n_ops;
    uint64_t clock_begin, clock_length; /* ids of the statistics that events have; 0: none */
    uint64_t node;                      /* ... of the node of a CUDA graph */
};

struct xplane_space {
    struct profile_build *b;
    struct profile_source *source;
    struct xplane_plane *plane;
    uint32_t n_planes, cap_planes;
    uint32_t first_device;
    int64_t base; /* ns: times count from it */
    bool based, has_events;
    char shown[PLANES_SHOWN]; /* names of planes */
    /* the plane that is read first */
    struct xplane_meta meta;
    struct xplane_run *run;
    uint32_t n_runs, cap_runs;
    bool has_steps;
};

struct xplane_event {
    uint64_t meta, offset, length;       /* ps */
    uint64_t clock_offset, clock_length; /* by the clock of the device */
    uint64_t node; /* of a CUDA graph: its graph in the upper 32 bits; 0: none */
    bool has_clock;
    bool counted; /* an aggregate without a time */
};

/* First reading: devices, names, runs of programs.  The source stands at its begin. */
int xplane_scan(struct xplane_space *x, struct err *err);

/* Take the field of an event of a plane that was found.  Errors: ERR_FORMAT. */
int xplane_event_hold(struct xplane_space *x, const struct xplane_plane *p,
                      const struct proto_frame *frame, const struct proto_field *f,
                      struct xplane_event *e, struct err *err);
/* The time from which a line counts, in ps since the base.  Errors: ERR_RANGE. */
int xplane_origin(struct xplane_space *x, const struct xplane_line *line, int64_t *origin,
                  struct err *err);

#endif
