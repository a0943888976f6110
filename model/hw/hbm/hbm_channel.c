/* Queues and scheduler of a channel: which command issues next. */
#include "hw/hbm/hbm_channel.h"

#include <stdlib.h>

#include "base/memory.h"
#include "hw/hbm/hbm_issue.h"

void hbm_channel_init(struct hbm_channel *c, const struct hbm_timing *t, uint64_t phase)
{
    *c = (struct hbm_channel){ .t = t, .last = { -1, -1 } };
    for (uint32_t b = 0; b < t->banks; b++) {
        struct hbm_bank *k = &c->bank[b];
        k->group = (uint8_t)(b / (t->banks / t->groups));
        k->pc = (uint8_t)(b / (t->banks / t->pcs));
        for (int d = 0; d < 2; d++)
            k->line[d] = (struct hbm_line){ HBM_NIL, HBM_NIL, HBM_NIL, 0, 0 };
        k->queue[0] = k->queue[1] = (struct hbm_queue){ HBM_NIL, HBM_NIL };
    }
    c->turn = t->banks - 1;
    c->refresh_at = t->refresh == HBM_REFRESH_NONE ? HBM_NEVER : t->refi + phase;
    /* with early_place one more request of each bank has left its place in the queue */
    c->n_entries = t->read_queue + t->write_queue + t->banks * (t->bank_queue + 1);
    c->entry = memory_zeroed(c->n_entries, sizeof *c->entry);
    for (uint32_t i = 0; i < c->n_entries; i++)
        c->entry[i].next = (uint16_t)(i + 1 < c->n_entries ? i + 1 : HBM_NIL);
}

void hbm_channel_free(struct hbm_channel *c)
{
    free(c->entry);
}

/* --- requests ----------------------------------------------------------------------------- */

/* Add a request to its bank's line.  Returns whether that changes which commands may issue. */
static bool append_to_line(struct hbm_channel *c, uint16_t i)
{
    struct hbm_entry *e = &c->entry[i];
    struct hbm_bank *k = &c->bank[e->bank];
    bool write = e->write & 1;
    struct hbm_line *l = &k->line[write];
    uint64_t bit = UINT64_C(1) << e->bank;
    bool hit = (c->open & bit) && k->row == e->row;
    bool news = !(c->has[write] & bit) || (hit ? !(c->hit[write] & bit) : !(c->other[write] & bit));

    if (news)
        c->row_next = 0;
    e->seq = c->seq++;
    e->next = HBM_NIL;
    if (l->tail == HBM_NIL)
        l->head = i;
    else
        c->entry[l->tail].next = i;
    l->tail = i;
    l->n++;
    c->has[write] |= bit;
    if (!hit) {
        c->other[write] |= bit;
        return news;
    }
    if (l->n_hit++ == 0)
        l->hit = i;
    c->hit[write] |= bit;
    return news;
}

/* Choose the direction that is served or, with bank queues, that enters them next.  Returns whether
 * it changed. */
static bool choose_direction(struct hbm_channel *c)
{
    const struct hbm_timing *g = c->t;
    bool before = c->writing;

    if (g->bank_queue) {
        if (c->drain == 0 &&
            (c->n[1] >= g->write_high || (c->n[0] == 0 && c->n[1] > 0 && c->n[1] == c->waiting)))
            c->drain = c->n[1];
        c->writing = c->drain > 0;
    } else if (!c->writing) {
        c->writing = c->n[0] == 0 ? c->n[1] > 0 : c->n[1] >= g->write_high && c->grace == 0;
        c->drain = g->write_queue;
    } else {
        c->writing = c->n[1] > 0 && (c->n[0] == 0 || (c->n[1] > g->write_low && c->drain > 0));
        c->grace = c->n[1] > g->write_low ? g->read_queue : 0;
    }
    if (c->writing == before)
        return false;
    c->row_next = 0;
    return true;
}

/* Move one request, the oldest that finds room, into the queue of its bank.  Returns whether the
 * next cycle must be stepped for it. */
static bool feed_bank_queue(struct hbm_channel *c, uint64_t t)
{
    if (c->fed_at == t + 1)
        return false;
    choose_direction(c);
    bool write = c->writing;
    uint64_t best = HBM_NEVER;
    uint32_t bank = 0;

    for (uint64_t m = c->queued[write] & ~c->full; m; m &= m - 1) {
        uint32_t b = (uint32_t)__builtin_ctzll(m);
        uint32_t age = c->entry[c->bank[b].queue[write].head].seq - c->arrivals;
        if (age < best) {
            best = age;
            bank = b;
        }
    }
    if (best == HBM_NEVER)
        return false;
    struct hbm_bank *k = &c->bank[bank];
    uint16_t i = k->queue[write].head;
    k->queue[write].head = c->entry[i].next;
    if (k->queue[write].head == HBM_NIL) {
        k->queue[write].tail = HBM_NIL;
        c->queued[write] &= ~(UINT64_C(1) << bank);
    }
    c->n[write]--;
    c->drain -= write;
    c->fed_at = t + 1;
    bool news = append_to_line(c, i);
    if (k->line[0].n + k->line[1].n == c->t->bank_queue)
        c->full |= UINT64_C(1) << bank;
    choose_direction(c);
    return news || (c->queued[c->writing] & ~c->full);
}

/* Let a request wait for a place in the queue of its bank. */
static void queue_for_bank(struct hbm_channel *c, uint16_t i)
{
    struct hbm_entry *e = &c->entry[i];
    struct hbm_queue *q = &c->bank[e->bank].queue[e->write];

    e->seq = c->arrivals++;
    e->next = HBM_NIL;
    if (q->tail == HBM_NIL)
        q->head = i;
    else
        c->entry[q->tail].next = i;
    q->tail = i;
    c->queued[e->write] |= UINT64_C(1) << e->bank;
}

bool hbm_channel_push(struct hbm_channel *c, uint64_t t, uint32_t bank, uint32_t row, bool write,
                      uint32_t tag)
{
    uint16_t i = c->free;
    struct hbm_entry *e = &c->entry[i];

    BUG_ON(i == HBM_NIL || bank >= c->t->banks);
    c->free = e->next;
    e->since = t;
    e->row = row;
    e->tag = tag;
    e->bank = (uint8_t)bank;
    e->write = write;
    c->n[write]++;
    c->waiting++;
    if (c->t->bank_queue) {
        queue_for_bank(c, i);
        bool news = feed_bank_queue(c, t);
        choose_direction(c);
        return news || (c->queued[c->writing] & ~c->full);
    }
    bool wake = append_to_line(c, i);
    return (wake && c->writing == write) || choose_direction(c);
}

/* --- scheduling --------------------------------------------------------------------------- */

/* The request of smallest rank goes first: by age, or by the turn of its bank and then by age. */
static inline uint64_t rank_request(const struct hbm_channel *c, uint32_t b, uint32_t seq)
{
    uint32_t age = seq - c->seq; /* older requests have a smaller age, across the wrap of seq */

    if (c->t->by_age)
        return age;
    uint32_t turn = b > c->turn ? b - c->turn - 1 : b + c->t->banks - c->turn - 1;
    return (uint64_t)turn << 32 | age;
}

/* Mask of banks whose row was opened for a request of direction `d` that is served next, even if
 * the direction has changed since.  A request that has left its place in the queue does not count
 * when the direction is chosen, so nothing else would ever serve it. */
static inline uint64_t promised_banks(const struct hbm_channel *c, int d)
{
    return c->t->hold_row && !c->t->early_place ? 0 : c->fresh[d];
}

/* The request of bank `b` that goes first: one that has left its place, else the oldest in the
 * direction at hand; with bank queues, in either direction. */
static inline const struct hbm_entry *oldest_entry(const struct hbm_channel *c, uint32_t b)
{
    const struct hbm_line *l = c->bank[b].line;

    if (c->t->early_place && (c->fresh[!c->writing] >> b & 1))
        return &c->entry[l[!c->writing].head];
    if (!c->t->bank_queue)
        return &c->entry[l[c->writing].head];
    if (l[0].head == HBM_NIL || l[1].head == HBM_NIL)
        return &c->entry[l[l[0].head == HBM_NIL].head];
    const struct hbm_entry *r = &c->entry[l[0].head], *w = &c->entry[l[1].head];
    return (int32_t)(r->seq - w->seq) < 0 ? r : w;
}

/* The cycle in which the oldest request of bank `b`, if it is for another row than the open one,
 * has waited too long. */
static uint64_t time_too_late(const struct hbm_channel *c, uint32_t b)
{
    const struct hbm_entry *e = oldest_entry(c, b);

    return c->t->age_limit && e->row != c->bank[b].row ? e->since + c->t->age_limit : HBM_NEVER;
}

/* Mask of banks whose requests of direction `d` may be served now. */
static uint64_t served_banks(const struct hbm_channel *c, int d)
{
    return c->t->bank_queue || c->writing == d ? UINT64_MAX : 0;
}

/* Issue a read or write in cycle `t`, if one can. */
static bool schedule_column(struct hbm_channel *c, uint64_t t, uint64_t *next)
{
    uint64_t best = HBM_NEVER;
    uint32_t bank = 0;
    bool write = false;

    for (int d = 0; d < 2; d++) {
        uint64_t m = c->hit[d] & (served_banks(c, d) | promised_banks(c, d)) & ~c->frozen;
        if (!m)
            continue;
        if (c->t->pcs == 1 && c->pc[0].ok[d] > t) {
            hbm_sooner(next, c->pc[0].ok[d]);
            continue;
        }
        uint64_t contested = served_banks(c, d) & (c->other[0] | c->other[1]);
        for (; m; m &= m - 1) {
            uint32_t b = (uint32_t)__builtin_ctzll(m);
            const struct hbm_bank *k = &c->bank[b];
            uint64_t when =
                hbm_later(hbm_later(k->ok[d], c->group[k->group].ok[d]), c->pc[k->pc].ok[d]);
            if (when > t) {
                hbm_sooner(next, when);
                continue;
            }
            if ((contested >> b & 1) && time_too_late(c, b) <= t)
                continue;
            uint64_t r = rank_request(c, b, c->entry[k->line[d].hit].seq);
            if (r < best) {
                best = r;
                bank = b;
                write = d;
            }
        }
    }
    if (best == HBM_NEVER)
        return false;
    hbm_issue_access(c, t, bank, write);
    uint32_t *batch = write ? &c->drain : &c->grace;
    *batch -= !c->t->bank_queue && *batch > 0;
    return true;
}

/* The cycle from which bank `b`, with requests for its open row, may be closed for an older request
 * that waits for another row. */
static uint64_t time_to_close(const struct hbm_channel *c, uint32_t b)
{
    const struct hbm_entry *e = oldest_entry(c, b);

    if (e->row == c->bank[b].row)
        return HBM_NEVER;
    if (c->bank[b].served >= c->t->row_hits)
        return c->pre_ok[b];
    return c->t->age_limit ? hbm_later(e->since + c->t->age_limit, c->pre_ok[b]) : HBM_NEVER;
}

/* The number in sequence of the oldest request of bank `b` for another row. */
static uint32_t oldest_other_seq(const struct hbm_channel *c, uint32_t b)
{
    const struct hbm_entry *e = oldest_entry(c, b);

    while (e->row == c->bank[b].row && e->next != HBM_NIL)
        e = &c->entry[e->next];
    return e->seq;
}

/* Bank `b` can take its next row command at `when`: now, or that is when to look again. */
static inline uint64_t ready_at(struct hbm_channel *c, uint64_t t, uint32_t b, uint64_t when)
{
    hbm_sooner(&c->row_next, when > t ? when : HBM_NEVER);
    return (uint64_t)(when <= t) << b;
}

/* The banks to be activated and precharged whose command can issue in cycle `t`; of those to be
 * precharged, `held` have requests for their open row. */
static inline uint64_t ready_banks(struct hbm_channel *c, uint64_t t, uint64_t acts, uint64_t pres,
                                   uint64_t held)
{
    uint64_t ready = 0;

    for (; acts; acts &= acts - 1) {
        uint32_t b = (uint32_t)__builtin_ctzll(acts);
        ready |= ready_at(c, t, b, hbm_later(c->act_ok[b], c->pc_act_ok[c->bank[b].pc]));
    }
    for (uint64_t m = pres & ~held; m; m &= m - 1) {
        uint32_t b = (uint32_t)__builtin_ctzll(m);
        ready |= ready_at(c, t, b, c->pre_ok[b]);
    }
    for (uint64_t m = pres & held; m; m &= m - 1) {
        uint32_t b = (uint32_t)__builtin_ctzll(m);
        ready |= ready_at(c, t, b, time_to_close(c, b));
    }
    return ready;
}

/* The bank of the mask `ready`, not empty, that the arbiter serves first. */
static inline uint32_t first_bank(const struct hbm_channel *c, uint64_t ready)
{
    uint64_t best = HBM_NEVER;
    uint32_t bank = 0;

    for (uint64_t m = ready; m; m &= m - 1) {
        uint32_t b = (uint32_t)__builtin_ctzll(m);
        uint64_t r = rank_request(
            c, b, (c->open >> b & 1) ? oldest_other_seq(c, b) : oldest_entry(c, b)->seq);
        if (r < best) {
            best = r;
            bank = b;
        }
    }
    return bank;
}

/* Precharge the bank if it has an open row, else activate the row of its oldest request. */
static inline void issue_row(struct hbm_channel *c, uint64_t t, uint32_t bank, uint64_t *next)
{
    if (c->open >> bank & 1) {
        uint64_t others_next = c->row_next;
        hbm_issue_precharge(c, t, bank);
        c->row_next = others_next;
        hbm_sooner(&c->row_next, c->act_ok[bank]);
        return;
    }
    struct hbm_entry *e = (struct hbm_entry *)(uintptr_t)oldest_entry(c, bank);
    if (c->t->early_place && !(e->write & 2)) {
        c->n[e->write & 1]--;
        e->write |= 2;
        hbm_sooner(&c->row_next, t + 1); /* the direction may change */
    }
    hbm_issue_activate(c, t, bank, e);
    hbm_sooner(&c->row_next, c->pre_ok[bank]);
    hbm_sooner(next, c->bank[bank].ok[0]);
    hbm_sooner(next, c->bank[bank].ok[1]);
}

/* Issue an activate or a precharge in cycle `t`, if one can. */
static void schedule_row(struct hbm_channel *c, uint64_t t, uint64_t *next)
{
    uint64_t promised = promised_banks(c, 0) | promised_banks(c, 1);
    uint64_t any =
        ((c->has[0] & served_banks(c, 0)) | (c->has[1] & served_banks(c, 1)) | promised) &
        ~c->frozen;
    /* banks whose open row requests wait for; without hold_row only the request that a row was
     * opened for keeps it open */
    uint64_t held =
        c->t->hold_row ? (c->hit[0] & served_banks(c, 0)) | (c->hit[1] & served_banks(c, 1)) : 0;
    uint64_t others = (c->other[0] & served_banks(c, 0)) | (c->other[1] & served_banks(c, 1));
    uint64_t acts = any & ~c->open, pres = any & c->open & others;

    pres &= ~promised;
    c->row_next = HBM_NEVER;
    if (!(acts | pres))
        return;
    if (c->row_bus > t) {
        c->row_next = c->row_bus;
        return;
    }
    if (acts && c->t->pcs == 1 && c->pc_act_ok[0] > t) {
        c->row_next = c->pc_act_ok[0];
        acts = 0;
    }
    uint64_t ready = ready_banks(c, t, acts, pres, held);
    if (!ready)
        return;
    if (ready & (ready - 1))
        hbm_sooner(&c->row_next, t + 1);
    issue_row(c, t, first_bank(c, ready), next);
}

uint64_t hbm_channel_step(struct hbm_channel *c, uint64_t t)
{
    uint64_t next = HBM_NEVER;
    bool again = false;

    while (t >= c->refresh_at)
        hbm_refresh_due(c);
    if (c->owed)
        again = hbm_refresh_step(c, t, &next);
    if (!c->t->bank_queue)
        choose_direction(c);
    bool access = schedule_column(c, t, &next);
    if (access) {
        /* the next access issues a burst later, or goes to the other pseudo-channel */
        hbm_sooner(&next, t + (c->t->pcs == 1 ? c->t->ccd_s : 1));
        if (!c->t->bank_queue)
            again |= choose_direction(c);
    }
    if (again || (access && !c->t->dual_bus))
        again = true;
    else if (t >= c->row_next)
        schedule_row(c, t, &next);
    hbm_sooner(&next, c->row_next);
    if (c->t->bank_queue)
        again |= feed_bank_queue(c, t);
    if (again)
        next = t + 1;
    hbm_sooner(&next, c->refresh_at);
    return next;
}
