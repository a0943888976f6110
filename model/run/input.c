#include "run/input.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "import/open.h"
#include "run/program.h"

static int open_gpu(struct trace **t, const struct run_request *q, struct err *err)
{
    int rc = import_open_gpu(t, q->trace, q->text, q->text_size, q->allow_unknown, err);

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
    return err_set(err, ERR_FIT, "%s: its step is for %" PRIu64 " core%s, %s has %" PRIu64,
                   in->file, in->resize.from, in->resize.from == 1 ? "" : "s", spec->name,
                   in->resize.to);
}

int input_open(struct input *in, const struct run_request *q, const struct machine_spec *spec,
               struct err *err)
{
    const struct resize_slice slice = { spec->name, spec_cores(spec), spec_hosts(spec),
                                        spec->kind != CHIP_TPU };

    *in = (struct input){ 0 };
    if ((spec->kind == CHIP_GPU ? open_gpu : input_trace)(&in->trace, q, err) != 0)
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
