/* Runs: accesses go into the queues of one channel, or of all through a window. */
#include "hw/hbm/hbm_memory.h"

#include <stdlib.h>

#include "base/memory.h"

int hbm_memory_init(struct hbm_memory *m, const struct dram_params *par, struct err *err)
{
    *m = (struct hbm_memory){ .par = *par, .n_channels = dram_channels(par) };
    if (hbm_timing_init(&m->t, par, err) != 0 || hbm_map_init(&m->map, par, err) != 0)
        return -1;
    m->channel = memory_zeroed(m->n_channels, sizeof *m->channel);
    for (uint32_t c = 0; c < m->n_channels; c++)
        hbm_channel_init(&m->channel[c], &m->t, 0);
    return 0;
}

void hbm_memory_free(struct hbm_memory *m)
{
    for (uint32_t c = 0; m->channel && c < m->n_channels; c++)
        hbm_channel_free(&m->channel[c]);
    free(m->channel);
}

/* --- runs --------------------------------------------------------------------------------- */

uint32_t hbm_runs(const struct hbm_memory *m)
{
    return m->par.window ? 1 : m->n_channels;
}

void hbm_run_init(struct hbm_run *r, struct hbm_memory *m, uint32_t channel,
                  const struct hbm_traffic *w)
{
    uint32_t window = m->par.window;

    *r = (struct hbm_run){ .channel = &m->channel[channel], .n = window ? m->n_channels : 1 };
    r->next = memory_zeroed(r->n, sizeof *r->next);
    if (!window) {
        hbm_walk_channel(&r->walk, w, channel);
        return;
    }
    hbm_walk_all(&r->walk, w);
    r->seeker = memory_zeroed(window, sizeof *r->seeker);
    r->seekers = memory_zeroed(r->n * (size_t)2, sizeof *r->seekers);
    for (uint32_t i = 0; i < window; i++)
        r->seeker[i].next = (uint16_t)(i + 1 < window ? i + 1 : HBM_NIL);
    for (uint32_t i = 0; i < r->n * 2; i++)
        r->seekers[i] = (struct hbm_seekers){ HBM_NIL, HBM_NIL };
}

void hbm_run_free(struct hbm_run *r)
{
    free(r->next);
    free(r->seeker);
    free(r->seekers);
}

static void push_access(struct hbm_run *r, uint64_t t, uint32_t channel, const struct hbm_access *a)
{
    if (hbm_channel_push(&r->channel[channel], t, a->bank, a->row, a->write, 0))
        r->next[channel] = t + 1;
}

/* One channel by itself: accesses enter in order while there is room. */
static bool run_one_channel(struct hbm_run *r, uint64_t until)
{
    struct hbm_channel *c = r->channel;

    while (r->next[0] < until) {
        uint64_t t = r->next[0];
        r->next[0] = hbm_channel_step(c, t);
        for (; r->walk.left && hbm_channel_room(c, r->walk.cur.write); hbm_walk_next(&r->walk))
            push_access(r, t, 0, &r->walk.cur);
        if (!hbm_channel_waiting(c))
            return false;
    }
    return true;
}

/* Accesses of the window that look for room in channel `c` enter while there is any. */
static void admit_seekers(struct hbm_run *r, uint64_t t, uint32_t c)
{
    for (uint32_t d = 0; d < 2; d++) {
        struct hbm_seekers *l = &r->seekers[c * 2 + d];
        while (l->head != HBM_NIL && hbm_channel_room(&r->channel[c], d)) {
            uint16_t i = l->head;
            push_access(r, t, c, &r->seeker[i].access);
            l->head = r->seeker[i].next;
            if (l->head == HBM_NIL)
                l->tail = HBM_NIL;
            r->seeker[i].next = r->free;
            r->free = i;
        }
    }
}

/* The window takes the next accesses while it has a free place. */
static void refill_window(struct hbm_run *r, uint64_t t)
{
    struct hbm_walk *k = &r->walk;

    for (; k->left && r->free != HBM_NIL; hbm_walk_next(k)) {
        uint32_t c = k->cur.channel, d = k->cur.write;
        struct hbm_seekers *l = &r->seekers[c * 2 + d];
        if (l->head == HBM_NIL && hbm_channel_room(&r->channel[c], d)) {
            push_access(r, t, c, &k->cur);
            continue;
        }
        uint16_t i = r->free;
        r->free = r->seeker[i].next;
        r->seeker[i] = (struct hbm_seeker){ k->cur, HBM_NIL };
        if (l->tail == HBM_NIL)
            l->head = i;
        else
            r->seeker[l->tail].next = i;
        l->tail = i;
    }
}

static bool run_all_channels(struct hbm_run *r, uint64_t until)
{
    for (;;) {
        uint64_t t = r->next[0], waiting = 0;
        for (uint32_t c = 1; c < r->n; c++)
            t = r->next[c] < t ? r->next[c] : t;
        if (t >= until)
            return true;
        for (uint32_t c = 0; c < r->n; c++)
            if (r->next[c] == t) {
                r->next[c] = hbm_channel_step(&r->channel[c], t);
                admit_seekers(r, t, c);
            }
        refill_window(r, t);
        if (r->walk.left)
            continue;
        for (uint32_t c = 0; c < r->n; c++)
            waiting += hbm_channel_waiting(&r->channel[c]);
        if (!waiting)
            return false;
    }
}

bool hbm_run_until(struct hbm_run *r, uint64_t until)
{
    if (!r->walk.left && !hbm_channel_waiting(r->channel) && r->n == 1)
        return false;
    return r->n == 1 && !r->seeker ? run_one_channel(r, until) : run_all_channels(r, until);
}

static uint64_t count_served(const struct hbm_memory *m)
{
    uint64_t sum = 0;

    for (uint32_t c = 0; c < m->n_channels; c++)
        sum += m->channel[c].st.reads + m->channel[c].st.writes;
    return sum;
}

enum { TOLD = 1 << 16 }; /* cycles between two calls of `tell` */

void hbm_memory_walk_told(struct hbm_memory *m, const struct hbm_traffic *w,
                          struct hbm_outcome *out, hbm_tell *tell, void *self)
{
    struct hbm_run run;

    *out = (struct hbm_outcome){ .walked = w->accesses };
    for (uint32_t i = 0; i < hbm_runs(m); i++) {
        hbm_run_init(&run, m, i, w);
        for (uint64_t until = TOLD; hbm_run_until(&run, tell ? until : HBM_NEVER); until += TOLD) {
            BUG_ON(!tell); /* never is later than the end */
            tell(self, count_served(m));
        }
        hbm_run_free(&run);
    }
    for (uint32_t c = 0; c < m->n_channels; c++)
        if (m->channel[c].last_done > out->cycles)
            out->cycles = m->channel[c].last_done;
}

void hbm_memory_walk(struct hbm_memory *m, const struct hbm_traffic *w, struct hbm_outcome *out)
{
    hbm_memory_walk_told(m, w, out, NULL, NULL);
}
