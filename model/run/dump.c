#include "run/dump.h"

#include "machine/spec.h"
#include "passes/passes.h"

int dump_steps(const struct run_request *q, const char *pass, FILE *out, struct err *err)
{
    struct machine_spec *spec;
    struct trace *t;
    struct cap cap;

    if (spec_load(&spec, q->machine, q->set, q->n_set, err) != 0)
        return -1;
    spec_cap(spec, &cap);
    spec_free(spec);
    struct passes_machine machine = {
        .narrow = cap.narrow,
        .core = { { cap.lanes, cap.sublanes }, cap.replicas },
    };
    if ((q->text ? trace_open_memory(&t, q->trace, q->text, q->text_size, q->allow_unknown, err)
                 : trace_open(&t, q->trace, q->allow_unknown, err)) != 0)
        return -1;
    int rc = passes_dump_prepare(t, &machine, pass, out, err);
    trace_close(t);
    return rc;
}
