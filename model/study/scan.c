#include "study/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/units.h"
#include "cost/cost.h"
#include "import/open.h"
#include "machine/spec/catalog.h"
#include "machine/spec/spec.h"
#include "passes/shard/shard.h"
#include "run/job/progress.h"
#include "traces/resize.h"

/* --- the schedule ------------------------------------------------------------------------- */

static int compare_lengths(const void *a, const void *b)
{
    return -mpq_cmp(*(const mpq_t *)a, *(const mpq_t *)b);
}

void scan_schedule(mpq_t makespan, mpq_t *length, size_t n, uint64_t places)
{
    size_t used = n < places ? n : (size_t)places;
    mpq_t *end = memory_zeroed(used + 1, sizeof *end);

    for (size_t i = 0; i < used; i++)
        mpq_init(end[i]);
    qsort(length, n, sizeof *length,
          compare_lengths); /* the order of equals does not change the makespan */
    mpq_set_ui(makespan, 0, 1);
    for (size_t i = 0; i < n; i++) {
        size_t first = 0;
        for (size_t p = 1; p < used; p++)
            if (mpq_cmp(end[p], end[first]) < 0)
                first = p;
        exact_sum(end[first], length[i]);
        if (mpq_cmp(end[first], makespan) > 0)
            mpq_set(makespan, end[first]);
    }
    for (size_t i = 0; i < used; i++)
        mpq_clear(end[i]);
    free(end);
}

/* --- a trial ------------------------------------------------------------------------------ */

/* Part of a slice, as settings: slice.cores, slice.mesh_x, slice.mesh_y, dcn.slices=1. */
struct place {
    char text[4][48];
    const char **set;
    size_t n;
    bool apart; /* each core of a chip trains a model of its own */
};

/* The most square mesh of so many chips that tiles the mesh of the slice. */
static bool part_mesh(const struct machine_spec *m, uint32_t chips, uint32_t *x, uint32_t *y)
{
    bool found = false;

    for (uint32_t w = 1; w <= chips; w++) {
        uint32_t h = chips / w;
        if (chips % w || m->slice.mesh_x % w || m->slice.mesh_y % h)
            continue;
        if (!found || w + h < *x + *y) {
            *x = w;
            *y = h;
        }
        found = true;
    }
    return found;
}

/* The chips of a trial on so many cores, and their mesh; with `apart` each core of a chip trains a
 * model of its own.  False if such trials do not tile the slice. */
static bool part_slice(const struct machine_spec *m, uint64_t cores, uint32_t *chips, uint32_t *x,
                       uint32_t *y)
{
    uint32_t per_chip = m->slice.cores_per_chip;
    bool apart = cores < per_chip;

    if (cores == 0 || m->slice.cores % cores || (apart ? cores != 1 : cores % per_chip))
        return false;
    *chips = apart ? 1 : (uint32_t)(cores / per_chip);
    return part_mesh(m, *chips, x, y);
}

/* No trial runs on so many cores: say on how many. */
static int refuse_cores(const struct machine_spec *m, uint64_t cores, struct err *err)
{
    struct memory_text list;
    uint32_t chips, x, y;

    memory_text_begin(&list);
    for (uint64_t c = 1; c <= m->slice.cores; c++)
        if (part_slice(m, c, &chips, &x, &y))
            fprintf(list.out, "%s%" PRIu64, c > 1 ? ", " : "", c);
    char *text = memory_text_end(&list);
    err_set(err, ERR_RANGE, "cores = %" PRIu64 ": no part of %s; expected one of %.160s", cores,
            m->name, text);
    free(text);
    return -1;
}

static int find_place(const struct scan_request *q, const struct machine_spec *m, struct place *p,
                      struct err *err)
{
    uint32_t chips = 1, x = 1, y = 1;

    if (!part_slice(m, q->cores, &chips, &x, &y))
        return refuse_cores(m, q->cores, err);
    p->apart = q->cores < m->slice.cores_per_chip;
    snprintf(p->text[0], sizeof p->text[0], "slice.cores=%" PRIu32,
             chips * m->slice.cores_per_chip);
    snprintf(p->text[1], sizeof p->text[1], "slice.mesh_x=%" PRIu32, x);
    snprintf(p->text[2], sizeof p->text[2], "slice.mesh_y=%" PRIu32, y);
    snprintf(p->text[3], sizeof p->text[3], "dcn.slices=1");
    p->set = memory_zeroed(q->n_set + 4, sizeof *p->set);
    for (size_t i = 0; i < q->n_set; i++)
        p->set[i] = q->set[i];
    for (size_t i = 0; i < 4; i++)
        p->set[q->n_set + i] = p->text[i];
    p->n = q->n_set + 4;
    return 0;
}

/* Seconds of `epochs` epochs of one trial, of `trials` that share the batch of `r`.  Steps are
 * whole, at least one per epoch. */
static void time_training(mpq_t seconds, const struct run_result *r, uint64_t trials,
                          uint64_t epochs)
{
    EXACT_Z(batch);
    EXACT_Z(steps);

    mpz_set_ui(steps, (unsigned long)r->samples_per_epoch);
    mpz_tdiv_q_ui(batch, r->samples_per_step, (unsigned long)trials);
    mpz_tdiv_q(steps, steps, batch);
    if (mpz_sgn(steps) == 0)
        mpz_set_ui(steps, 1);
    mpz_mul_ui(steps, steps, (unsigned long)epochs);
    mpq_set_z(seconds, steps);
    mpq_mul(seconds, seconds, r->seconds_per_step);
}

/* The text of a trace for one core, cut so that each core of a chip trains a model of its own. */
static int write_apart(const struct scan_request *q, const char *trace, struct memory_text *text,
                       struct err *err)
{
    static const struct shard_plan apart = { .data = 1, .model = 1, .edges = 1, .apart = true };
    const struct resize_slice one = { q->machine, 1, 1, false };
    struct resize resize;
    struct trace *t;

    if (import_open(&t, trace, false, err) != 0)
        return -1;
    allow_trace(&q->allow, t);
    int rc = resize_trace(t, &one, &resize, err);
    if (rc == 0 && resize.text) {
        trace_close(t);
        rc = trace_open_memory(&t, trace, resize.text, resize.size, false, err);
        if (rc == 0)
            allow_trace(&q->allow, t);
    }
    memory_text_begin(text);
    if (rc == 0)
        rc = shard_write(t, &apart, text->out, err);
    memory_text_end(text);
    trace_close(t);
    free(resize.text);
    return rc;
}

/* Run a training beside others, and alone; `told` counts runs. */
static int run_kind(const struct scan_request *q, const struct place *p, struct scan_kind *k,
                    struct progress_part *told, struct err *err)
{
    struct run_request one = { .trace = k->trace,
                               .machine = q->machine,
                               .set = p->set,
                               .n_set = p->n,
                               .steps = 1,
                               .allow = q->allow,
                               .progress = progress_part,
                               .progress_self = told };
    struct memory_text text = { 0 };
    int rc = p->apart ? write_apart(q, k->trace, &text, err) : 0;

    if (p->apart) {
        one.text = text.text;
        one.text_size = text.size;
    }
    if (rc == 0)
        rc = run_replay(&one, &k->beside, err);
    free(text.text);
    if (rc != 0)
        return -1;
    if (k->beside.samples_per_epoch == 0)
        return err_set(
            err, ERR_FIT,
            "%s: expected epoch= in its samples line, which the length of a trial depends on",
            k->trace);
    time_training(k->training, &k->beside, p->apart ? k->beside.cores : 1, q->epochs);

    told->part++;
    one.text = NULL;
    one.set = q->set;
    one.n_set = q->n_set;
    if (k->on_whole) {
        if (run_replay(&one, &k->whole, err) != 0)
            return -1;
        time_training(k->alone, &k->whole, 1, q->epochs);
    }
    told->part++;
    return 0;
}

/* --- all of them -------------------------------------------------------------------------- */

static void add_trials(struct scan_result *r)
{
    mpq_t *length = memory_zeroed(r->trials, sizeof *length);
    size_t n = 0;
    EXACT_Q(part);

    for (size_t i = 0; i < r->n_kinds; i++) {
        struct scan_kind *k = &r->kind[i];
        for (uint64_t t = 0; t < k->trials; t++) {
            mpq_init(length[n]);
            mpq_set(length[n++], k->training);
        }
        mpq_set_ui(part, (unsigned long)k->trials, 1);
        mpq_mul(part, part, k->training);
        exact_sum(r->work, part);
        mpq_set_ui(part, (unsigned long)k->trials, 1);
        mpq_mul(part, part, k->alone);
        exact_sum(r->one_by_one, part);
    }
    scan_schedule(r->makespan, length, n, r->places);
    for (size_t i = 0; i < n; i++)
        mpq_clear(length[i]);
    free(length);
}

static void init_result(const struct scan_request *q, const struct machine_spec *m,
                        const uint64_t *devices, struct scan_result *r)
{
    *r = (struct scan_result){ .machine = memory_copy(m->name),
                               .chip = spec_kind_name[m->kind],
                               .slice_cores = spec_cores(m),
                               .cores = q->cores,
                               .places = m->slice.cores / q->cores * m->dcn.slices,
                               .trials = q->trials ? q->trials : q->n_traces,
                               .epochs = q->epochs,
                               .n_kinds = q->n_traces,
                               .on_whole = true };
    r->kind = memory_zeroed(q->n_traces, sizeof *r->kind);
    mpq_inits(r->makespan, r->work, r->one_by_one, r->usd_per_hour, NULL);
    r->has_price = cost_per_hour(r->usd_per_hour, m, COST_ON_DEMAND);
    r->price_verified = cost_verified(m, COST_ON_DEMAND);
    r->price_source = r->has_price ? cost_sources(m) : NULL;
    for (size_t i = 0; i < q->n_traces; i++) {
        struct scan_kind *k = &r->kind[i];
        k->trace = q->trace[i];
        k->trials = r->trials / q->n_traces + (i < r->trials % q->n_traces);
        k->on_whole = !devices[i] || devices[i] == r->slice_cores;
        r->on_whole = r->on_whole && k->on_whole;
        mpq_inits(k->training, k->alone, NULL);
    }
}

/* devices[i] = those that trace i was compiled for, 0 for a trace that no compiler divided. */
static int find_devices(const struct scan_request *q, uint64_t *devices, struct err *err)
{
    for (size_t i = 0; i < q->n_traces; i++) {
        struct trace *t;
        if (import_open(&t, q->trace[i], false, err) != 0)
            return -1;
        devices[i] = trace_head(t)->program.given ? trace_head(t)->program.cores : 0;
        trace_close(t);
    }
    return 0;
}

/* *cores = those of a trial, which the compiled programs decide. */
static int choose_cores(const struct scan_request *q, const uint64_t *devices, uint64_t *cores,
                        struct err *err)
{
    *cores = q->cores;
    for (size_t i = 0; i < q->n_traces; i++) {
        if (!devices[i])
            continue;
        if (*cores && *cores != devices[i])
            return err_set(err, ERR_FIT,
                           "%s: compiled for %" PRIu64 " devices, a trial has %" PRIu64
                           ": expected --cores=%" PRIu64 ", or a program for that many",
                           q->trace[i], devices[i], *cores, devices[i]);
        *cores = devices[i];
    }
    *cores = *cores ? *cores : 1;
    return 0;
}

static int run_on(const struct scan_request *q, const struct machine_spec *m,
                  const uint64_t *devices, struct scan_result *r, struct err *err)
{
    struct place p;

    if (find_place(q, m, &p, err) != 0)
        return -1;
    init_result(q, m, devices, r);
    int rc = 0;
    struct progress_part told = { q->progress, q->progress_self, NULL, 0, 2 * r->n_kinds };
    for (size_t i = 0; i < r->n_kinds && rc == 0; i++)
        rc = run_kind(q, &p, &r->kind[i], &told, err);
    if (rc == 0)
        add_trials(r);
    else
        scan_result_free(r);
    free(p.set);
    return rc;
}

int scan_run(const struct scan_request *q, struct scan_result *r, struct err *err)
{
    struct scan_request own = *q;
    struct machine_spec *m;

    if (spec_load(&m, q->machine, q->set, q->n_set, err) != 0)
        return -1;
    uint64_t *devices = memory_zeroed(q->n_traces, sizeof *devices);
    int rc = find_devices(q, devices, err);
    if (rc == 0)
        rc = choose_cores(q, devices, &own.cores, err);
    if (rc == 0)
        rc = run_on(&own, m, devices, r, err);
    free(devices);
    spec_free(m);
    return rc;
}

void scan_result_free(struct scan_result *r)
{
    for (size_t i = 0; i < r->n_kinds; i++) {
        mpq_clears(r->kind[i].training, r->kind[i].alone, NULL);
        run_result_free(&r->kind[i].beside);
        run_result_free(&r->kind[i].whole);
    }
    mpq_clears(r->makespan, r->work, r->one_by_one, r->usd_per_hour, NULL);
    free(r->kind);
    free(r->price_source);
    free(r->machine);
}
