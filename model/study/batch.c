#include "study/batch.h"

#include <inttypes.h>
#include <stdlib.h>

#include "run/job/input.h"

int batch_open(struct batch_source *s, const struct run_request *q, struct err *err)
{
    *s = (struct batch_source){ .fixed.code = ERR_NONE };
    if (input_trace(&s->trace, q, err) != 0)
        return -1;
    if (rebatch_find(s->trace, &s->knob, err) == 0)
        return 0;
    s->fixed = *err;
    if (err->code == ERR_FIT)
        return 0;
    trace_close(s->trace);
    return -1;
}

void batch_close(struct batch_source *s)
{
    trace_close(s->trace);
}

int batch_write(const struct batch_source *s, uint64_t batch, struct batch_trace *t,
                struct err *err)
{
    *t = (struct batch_trace){ .batch = batch };
    if (batch < s->knob.least || batch > s->knob.most)
        return err_set(err, ERR_RANGE, "%s = %" PRIu64 ": outside [%" PRIu64 ", %" PRIu64 "]",
                       s->knob.key, batch, s->knob.least, s->knob.most);
    return rebatch_write(trace_head(s->trace), &s->knob, batch, &t->text, &t->size, err);
}

/* Does the request's machine hold what it is to run? */
static int test_fit(const struct run_request *q, bool *fits, struct err *err)
{
    struct run_memory m;

    if (run_lower(q, &m, err) != 0)
        return -1;
    *fits = m.peak.total <= m.capacity;
    return 0;
}

/* Put the trace with `batch` in the place of *t if it fits. */
static int try_batch(const struct batch_source *s, const struct run_request *q, uint64_t batch,
                     struct batch_trace *t, bool *fits, struct err *err)
{
    struct run_request own = *q;
    struct batch_trace next;

    if (batch_write(s, batch, &next, err) != 0)
        return -1;
    own.text = next.text;
    own.text_size = next.size;
    int rc = test_fit(&own, fits, err);
    if (rc == 0 && *fits) {
        free(t->text);
        *t = next;
    } else {
        free(next.text);
    }
    return rc;
}

/* From the trace's own batch up by doubling, or down to the least, then by halves between. */
static int search_batch(const struct batch_source *s, const struct run_request *q,
                        struct batch_trace *t, struct err *err)
{
    uint64_t lo = s->knob.least - 1, hi = s->knob.most + 1, next = s->knob.value;
    bool fits;

    while (hi - lo > 1) {
        if (try_batch(s, q, next, t, &fits, err) != 0)
            return -1;
        if (fits)
            lo = next;
        else
            hi = next;
        next = hi > s->knob.most && lo <= hi / 2 ? 2 * lo : lo + (hi - lo) / 2;
    }
    return 0;
}

int batch_largest(const struct batch_source *s, const struct run_request *q, struct batch_trace *t,
                  struct err *err)
{
    *t = (struct batch_trace){ 0 };
    int rc = search_batch(s, q, t, err);
    if (rc == 0 && !t->text) {
        rc = batch_write(s, s->knob.least, t, err);
        t->batch = 0;
    }
    if (rc != 0) {
        free(t->text);
        t->text = NULL;
    }
    return rc;
}

/* One of several traces on a machine. */
struct candidate {
    bool runs, fits;
    uint64_t samples;
};

/* An error is one of the file; a machine that cannot run it is none, and `why` says so. */
static int try_trace(const char *trace, bool alone, const struct run_request *q,
                     struct candidate *c, struct err *why, struct err *err)
{
    struct run_request own = *q;
    struct trace *t;

    own.trace = trace;
    if (input_trace(&t, &own, err) != 0)
        return -1;
    bool unknown = trace_head(t)->samples_unknown;
    *c = (struct candidate){ .samples = trace_head(t)->samples_per_step };
    trace_close(t);
    if (unknown && !alone)
        return err_set(err, ERR_FIT, "%s: it does not state the samples of a step", trace);
    c->runs = test_fit(&own, &c->fits, why) == 0;
    if (!c->runs && why->code != ERR_FIT) {
        *err = *why;
        return -1;
    }
    return 0;
}

int batch_choose(const char *const *traces, size_t n, const struct run_request *q, size_t *best,
                 struct err *err)
{
    struct candidate most = { 0 };
    struct err first = { 0 };

    for (size_t i = 0; i < n; i++) {
        struct candidate c;
        struct err why;
        if (try_trace(traces[i], n == 1, q, &c, &why, err) != 0)
            return -1;
        if (!c.runs && first.code == ERR_NONE)
            first = why;
        bool better = c.fits ? !most.fits || c.samples > most.samples
                             : !most.runs || (!most.fits && c.samples < most.samples);
        if (c.runs && better) {
            most = c;
            *best = i;
        }
    }
    if (!most.runs) {
        *err = first;
        return -1;
    }
    return 0;
}
