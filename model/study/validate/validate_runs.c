#include "study/validate/validate_runs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum run_state { RUN_WAITS, RUN_GOES_ON, RUN_ENDED };

struct shared_run {
    char *key;
    struct validate_case r; /* its texts are those of `words`, or of the plan */
    char *words;            /* of a second run of a claim; NULL */
    size_t first, uses;     /* place of the first use among all; those to come */
    enum run_state state;
    int rc;
    struct err err;
    struct run_result result;
};

struct validate_runs {
    const struct validate_request *q;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    struct shared_run *run; /* [n] by key */
    size_t n;
    size_t *order; /* [n] of first uses */
};

/* --- which runs ----------------------------------------------------------------------------- */

struct validate_case validate_runs_case(const struct validate_job *j)
{
    /* the profiler's device time has no waits for the host in it */
    return (struct validate_case){ .machine = j->machine,
                                   .workload = j->workload,
                                   .parameters = j->parameters,
                                   .device = j->kind == VALIDATE_FC_DEVICE };
}

struct validate_case validate_runs_base(const struct validate_job *j, char text[PUBLISHED_FIELD])
{
    struct validate_case r = { .machine = text, .workload = "", .parameters = "" };

    snprintf(text, PUBLISHED_FIELD, "%s", j->base);
    char *at = strchr(text, ' ');
    if (!at)
        return r;
    *at++ = '\0';
    r.workload = at;
    at = strchr(strncmp(at, "op ", 3) == 0 ? at + 3 : at, ' ');
    if (at) {
        *at++ = '\0';
        r.parameters = at;
    }
    return r;
}

static char *name_run(const struct validate_case *r)
{
    return memory_format("%d\n%s\n%s\n%s", r->device, r->machine, r->workload, r->parameters);
}

static bool has_run(const struct validate_job *j)
{
    return j->kind == VALIDATE_WORKLOAD || j->kind == VALIDATE_FC_STEP ||
           j->kind == VALIDATE_FC_DEVICE || j->kind == VALIDATE_CLAIMS;
}

static void add_use(struct validate_runs *runs, const struct validate_case *r, char *words)
{
    MEMORY_ADD(runs->run, runs->n);
    runs->run[runs->n] = (struct shared_run){
        .key = name_run(r), .r = *r, .words = words, .first = runs->n, .uses = 1
    };
    runs->n++;
}

static void list_uses(struct validate_runs *runs, const struct validate_plan *p)
{
    for (size_t i = 0; i < p->n_jobs; i++) {
        const struct validate_job *j = &p->job[i];
        if (!has_run(j))
            continue;
        struct validate_case r = validate_runs_case(j);
        add_use(runs, &r, NULL);
        if (j->kind != VALIDATE_CLAIMS || !*j->base)
            continue;
        char *words = memory_resize(NULL, PUBLISHED_FIELD, 1);
        r = validate_runs_base(j, words);
        add_use(runs, &r, words);
    }
}

static int compare_runs(const void *a, const void *b)
{
    const struct shared_run *x = a, *y = b;
    int c = strcmp(x->key, y->key);

    return c ? c : x->first < y->first ? -1 : x->first > y->first;
}

static int compare_key(const void *key, const void *run)
{
    return strcmp(key, ((const struct shared_run *)run)->key);
}

static void drop_run(struct shared_run *s)
{
    free(s->key);
    free(s->words);
}

/* Keep one of each run that several jobs need. */
static void merge_uses(struct validate_runs *runs)
{
    size_t n = 0;

    if (runs->n == 0)
        return;
    qsort(runs->run, runs->n, sizeof *runs->run, compare_runs);
    for (size_t i = 0, next; i < runs->n; i = next) {
        struct shared_run first = runs->run[i];
        for (next = i + 1; next < runs->n && strcmp(runs->run[next].key, first.key) == 0; next++) {
            first.uses++;
            drop_run(&runs->run[next]);
        }
        if (first.uses > 1)
            runs->run[n++] = first;
        else
            drop_run(&first);
    }
    runs->n = n;
}

/* Insertion, as they are few. */
static void order_runs(struct validate_runs *runs)
{
    runs->order = memory_zeroed(runs->n + 1, sizeof *runs->order);
    for (size_t i = 0; i < runs->n; i++) {
        size_t at = i;
        for (; at > 0 && runs->run[runs->order[at - 1]].first > runs->run[i].first; at--)
            runs->order[at] = runs->order[at - 1];
        runs->order[at] = i;
    }
}

struct validate_runs *validate_runs_new(const struct validate_plan *p,
                                        const struct validate_request *q)
{
    struct validate_runs *runs = memory_zeroed(1, sizeof *runs);

    runs->q = q;
    pthread_mutex_init(&runs->lock, NULL);
    pthread_cond_init(&runs->ended, NULL);
    list_uses(runs, p);
    merge_uses(runs);
    order_runs(runs);
    return runs;
}

void validate_runs_free(struct validate_runs *runs)
{
    if (!runs)
        return;
    for (size_t i = 0; i < runs->n; i++) {
        struct shared_run *s = &runs->run[i];
        if (s->state == RUN_ENDED && s->rc == 0 && s->uses > 0)
            run_result_free(&s->result);
        drop_run(s);
    }
    free(runs->run);
    free(runs->order);
    pthread_cond_destroy(&runs->ended);
    pthread_mutex_destroy(&runs->lock);
    free(runs);
}

/* --- running ---------------------------------------------------------------------------------- */

static struct shared_run *find_run(struct validate_runs *runs, const struct validate_case *r)
{
    char *key = name_run(r);
    struct shared_run *s =
        runs->n ? bsearch(key, runs->run, runs->n, sizeof *runs->run, compare_key) : NULL;

    free(key);
    return s;
}

/* Do a run that nobody has begun. */
static void begin_run(struct validate_runs *runs, struct shared_run *s)
{
    pthread_mutex_lock(&runs->lock);
    bool mine = s->state == RUN_WAITS;
    if (mine)
        s->state = RUN_GOES_ON;
    pthread_mutex_unlock(&runs->lock);
    if (!mine)
        return;
    s->rc = validate_case_run(&s->r, runs->q, &s->result, &s->err);
    pthread_mutex_lock(&runs->lock);
    s->state = RUN_ENDED;
    pthread_cond_broadcast(&runs->ended);
    pthread_mutex_unlock(&runs->lock);
}

size_t validate_runs_shared(const struct validate_runs *runs)
{
    return runs->n;
}

void validate_runs_do(struct validate_runs *runs, size_t i)
{
    begin_run(runs, &runs->run[runs->order[i]]);
}

int validate_runs_take(struct validate_runs *runs, const struct validate_case *r,
                       struct validate_taken *t, struct err *err)
{
    struct shared_run *s = find_run(runs, r);

    *t = (struct validate_taken){ .result = s ? &s->result : &t->own, .shared = s };
    if (!s)
        return validate_case_run(r, runs->q, &t->own, err);
    begin_run(runs, s);
    pthread_mutex_lock(&runs->lock);
    while (s->state != RUN_ENDED)
        pthread_cond_wait(&runs->ended, &runs->lock);
    pthread_mutex_unlock(&runs->lock);
    if (s->rc != 0)
        *err = s->err;
    return s->rc;
}

void validate_runs_leave(struct validate_runs *runs, struct validate_taken *t)
{
    bool last = true;

    if (t->shared) {
        pthread_mutex_lock(&runs->lock);
        last = --t->shared->uses == 0;
        pthread_mutex_unlock(&runs->lock);
    }
    if (last)
        run_result_free(t->shared ? &t->shared->result : &t->own);
}
