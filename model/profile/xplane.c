/* xplane.c - see xplane.h. */
#include "profile/xplane.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profile/xplane_space.h"

static bool is_binary(unsigned char c)
{
    return c < 0x20 && c != '\t' && c != '\n' && c != '\r';
}

bool xplane_knows(const unsigned char *head, size_t n)
{
    if (n < 2 || head[0] != (XPLANE_SPACE_PLANE << 3 | PROTO_BYTES))
        return false;
    for (size_t i = 0; i < n && i < 64; i++)
        if (is_binary(head[i]))
            return true;
    return false;
}

static uint32_t find_op(const struct xplane_plane *p, uint64_t id)
{
    uint32_t low = 0, high = p->n_ops;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->op[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->n_ops && p->op[low].id == id ? p->op[low].op : PROFILE_BUILD_NONE;
}

/* A kernel that a node of a CUDA graph runs: "gemm_fusion_dot_18 #20.4", the graph and the node,
 * for one kernel may serve several instructions. */
static uint32_t find_node(struct xplane_space *x, uint32_t op, uint64_t node)
{
    const struct profile_op *like = &x->b->op[op];
    struct profile_op own = { .program_id = like->program_id,
                              .name = memory_format("%s #%" PRIu64 ".%" PRIu64, like->name,
                                                    node >> 32, node & UINT32_MAX),
                              .text = memory_copy(""),
                              .category = memory_copy(like->category),
                              .scope = memory_copy(like->scope) };

    return profile_build_op(x->b, &own);
}

/* Second reading of a line: kernels. */
static int read_line(struct xplane_space *x, const struct xplane_plane *p,
                     const struct xplane_line *line, struct proto_frame frame, struct err *err)
{
    struct proto_field f;
    struct xplane_event e;
    int64_t origin;
    int rc;

    if (xplane_origin(x, line, &origin, err) != 0)
        return -1;
    while ((rc = proto_frame_next(&frame, &f, err)) > 0) {
        if (f.number != XPLANE_LINE_EVENT) {
            if (proto_frame_skip(&frame, &f, err) != 0)
                return -1;
            continue;
        }
        uint64_t at = profile_source_at(x->source);
        if (xplane_event_hold(x, p, &frame, &f, &e, err) != 0)
            return -1;
        if (e.counted)
            continue;
        uint32_t op = find_op(p, e.meta);
        if (op == PROFILE_BUILD_NONE)
            return profile_source_damaged(x->source, at, err,
                                          "an event of metadata %" PRIu64 ", which its plane lacks",
                                          e.meta);
        x->has_events = true;
        if (e.node != 0)
            op = find_node(x, op, e.node);
        struct profile_build_times times = {
            .begin = origin + (int64_t)e.offset,
            .clock_begin = origin + (int64_t)(e.has_clock ? e.clock_offset : e.offset),
            .length = e.length,
            .clock_length = e.has_clock ? e.clock_length : e.length,
        };
        profile_build_event(x->b, p->device, op, line->kind == XPLANE_ASYNC, &times);
    }
    profile_build_flush(x->b, p->device);
    return rc;
}

static int report_change(const struct xplane_space *x, struct err *err)
{
    return err_set(err, ERR_IO, "%.200s: the file changed while it was read",
                   profile_source_name(x->source));
}

static int read_plane(struct xplane_space *x, const struct xplane_plane *p,
                      struct proto_frame frame, struct err *err)
{
    struct proto_field f;
    uint32_t n = 0;
    int rc;

    while ((rc = proto_frame_next(&frame, &f, err)) > 0) {
        bool is_line = f.number == XPLANE_PLANE_LINE && f.type == PROTO_BYTES;
        if (is_line && n == p->n_lines)
            return report_change(x, err);
        const struct xplane_line *line = is_line ? &p->line[n++] : NULL;
        if (line && (line->kind == XPLANE_OPS || line->kind == XPLANE_ASYNC))
            rc = read_line(x, p, line, proto_frame_enter(&frame, &f), err);
        else
            rc = proto_frame_skip(&frame, &f, err);
        if (rc < 0)
            return -1;
    }
    return rc;
}

static int read_space(struct xplane_space *x, struct err *err)
{
    struct proto_frame frame = { x->source, UINT64_MAX };
    struct proto_field f;
    uint32_t n = 0;
    int rc;

    while ((rc = proto_frame_next(&frame, &f, err)) > 0) {
        bool is_plane = f.number == XPLANE_SPACE_PLANE && f.type == PROTO_BYTES;
        if (is_plane && n == x->n_planes)
            return report_change(x, err);
        const struct xplane_plane *p = is_plane ? &x->plane[n++] : NULL;
        if (p && p->device != PROFILE_BUILD_NONE)
            rc = read_plane(x, p, proto_frame_enter(&frame, &f), err);
        else
            rc = proto_frame_skip(&frame, &f, err);
        if (rc < 0)
            return -1;
    }
    return rc;
}

static int check_devices(const struct xplane_space *x, struct err *err)
{
    if (x->b->n_devices > x->first_device)
        return 0;
    if (x->shown[0] && !strchr(x->shown, '/'))
        return err_set(err, ERR_FORMAT,
                       "%.160s: no profile, whose planes are /host:CPU and the like, but perhaps a "
                       "serialised HloProto, of which the text is read: it holds %s",
                       profile_source_name(x->source), x->shown);
    return err_set(
        err, ERR_FORMAT,
        "%.160s: no TPU and no GPU in it: its planes are %s; a profile of a TPU has " XPLANE_TPU
        "0, of a GPU " XPLANE_GPU "0",
        profile_source_name(x->source), x->shown[0] ? x->shown : "without names");
}

static int check_events(const struct xplane_space *x, struct err *err)
{
    const struct profile_build *b = x->b;
    uint32_t runs = 0;

    for (uint32_t i = x->first_device; i < b->n_devices; i++)
        runs += b->device[i].n_runs > 0;
    if (x->has_events || runs > 0)
        return 0;
    return err_set(err, ERR_FORMAT,
                   "%.160s: %s has neither runs of programs nor kernels: nothing ran while it was "
                   "captured",
                   profile_source_name(x->source), b->device[x->first_device].is.name);
}

static int read_twice(struct xplane_space *x, struct err *err)
{
    if (xplane_scan(x, err) != 0 || check_devices(x, err) != 0)
        return -1;
    profile_build_runs_known(x->b);
    if (profile_source_rewind(x->source, err) != 0 || read_space(x, err) != 0)
        return -1;
    return check_events(x, err);
}

/* Bytes that were taken for text on their way hold U+FFFD where they had others. */
static bool is_mangled(struct profile_source *s)
{
    const unsigned char *bytes;
    struct err err;
    size_t n, found = 0;

    if (profile_source_rewind(s, &err) != 0 ||
        profile_source_peek(s, UINT64_C(1) << 16, &bytes, &n, &err) != 0)
        return false;
    for (size_t i = 0; i + 3 <= n; i++)
        found += memcmp(bytes + i, "\xef\xbf\xbd", 3) == 0;
    return found > 3;
}

int xplane_read(struct profile_build *b, struct profile_source *s, struct err *err)
{
    struct xplane_space x = { .b = b, .source = s, .first_device = b->n_devices };
    int rc = read_twice(&x, err);

    for (uint32_t i = 0; i < x.n_planes; i++) {
        free(x.plane[i].line);
        free(x.plane[i].op);
    }
    free(x.plane);
    free(x.run);
    xplane_meta_free(&x.meta);
    if (rc != 0 && err->code == ERR_FORMAT && is_mangled(s))
        return err_set(err, ERR_FORMAT,
                       "%.160s: byte 0: its bytes were turned into UTF-8 text on their way, which "
                       "cannot be undone; copy the file again as binary",
                       profile_source_name(s));
    return rc;
}
