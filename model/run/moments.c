#include "run/moments.h"

#include "base/units.h"

enum { LEAST = 8, MOST = 64 };

/* Times of the runs so far. */
struct times {
    uint64_t base, every; /* the first begins at base + a whole number of intervals */
    uint64_t sum, n, least, most;
};

bool moments_matter(const struct job *j, const struct machine *m, uint64_t fs)
{
    uint64_t every = machine_refresh(m);

    return j->q->alone && j->q->steps == 1 && j->n_steps == 1 && every > 0 &&
           fs / every < MOMENTS_LONG && !job_is_fed(j);
}

/* Run the step at base + k/n of an interval. */
static int run_at(struct job *j, struct machine *m, struct times *t, uint64_t k, uint64_t n,
                  struct err *err)
{
    uint64_t now = machine_now(m), past = (now - t->base) % t->every;
    uint64_t rest = machine_rest(m, (t->every * k / n + t->every - past) % t->every);

    if (machine_step(m, &j->step[0].program, NULL, err) != 0)
        return -1;
    uint64_t fs = machine_now(m) - now - rest;
    t->sum += fs;
    t->n++;
    t->least = fs < t->least ? fs : t->least;
    t->most = fs > t->most ? fs : t->most;
    return 0;
}

/* True if twice as many moments changed the mean of `before`, n of them, by less than 1/1000. */
static bool is_known(const struct times *t, uint64_t before)
{
    uint64_t twice = 2 * before, change = t->sum > twice ? t->sum - twice : twice - t->sum;

    return change < t->sum / 1000;
}

int moments_run(struct job *j, struct machine *m, void (*first)(struct job *j, struct machine *m),
                uint64_t *fs, struct run_result *r, struct err *err)
{
    struct times t = { machine_now(m), machine_refresh(m), 0, 0, UINT64_MAX, 0 };
    uint64_t before = 0;

    for (uint64_t n = LEAST; n <= MOST; n *= 2) {
        bool more = n > LEAST; /* the even ones were run before */
        for (uint64_t k = more; k < n; k += 1 + more) {
            if (run_at(j, m, &t, k, n, err) != 0)
                return -1;
            if (t.n == 1)
                first(j, m);
        }
        if (n > LEAST && is_known(&t, before))
            break;
        before = t.sum;
    }
    j->step[0].measured = t.n;
    r->moments.n = t.n;
    exact_ratio(r->moments.least, t.least, FS_PER_S);
    exact_ratio(r->moments.most, t.most, FS_PER_S);
    *fs = t.sum;
    return 0;
}
