#include "events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

static void *make_room(size_t n, size_t size)
{
    void *p = calloc(n, size);

    BUG_ON(!p);
    return p;
}

struct events *events_new(const struct sequence *s)
{
    struct events *e = make_room(1, sizeof *e);

#define E(name, count, text) e->name = make_room(s->count, sizeof *e->name);
    EVENTS(E)
#undef E
    e->results = make_room((size_t)s->n_rows * s->size, sizeof *e->results);
    return e;
}

void events_free(struct events *e)
{
    if (!e)
        return;
#define E(name, count, text) free(e->name);
    EVENTS(E)
#undef E
    free(e->results);
    free(e);
}

static uint64_t report_difference(const char *text, const uint64_t *rtl, const uint64_t *model,
                                  uint32_t n, bool complain)
{
    uint64_t wrong = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (rtl[i] == model[i])
            continue;
        if (complain && wrong < 3)
            fprintf(stderr, "    %s, number %u: RTL cycle %" PRIu64 ", model %" PRIu64 "\n", text,
                    i, rtl[i], model[i]);
        wrong++;
    }
    return wrong;
}

uint64_t events_differ(const struct sequence *s, const struct events *rtl,
                       const struct events *model, bool complain, uint64_t *compared)
{
    uint64_t wrong = 0;

#define E(name, count, text)                                                                       \
    wrong += report_difference(text, rtl->name, model->name, s->count, complain);                  \
    *compared += s->count;
    EVENTS(E)
#undef E
    return wrong;
}
