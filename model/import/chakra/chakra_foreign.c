/* chakra_foreign.c - see chakra_foreign.h. */
#include "import/chakra/chakra_foreign.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text_write.h"
#include "import/chakra/chakra_shapes.h"
#include "import/chakra/chakra_transfer.h"
#include "import/chakra/chakra_work.h"
#include "trace/print.h"

#define NO_NODE UINT32_MAX
#define MAX_OPERANDS 4096 /* a line has a limit; the order holds what is beyond */
#define NAME_BYTES 200
#define MOST_BYTES (UINT64_C(1) << 62)
#define MOST_MICROS UINT64_C(3600000000) /* an hour */
#define PRODUCT_FLOPS 8                  /* for a byte; functions of an element have up to 4 */

/* A tensor that transfers work on. */
struct buffer {
    uint64_t bytes;
    uint32_t width;
};

struct writer {
    const struct chakra_graph *g;
    struct chakra_import *x;
    struct chakra_world world;
    struct err *err;
    FILE *out;
    bool host_only;  /* no computation is on a device */
    bool *computes;  /* [node] it has a token, which others read */
    uint32_t *begun; /* [node] the node whose transfer it waits for, and nobody has waited for yet;
                        NO_NODE: none */
    bool *covered;   /* [node] a send whose receive came first and stands for both */
    bool *sent;      /* [node] a send that has begun, and whose receive has not come yet */
    struct buffer *buffer;
    uint32_t n_buffers, cap_buffers;
};

/* --- values and texts --------------------------------------------------------------------- */

/* The name of the tensor for so many bytes, which will be declared. */
static void print_buffer(struct writer *w, uint64_t bytes, uint32_t width)
{
    MEMORY_GROW(w->buffer, w->n_buffers + 1, w->cap_buffers);
    w->buffer[w->n_buffers++] = (struct buffer){ bytes, width };
    fprintf(w->out, "%%data.%" PRIu64 "x%" PRIu32, bytes / width, width);
}

static int compare_buffers(const void *a, const void *b)
{
    const struct buffer *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return (x->width > y->width) - (x->width < y->width);
}

static void print_tensors(struct writer *w, FILE *out)
{
    if (w->n_buffers > 0)
        qsort(w->buffer, w->n_buffers, sizeof *w->buffer, compare_buffers);
    for (uint32_t i = 0; i < w->n_buffers; i++) {
        const struct buffer *b = &w->buffer[i];
        if (i > 0 && compare_buffers(b, b - 1) == 0)
            continue;
        fprintf(out, "tensor %%data.%" PRIu64 "x%" PRIu32 " ", b->bytes / b->width, b->width);
        chakra_transfer_shape(b->bytes, b->width, out);
        fputs(" input\n", out);
    }
}

/* A text of the file in quotes: what the format does not take becomes "?", a long one is cut. */
static void print_text(const char *s, size_t most, FILE *out)
{
    putc('"', out);
    for (const char *end = s + most; *s && s < end;) {
        unsigned n = text_utf8_length(s);
        bool plain = n > 1 || (n == 1 && (unsigned char)*s >= ' ' && *s != 0x7f);
        if (*s == '"' || *s == '\\')
            putc('\\', out);
        if (plain)
            fwrite(s, 1, n, out);
        else
            putc('?', out);
        s += n ? n : 1;
    }
    putc('"', out);
}

static void print_label(const struct writer *w, uint32_t node)
{
    const Chakra__Node *n = w->g->node[node];

    if (*n->name) {
        fputs(" name=", w->out);
        print_text(n->name, NAME_BYTES, w->out);
    }
}

/* ... and the end of the line. */
static void print_note(const struct writer *w, uint32_t node)
{
    const Chakra__Node *n = w->g->node[node];

    fprintf(w->out, " note=\"node %" PRIu64, n->id);
    if (n->duration_micros)
        fprintf(w->out, ", %" PRIu64 " us", n->duration_micros);
    fputs("\"\n", w->out);
}

static void print_value(const struct writer *w, uint32_t node, const char *part)
{
    fprintf(w->out, "%%n%" PRIu64 "%s", w->g->node[node]->id, part);
}

/* --- waiting ------------------------------------------------------------------------------ */

/* Wait for the transfer that `node` stands for. */
static int write_done(struct writer *w, uint32_t node)
{
    uint32_t begun = w->begun[node];
    struct chakra_transfer t;

    w->begun[node] = NO_NODE;
    if (chakra_transfer_read(&w->world, begun, &t, w->err) != 0)
        return -1;
    print_indent(1, w->out);
    if (t.result) {
        print_value(w, begun, ".out ");
        chakra_transfer_shape(t.result, t.width, w->out);
        fputs(" = ", w->out);
    }
    fprintf(w->out, "%s-done(", t.kind);
    print_value(w, begun, ".t)");
    print_label(w, node);
    putc('\n', w->out);
    return 0;
}

static int wait_for_all(struct writer *w, uint32_t node)
{
    const struct chakra_graph *g = w->g;

    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
        if (w->begun[g->dep[e]] != NO_NODE && write_done(w, g->dep[e]) != 0)
            return -1;
    return 0;
}

/* --- computations ------------------------------------------------------------------------- */

static int read_bytes(const struct writer *w, uint32_t node, uint64_t *bytes)
{
    const Chakra__Node *n = w->g->node[node];

    *bytes = 0;
    if (chakra_graph_number(w->g, node, "tensor_size", bytes, w->err) != 0)
        return -1;
    if (!chakra_find(n->attr, n->n_attr, "tensor_size")) {
        if (n->inputs)
            chakra_shapes_bytes(n->inputs->shapes, n->inputs->types, bytes);
        if (n->outputs)
            chakra_shapes_bytes(n->outputs->shapes, n->outputs->types, bytes);
    }
    if (*bytes > MOST_BYTES)
        return chakra_fail(w->g, node, w->err, ERR_RANGE,
                           "its tensors have %" PRIu64 " bytes, more than 2^62", *bytes);
    return 0;
}

/* The operands, which only say what it waits for: nothing of them is read. */
static void print_operands(const struct writer *w, uint32_t node, uint32_t *n)
{
    const struct chakra_graph *g = w->g;

    *n = 0;
    for (uint32_t e = g->first[node]; e < g->first[node + 1] && *n < MAX_OPERANDS; e++)
        if (w->computes[g->dep[e]]) {
            fputs((*n)++ ? ", " : "", w->out);
            print_value(w, g->dep[e], "");
        }
}

/* A kernel that states its traffic and work, as those of compiled programs do. */
static int write_computation(struct writer *w, uint32_t node)
{
    uint64_t flops = 0, bytes, time = w->g->node[node]->duration_micros;
    uint32_t n;

    if (wait_for_all(w, node) != 0 ||
        chakra_graph_number(w->g, node, "num_ops", &flops, w->err) != 0 ||
        read_bytes(w, node, &bytes) != 0)
        return -1;
    bool measured = !flops && !bytes && time;
    if (measured && time > MOST_MICROS)
        return chakra_fail(w->g, node, w->err, ERR_RANGE,
                           "it took %" PRIu64 " us, more than %" PRIu64, time, MOST_MICROS);
    print_indent(1, w->out);
    print_value(w, node, " u8[]");
    if (bytes) {
        fputs(", ", w->out);
        print_value(w, node, ".data ");
        chakra_transfer_shape(bytes, chakra_transfer_width(bytes), w->out);
    }
    fputs(" = kernel(", w->out);
    print_operands(w, node, &n);
    putc(')', w->out);
    print_label(w, node);
    bool product = !measured && chakra_work_print(flops, bytes, w->out);
    if (measured)
        chakra_work_print_time(time, w->out);
    for (uint32_t i = 0; i < n; i++)
        fputs(i ? "+0" : " fetch=0", w->out);
    fputs(" store=0", w->out);
    if (bytes)
        fprintf(w->out, "+%" PRIu64, bytes);
    if (product)
        fputs(" operands=f16", w->out);
    if (flops)
        fprintf(w->out, " flops=%" PRIu64, flops);
    fprintf(w->out, " basis=%s", measured ? "recorded" : flops || bytes ? "outline" : "absent");
    print_note(w, node);
    w->computes[node] = true;
    w->x->uncovered++;
    w->x->measured += measured;
    w->x->empty += !flops && !bytes && !measured;
    return 0;
}

/* Memory of another place, as that of the host. */
static int write_feed(struct writer *w, uint32_t node, bool loads)
{
    uint64_t bytes;

    if (wait_for_all(w, node) != 0 || read_bytes(w, node, &bytes) != 0)
        return -1;
    if (bytes == 0) {
        w->x->skipped++;
        return 0;
    }
    print_indent(1, w->out);
    if (loads) {
        print_value(w, node, ".data ");
        chakra_transfer_shape(bytes, chakra_transfer_width(bytes), w->out);
        fputs(" = infeed()", w->out);
    } else {
        fputs("outfeed(", w->out);
        print_buffer(w, bytes, chakra_transfer_width(bytes));
        putc(')', w->out);
    }
    print_label(w, node);
    print_note(w, node);
    return 0;
}

/* --- communication ------------------------------------------------------------------------ */

static void print_ranks(const struct writer *w, const struct chakra_transfer *t)
{
    if (t->group)
        fprintf(w->out, " group=%" PRIu64, t->group);
    if (t->stride > 1)
        fprintf(w->out, " group-stride=%" PRIu64, t->stride);
    if (t->shift > 1)
        fprintf(w->out, " shift=%" PRIu64, t->shift);
}

static void print_guess(const struct writer *w, const struct chakra_transfer *t)
{
    if (t->guessed)
        fputs(" basis=groups", w->out);
}

/* A line of its own, which is waited for. */
static void write_waiting(struct writer *w, uint32_t node, const struct chakra_transfer *t)
{
    bool moves = t->operand > 0 && strcmp(t->kind, "barrier") != 0;

    print_indent(1, w->out);
    if (t->result) {
        print_value(w, node, ".out ");
        chakra_transfer_shape(t->result, t->width, w->out);
        fputs(" = ", w->out);
    }
    fprintf(w->out, "%s(", t->kind);
    if (moves)
        print_buffer(w, t->operand, t->width);
    putc(')', w->out);
    print_label(w, node);
    if (t->known)
        print_ranks(w, t);
    print_guess(w, t);
    print_note(w, node);
}

/* Transfers run one after the other, so one does not wait for those before it. */
static void write_start(struct writer *w, uint32_t node, const struct chakra_transfer *t)
{
    print_indent(1, w->out);
    print_value(w, node, ".t u32[] = ");
    fprintf(w->out, "%s-start(", t->kind);
    print_buffer(w, t->operand, t->width);
    putc(')', w->out);
    print_label(w, node);
    print_ranks(w, t);
    if (strcmp(t->kind, "all-gather") == 0)
        fprintf(w->out, " payload=%" PRIu64, t->result);
    print_guess(w, t);
    print_note(w, node);
}

static int write_collective(struct writer *w, uint32_t node)
{
    struct chakra_transfer t;

    if (chakra_transfer_read(&w->world, node, &t, w->err) != 0)
        return -1;
    bool barrier = strcmp(t.kind, "barrier") == 0;
    if (t.operand == 0 && !barrier) {
        w->x->skipped++;
        return wait_for_all(w, node);
    }
    if (t.known && !barrier) {
        write_start(w, node, &t);
        w->begun[node] = node;
        return 0;
    }
    if (wait_for_all(w, node) != 0)
        return -1;
    write_waiting(w, node, &t);
    w->x->uncovered += !t.known;
    return 0;
}

/* A send begins a permute, which its receive waits for, or the end of the step.  Where the receive
 * comes first, or alone, a permute that is waited for stands for both. */
static int write_end(struct writer *w, uint32_t node)
{
    uint32_t other = w->world.peer[node].other;
    bool sends = (int)w->g->node[node]->type == CHAKRA__NODE_TYPE__COMM_SEND_NODE;
    struct chakra_transfer t;

    if (chakra_transfer_read(&w->world, node, &t, w->err) != 0)
        return -1;
    if (t.operand == 0 || w->covered[node]) {
        w->x->skipped += t.operand == 0;
        return wait_for_all(w, node);
    }
    if (sends) {
        write_start(w, node, &t);
        w->sent[node] = true;
        return 0;
    }
    if (other != NO_NODE && w->sent[other]) {
        w->begun[node] = other;
        w->sent[other] = false;
        return 0;
    }
    if (other != NO_NODE)
        w->covered[other] = true;
    if (wait_for_all(w, node) != 0)
        return -1;
    write_waiting(w, node, &t);
    return 0;
}

/* --- nodes -------------------------------------------------------------------------------- */

/* True if it runs on the host; what says nothing runs on the device. */
static bool runs_on_host(const Chakra__Node *n)
{
    uint64_t host = 0;

    return chakra_number(n, "is_cpu_op", &host) > 0 && host;
}

static bool find_host_only(const struct chakra_graph *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        if ((int)g->node[i]->type == CHAKRA__NODE_TYPE__COMP_NODE && !runs_on_host(g->node[i]))
            return false;
    return true;
}

static int write_node(struct writer *w, uint32_t node)
{
    const Chakra__Node *n = w->g->node[node];

    switch ((int)n->type) {
    case CHAKRA__NODE_TYPE__COMP_NODE:
        if (runs_on_host(n) && !w->host_only)
            break;
        return write_computation(w, node);
    case CHAKRA__NODE_TYPE__MEM_LOAD_NODE: return write_feed(w, node, true);
    case CHAKRA__NODE_TYPE__MEM_STORE_NODE: return write_feed(w, node, false);
    case CHAKRA__NODE_TYPE__COMM_COLL_NODE: return write_collective(w, node);
    case CHAKRA__NODE_TYPE__COMM_SEND_NODE:
    case CHAKRA__NODE_TYPE__COMM_RECV_NODE: return write_end(w, node);
    case CHAKRA__NODE_TYPE__INVALID_NODE:
    case CHAKRA__NODE_TYPE__METADATA_NODE: break;
    default:
        if (!w->x->allow_unknown)
            return chakra_fail(w->g, node, w->err, ERR_UNKNOWN,
                               "no operation is of its type %d; --allow-unknown leaves it out",
                               (int)n->type);
    }
    w->x->skipped++;
    return wait_for_all(w, node);
}

static int write_nodes(struct writer *w)
{
    for (uint32_t k = 0; k < w->g->n; k++)
        if (write_node(w, w->g->order[k]) != 0)
            return -1;
    for (uint32_t k = 0; k < w->g->n; k++) {
        uint32_t i = w->g->order[k];
        if (w->sent[i])
            w->begun[i] = i;
        if (w->begun[i] != NO_NODE && write_done(w, i) != 0)
            return -1;
    }
    return 0;
}

static void print_head(const struct writer *w, FILE *out)
{
    const char *name = w->g->wire.name, *slash = strrchr(name, '/');
    char *stem = memory_copy(slash ? slash + 1 : name);

    if (strlen(stem) > 3 && strcmp(stem + strlen(stem) - 3, ".et") == 0)
        stem[strlen(stem) - 3] = '\0';
    fputs("cyclotron-trace 1\nworkload ", out);
    print_text(stem, 50, out);
    fputs("\nsamples step=", out);
    if (w->x->samples)
        fprintf(out, "%" PRIu64, w->x->samples);
    else
        fputs("unknown", out);
    fputs("\ndtype tensors=f32 matmul=bf16 activations=keep\n", out);
    fprintf(out, "provenance \"Chakra execution trace%s%s, %" PRIu32 " nodes",
            *w->x->version ? " " : "", w->x->version, w->g->n);
    if (w->x->measured)
        fprintf(out, "; %" PRIu64 " operations take the time that was recorded", w->x->measured);
    fputs("\"\n", out);
    free(stem);
}

int chakra_foreign_write(const struct chakra_graph *g, struct chakra_import *x, FILE *out,
                         struct err *err)
{
    struct writer w = { .g = g, .x = x, .err = err, .host_only = find_host_only(g) };
    struct memory_text body;

    w.computes = memory_zeroed(g->n, sizeof *w.computes);
    w.covered = memory_zeroed(g->n, sizeof *w.covered);
    w.sent = memory_zeroed(g->n, sizeof *w.sent);
    w.begun = memory_zeroed(g->n, sizeof *w.begun);
    for (uint32_t i = 0; i < g->n; i++)
        w.begun[i] = NO_NODE;
    memory_text_begin(&body);
    w.out = body.out;
    int rc = chakra_world_read(&w.world, g, x->ranks, x->allow_unknown, err);
    if (rc == 0)
        rc = write_nodes(&w);
    char *text = memory_text_end(&body);
    if (rc == 0) {
        print_head(&w, out);
        print_tensors(&w, out);
        print_step(0, out);
        fwrite(text, 1, body.size, out);
        print_close(0, out);
    }
    chakra_world_free(&w.world);
    free(text);
    free(w.computes);
    free(w.covered);
    free(w.sent);
    free(w.begun);
    free(w.buffer);
    return rc;
}
