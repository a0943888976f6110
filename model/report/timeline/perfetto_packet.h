/* perfetto_packet.h - packets of a Perfetto trace, by the field numbers of its public schema
 * (protos/perfetto/trace of google/perfetto). */
#ifndef REPORT_TIMELINE_PERFETTO_PACKET_H
#define REPORT_TIMELINE_PERFETTO_PACKET_H

#include <stdbool.h>

#include "base/proto.h"
#include "report/timeline/sink.h"

struct packets {
    struct sink *sink;
    struct proto proto;
    uint64_t sequence; /* from 0: in each, slices are in order of time and names have numbers */
    bool begun;        /* the first packet, which clears the reader's state, is written */
    int error;         /* errno of the first write that failed */
};

/* A group of tracks. */
void perfetto_packet_process(struct packets *p, uint64_t uuid, const char *name);
/* A track in a group, `rank`-th from above; `unit` NULL: of slices, else a counter. */
void perfetto_packet_track(struct packets *p, uint64_t uuid, uint64_t group, uint64_t rank,
                           const char *name, const char *unit);
/* Name `iid`, from 1, for slices to come. */
void perfetto_packet_name(struct packets *p, uint64_t iid, const char *name);

/* A slice begins, of name `iid`, or of `name` if that is 0; `flow` lists n_flow ids that pass
 * through it.  `detail` names a number of it; NULL: it has none. */
struct packet_slice {
    uint64_t track, iid;
    const char *name;
    const uint64_t *flow;
    size_t n_flow;
    const char *detail;
    uint64_t number;
};
void perfetto_packet_slice(struct packets *p, uint64_t ns, const struct packet_slice *s);
void perfetto_packet_slice_end(struct packets *p, uint64_t ns, uint64_t track);
/* An instant within a slice, which `flow` passes through. */
void perfetto_packet_instant(struct packets *p, uint64_t ns, uint64_t track, const char *name,
                             uint64_t flow);
void perfetto_packet_count(struct packets *p, uint64_t ns, uint64_t track, uint64_t value);
void perfetto_packet_level(struct packets *p, uint64_t ns, uint64_t track, double value);

#endif
