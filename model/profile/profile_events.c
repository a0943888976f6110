/* profile_events.c - runs and the kernels in them: see profile_build.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profile/profile_build.h"

static int compare_runs(const void *a, const void *b)
{
    const struct profile_build_run *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->length > y->length) - (x->length < y->length);
}

struct run_order {
    uint64_t length;
    uint32_t program, run;
};

static int compare_orders(const void *a, const void *b)
{
    const struct run_order *x = a, *y = b;

    if (x->program != y->program)
        return x->program < y->program ? -1 : 1;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return (x->run > y->run) - (x->run < y->run);
}

void profile_build_middle(struct profile_build *b, uint32_t device, unsigned without,
                          profile_build_take *take)
{
    const struct profile_build_device *d = &b->device[device];
    struct run_order *order = memory_zeroed(d->n_runs, sizeof *order);
    uint32_t n = 0, end;

    for (uint32_t i = 0; i < d->n_runs; i++) {
        const struct profile_build_run *r = &d->run[i];
        bool left_out = r->cut || (i == 0 && without & 1u) || (i == d->n_runs - 1 && without & 2u);
        if (!left_out)
            order[n++] = (struct run_order){ r->shared_length, r->program, i };
    }
    qsort(order, n, sizeof *order, compare_orders);
    for (uint32_t begin = 0; begin < n; begin = end) {
        for (end = begin; end < n && order[end].program == order[begin].program; end++)
            ;
        take(b, device, order[begin + (end - begin - 1) / 2].run);
    }
    free(order);
}

/* Keep the events of a run that may turn out to stand for its program. */
static void log_run(struct profile_build *b, uint32_t device, uint32_t run)
{
    struct profile_build_run *r = &b->device[device].run[run];

    if (b->program[r->program].device == device && !r->log)
        r->log = memory_zeroed(1, sizeof *r->log);
}

void profile_build_runs_known(struct profile_build *b)
{
    for (; b->n_known < b->n_devices; b->n_known++) {
        struct profile_build_device *d = &b->device[b->n_known];
        if (d->n_runs == 0)
            continue;
        qsort(d->run, d->n_runs, sizeof *d->run, compare_runs);
        for (uint32_t i = 0; i < d->n_runs; i++)
            if (b->program[d->run[i].program].device == PROFILE_BUILD_NONE)
                b->program[d->run[i].program].device = b->n_known;
        for (unsigned without = 0; without < 4; without++)
            profile_build_middle(b, b->n_known, without, log_run);
    }
}

void profile_sum_add(struct profile_sum *s, uint64_t length)
{
    s->least = s->count == 0 || length < s->least ? length : s->least;
    s->most = length > s->most ? length : s->most;
    s->count++;
    s->total += length;
}

/* The run in which something begins at `at`. */
static uint32_t find_run(struct profile_build_device *d, int64_t at)
{
    uint32_t low = 0, high = d->n_runs;

    /* events come mostly in order */
    if (d->cursor < d->n_runs && d->run[d->cursor].begin <= at &&
        (d->cursor + 1 == d->n_runs || d->run[d->cursor + 1].begin > at))
        low = d->cursor + 1;
    else
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (d->run[middle].begin <= at)
                low = middle + 1;
            else
                high = middle;
        }
    if (low == 0)
        return PROFILE_BUILD_NONE;
    d->cursor = low - 1;
    const struct profile_build_run *r = &d->run[low - 1];
    return (uint64_t)(at - r->begin) <= r->length ? low - 1 : PROFILE_BUILD_NONE;
}

static uint32_t find_kernel(struct profile_build *b, uint32_t op, uint32_t program,
                            bool asynchronous)
{
    struct profile_op *o = &b->op[op];

    if (o->program[asynchronous] == program)
        return o->kernel[asynchronous];
    uint32_t i = profile_build_kernel(b, program, o->name, strlen(o->name), asynchronous);
    struct profile_kernel *k = &b->kernel[i];
    if (k->text[0] == '\0' && o->text[0] != '\0') {
        free(k->text);
        k->text = memory_copy(o->text);
    }
    if (k->category[0] == '\0' && o->category[0] != '\0') {
        free(k->category);
        k->category = memory_copy(o->category);
    }
    if (k->scope[0] == '\0' && o->scope[0] != '\0') {
        free(k->scope);
        k->scope = memory_copy(o->scope);
    }
    k->flops = o->flops;
    k->bytes = o->bytes;
    o->program[asynchronous] = program;
    o->kernel[asynchronous] = i;
    return i;
}

static void count_sum(struct profile_kernel *k, uint64_t length)
{
    struct profile_sum s = { k->count, k->total, k->least, k->most };

    profile_sum_add(&s, length);
    k->count = s.count;
    k->total = s.total;
    k->least = s.least;
    k->most = s.most;
}

/* ps since a run began: what lies between its kernels, the clock of the device tells. */
static uint64_t find_offset(const struct profile_build_run *r, const struct profile_build_open *e,
                            bool asynchronous)
{
    int64_t at = asynchronous
                     ? e->at.begin - r->begin
                     : r->kernels.begin - r->begin + (e->at.clock_begin - r->kernels.clock_begin);

    return at > 0 ? (uint64_t)at : 0;
}

/* The kernel of an event in a run, counted. */
static uint32_t count_kernel(struct profile_build *b, uint32_t device,
                             const struct profile_build_open *e, bool asynchronous)
{
    struct profile_build_device *d = &b->device[device];
    struct profile_build_run *r = &d->run[e->run];
    uint32_t i = find_kernel(b, e->op, r->program, asynchronous);

    if (e->run == 0 || e->run == d->n_runs - 1) {
        int last = e->run != 0;
        MEMORY_GROW(d->edge[last], i + 1, d->cap_edge[last]);
        profile_sum_add(&d->edge[last][i], e->at.clock_length);
    } else {
        count_sum(&b->kernel[i], e->at.clock_length);
    }
    if (r->log) {
        MEMORY_GROW(r->log->event, r->log->n + 1, r->log->cap);
        r->log->event[r->log->n++] =
            (struct profile_event){ i, find_offset(r, e, asynchronous), e->at.clock_length };
    }
    return i;
}

/* A capture without runs of programs: the kernel alone counts. */
static uint32_t count_alone(struct profile_build *b, const struct profile_build_open *e,
                            bool asynchronous)
{
    uint32_t program = profile_build_program(b, "", 0, b->op[e->op].program_id);
    uint32_t i = find_kernel(b, e->op, program, asynchronous);

    count_sum(&b->kernel[i], e->at.clock_length);
    return i;
}

static void add_busy(struct profile_build_run *r, const struct profile_build_open *e)
{
    int64_t begin = e->at.clock_begin, end = begin + (int64_t)e->at.clock_length;
    uint64_t wait = e->at.begin > r->begin ? (uint64_t)(e->at.begin - r->begin) : 0;

    r->wait = wait < r->wait ? wait : r->wait;
    begin = begin > r->covered ? begin : r->covered;
    if (end > begin) {
        r->busy += (uint64_t)(end - begin);
        r->covered = end;
    }
}

static void close_event(struct profile_build *b, uint32_t device,
                        const struct profile_build_open *e, bool container)
{
    if (e->run == PROFILE_BUILD_NONE) {
        uint32_t i = count_alone(b, e, false);
        b->kernel[i].container |= container;
        return;
    }
    uint32_t i = count_kernel(b, device, e, false);
    struct profile_build_run *r = &b->device[device].run[e->run];
    b->kernel[i].container |= container;
    r->n_kernels++;
    if (!container)
        add_busy(r, e);
}

/* Close events that the next one says enough of: those that are over, and what holds it. */
static void close_open(struct profile_build *b, uint32_t device,
                       const struct profile_build_times *next)
{
    struct profile_build_device *d = &b->device[device];
    int64_t at = next->clock_begin, end = at + (int64_t)next->clock_length;
    uint32_t kept = 0;
    bool first = true;

    for (uint32_t i = 0; i < d->n_open; i++) {
        struct profile_build_open e = d->open[i];
        int64_t over = e.at.clock_begin + (int64_t)e.at.clock_length;
        bool holds = b->op[e.op].holds == PROFILE_HOLDS_IF_SEEN && over > at && over >= end;
        if (holds)
            close_event(b, device, &e, true);
        else if (first && (over <= at || d->n_open - (i - kept) == PROFILE_BUILD_OPEN))
            close_event(b, device, &e, false);
        else {
            /* in the order of begin, so that what covers a time covers it once */
            first = false;
            d->open[kept++] = e;
        }
    }
    d->n_open = kept;
}

void profile_build_flush(struct profile_build *b, uint32_t device)
{
    struct profile_build_device *d = &b->device[device];

    for (uint32_t i = 0; i < d->n_open; i++) {
        struct profile_build_open e = d->open[i];
        close_event(b, device, &e, false);
    }
    d->n_open = 0;
    d->latest = INT64_MIN;
    d->outside = PROFILE_BUILD_NONE;
}

/* A run whose event the capture lacks: its kernels are left out. */
static void leave_out(struct profile_build *b, uint32_t device, uint32_t op)
{
    uint32_t program = profile_build_program(b, "", 0, b->op[op].program_id);

    if (b->device[device].outside != program)
        b->program[program].is.cut++;
    b->device[device].outside = program;
}

static void widen_span(int64_t *begin, uint64_t *length, int64_t at, uint64_t n)
{
    int64_t end = *begin + (int64_t)*length, over = at + (int64_t)n;

    *begin = at < *begin ? at : *begin;
    *length = (uint64_t)((over > end ? over : end) - *begin);
}

static void widen_kernels(struct profile_build_run *r, const struct profile_build_times *at)
{
    if (!r->has_kernels)
        r->kernels = *at;
    r->has_kernels = true;
    widen_span(&r->kernels.begin, &r->kernels.length, at->begin, at->length);
    widen_span(&r->kernels.clock_begin, &r->kernels.clock_length, at->clock_begin,
               at->clock_length);
}

void profile_build_event(struct profile_build *b, uint32_t device, uint32_t op, bool asynchronous,
                         const struct profile_build_times *at)
{
    struct profile_build_device *d = &b->device[device];
    struct profile_build_open e = { op, find_run(d, at->begin), *at };

    if (e.run == PROFILE_BUILD_NONE && d->n_runs > 0) {
        if (!asynchronous)
            leave_out(b, device, op);
        return;
    }
    if (asynchronous) {
        if (e.run == PROFILE_BUILD_NONE)
            count_alone(b, &e, true);
        else
            count_kernel(b, device, &e, true);
        return;
    }
    d->outside = PROFILE_BUILD_NONE;
    if (e.run != PROFILE_BUILD_NONE)
        widen_kernels(&d->run[e.run], at);
    if (at->clock_begin < d->latest) { /* late: what it could be inside of is gone */
        close_event(b, device, &e, b->op[op].holds == PROFILE_HOLDS_ALL);
        return;
    }
    d->latest = at->clock_begin;
    close_open(b, device, at);
    if (b->op[op].holds == PROFILE_HOLDS_ALL)
        close_event(b, device, &e, true);
    else
        d->open[d->n_open++] = e;
}
