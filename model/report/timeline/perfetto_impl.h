/* perfetto_impl.h - internals of the trace for Perfetto: perfetto.c follows the values of probes,
 * perfetto_describe.c names their tracks. */
#ifndef REPORT_TIMELINE_PERFETTO_IMPL_H
#define REPORT_TIMELINE_PERFETTO_IMPL_H

#include "report/timeline/perfetto.h"
#include "report/timeline/perfetto_packet.h"
#include "report/timeline/series.h"

#define FLOWS_AT_ONCE 16

struct track {
    struct perfetto *p;
    const struct des_probe_row *row;
    uint32_t module, probe;
    uint64_t uuid, curve; /* curve: of a rate or a share, 0: none */
    uint64_t iid;         /* of its name 0 */
    uint64_t shown, next; /* the value in the file, and the last one of this time */
    uint64_t flow[FLOWS_AT_ONCE];
    uint32_t n_flows, target; /* of a flow: the track through which it goes, + 1 */
    bool pending, moved;      /* something happened at this time; the value was set */
    bool open;                /* the curve is drawn */
    struct des_ramp ramp;     /* of a total with ramps: the last one */
    struct series series;
    double drawn; /* last value of the curve */
};

struct group {
    char *name;
    uint64_t uuid;
};

struct perfetto {
    const struct perfetto_request *q;
    struct sink *sink;
    struct packets out;
    struct track *track;
    uint32_t n_tracks, cap_tracks;
    struct group *group;
    uint32_t n_groups, n_devices;
    uint32_t *changed, n_changed; /* tracks with something pending */
    bool *named;                  /* [text] */
    const char *const **names;    /* lists of names that have iids */
    uint32_t n_names;
    uint64_t last_uuid, last_sequence;
    des_time zero, from, to, when, end, width; /* width: of a bin of curves */
    bool measured, recording, over, ended;     /* ended: so has measuring */
};

static inline bool perfetto_is_slice(const struct track *t)
{
    return t->row->kind == DES_PROBE_STATE || t->row->kind == DES_PROBE_TEXT ||
           t->row->kind == DES_PROBE_SPAN;
}

/* Write the descriptors of track `at`: its group, if it is the first of it, its names and its
 * curve. */
void perfetto_describe(struct perfetto *p, struct des *sim, uint32_t at);

#endif
