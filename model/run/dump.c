#include "run/dump.h"

#include "passes/passes.h"
#include "run/job/input.h"
#include "run/job/job.h"

int dump_steps(const struct run_request *q, const char *pass, FILE *out, struct err *err)
{
    struct machine_spec *spec;
    struct input in;
    struct cap cap;

    if (spec_load(&spec, q->machine, q->set, q->n_set, err) != 0)
        return -1;
    spec_cap(spec, &cap);
    struct passes_machine machine = {
        .join = cap.xla.join_operands,
        .narrow = cap.xla.narrow_activations,
        .room = job_room(&cap),
        .core = job_core(&cap),
    };
    int rc = input_open(&in, q, spec, err);
    spec_free(spec);
    if (rc != 0)
        return -1;
    rc = passes_dump_prepare(in.trace, &machine, pass, out, err);
    input_close(&in);
    return rc;
}
