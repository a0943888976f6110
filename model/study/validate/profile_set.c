#include "study/validate/profile_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/threads/work_pool.h"
#include "machine/spec/spec.h"
#include "study/validate/profile_set_impl.h"

#define FS_PER_S UINT64_C(1000000000000000)

const char *const profile_set_use_name[PROFILE_SET_N_USES] = { "unseen", "fitted on" };

const char *const profile_set_regime_name[PROFILE_SET_N_REGIMES + 1] = {
    [VALIDATE_FLOOR] = "floor",    [VALIDATE_VECTOR] = "vector",
    [VALIDATE_MXU] = "MXU",        [VALIDATE_HBM] = "HBM",
    [PROFILE_SET_OTHER] = "other", [PROFILE_SET_N_REGIMES] = "all limits",
};

/* Seconds that the cores wait in the rows of a kernel, by what for. */
struct waits {
    mpq_t limit[PROFILE_SET_N_REGIMES];
};

static int regime_of_cause(enum cause c)
{
    switch (c) {
    case CAUSE_MXU: return VALIDATE_MXU;
    case CAUSE_VPU:
    case CAUSE_XLU: return VALIDATE_VECTOR;
    case CAUSE_HBM: return VALIDATE_HBM;
    case CAUSE_LAUNCH: return PROFILE_SET_N_REGIMES; /* limits no kernel beyond the floor */
    default: return PROFILE_SET_OTHER;
    }
}

static void add_waits(struct waits *w, const struct run_row *row)
{
    for (unsigned c = 0; c < N_CAUSES; c++) {
        int regime = regime_of_cause((enum cause)c);
        if (regime != PROFILE_SET_N_REGIMES)
            exact_sum(w->limit[regime], amounts_get(&row->cause, c));
    }
}

/* A kernel that was measured within twice the fixed cost of one is at the floor; the others are
 * limited by what the model waits for most. */
static int find_regime(const struct profiled *p, const struct profiled_kernel *k,
                       const struct waits *w)
{
    int most = PROFILE_SET_OTHER;

    EXACT_Q(floor);
    EXACT_Q(each);
    exact_ratio(floor, 2 * (uint64_t)p->spec->core.op_overhead, FS_PER_S);
    exact_ratio(each, 1, k->count ? k->count : 1);
    mpq_mul(each, each, k->measured);
    if (mpq_cmp(each, floor) <= 0)
        return VALIDATE_FLOOR;
    for (int i = VALIDATE_VECTOR; i < PROFILE_SET_OTHER; i++)
        if (mpq_cmp(w->limit[i], w->limit[most]) > 0)
            most = i;
    return most;
}

static void copy_kernel(struct profile_set_pair *pair, const struct profiled *p, size_t i,
                        const struct waits *w)
{
    const struct profiled_kernel *from = &p->kernel[i];

    if (from->how == PAIRING_NONE || mpq_sgn(from->measured) == 0)
        return;
    struct profile_set_kernel *k = &pair->kernel[pair->n_kernels++];
    *k = (struct profile_set_kernel){ .name = memory_copy(from->name),
                                      .class = from->class,
                                      .regime = find_regime(p, from, w),
                                      .count = from->count };
    mpq_inits(k->predicted, k->measured, k->estimated, k->error, NULL);
    mpq_set(k->predicted, from->predicted);
    mpq_set(k->measured, from->measured);
    mpq_set(k->estimated, from->estimated);
    mpq_sub(k->error, k->predicted, k->measured);
    mpq_div(k->error, k->error, k->measured);
}

static void copy_kernels(struct profile_set_pair *pair, const struct profiled *p)
{
    struct waits *w = memory_zeroed(p->n_kernels, sizeof *w);

    for (size_t i = 0; i < p->n_kernels; i++)
        for (int r = 0; r < PROFILE_SET_N_REGIMES; r++)
            mpq_init(w[i].limit[r]);
    for (size_t i = 0; i < p->run.n_ops; i++)
        add_waits(&w[p->kernel_of_row[i]], &p->run.ops[i]);
    pair->kernel = memory_zeroed(p->n_kernels, sizeof *pair->kernel);
    for (size_t i = 0; i < p->n_kernels; i++)
        copy_kernel(pair, p, i, &w[i]);
    for (size_t i = 0; i < p->n_kernels; i++)
        for (int r = 0; r < PROFILE_SET_N_REGIMES; r++)
            mpq_clear(w[i].limit[r]);
    free(w);
}

static void copy_profiled(struct profile_set_pair *pair, const struct profiled *p)
{
    const struct profiled_pair *step = p->step_known ? &p->step : &p->in_kernels;

    pair->machine = memory_copy(p->spec->name);
    pair->generation = profiled_generation(p);
    pair->format = p->profile->format;
    pair->step_known = p->step_known;
    pair->steps = p->steps;
    mpq_set(pair->step.predicted, step->predicted);
    mpq_set(pair->step.measured, step->measured);
    mpq_set(pair->error, p->error);
    mpq_set(pair->paired_share, p->paired_share);
    pair->n_pairs = p->n_pairs;
    pair->n_only_predicted = p->n_only_predicted;
    pair->n_only_measured = p->n_only_measured;
    copy_kernels(pair, p);
}

struct comparison {
    struct profile_set *s;
    const struct profile_set_request *q;
};

static void compare_pair(void *self, size_t i)
{
    const struct comparison *c = self;
    struct profile_set_pair *pair = &c->s->pair[i];
    const struct profiled_request request = {
        .run = { .trace = pair->program,
                 .machine = c->q->machine ? c->q->machine : pair->asked,
                 .set = c->q->set,
                 .n_set = c->q->n_set },
        .profile = pair->profile,
        .module = pair->module,
    };
    struct profiled p;
    struct err err;

    if (pair->reason)
        return;
    if (profiled_make(&p, &request, &err) != 0) {
        pair->reason = memory_copy(err.msg);
        return;
    }
    copy_profiled(pair, &p);
    profiled_free(&p);
}

static void free_pair(struct profile_set_pair *p)
{
    for (size_t i = 0; i < p->n_kernels; i++) {
        struct profile_set_kernel *k = &p->kernel[i];
        free(k->name);
        mpq_clears(k->predicted, k->measured, k->estimated, k->error, NULL);
    }
    mpq_clears(p->step.predicted, p->step.measured, p->error, p->paired_share, NULL);
    free(p->kernel);
    free(p->name);
    free(p->program);
    free(p->profile);
    free(p->asked);
    free(p->module);
    free(p->reason);
    free(p->machine);
    free(p->generation);
}

/* Errors: ERR_UNKNOWN with the names there are. */
static int select_pairs(struct profile_set *s, const char *only, struct err *err)
{
    char all[256] = "";
    size_t n = 0, used = 0;

    for (size_t i = 0; i < s->n_pairs && used < sizeof all; i++)
        used +=
            (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", s->pair[i].name);
    for (size_t i = 0; i < s->n_pairs; i++)
        if (!only || strcasestr(s->pair[i].name, only))
            s->pair[n++] = s->pair[i];
        else
            free_pair(&s->pair[i]);
    s->n_pairs = n;
    if (n > 0)
        return 0;
    return err_set(err, ERR_UNKNOWN, "%.120s: no pair has '%.64s' in its name; there are %s",
                   s->folder, only, all);
}

int profile_set_run(struct profile_set *s, const struct profile_set_request *q, struct err *err)
{
    BUG_ON(q->jobs == 0);
    *s = (struct profile_set){ .folder = memory_copy(q->folder) };
    int rc = profile_set_find(s, q->folder, err);
    if (rc == 0)
        rc = select_pairs(s, q->only, err);
    if (rc != 0) {
        profile_set_free(s);
        return -1;
    }
    struct comparison comparison = { s, q };
    const struct work_pool pool = { .jobs = q->jobs,
                                    .n = s->n_pairs,
                                    .work = compare_pair,
                                    .self = &comparison,
                                    .progress = q->progress,
                                    .progress_self = q->progress_self,
                                    .what = "profiles" };
    work_pool_run(&pool);
    for (size_t i = 0; i < s->n_pairs; i++)
        s->n_failed += s->pair[i].reason != NULL;
    profile_set_sum(s);
    return 0;
}

void profile_set_free(struct profile_set *s)
{
    for (size_t i = 0; i < s->n_groups; i++) {
        validate_errors_clear(&s->group[i].errors);
        mpq_clear(s->group[i].weighted);
    }
    for (size_t i = 0; i < s->n_ranks; i++)
        mpq_clear(s->rank[i].share);
    for (size_t i = 0; i < s->n_pairs; i++)
        free_pair(&s->pair[i]);
    free(s->group);
    free(s->rank);
    free(s->pair);
    free(s->folder);
    *s = (struct profile_set){ 0 };
}
