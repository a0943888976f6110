/* remat_fit.c - see remat_fit.h. */
#include "study/remat_fit.h"

#include <stdlib.h>

#include "base/memory.h"

int remat_fit_lower(const struct run_request *q, const char *text, size_t size,
                    struct run_memory *m, struct err *err)
{
    struct run_request own = *q;

    own.text = text;
    own.text_size = size;
    own.observer = NULL;
    own.n_observers = 0;
    own.progress = NULL;
    own.brief = own.ungroup = own.unsigned_rows = true;
    return run_lower(&own, m, err);
}

static int count_bytes(void *self, const char *text, size_t size, uint64_t *bytes, struct err *err)
{
    struct run_memory m;
    int rc = remat_fit_lower(self, text, size, &m, err);

    if (rc == 0)
        *bytes = m.peak.total;
    return rc;
}

static int write_counted(struct trace *t, const struct run_request *q, struct remat_plan plan,
                         struct run_memory *m, FILE *out, struct err *err)
{
    struct run_request own = *q;
    struct memory_text written;

    plan.count = count_bytes;
    plan.self = &own;
    memory_text_begin(&written);
    int rc = remat_write(t, &plan, written.out, err);
    char *text = memory_text_end(&written);
    if (rc == 0)
        rc = remat_fit_lower(q, text, written.size, m, err);
    if (rc == 0)
        fwrite(text, 1, written.size, out);
    free(text);
    return rc;
}

int remat_fit_write(struct trace *t, const struct run_request *q, struct remat_plan plan,
                    struct run_memory *m, FILE *out, struct err *err)
{
    if (run_lower(q, m, err) != 0)
        return -1;
    plan.fit = m->capacity;
    return write_counted(t, q, plan, m, out, err);
}

int remat_fit_least(struct trace *t, const struct run_request *q, struct run_memory *m, FILE *out,
                    struct err *err)
{
    struct remat_plan plan = { .cut = REMAT_BEST, .choose = true };

    return write_counted(t, q, plan, m, out, err);
}
