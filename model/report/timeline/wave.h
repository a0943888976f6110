/* wave.h - a window of a run as a value change dump, and the view that GTKWave opens it with. */
#ifndef REPORT_TIMELINE_WAVE_H
#define REPORT_TIMELINE_WAVE_H

#include <stdio.h>

#include "report/timeline/select.h"
#include "run/result/result.h"

struct wave;

struct wave_request {
    struct timeline_choice choice;
    const char *path; /* of the dump: for messages and the view */
    bool compress;
    uint64_t limit; /* bytes, before compression */
    /* The view is a layout of all that is dumped, grouped by module; NULL: none.  It shows states
     * by their names, which GTKWave reads from files: `names` gets each list of names and returns
     * the file that it is in. */
    FILE *view;
    const char *(*names)(void *self, const char *const *name, uint32_t n);
    void *self;
};

/* Write a dump into `out`; `q` and what it points to outlive it. */
struct wave *wave_new(const struct wave_request *q, FILE *out);
/* The observer to give to a run: within the window all events are simulated one by one, outside of
 * it shortcuts are taken. */
struct run_observer wave_observer(struct wave *w);

/* Call it after the run.  Errors: ERR_RANGE when the limit was reached or the run ended before the
 * window began; ERR_IO. */
int wave_check(struct wave *w, struct err *err);
void wave_free(struct wave *w);

#endif
