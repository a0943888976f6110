/* The shortcut of hbm_memory.c.
 *
 * Streams.  At the same point of every refresh interval the state of a run is written down without
 * absolute times and rows (hbm_state.h).  When a state recurs, all that came between will recur:
 * the run jumps by whole rounds while the stream lasts, counters grow by what a round adds, and the
 * rest is walked.  Nothing is assumed about the traffic.  Channels that get the same accesses do
 * the same, so only the first of them is run.
 *
 * Random chunks, and streams of which no state has recurred after PATIENCE accesses.  After some
 * intervals to settle in, others are walked; the rest is taken to go on at their average rate.  The
 * outcome is then an expectation, not a count. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/wide.h"
#include "hw/hbm/hbm_state.h"

/* Most snapshots kept of a run, and the most memory they may take. */
#define MAX_SEEN 4096
#define MAX_SEEN_BYTES (UINT64_C(64) << 20)

/* Intervals to settle in; intervals, and accesses of random traffic, that are averaged at least. */
#define SETTLE 4
#define MEASURE 96
#define SAMPLE (UINT64_C(1) << 17)

/* Accesses after which no recurrence is waited for. */
#define PATIENCE (UINT64_C(1) << 21)

/* The state of a run at the end of an interval, and its counters then. */
struct seen {
    uint8_t *bytes;
    size_t n;
    uint64_t hash, interval, periods, left;
    struct hbm_counts *st; /* of each channel of the run */
    struct hbm_bank_counts *bank_st;
};

struct memo {
    struct seen *seen;
    uint32_t n;
    uint64_t bytes;
    uint32_t slot[2 * MAX_SEEN]; /* 1 + index into `seen`, by hash */
};

static uint64_t hash_state(const struct hbm_state *s)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < s->n; i++)
        h = (h ^ s->bytes[i]) * UINT64_C(0x100000001b3);
    return h ^ h >> 29;
}

/* The snapshot with the bytes of `s`, or NULL; *at is its slot. */
static struct seen *find_snapshot(struct memo *m, const struct hbm_state *s, uint64_t h,
                                  uint32_t *at)
{
    for (*at = (uint32_t)(h % (2 * MAX_SEEN)); m->slot[*at]; *at = (*at + 1) % (2 * MAX_SEEN)) {
        struct seen *p = &m->seen[m->slot[*at] - 1];
        if (p->hash == h && p->n == s->n && memcmp(p->bytes, s->bytes, s->n) == 0)
            return p;
    }
    return NULL;
}

static void keep_snapshot(struct memo *m, const struct hbm_state *s, uint64_t h, uint32_t at,
                          const struct hbm_run *r, uint64_t interval)
{
    uint32_t banks = r->channel->t->banks;

    if (m->n == MAX_SEEN || m->bytes > MAX_SEEN_BYTES)
        return;
    struct seen *p = &m->seen[m->n++];
    *p = (struct seen){ memory_zeroed(s->n, 1),
                        s->n,
                        h,
                        interval,
                        r->walk.periods,
                        r->walk.left,
                        memory_zeroed(r->n, sizeof *p->st),
                        memory_zeroed((size_t)r->n * banks, sizeof *p->bank_st) };
    memcpy(p->bytes, s->bytes, s->n);
    for (uint32_t c = 0; c < r->n; c++) {
        p->st[c] = r->channel[c].st;
        memcpy(p->bank_st + (size_t)c * banks, r->channel[c].bank_st, banks * sizeof *p->bank_st);
    }
    m->slot[at] = m->n;
    m->bytes += s->n;
}

static struct memo *new_memo(void)
{
    struct memo *m = memory_zeroed(1, sizeof *m);

    m->seen = memory_zeroed(MAX_SEEN, sizeof *m->seen);
    return m;
}

static void free_memo(struct memo *m)
{
    for (uint32_t i = 0; i < m->n; i++) {
        free(m->seen[i].bytes);
        free(m->seen[i].st);
        free(m->seen[i].bank_st);
    }
    free(m->seen);
    free(m);
}

/* Add to each counter `times` times what it has grown since `then`. */
static void grow_counters(uint64_t *now, const uint64_t *then, size_t n, uint64_t times)
{
    for (size_t i = 0; i < n; i++)
        now[i] += (now[i] - then[i]) * times;
}

/* A whole round has passed since `p`.  Jump by as many rounds as the stream has left, but at most
 * by `most` intervals.  Returns the number of intervals jumped. */
static uint64_t jump_rounds(struct hbm_run *r, const struct seen *p, uint64_t interval,
                            uint64_t most)
{
    uint64_t periods = r->walk.periods - p->periods, served = p->left - r->walk.left;
    uint64_t rounds = served ? (r->walk.left - 1) / served : 0;
    uint32_t banks = r->channel->t->banks;

    if (rounds > most / (interval - p->interval))
        rounds = most / (interval - p->interval);
    if (rounds == 0)
        return 0;
    hbm_walk_skip(&r->walk, rounds * periods);
    hbm_state_shift(r, (uint32_t)(rounds * periods * r->walk.w->row_step));
    for (uint32_t c = 0; c < r->n; c++) {
        struct hbm_channel *k = &r->channel[c];
        grow_counters((uint64_t *)&k->st, (const uint64_t *)&p->st[c],
                      sizeof k->st / sizeof(uint64_t), rounds);
        grow_counters((uint64_t *)k->bank_st, (const uint64_t *)(p->bank_st + (size_t)c * banks),
                      banks * sizeof *k->bank_st / sizeof(uint64_t), rounds);
    }
    return rounds * (interval - p->interval);
}

/* Cycles from one comparison of states to the next: every bank is refreshed once. */
static uint64_t interval_of_timing(const struct hbm_timing *t)
{
    if (t->refresh == HBM_REFRESH_NONE)
        return 4096;
    return t->refresh == HBM_REFRESH_BANK ? t->refi * t->banks : t->refi;
}

/* Cycles into the interval: the end of a refresh, when little of the past has any influence. */
static uint64_t phase_of_timing(const struct hbm_timing *t)
{
    return t->refresh == HBM_REFRESH_ALL ? t->rfc : 0;
}

/* --- expectations ------------------------------------------------------------------------- */

static uint64_t count_served(const struct hbm_run *r)
{
    uint64_t n = 0;

    for (uint32_t c = 0; c < r->n; c++)
        n += r->channel[c].st.reads + r->channel[c].st.writes;
    return n;
}

static void scale_counters(uint64_t *count, size_t n, uint64_t num, uint64_t den)
{
    for (size_t i = 0; i < n; i++)
        count[i] = (uint64_t)((u128)count[i] * num / den);
}

/* The accesses served so far, out of `total`, took up to cycle `now`; the last `count` of them took
 * `cycles`.  Let the rest go on at that rate.  Does nothing and returns false if little is left. */
static bool expect_rest(struct hbm_run *r, uint64_t total, uint64_t now, uint64_t count,
                        uint64_t cycles, struct hbm_outcome *out)
{
    uint64_t n = count_served(r), end;

    if (total / 2 < n || count == 0)
        return false;
    out->statistical = true;
    out->walked += n;
    end = now + (uint64_t)((u128)(total - n) * cycles / count);
    for (uint32_t c = 0; c < r->n; c++) {
        struct hbm_channel *k = &r->channel[c];
        scale_counters((uint64_t *)&k->st, sizeof k->st / sizeof(uint64_t), total, n);
        scale_counters((uint64_t *)k->bank_st, (sizeof k->bank_st) / (sizeof(uint64_t)), total, n);
        k->last_done = end;
    }
    return true;
}

/* --- streams ------------------------------------------------------------------------------ */

/* Serve a stream: walk until a state recurs, jump, walk the rest. */
static void run_stream(struct hbm_run *r, struct hbm_outcome *out)
{
    struct memo *m = new_memo();
    struct hbm_state s = { 0 };
    const struct hbm_timing *t = r->channel->t;
    uint64_t every = interval_of_timing(t), jumped = 0, total = r->walk.left, skipped = 0;
    uint64_t phase = phase_of_timing(t), settled = 0;
    bool known = false, guessed = false;
    uint32_t at;

    for (uint64_t i = 1; !known && hbm_run_until(r, i * every + phase) && r->walk.left; i++) {
        uint64_t now = i * every + phase;
        if (i == SETTLE)
            settled = count_served(r);
        hbm_state_take(&s, r, now);
        uint64_t h = hash_state(&s), before = r->walk.left;
        const struct seen *p = find_snapshot(m, &s, h, &at);
        if (p) {
            known = true;
            jumped = jump_rounds(r, p, i, UINT64_MAX) * every;
            skipped = before - r->walk.left;
        } else if (count_served(r) < PATIENCE) {
            keep_snapshot(m, &s, h, at, r, i);
        } else {
            known = true;
            guessed = i > SETTLE && expect_rest(r, total, now, count_served(r) - settled,
                                                (i - SETTLE) * every, out);
        }
    }
    if (!guessed) {
        hbm_run_until(r, HBM_NEVER);
        out->walked += total - skipped;
        for (uint32_t c = 0; c < r->n; c++)
            r->channel[c].last_done += r->channel[c].last_done ? jumped : 0;
    }
    hbm_state_free(&s);
    free_memo(m);
}

uint64_t hbm_run_skip(struct hbm_run *r, uint64_t until)
{
    struct memo *m = new_memo();
    struct hbm_state s = { 0 };
    uint64_t every = interval_of_timing(r->channel->t), phase = phase_of_timing(r->channel->t),
             jumped = 0;
    bool known = r->walk.w->load.pattern == HBM_RANDOM;
    uint32_t at;

    for (uint64_t i = 1;
         !known && i * every + phase < until && hbm_run_until(r, i * every + phase) && r->walk.left;
         i++) {
        uint64_t now = i * every + phase;
        hbm_state_take(&s, r, now);
        uint64_t h = hash_state(&s);
        const struct seen *p = find_snapshot(m, &s, h, &at);
        if (p)
            jumped = jump_rounds(r, p, i, (until - now) / every) * every;
        else
            keep_snapshot(m, &s, h, at, r, i);
        known = p || count_served(r) >= PATIENCE;
    }
    hbm_state_free(&s);
    free_memo(m);
    return jumped;
}

/* --- channels that do the same ------------------------------------------------------------ */

static bool has_same_accesses(const struct hbm_traffic *w, uint32_t a, uint32_t b)
{
    uint32_t n = w->first[a + 1] - w->first[a];

    if (w->first[b + 1] - w->first[b] != n)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct hbm_access *p = &w->period[w->of[w->first[a] + i]];
        const struct hbm_access *q = &w->period[w->of[w->first[b] + i]];
        if (p->bank != q->bank || p->row != q->row || p->write != q->write)
            return false;
    }
    return true;
}

/* The first channel with the same accesses as channel `c`, and as many. */
static uint32_t find_twin(const struct hbm_traffic *w, const uint64_t *left, uint32_t c)
{
    for (uint32_t i = 0; i < c; i++)
        if (left[i] == left[c] && has_same_accesses(w, i, c))
            return i;
    return c;
}

static void copy_counts(struct hbm_channel *c, const struct hbm_channel *twin)
{
    c->st = twin->st;
    c->last_done = twin->last_done;
    memcpy(c->bank_st, twin->bank_st, sizeof c->bank_st);
}

static void fold_streams(struct hbm_memory *m, const struct hbm_traffic *w, struct hbm_outcome *out)
{
    uint64_t *left = memory_zeroed(m->n_channels, sizeof *left);
    struct hbm_run run;

    for (uint32_t i = 0; i < hbm_runs(m); i++) {
        hbm_run_init(&run, m, i, w);
        left[i] = run.walk.left;
        uint32_t first = run.seeker ? i : find_twin(w, left, i);
        if (first != i) {
            copy_counts(&m->channel[i], &m->channel[first]);
        } else if (run.walk.left) {
            run_stream(&run, out);
        }
        hbm_run_free(&run);
    }
    free(left);
}

/* --- random chunks ------------------------------------------------------------------------ */

/* Serve random chunks until their rate is known, and let the rest go on at that rate. */
static void run_random(struct hbm_run *r, struct hbm_outcome *out)
{
    uint64_t every = interval_of_timing(r->channel->t), total = r->walk.left, n = MEASURE;

    hbm_run_until(r, SETTLE * every);
    uint64_t before = count_served(r);
    while (hbm_run_until(r, (SETTLE + n) * every) && count_served(r) - before < SAMPLE)
        n += MEASURE;
    if (expect_rest(r, total, (SETTLE + n) * every, count_served(r) - before, n * every, out))
        return;
    hbm_run_until(r, HBM_NEVER);
    out->walked += total;
}

static void fold_random(struct hbm_memory *m, const struct hbm_traffic *w, struct hbm_outcome *out)
{
    struct hbm_run run;

    /* channels draw from one distribution: the result of the first holds for all */
    for (uint32_t i = 0; i < hbm_runs(m); i++) {
        hbm_run_init(&run, m, i, w);
        if (i > 0 && out->statistical)
            copy_counts(&m->channel[i], &m->channel[0]);
        else if (run.walk.left)
            run_random(&run, out);
        hbm_run_free(&run);
    }
}

void hbm_memory_fold(struct hbm_memory *m, const struct hbm_traffic *w, struct hbm_outcome *out)
{
    *out = (struct hbm_outcome){ 0 };
    if (w->load.pattern == HBM_RANDOM)
        fold_random(m, w, out);
    else
        fold_streams(m, w, out);
    for (uint32_t c = 0; c < m->n_channels; c++)
        if (m->channel[c].last_done > out->cycles)
            out->cycles = m->channel[c].last_done;
}
