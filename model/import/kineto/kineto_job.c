/* kineto_job.c - see kineto_job.h. */
#include "import/kineto/kineto_job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "import/kineto/recorded.h"

#define MS 1e-6 /* of a nanosecond */

struct rank {
    uint32_t rank, ranks;
    uint64_t work;     /* ns of a step without collectives */
    char **collective; /* [n] "allreduce of 8 ranks", in their order */
    size_t n_collectives;
    const char *path;
};

static void free_ranks(struct rank *rank, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < rank[i].n_collectives; c++)
            free(rank[i].collective[c]);
        free(rank[i].collective);
    }
    free(rank);
}

static void add_collective(struct rank *r, const struct kineto *k, const struct kineto_message *m)
{
    char text[80];

    snprintf(text, sizeof text, "%.40s of %" PRIu32 " ranks", kineto_text(k, m->collective),
             m->group);
    r->collective = memory_resize(r->collective, r->n_collectives + 1, sizeof *r->collective);
    r->collective[r->n_collectives++] = memory_copy(text);
}

static void sum_step(struct rank *r, const struct kineto *k)
{
    struct recorded_step s;

    recorded_read(&s, k);
    for (uint32_t i = 0; i < k->n_work; i++) {
        const struct kineto_work *w = &k->work[i];
        if (w->launched < s.begin || w->launched >= s.end)
            continue;
        if (w->message.group > 0)
            add_collective(r, k, &w->message);
        else
            r->work += (uint64_t)(w->end - w->begin);
    }
    recorded_free(&s);
}

static int read_rank(struct rank *r, struct err *err)
{
    struct profile_source *source;
    struct kineto k;

    if (profile_source_open(&source, r->path, err) != 0)
        return -1;
    int rc = kineto_read(&k, source, err);
    profile_source_close(source);
    if (rc != 0)
        return -1;
    r->rank = k.rank;
    r->ranks = k.ranks;
    sum_step(r, &k);
    kineto_free(&k);
    return 0;
}

/* Rank `last` is of the job of those before it. */
static int check_rank(const struct rank *rank, size_t last, struct err *err)
{
    const struct rank *r = &rank[last];

    if (r->ranks < 2)
        return err_set(err, ERR_FORMAT,
                       "%.160s: it does not say which rank of how many it is, in "
                       "\"distributedInfo\"",
                       r->path);
    for (size_t i = 0; i < last; i++) {
        if (rank[i].ranks != r->ranks)
            return err_set(err, ERR_FORMAT,
                           "%.100s: one of %" PRIu32 " ranks, where %.100s is one of %" PRIu32,
                           r->path, r->ranks, rank[i].path, rank[i].ranks);
        if (rank[i].rank == r->rank)
            return err_set(err, ERR_FORMAT, "%.100s: rank %" PRIu32 ", as %.100s", r->path, r->rank,
                           rank[i].path);
    }
    return 0;
}

/* The first collective in which two ranks differ, from 1; 0: they do not. */
static size_t find_difference(const struct rank *a, const struct rank *b)
{
    size_t n = a->n_collectives < b->n_collectives ? a->n_collectives : b->n_collectives;

    for (size_t i = 0; i < n; i++)
        if (strcmp(a->collective[i], b->collective[i]) != 0)
            return i + 1;
    return a->n_collectives == b->n_collectives ? 0 : n + 1;
}

static void tell_job(struct kineto_job *job, const struct rank *rank, size_t n)
{
    const struct rank *longest = &rank[job->chosen];
    uint64_t least = longest->work;
    size_t used;

    for (size_t i = 0; i < n; i++)
        least = rank[i].work < least ? rank[i].work : least;
    plain_text(job->notes, sizeof job->notes,
               "%zu ranks read, with %.1f to %.1f ms of work in a step; this is rank %" PRIu32
               ", for which the others wait",
               n, MS * (double)least, MS * (double)longest->work, longest->rank);
    for (size_t i = 0; i < n; i++) {
        size_t at = find_difference(longest, &rank[i]);
        used = strlen(job->notes);
        if (at == 0)
            continue;
        snprintf(job->notes + used, sizeof job->notes - used,
                 "; rank %" PRIu32 " does other work: their collectives differ from number %zu on",
                 rank[i].rank, at);
        return;
    }
}

int kineto_job_read(struct kineto_job *job, const char *const *path, size_t n, struct err *err)
{
    struct rank *rank = memory_zeroed(n, sizeof *rank);
    int rc = 0;

    *job = (struct kineto_job){ 0 };
    for (size_t i = 0; i < n && rc == 0; i++) {
        rank[i].path = path[i];
        rc = read_rank(&rank[i], err);
        if (rc == 0)
            rc = check_rank(rank, i, err);
        if (rank[i].work > rank[job->chosen].work)
            job->chosen = i;
    }
    if (rc == 0)
        tell_job(job, rank, n);
    free_ranks(rank, n);
    return rc;
}
