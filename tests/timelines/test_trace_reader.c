/* The checker of Perfetto traces must be able to say no. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/proto.h"
#include "trace_reader.h"

/* A packet is under way; what follows goes into it. */
static void write_packet(struct proto *p, uint64_t sequence, uint64_t flags)
{
    proto_begin(p, 1);
    proto_uint(p, 10, sequence);
    proto_uint(p, 13, flags);
}

static void write_group(struct proto *p, uint64_t uuid, uint64_t pid, uint64_t flags)
{
    write_packet(p, 1, flags);
    proto_begin(p, 60);
    proto_uint(p, 1, uuid);
    proto_begin(p, 3);
    proto_uint(p, 1, pid);
    proto_text(p, 6, "chip0");
    proto_end(p);
    proto_uint(p, 11, 3);
    proto_end(p);
    proto_end(p);
}

static void write_track(struct proto *p, uint64_t uuid, uint64_t parent, const char *name,
                        bool counter)
{
    write_packet(p, 1, 2);
    proto_begin(p, 60);
    proto_uint(p, 1, uuid);
    proto_text(p, 2, name);
    proto_uint(p, 5, parent);
    proto_uint(p, 12, uuid);
    if (counter) {
        proto_begin(p, 8);
        proto_end(p);
    }
    proto_end(p);
    proto_end(p);
}

static void write_name(struct proto *p, uint64_t iid, const char *text)
{
    write_packet(p, 1, 2);
    proto_begin(p, 12);
    proto_begin(p, 2);
    proto_uint(p, 1, iid);
    proto_text(p, 2, text);
    proto_end(p);
    proto_end(p);
    proto_end(p);
}

/* A name of 0 is none, a flow of 0 as well. */
static void write_event(struct proto *p, uint64_t ns, uint64_t uuid, uint64_t type, uint64_t iid,
                        uint64_t flow)
{
    write_packet(p, 1, 2);
    proto_uint(p, 8, ns);
    proto_begin(p, 11);
    proto_uint(p, 9, type);
    proto_uint(p, 11, uuid);
    if (iid)
        proto_uint(p, 10, iid);
    if (flow)
        proto_fixed64(p, 47, flow);
    proto_end(p);
    proto_end(p);
}

enum { BEGIN = 1, END = 2, INSTANT = 3, VALUE = 4 };

/* A group, a track 2, a counter 3, and a name 7. */
static struct proto write_head(void)
{
    struct proto p = { 0 };

    write_group(&p, 1, 1, 1);
    write_track(&p, 2, 1, "ops", false);
    write_track(&p, 3, 1, "bytes", true);
    write_name(&p, 7, "matmul");
    return p;
}

static void expect_refusal(struct proto *p, const char *why)
{
    struct trace_file *t = trace_file_read((const char *)p->bytes, p->n);

    cr_assert_not_null(strstr(t->error, why), "\"%s\" is not \"%s\"", t->error, why);
    free(t);
    proto_free(p);
}

Test(trace_reader, takes_a_trace)
{
    struct proto p = write_head();

    write_event(&p, 5, 2, BEGIN, 7, 9);
    write_event(&p, 6, 2, INSTANT, 7, 10);
    write_event(&p, 8, 2, END, 0, 0);
    struct trace_file *t = trace_file_read((const char *)p.bytes, p.n);
    cr_assert_str_empty(t->error, "%s", t->error);
    cr_assert_eq(t->packets, 7);
    cr_assert_eq(t->n_flows, 2);
    cr_assert_eq(t->sum[0].ns, 3);
    cr_assert_str_eq(t->sum[0].name, "matmul");
    free(t);
    proto_free(&p);
}

#define REFUSE(why, ...)                                                                           \
    do {                                                                                           \
        struct proto p = write_head();                                                             \
        __VA_ARGS__;                                                                               \
        expect_refusal(&p, why);                                                                   \
    } while (0)

Test(trace_reader, refuses_packets_out_of_sequence)
{
    struct proto p = { 0 };

    write_group(&p, 1, 1, 2);
    expect_refusal(&p, "flags 2");
    p = (struct proto){ 0 };
    write_group(&p, 1, 1, 1);
    write_group(&p, 2, 2, 1);
    expect_refusal(&p, "flags 1");
    p = (struct proto){ 0 };
    write_packet(&p, 3, 1);
    proto_end(&p);
    expect_refusal(&p, "sequence 3");
    p = write_head();
    p.n--;
    expect_refusal(&p, "cut short");
}

Test(trace_reader, refuses_tracks_that_hang_in_the_air)
{
    REFUSE("was not given before", write_track(&p, 4, 5, "lost", false));
    REFUSE("was not given before", write_track(&p, 4, 2, "lost", false));
    REFUSE("given twice", write_track(&p, 2, 1, "again", false));
    REFUSE("has no name", write_track(&p, 4, 1, "", false));
    REFUSE("has number 0", write_track(&p, 0, 1, "none", false));
    REFUSE("two groups are process 1", write_group(&p, 4, 1, 2));
    REFUSE("no process id", write_group(&p, 4, 0, 2));
    REFUSE("no process id", write_group(&p, 4, UINT64_C(1) << 31, 2));
}

Test(trace_reader, refuses_names_that_are_not_there)
{
    REFUSE("no name 8 yet", write_event(&p, 5, 2, BEGIN, 8, 0));
    REFUSE("given twice", write_name(&p, 7, "conv"));
    REFUSE("name 0", write_name(&p, 0, "conv"));
    REFUSE("two names or none", write_event(&p, 5, 2, BEGIN, 0, 0));
}

Test(trace_reader, refuses_slices_that_do_not_nest)
{
    REFUSE("left open", write_event(&p, 5, 2, BEGIN, 7, 0));
    REFUSE("overlap", write_event(&p, 5, 2, BEGIN, 7, 0); write_event(&p, 6, 2, BEGIN, 7, 0));
    REFUSE("nothing has begun", write_event(&p, 5, 2, END, 0, 0));
    REFUSE("nothing has begun", write_event(&p, 5, 2, INSTANT, 7, 0));
    REFUSE("goes back in time", write_event(&p, 5, 2, BEGIN, 7, 0);
           write_event(&p, 4, 2, END, 0, 0));
    REFUSE("has a name or a flow", write_event(&p, 5, 2, BEGIN, 7, 0);
           write_event(&p, 6, 2, END, 0, 9));
    REFUSE("on no track", write_event(&p, 5, 4, BEGIN, 7, 0));
    REFUSE("on no track", write_event(&p, 5, 1, BEGIN, 7, 0));
    REFUSE("which is a counter", write_event(&p, 5, 3, BEGIN, 7, 0));
    REFUSE("which is no counter", write_event(&p, 5, 2, VALUE, 0, 0));
    REFUSE("no value", write_event(&p, 5, 3, VALUE, 0, 0));
    REFUSE("of type 5", write_event(&p, 5, 2, 5, 0, 0));
}

Test(trace_reader, refuses_fields_that_are_none)
{
    REFUSE("field 99 of a packet", write_packet(&p, 1, 2); proto_text(&p, 99, "x"); proto_end(&p));
    REFUSE("wire type 1", write_packet(&p, 1, 2); proto_begin(&p, 11); proto_fixed64(&p, 9, 1);
           proto_end(&p); proto_end(&p));
    REFUSE("wire type 0", write_packet(&p, 1, 2); proto_begin(&p, 11); proto_uint(&p, 47, 1);
           proto_end(&p); proto_end(&p));
    REFUSE("no packet", proto_uint(&p, 1, 4));
}
