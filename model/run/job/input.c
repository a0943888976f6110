#include "run/job/input.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "import/open.h"
#include "passes/host_loop.h"
#include "run/job/program.h"
#include "run/result/words.h"
#include "trace/reader.h"

/* GPUs and CPUs keep arrays without tiles, and what no compiler has seen gets kernels for those. */
static int open_for(struct trace **t, const struct run_request *q, const struct machine_spec *spec,
                    struct err *err)
{
    enum import_target target = spec->kind != CHIP_TPU ? IMPORT_FOR_GPU
                                : spec->vpu.packed16   ? IMPORT_FOR_ANY
                                                       : IMPORT_FOR_WIDE16;
    int rc = import_open_for(t, target, q->trace, q->text, q->text_size, q->allow_unknown, err);

    if (rc == 0)
        allow_trace(&q->allow, *t);
    return rc;
}

int input_trace(struct trace **t, const struct run_request *q, struct err *err)
{
    int rc = q->text ? import_open_memory(t, q->trace, q->text, q->text_size, q->allow_unknown, err)
                     : import_open(t, q->trace, q->allow_unknown, err);

    if (rc == 0)
        allow_trace(&q->allow, *t);
    return rc;
}

static int refuse_derived(const struct input *in, const struct machine_spec *spec, struct err *err)
{
    return err_set(err, ERR_FIT, "%s: its step is for %" PRIu64 " %s%s, %s has %" PRIu64, in->file,
                   in->resize.from, words_of_chip(spec_kind_name[spec->kind])->core,
                   in->resize.from == 1 ? "" : "s", spec->name, in->resize.to);
}

/* Put what the loop on the host adds into the text of the trace. */
static int add_host_loop(struct input *in, const struct run_request *q,
                         const struct machine_spec *spec, struct err *err)
{
    uint64_t host_cores = (spec_cores(spec) + spec_hosts(spec) - 1) / spec_hosts(spec);
    struct memory_text m;

    if (q->host.shapes && !q->host.compile_fs && spec->kind != CHIP_TPU)
        return err_set(err, ERR_FIT,
                       "%s: shapes=%" PRIu64
                       ": eager programs compile nothing, and nobody says how "
                       "long XLA takes on %s: add compile-time=TIME",
                       in->file, q->host.shapes, spec->name);
    memory_text_begin(&m);
    int rc = host_loop_write(in->trace, &q->host, host_cores, m.out, err);
    char *text = memory_text_end(&m), *added = host_loop_text(&q->host);
    trace_close(in->trace);
    in->trace = NULL;
    free(in->resize.text);
    in->resize.text = text;
    in->resize.size = m.size;
    char *name = memory_format("%s with %s", in->file, added);
    free(in->file);
    in->file = name;
    if (rc == 0)
        rc = trace_open_memory(&in->trace, in->file, text, m.size, q->allow_unknown, err);
    if (rc == 0)
        allow_trace(&q->allow, in->trace);
    free(added);
    return rc;
}

/* A step of PyTorch has integers of 64 bits that its user did not choose: JAX and PyTorch/XLA take
 * 32 of them on a TPU. */
static bool is_recording(const struct trace_header *h)
{
    return h->framework == TRACE_PYTORCH && strstr(h->provenance, "recorded");
}

int input_open(struct input *in, const struct run_request *q, const struct machine_spec *spec,
               struct err *err)
{
    const struct resize_slice slice = { spec->name, spec_cores(spec), spec_hosts(spec),
                                        spec->kind != CHIP_TPU };

    *in = (struct input){ 0 };
    if (open_for(&in->trace, q, spec, err) != 0)
        return -1;
    in->file = memory_copy(trace_file(in->trace));
    int rc = program_check(trace_head(in->trace), spec, q->retile, in->file, err);
    if (rc == 0)
        rc = resize_trace(in->trace, &slice, &in->resize, err);
    if (rc == 0 && in->resize.text && q->as_written)
        rc = refuse_derived(in, spec, err);
    if (rc == 0 && in->resize.text) {
        trace_close(in->trace);
        in->name = memory_format("%s for %" PRIu64 " cores", in->file, in->resize.to);
        rc = trace_open_memory(&in->trace, in->name, in->resize.text, in->resize.size, false, err);
        if (rc == 0)
            allow_trace(&q->allow, in->trace);
    }
    if (rc == 0 && host_loop_any(&q->host))
        rc = add_host_loop(in, q, spec, err);
    if (rc == 0 && spec->kind == CHIP_TPU && is_recording(trace_head(in->trace)))
        reader_shorten(in->trace);
    if (rc != 0)
        input_close(in);
    return rc;
}

void input_close(struct input *in)
{
    trace_close(in->trace);
    free(in->resize.text);
    free(in->file);
    free(in->name);
    *in = (struct input){ 0 };
}
