#include "trace/kind/members.h"

#include <stdlib.h>

#include "base/memory.h"

struct reading {
    struct members *m;
    const char *begin, *p;
    bool pairs;
    uint32_t cap, cap_lists;
    struct err *err;
};

static int fail_list(const struct reading *r, size_t *at, enum err_code code, const char *what)
{
    *at = (size_t)(r->p - r->begin);
    return err_set(r->err, code, "%s", what);
}

static void skip_blanks(struct reading *r)
{
    while (*r->p == ' ')
        r->p++;
}

static int read_replica(struct reading *r, size_t *at)
{
    uint64_t n = 0;

    if (*r->p < '0' || *r->p > '9')
        return fail_list(r, at, ERR_FORMAT,
                         r->pairs ? "expected pairs of replicas such as \"0 1, 1 0\""
                                  : "expected lists of replicas such as \"0 7, 1 6\"");
    const char *begin = r->p;
    for (; *r->p >= '0' && *r->p <= '9' && n <= MEMBERS_MAX_REPLICA; r->p++)
        n = 10 * n + (uint64_t)(*r->p - '0');
    if (n > MEMBERS_MAX_REPLICA) {
        r->p = begin;
        return fail_list(r, at, ERR_RANGE, "a replica outside [0, 4194303]");
    }
    struct members *m = r->m;
    MEMORY_GROW(m->replica, m->n + 1, r->cap);
    m->replica[m->n++] = (uint32_t)n;
    m->top = n > m->top ? (uint32_t)n : m->top;
    return 0;
}

/* One list, up to a comma or the end. */
static int read_list(struct reading *r, size_t *at)
{
    struct members *m = r->m;
    uint32_t first = m->n;

    do {
        if (read_replica(r, at) != 0)
            return -1;
        skip_blanks(r);
    } while (*r->p && *r->p != ',');
    uint32_t n = m->n - first;
    if (r->pairs && n != 2)
        return fail_list(r, at, ERR_FORMAT, "a pair is two replicas: who sends, and who receives");
    m->even &= m->n_lists == 0 || n == m->longest;
    m->longest = n > m->longest ? n : m->longest;
    MEMORY_GROW(m->first, m->n_lists + 2, r->cap_lists);
    m->first[m->n_lists++] = first;
    m->first[m->n_lists] = m->n;
    return 0;
}

/* True if a replica stands twice among every `step`-th one from `from` on. */
static bool has_twice(const struct members *m, uint32_t from, uint32_t step)
{
    bool *seen = memory_zeroed((size_t)m->top + 1, sizeof *seen), twice = false;

    for (uint32_t i = from; i < m->n && !twice; i += step) {
        twice = seen[m->replica[i]];
        seen[m->replica[i]] = true;
    }
    free(seen);
    return twice;
}

int members_read(struct members *m, const char *text, bool pairs, size_t *at, struct err *err)
{
    struct reading r = { m, text, text, pairs, 0, 0, err };
    int rc;

    *m = (struct members){ .even = true };
    do {
        r.p += *r.p == ',';
        skip_blanks(&r);
        rc = read_list(&r, at);
    } while (rc == 0 && *r.p);
    if (rc == 0 && !pairs && has_twice(m, 0, 1))
        rc = fail_list(&r, at, ERR_FORMAT, "a replica stands in two places");
    if (rc == 0 && pairs && (has_twice(m, 0, 2) || has_twice(m, 1, 2)))
        rc = fail_list(&r, at, ERR_FORMAT, "a replica sends twice, or receives twice");
    if (rc != 0)
        members_free(m);
    return rc;
}

void members_free(struct members *m)
{
    free(m->first);
    free(m->replica);
    *m = (struct members){ 0 };
}
