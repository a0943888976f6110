/* Lines of what no row describes: unknown operations, copies to and from the host, collectives. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/kineto/aten_write.h"
#include "trace/print.h"

/* --- unknown operations --------------------------------------------------------------------- */

static uint32_t collect_bytes(struct aten_job *j, uint32_t *in, uint64_t *bytes)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < j->args.n && n < ATEN_MOST_OPERANDS; i++) {
        const struct aten_arg *a = &j->args.arg[i];
        if (a->kind != ATEN_TENSOR || a->empty || a->rank == 0)
            continue;
        struct trace_shape s = aten_shape(a);
        uint64_t size = aten_elements(&s) * trace_dtype_bytes[s.dtype];
        in[n++] = aten_operand(j, &s);
        *bytes = size > *bytes ? size : *bytes;
    }
    return n;
}

/* A kernel that reads its operands and writes as much as the largest of them, once for each of the
 * kernels that there were; without operands, one that takes its time. */
void aten_write_unknown(struct aten_job *j)
{
    struct aten_writer *w = j->w;
    uint32_t in[ATEN_MOST_OPERANDS];
    uint64_t bytes = 0;
    uint32_t n = collect_bytes(j, in, &bytes);

    w->unknown++;
    w->unknown_ns += j->op->time;
    struct trace_shape s = aten_shape_of(TRACE_U8, 1, (uint64_t[]){ bytes ? bytes : 1 });
    uint32_t out = aten_inner(j, &s);
    aten_begin(j, 1, "kernel", &out, 1, in, n);
    if (n == 0) {
        w->timed++;
        aten_attr(j, "form=custom time=\"%" PRIu64 " ns\"", j->op->time);
    }
    aten_attr(j, n ? "basis=unread" : "basis=recorded");
    aten_end(j, true);
}

/* --- the host ------------------------------------------------------------------------------- */

/* A copy that begins or ends in the host's memory. */
bool aten_write_transfer(struct aten_job *j)
{
    const struct kineto_work *work = &j->w->k->work[j->op->first];
    enum recorded_copy copy = recorded_copy(j->w->k, j->op);
    bool in = copy == RECORDED_IN;

    if (copy == RECORDED_NO_COPY)
        return false;
    struct trace_shape s = aten_shape_of(TRACE_U8, 1, &work->bytes);
    uint32_t v = in ? aten_inner(j, &s) : aten_operand(j, &s);
    aten_begin(j, 1, in ? "infeed" : "outfeed", &v, in, &v, !in);
    fputs(" name=", j->w->out);
    print_string(j->label, j->w->out);
    putc('\n', j->w->out);
    return true;
}

/* --- collectives ---------------------------------------------------------------------------- */

/* Collectives as PyTorch calls them; what each rank gives and gets is in the recording. */
static const struct {
    const char *name, *kind;
    bool waits; /* the next operation needs it; else what ends the phase */
} collectives[] = {
    { "allreduce", "all-reduce", false },
    { "all_reduce", "all-reduce", false },
    { "allreduce_coalesced", "all-reduce", false },
    { "_allgather_base", "all-gather", true },
    { "_all_gather_base", "all-gather", true },
    { "all_gather", "all-gather", true },
    { "allgather", "all-gather", true },
    { "allgather_into_tensor_coalesced", "all-gather", true },
    { "_reduce_scatter_base", "reduce-scatter", false },
    { "reduce_scatter", "reduce-scatter", false },
    { "reduce_scatter_tensor_coalesced", "reduce-scatter", false },
    { "all_to_all", "all-to-all", true },
    { "all_to_allv", "all-to-all", true },
    { "alltoall", "all-to-all", true },
    { "broadcast", "collective-broadcast", true },
};

static const struct {
    const char *name;
    enum trace_dtype dtype;
} nccl_types[] = {
    { "Float", TRACE_F32 },  { "Half", TRACE_F16 }, { "BFloat16", TRACE_BF16 },
    { "Double", TRACE_F64 }, { "Int", TRACE_S32 },  { "Long", TRACE_S64 },
    { "Byte", TRACE_U8 },    { "Char", TRACE_S8 },  { "Bool", TRACE_PRED },
};

/* "BFloat16" of a collective, ["c10::BFloat16"] of an operand. */
static enum trace_dtype type_of(const char *name)
{
    const char *operand = name + strspn(name, "[\"");
    enum trace_dtype dtype;

    if (operand > name && aten_args_type(operand, strcspn(operand, "\""), &dtype))
        return dtype;
    for (size_t i = 0; i < sizeof nccl_types / sizeof *nccl_types; i++)
        if (strcmp(nccl_types[i].name, name) == 0)
            return nccl_types[i].dtype;
    return TRACE_F32;
}

/* The distance of the ranks of a group, "[0, 2, 4]": 1 where it is not said. */
static uint64_t find_stride(const char *ranks)
{
    char *end;
    const char *at = ranks + strcspn(ranks, "0123456789");
    uint64_t first = strtoull(at, &end, 10);

    at = end + strcspn(end, "0123456789");
    uint64_t second = strtoull(at, &end, 10);
    return *at && second > first ? second - first : 1;
}

static void print_group(struct aten_job *j, const struct kineto_work *work)
{
    struct aten_writer *w = j->w;
    uint64_t stride = find_stride(kineto_text(w->k, work->message.ranks));

    if (work->message.group >= w->ranks)
        return;
    aten_attr(j, "group=%" PRIu32, work->message.group);
    if (stride > 1)
        aten_attr(j, "group-stride=%" PRIu64, stride);
}

void aten_wait(struct aten_writer *w)
{
    for (uint32_t i = 0; i < w->n_pending; i++)
        fprintf(w->out, "  %s-done(%%v%" PRIu32 ")\n", w->pending[i].kind, w->pending[i].handle);
    w->n_pending = 0;
}

/* An all-reduce begins, and what follows runs beside it. */
static void begin_collective(struct aten_job *j, const char *kind, uint32_t in,
                             const struct kineto_work *work)
{
    struct aten_writer *w = j->w;
    struct trace_shape handle = { .dtype = TRACE_U32 };
    char start[40];

    if (w->n_pending == ATEN_MOST_PENDING)
        aten_wait(w);
    uint32_t out = aten_inner(j, &handle);
    snprintf(start, sizeof start, "%s-start", kind);
    aten_begin(j, 1, start, &out, 1, &in, 1);
    fputs(" name=", w->out);
    print_string(j->label, w->out);
    print_group(j, work);
    putc('\n', w->out);
    w->pending[w->n_pending++] = (struct aten_pending){ kind, out };
}

static void write_collective(struct aten_job *j, const char *kind, bool waits,
                             const struct kineto_work *work)
{
    struct aten_writer *w = j->w;
    enum trace_dtype dtype = type_of(kineto_text(w->k, work->message.types));
    bool gathers = strcmp(kind, "all-gather") == 0, scatters = strcmp(kind, "reduce-scatter") == 0;
    uint64_t part = scatters ? work->message.elements_out : work->message.elements_in;
    uint64_t whole = gathers || scatters ? part * work->message.group : part;
    struct trace_shape in = aten_shape_of(dtype, 1, scatters ? &whole : &part);
    struct trace_shape result = aten_shape_of(dtype, 1, gathers ? &whole : &part);
    uint32_t v = aten_operand(j, &in);

    if (!waits && !scatters) {
        begin_collective(j, kind, v, work);
        return;
    }
    bool makes = gathers || scatters || strcmp(kind, "all-to-all") == 0;
    uint32_t out = makes ? aten_result(j, &result) : 0;
    aten_begin(j, 1, kind, &out, makes, &v, 1);
    fputs(" name=", w->out);
    print_string(j->label, w->out);
    print_group(j, work);
    putc('\n', w->out);
}

bool aten_write_collective(struct aten_job *j)
{
    const struct kineto_work *work = &j->w->k->work[j->op->first];
    const char *name = kineto_text(j->w->k, work->message.collective);

    if (work->message.group < 2 || work->message.elements_in == 0 ||
        work->message.elements_in > RECORDED_MOST_BYTES ||
        work->message.elements_out > RECORDED_MOST_BYTES)
        return false;
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (strcmp(collectives[i].name, name) == 0) {
            if (strcmp(collectives[i].kind, "reduce-scatter") == 0 && !work->message.elements_out)
                return false;
            write_collective(j, collectives[i].kind, collectives[i].waits, work);
            return true;
        }
    return false;
}
