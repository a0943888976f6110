#include "report/timeline/perfetto_packet.h"

enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_DESCRIPTOR = 60
};
enum { FLAGS_CLEARED = 1, FLAGS_NEEDS = 2 };
enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_ORDERING = 11,
    TRACK_RANK = 12
};
enum { ORDERING_EXPLICIT = 3 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { COUNTER_UNIT_NAME = 6 };
enum {
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_COUNTER = 30,
    EVENT_DOUBLE = 44,
    EVENT_FLOW = 47
};
enum { ANNOTATION_UINT = 3, ANNOTATION_NAME = 10 };
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { INTERNED_NAMES = 2, INTERNED_IID = 1, INTERNED_NAME = 2 };

static void begin_packet(struct packets *p)
{
    proto_clear(&p->proto);
    proto_begin(&p->proto, TRACE_PACKET);
    proto_uint(&p->proto, PACKET_SEQUENCE, 1 + p->sequence);
    proto_uint(&p->proto, PACKET_FLAGS, p->begun ? FLAGS_NEEDS : FLAGS_CLEARED);
    p->begun = true;
}

static void end_packet(struct packets *p)
{
    proto_end(&p->proto);
    if (!p->error)
        p->error = sink_write(p->sink, (const char *)p->proto.bytes, p->proto.n);
}

void perfetto_packet_process(struct packets *p, uint64_t uuid, const char *name)
{
    begin_packet(p);
    proto_begin(&p->proto, PACKET_DESCRIPTOR);
    proto_uint(&p->proto, TRACK_UUID, uuid);
    proto_begin(&p->proto, TRACK_PROCESS);
    proto_uint(&p->proto, PROCESS_PID, uuid);
    proto_text(&p->proto, PROCESS_NAME, name);
    proto_end(&p->proto);
    proto_uint(&p->proto, TRACK_ORDERING, ORDERING_EXPLICIT);
    proto_end(&p->proto);
    end_packet(p);
}

void perfetto_packet_track(struct packets *p, uint64_t uuid, uint64_t group, uint64_t rank,
                           const char *name, const char *unit)
{
    begin_packet(p);
    proto_begin(&p->proto, PACKET_DESCRIPTOR);
    proto_uint(&p->proto, TRACK_UUID, uuid);
    proto_text(&p->proto, TRACK_NAME, name);
    proto_uint(&p->proto, TRACK_PARENT, group);
    proto_uint(&p->proto, TRACK_RANK, rank);
    if (unit) {
        proto_begin(&p->proto, TRACK_COUNTER);
        if (*unit)
            proto_text(&p->proto, COUNTER_UNIT_NAME, unit);
        proto_end(&p->proto);
    }
    proto_end(&p->proto);
    end_packet(p);
}

void perfetto_packet_name(struct packets *p, uint64_t iid, const char *name)
{
    begin_packet(p);
    proto_begin(&p->proto, PACKET_INTERNED);
    proto_begin(&p->proto, INTERNED_NAMES);
    proto_uint(&p->proto, INTERNED_IID, iid);
    proto_text(&p->proto, INTERNED_NAME, name);
    proto_end(&p->proto);
    proto_end(&p->proto);
    end_packet(p);
}

static void begin_event(struct packets *p, uint64_t ns, uint64_t track, uint64_t type)
{
    begin_packet(p);
    proto_uint(&p->proto, PACKET_TIMESTAMP, ns);
    proto_begin(&p->proto, PACKET_EVENT);
    proto_uint(&p->proto, EVENT_TYPE, type);
    proto_uint(&p->proto, EVENT_TRACK, track);
}

static void end_event(struct packets *p)
{
    proto_end(&p->proto);
    end_packet(p);
}

void perfetto_packet_slice(struct packets *p, uint64_t ns, const struct packet_slice *s)
{
    begin_event(p, ns, s->track, TYPE_BEGIN);
    if (s->iid)
        proto_uint(&p->proto, EVENT_NAME_IID, s->iid);
    else
        proto_text(&p->proto, EVENT_NAME, s->name);
    if (s->detail) {
        proto_begin(&p->proto, EVENT_ANNOTATION);
        proto_uint(&p->proto, ANNOTATION_UINT, s->number);
        proto_text(&p->proto, ANNOTATION_NAME, s->detail);
        proto_end(&p->proto);
    }
    for (size_t i = 0; i < s->n_flow; i++)
        proto_fixed64(&p->proto, EVENT_FLOW, s->flow[i]);
    end_event(p);
}

void perfetto_packet_slice_end(struct packets *p, uint64_t ns, uint64_t track)
{
    begin_event(p, ns, track, TYPE_END);
    end_event(p);
}

void perfetto_packet_instant(struct packets *p, uint64_t ns, uint64_t track, const char *name,
                             uint64_t flow)
{
    begin_event(p, ns, track, TYPE_INSTANT);
    proto_text(&p->proto, EVENT_NAME, name);
    proto_fixed64(&p->proto, EVENT_FLOW, flow);
    end_event(p);
}

void perfetto_packet_count(struct packets *p, uint64_t ns, uint64_t track, uint64_t value)
{
    begin_event(p, ns, track, TYPE_COUNTER);
    proto_uint(&p->proto, EVENT_COUNTER, value);
    end_event(p);
}

void perfetto_packet_level(struct packets *p, uint64_t ns, uint64_t track, double value)
{
    begin_event(p, ns, track, TYPE_COUNTER);
    proto_double(&p->proto, EVENT_DOUBLE, value);
    end_event(p);
}
