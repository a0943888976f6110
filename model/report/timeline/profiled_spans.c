#include "report/timeline/profiled_spans.h"

#include <stdlib.h>

#include "base/memory.h"

#define PS_PER_NS 1000

void profiled_spans_add(const struct profiled *p, struct perfetto *timeline)
{
    const struct profile *f = p->profile;
    struct perfetto_span *span = memory_zeroed(f->n_events, sizeof *span);
    size_t n = 0;

    for (size_t i = 0; i < f->n_events; i++) {
        const struct profile_event *e = &f->event[i];
        const struct profile_kernel *k = &f->kernel[e->kernel];
        if (k->program != p->program || k->asynchronous || k->container)
            continue;
        span[n++] = (struct perfetto_span){ k->name, e->begin / PS_PER_NS,
                                            (e->begin + e->length) / PS_PER_NS };
    }
    char *group = memory_format("measured: %s", f->n_devices > 0 ? f->device[0].name : f->path);
    perfetto_add_spans(timeline, group, "XLA Ops", span, n);
    free(group);
    free(span);
}
