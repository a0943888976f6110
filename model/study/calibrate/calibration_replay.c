/* Replays of a program on many machines, by several threads. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads/work_pool.h"
#include "base/units.h"
#include "hw/hbm/hbm.h"
#include "study/calibrate/calibration_impl.h"

struct batch {
    const struct profiled *p;
    const struct machine_spec *spec;
    double *seconds;
    struct err *err; /* [n] */
    int *rc;
};

static void run_piece(void *self, size_t i)
{
    struct batch *b = self;

    b->rc[i] = profiled_predict(b->p, &b->spec[i], b->seconds + i * b->p->n_kernels, &b->err[i]);
}

int calibration_replay(struct calibration_replay *r, const struct machine_spec *spec, size_t n,
                       double *seconds, struct err *err)
{
    struct batch b = { r->p, spec, seconds, memory_zeroed(n, sizeof *b.err),
                       memory_zeroed(n, sizeof *b.rc) };
    struct work_pool pool = {
        .jobs = r->q->jobs ? r->q->jobs : 1, .n = n, .work = run_piece, .self = &b
    };
    int rc = 0;

    work_pool_run(&pool);
    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = b.rc[i];
        if (rc != 0)
            *err = b.err[i];
    }
    free(b.err);
    free(b.rc);
    r->done += n;
    if (r->q->progress)
        r->q->progress(r->q->progress_self, "replays", r->done, 0);
    return rc;
}

struct machine_spec calibration_replay_even(const struct machine_spec *spec)
{
    struct machine_spec even = *spec;
    uint64_t rate = hbm_stream_bytes_per_s(&spec->hbm, &spec->dram);

    if (spec->hbm.bandwidth > 0 && spec->dram.refresh == HBM_REFRESH_ALL) {
        even.hbm.efficiency =
            (uint64_t)((double)rate / (double)spec->hbm.bandwidth * PPB_PER_ONE + 0.5);
        even.dram.refresh = HBM_REFRESH_NONE;
    }
    return even;
}
