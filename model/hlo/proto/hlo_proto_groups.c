/* hlo_proto_groups.c - the devices that a collective joins: see hlo_proto_write.h. */
#include <inttypes.h>

#include "hlo/proto/hlo_proto_write.h"

enum { IOTA_GROUPS = 1, IOTA_SIZE, IOTA_DIMENSIONS, IOTA_ORDER };
enum { MESH_AXES = 1, MESH_IDS, MESH_IOTA };
enum { AXIS_NAME = 1, AXIS_SIZE };
enum { REF_AXIS = 1, REF_PART };

static struct proto_message field_message(const struct hlo_proto_instruction *i,
                                          enum hlo_proto_field field)
{
    return i->has[field] ? proto_inner(&i->field[field]) : (struct proto_message){ NULL, NULL };
}

static bool has_field(struct proto_message m, uint32_t number)
{
    return hlo_proto_member(m, number).number == number;
}

static void count_devices(struct hlo_proto_writer *w, uint64_t n)
{
    if (n > w->devices && n < UINT32_MAX)
        w->devices = n;
}

/* {{0,1},{2,3}}; a device beyond those seen so far is one more. */
static void write_groups(struct hlo_proto_writer *w, struct proto_message m, uint32_t number)
{
    struct proto_field f, list;
    uint64_t id;
    unsigned n = 0;

    fputs(", replica_groups={", w->out);
    while (proto_next(&m, &f) > 0) {
        if (f.number != number)
            continue;
        fputs(n++ ? "," : "", w->out);
        hlo_proto_list(w->out, proto_inner(&f), 1);
        struct proto_message group = proto_inner(&f);
        while (proto_next(&group, &list) > 0)
            while (list.number == 1 && proto_number(&list, &id))
                count_devices(w, id + 1);
    }
    putc('}', w->out);
}

/* "[2,4]T(1,0)": sizes, and in which order their numbers count. */
static void write_counted(FILE *out, struct proto_message m, uint32_t sizes, uint32_t order)
{
    struct proto_message walk = m;
    struct proto_field f;
    uint64_t value;
    unsigned n = 0;

    putc('[', out);
    while (proto_next(&walk, &f) > 0)
        while (f.number == sizes && proto_number(&f, &value))
            fprintf(out, "%s%" PRIu64, n++ ? "," : "", value);
    putc(']', out);
    if (n < 2 || !has_field(m, order))
        return;
    n = 0;
    putc('T', out);
    while (proto_next(&m, &f) > 0)
        while (f.number == order && proto_number(&f, &value))
            fprintf(out, "%s%" PRIu64, n++ ? "," : "(", value);
    putc(')', out);
}

/* [4,2]<=[2,4]T(1,0) */
static void write_iota(struct hlo_proto_writer *w, struct proto_message m)
{
    uint64_t groups = hlo_proto_value(m, IOTA_GROUPS), size = hlo_proto_value(m, IOTA_SIZE);

    fprintf(w->out, ", replica_groups=[%" PRIu64 ",%" PRIu64 "]<=", groups, size);
    write_counted(w->out, m, IOTA_DIMENSIONS, IOTA_ORDER);
    if (groups < UINT32_MAX && size < UINT32_MAX)
        count_devices(w, groups * size);
}

/* 'name' of the axis of this number. */
static void write_axis(FILE *out, struct proto_message mesh, uint64_t number)
{
    struct proto_field f;

    while (proto_next(&mesh, &f) > 0)
        if (f.number == MESH_AXES && number-- == 0) {
            struct proto_field name = hlo_proto_member(proto_inner(&f), AXIS_NAME);
            putc('\'', out);
            hlo_proto_bytes(out, proto_inner(&name));
            putc('\'', out);
            return;
        }
}

static void write_grid(struct hlo_proto_writer *w, struct proto_message mesh)
{
    struct proto_message walk = mesh;
    struct proto_field f;
    uint64_t devices = 1, number = 0;

    fputs(", replica_groups=mesh[", w->out);
    while (proto_next(&walk, &f) > 0) {
        if (f.number != MESH_AXES)
            continue;
        uint64_t size = hlo_proto_value(proto_inner(&f), AXIS_SIZE);
        fputs(number ? "," : "", w->out);
        write_axis(w->out, mesh, number++);
        fprintf(w->out, "=%" PRIu64, size);
        devices = size < UINT32_MAX && devices < UINT32_MAX ? devices * size : devices;
    }
    putc(']', w->out);
    count_devices(w, devices);
}

/* mesh['a'=4,'b'=2], device_ids=([4,2]T(1,0)) {'a','b':(1)2} */
static void write_mesh(struct hlo_proto_writer *w, struct proto_message m)
{
    struct proto_field f = hlo_proto_member(m, 1), iota, ids, part;
    struct proto_message mesh = proto_inner(&f);
    unsigned n = 0;

    write_grid(w, mesh);
    iota = hlo_proto_member(mesh, MESH_IOTA);
    ids = hlo_proto_member(mesh, MESH_IDS);
    if (iota.number == MESH_IOTA) {
        fputs(", device_ids=(", w->out);
        write_counted(w->out, proto_inner(&iota), 1, 2);
        putc(')', w->out);
    } else if (ids.number == MESH_IDS) {
        uint64_t id;
        fputs(", device_ids=", w->out);
        for (unsigned k = 0; proto_number(&ids, &id); k++)
            fprintf(w->out, "%s%" PRIu64, k ? "," : "(", id);
        putc(')', w->out);
    }
    fputs(" {", w->out);
    while (proto_next(&m, &f) > 0) {
        if (f.number != 2)
            continue;
        fputs(n++ ? "," : "", w->out);
        write_axis(w->out, mesh, hlo_proto_value(proto_inner(&f), REF_AXIS));
        part = hlo_proto_member(proto_inner(&f), REF_PART);
        if (part.number == REF_PART)
            fprintf(w->out, ":(%" PRIu64 ")%" PRIu64, hlo_proto_value(proto_inner(&part), 1),
                    hlo_proto_value(proto_inner(&part), 2));
    }
    putc('}', w->out);
}

static void write_pairs(struct hlo_proto_writer *w, struct proto_message all)
{
    struct proto_field f;
    unsigned n = 0;

    while (proto_next(&all, &f) > 0) {
        if (f.number != HLO_PROTO_PAIRS)
            continue;
        uint64_t from = hlo_proto_value(proto_inner(&f), 1),
                 to = hlo_proto_value(proto_inner(&f), 2);
        fprintf(w->out, "%s{%" PRIu64 ",%" PRIu64 "}", n++ ? "," : ", source_target_pairs={", from,
                to);
        count_devices(w, (from > to ? from : to) + 1);
    }
    fputs(n ? "}" : "", w->out);
}

void hlo_proto_collective(struct hlo_proto_writer *w, const struct hlo_proto_instruction *i)
{
    struct proto_message devices = field_message(i, HLO_PROTO_DEVICES);
    struct proto_field iota = hlo_proto_member(devices, 2);
    uint64_t channel = i->has[HLO_PROTO_CHANNEL] ? i->field[HLO_PROTO_CHANNEL].value : 0;

    if (channel > 0)
        fprintf(w->out, ", channel_id=%" PRIu64, channel);
    if (i->has[HLO_PROTO_MESH])
        write_mesh(w, field_message(i, HLO_PROTO_MESH));
    else if (i->has[HLO_PROTO_IOTA])
        write_iota(w, field_message(i, HLO_PROTO_IOTA));
    else if (iota.number == 2)
        write_iota(w, proto_inner(&iota));
    else if (has_field(devices, 1))
        write_groups(w, devices, 1);
    else if (i->has[HLO_PROTO_REPLICA_GROUPS])
        write_groups(w, i->all, HLO_PROTO_REPLICA_GROUPS);
    else if (devices.at)
        fputs(", replica_groups={}", w->out);
    if (i->has[HLO_PROTO_GLOBAL_IDS] && i->field[HLO_PROTO_GLOBAL_IDS].value)
        fputs(", use_global_device_ids=true", w->out);
    write_pairs(w, i->all);
    w->by_partition |= channel > 0;
}
