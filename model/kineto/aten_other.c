/* Lines of what no row describes: unknown operations, copies to and from the host. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kineto/aten_write.h"
#include "trace/print.h"

#define MOST_BYTES (UINT64_C(1) << 40)

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
    aten_end(j, true);
}

/* --- the host ------------------------------------------------------------------------------- */

/* A copy that begins or ends in the host's memory. */
bool aten_write_transfer(struct aten_job *j)
{
    const struct kineto_work *work = &j->w->k->work[j->op->first];
    const char *name = kineto_text(j->w->k, work->name);
    bool in = strstr(name, "HtoD") != NULL, out = strstr(name, "DtoH") != NULL;

    if (!work->copies || (!in && !out) || work->bytes == 0 || work->bytes > MOST_BYTES)
        return false;
    struct trace_shape s = aten_shape_of(TRACE_U8, 1, &work->bytes);
    uint32_t v = in ? aten_inner(j, &s) : aten_operand(j, &s);
    aten_begin(j, 1, in ? "infeed" : "outfeed", &v, in, &v, !in);
    fputs(" name=", j->w->out);
    print_string(j->label, j->w->out);
    putc('\n', j->w->out);
    return true;
}
