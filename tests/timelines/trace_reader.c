#include "trace_reader.h"
#include "base/plain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto_reader.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };

__attribute__((format(printf, 2, 3))) static bool fail_reading(struct trace_file *t,
                                                               const char *fmt, ...)
{
    va_list ap;

    if (*t->error)
        return false;
    int n = snprintf(t->error, sizeof t->error, "packet %lu: ", (unsigned long)t->packets);
    va_start(ap, fmt);
    plain_text_list(t->error + n, sizeof t->error - (size_t)n, fmt, ap);
    va_end(ap);
    return false;
}

static void read_text(char *out, size_t size, struct proto_in in)
{
    snprintf(out, size, "%.*s", (int)(in.end - in.at), (const char *)in.at);
}

/* The next field; false at the end, or with an error. */
static bool next_field(struct trace_file *t, struct proto_in *in, struct proto_field *f)
{
    bool bad = false;

    if (*t->error || proto_next(in, f, &bad))
        return !*t->error;
    return bad ? fail_reading(t, "cut short or no field") : false;
}

static bool check_wire(struct trace_file *t, const struct proto_field *f, uint32_t want)
{
    return f->wire == want || fail_reading(t, "field %u has wire type %u", f->number, f->wire);
}

/* --- tracks and names --------------------------------------------------------------------- */

static void read_process(struct trace_file *t, struct trace_track *d, struct proto_in in)
{
    struct proto_field g;

    d->process = true;
    while (next_field(t, &in, &g))
        if (g.number == 1 && check_wire(t, &g, VARINT))
            d->pid = g.value;
        else if (g.number == 6 && check_wire(t, &g, BYTES))
            read_text(d->name, sizeof d->name, g.nested);
        else
            fail_reading(t, "field %u of a process", g.number);
}

static bool fits_in(struct trace_file *t, uint64_t uuid, const struct trace_track *d)
{
    if (uuid == 0 || uuid >= TRACE_MAX_TRACKS)
        return fail_reading(t, "a track has number %lu", (unsigned long)uuid);
    if (t->track[uuid].declared)
        return fail_reading(t, "track %lu is given twice", (unsigned long)uuid);
    if (!*d->name)
        return fail_reading(t, "track %lu has no name", (unsigned long)uuid);
    for (size_t i = 1; i < TRACE_MAX_TRACKS; i++) {
        const struct trace_track *o = &t->track[i];
        if (d->process && o->process && o->pid == d->pid)
            return fail_reading(t, "two groups are process %lu", (unsigned long)d->pid);
        if (!d->process && o->declared && !o->process && o->parent == d->parent &&
            o->rank == d->rank && strcmp(o->name, d->name) == 0)
            return fail_reading(t, "two tracks %s of one rank in a group", d->name);
    }
    if (d->process)
        return (d->pid > 0 && d->pid <= INT32_MAX) || fail_reading(t, "%s: no process id", d->name);
    if (d->parent >= TRACE_MAX_TRACKS || !t->track[d->parent].process)
        return fail_reading(t, "%s: its group was not given before", d->name);
    return t->track[d->parent].ranks == (d->rank >= 0) ||
           fail_reading(t, "%s: a rank where none counts, or none", d->name);
}

static void read_descriptor(struct trace_file *t, struct proto_in in)
{
    struct trace_track d = { .declared = true, .rank = -1 };
    struct proto_field f, g;
    uint64_t uuid = 0;

    while (next_field(t, &in, &f))
        switch (f.number) {
        case 1: uuid = check_wire(t, &f, VARINT) ? f.value : 0; break;
        case 2:
            if (check_wire(t, &f, BYTES))
                read_text(d.name, sizeof d.name, f.nested);
            break;
        case 3:
            if (check_wire(t, &f, BYTES))
                read_process(t, &d, f.nested);
            break;
        case 5: d.parent = check_wire(t, &f, VARINT) ? f.value : 0; break;
        case 8:
            d.counter = check_wire(t, &f, BYTES);
            while (d.counter && next_field(t, &f.nested, &g))
                if (g.number != 6)
                    fail_reading(t, "field %u of a counter", g.number);
            break;
        case 11: d.ranks = check_wire(t, &f, VARINT) && f.value == 3; break;
        case 12: d.rank = check_wire(t, &f, VARINT) ? (int64_t)f.value : -1; break;
        default: fail_reading(t, "field %u of a track", f.number);
        }
    if (!*t->error && fits_in(t, uuid, &d))
        t->track[uuid] = d;
}

static const char *find_interned(const struct trace_file *t, uint64_t iid)
{
    for (size_t i = 0; i < t->n_names; i++)
        if (t->name[i].iid == iid)
            return t->name[i].name;
    return NULL;
}

static void read_name(struct trace_file *t, struct proto_in in)
{
    char name[96] = "";
    struct proto_field g;
    uint64_t iid = 0;

    while (next_field(t, &in, &g))
        if (g.number == 1 && check_wire(t, &g, VARINT))
            iid = g.value;
        else if (g.number == 2 && check_wire(t, &g, BYTES))
            read_text(name, sizeof name, g.nested);
        else
            fail_reading(t, "field %u of a name", g.number);
    if (*t->error)
        return;
    if (iid == 0 || !*name || t->n_names == TRACE_MAX_NAMES)
        fail_reading(t, "name %lu \"%s\"", (unsigned long)iid, name);
    else if (find_interned(t, iid))
        fail_reading(t, "name %lu is given twice", (unsigned long)iid);
    else {
        t->name[t->n_names].iid = iid;
        strcpy(t->name[t->n_names++].name, name);
    }
}

static void read_interned(struct trace_file *t, struct proto_in in)
{
    struct proto_field f;

    while (next_field(t, &in, &f))
        if (f.number == 2 && check_wire(t, &f, BYTES))
            read_name(t, f.nested);
        else
            fail_reading(t, "field %u of interned data", f.number);
}

/* --- events ------------------------------------------------------------------------------- */

struct event {
    uint64_t type, uuid, iid, flow[32], n_flow, number, numbers;
    char name[96];
    double value;
};

static bool note_flow(struct trace_file *t, uint64_t id, uint64_t uuid, uint64_t ns)
{
    size_t i = 0;

    while (i < t->n_flows && t->flow[i].id != id)
        i++;
    if (id == 0 || i == TRACE_MAX_FLOWS)
        return fail_reading(t, "flow %lu", (unsigned long)id);
    struct trace_flow *f = &t->flow[i];
    if (i == t->n_flows) {
        t->n_flows++;
        *f = (struct trace_flow){ .id = id, .first_track = uuid, .first_ns = ns };
    }
    if (ns < f->last_ns)
        return fail_reading(t, "flow %lu goes back in time", (unsigned long)id);
    f->last_ns = ns;
    f->last_track = uuid;
    f->n++;
    return true;
}

static bool add_time(struct trace_file *t, const struct trace_track *s, uint64_t ns)
{
    size_t i = 0;

    while (i < t->n_sums &&
           (strcmp(t->sum[i].track, s->name) != 0 || strcmp(t->sum[i].name, s->open_name) != 0))
        i++;
    if (i == TRACE_MAX_NAMES)
        return fail_reading(t, "too many names");
    if (i == t->n_sums) {
        t->n_sums++;
        strcpy(t->sum[i].track, s->name);
        strcpy(t->sum[i].name, s->open_name);
    }
    t->sum[i].ns += ns - s->open_at;
    t->sum[i].n++;
    return true;
}

static bool read_count(struct trace_file *t, struct trace_track *s, const struct event *e,
                       uint64_t ns)
{
    if (!s->counter)
        return fail_reading(t, "a value on %s, which is no counter", s->name);
    if (!isfinite(e->value))
        return fail_reading(t, "no value on %s", s->name);
    if (ns < s->since)
        return fail_reading(t, "%s goes back in time", s->name);
    s->integral += s->value * (double)(ns - s->since);
    if (ns > s->since && s->value - 1e9 / (double)(ns - s->since) > s->most)
        s->most = s->value - 1e9 / (double)(ns - s->since);
    s->value = e->value;
    s->since = ns;
    return true;
}

static bool begin_slice(struct trace_file *t, struct trace_track *s, const struct event *e,
                        uint64_t ns)
{
    const char *name = e->iid ? find_interned(t, e->iid) : e->name;

    if (s->open)
        return fail_reading(t, "slices overlap on %s", s->name);
    if (!name)
        return fail_reading(t, "no name %lu yet", (unsigned long)e->iid);
    s->open = true;
    s->open_at = ns;
    s->slices++;
    s->numbers += e->numbers;
    s->sum += e->number;
    strcpy(s->open_name, name);
    return true;
}

static bool read_slice(struct trace_file *t, struct trace_track *s, const struct event *e,
                       uint64_t ns)
{
    if (s->counter)
        return fail_reading(t, "a slice on %s, which is a counter", s->name);
    if (ns < t->slices_at)
        return fail_reading(t, "%s goes back in time", s->name);
    if (e->type != 2 && (e->iid == 0) == !*e->name)
        return fail_reading(t, "a slice of %s has two names or none", s->name);
    if (e->type != 1 && e->numbers)
        return fail_reading(t, "a number on %s, where no slice begins", s->name);
    if (e->type == 2 && (e->iid || *e->name || e->n_flow))
        return fail_reading(t, "an end on %s has a name or a flow", s->name);
    if (e->type != 1 && !s->open)
        return fail_reading(t, "nothing has begun on %s", s->name);
    t->slices_at = s->last = ns;
    if (e->type == 1)
        return begin_slice(t, s, e, ns);
    if (e->type == 3)
        return true;
    s->open = false;
    return add_time(t, s, ns);
}

/* A name and a whole number. */
static void read_annotation(struct trace_file *t, struct event *e, struct proto_in in)
{
    char name[96] = "";
    struct proto_field f;

    while (next_field(t, &in, &f)) {
        if (!check_wire(t, &f, f.number == 10 ? BYTES : VARINT))
            return;
        switch (f.number) {
        case 3: e->number = f.value; break;
        case 10: read_text(name, sizeof name, f.nested); break;
        default: fail_reading(t, "field %u of an annotation", f.number); return;
        }
    }
    if (e->numbers++ || !*name)
        fail_reading(t, "an annotation without a name, or a second one");
}

static void read_event(struct trace_file *t, uint64_t ns, bool timed, struct proto_in in)
{
    struct event e = { .value = NAN };
    struct proto_field f;

    while (next_field(t, &in, &f)) {
        bool number = f.number == 9 || f.number == 10 || f.number == 11 || f.number == 30;
        bool nested = f.number == 4 || f.number == 23;
        if (!check_wire(t, &f, nested ? BYTES : number ? VARINT : FIXED64))
            return;
        switch (f.number) {
        case 4: read_annotation(t, &e, f.nested); break;
        case 9: e.type = f.value; break;
        case 10: e.iid = f.value; break;
        case 11: e.uuid = f.value; break;
        case 23: read_text(e.name, sizeof e.name, f.nested); break;
        case 30: e.value = (double)f.value; break;
        case 44: memcpy(&e.value, &f.value, sizeof e.value); break;
        case 47:
            for (uint64_t i = 0; i < e.n_flow; i++)
                if (e.flow[i] == f.value)
                    fail_reading(t, "a flow passes twice");
            if (e.n_flow == 32)
                fail_reading(t, "too many flows");
            else
                e.flow[e.n_flow++] = f.value;
            break;
        default: fail_reading(t, "field %u of an event", f.number);
        }
    }
    if (*t->error)
        return;
    if (!timed || e.type < 1 || e.type > 4)
        fail_reading(t, "an event without a time or of type %lu", (unsigned long)e.type);
    else if (e.uuid == 0 || e.uuid >= TRACE_MAX_TRACKS || !t->track[e.uuid].declared ||
             t->track[e.uuid].process)
        fail_reading(t, "an event on no track");
    else if (!(e.type == 4 ? read_count : read_slice)(t, &t->track[e.uuid], &e, ns))
        return;
    for (uint64_t i = 0; i < e.n_flow && !*t->error; i++)
        note_flow(t, e.flow[i], e.uuid, ns);
}

/* The next sequence begins: names and the order of slices are its own. */
static bool begin_sequence(struct trace_file *t, uint64_t sequence)
{
    if (sequence != t->sequence + 1)
        return false;
    t->sequence = sequence;
    t->n_names = 0;
    t->slices_at = 0;
    return true;
}

/* --- packets ------------------------------------------------------------------------------ */

static void read_packet(struct trace_file *t, struct proto_in in)
{
    uint64_t ns = 0, flags = 0, sequence = 0;
    struct proto_in event = { NULL, NULL };
    struct proto_field g;
    bool timed = false, begins = false;

    while (next_field(t, &in, &g)) {
        bool number = g.number == 8 || g.number == 10 || g.number == 13;
        if (!check_wire(t, &g, number ? VARINT : BYTES))
            return;
        switch (g.number) {
        case 8:
            ns = g.value;
            timed = true;
            break;
        case 10: begins = begin_sequence(t, sequence = g.value); break;
        case 11: event = g.nested; break;
        case 12: read_interned(t, g.nested); break;
        case 13: flags = g.value; break;
        case 60: read_descriptor(t, g.nested); break;
        default: fail_reading(t, "field %u of a packet", g.number);
        }
    }
    if (event.at) /* after the names of its packet, wherever they stand in it */
        read_event(t, ns, timed, event);
    if (sequence != t->sequence)
        fail_reading(t, "sequence %lu", (unsigned long)sequence);
    if (flags != (begins ? 1 : 2))
        fail_reading(t, "flags %lu", (unsigned long)flags);
}

struct trace_file *trace_file_read(const char *bytes, size_t n)
{
    struct trace_file *t = calloc(1, sizeof *t);
    struct proto_in in = { (const unsigned char *)bytes, (const unsigned char *)bytes + n };
    struct proto_field f;

    while (next_field(t, &in, &f)) {
        if (f.number != 1 || f.wire != BYTES)
            fail_reading(t, "no packet");
        else
            read_packet(t, f.nested);
        t->packets++;
    }
    for (size_t i = 0; i < TRACE_MAX_TRACKS && !*t->error; i++)
        if (t->track[i].open)
            fail_reading(t, "%s is left open", t->track[i].name);
    return t;
}
