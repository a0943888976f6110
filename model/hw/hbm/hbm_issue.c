/* The effect of each command on gaps, rows and queues of a channel, and refresh. */
#include "hw/hbm/hbm_issue.h"

static void trace_command(const struct hbm_channel *c, uint64_t t, enum hbm_command cmd, uint32_t b)
{
    if (c->trace)
        c->trace(c->self, t, cmd, b, c->bank[b].row);
}

static void set_bank_bit(uint64_t *mask, uint32_t b, bool on)
{
    *mask = (*mask & ~(UINT64_C(1) << b)) | (uint64_t)on << b;
}

void hbm_classify(struct hbm_channel *c, uint32_t b)
{
    const struct hbm_bank *k = &c->bank[b];

    for (int d = 0; d < 2; d++) {
        set_bank_bit(&c->has[d], b, k->line[d].n);
        set_bank_bit(&c->hit[d], b, k->line[d].n_hit);
        set_bank_bit(&c->other[d], b, k->line[d].n > k->line[d].n_hit);
    }
}

/* Count the requests for the row that was opened, and find the oldest. */
static void find_hits(struct hbm_channel *c, struct hbm_bank *k)
{
    for (int d = 0; d < 2; d++) {
        struct hbm_line *l = &k->line[d];
        l->hit = HBM_NIL;
        l->n_hit = 0;
        for (uint16_t i = l->head; i != HBM_NIL; i = c->entry[i].next)
            if (c->entry[i].row == k->row) {
                if (l->n_hit++ == 0)
                    l->hit = i;
            }
    }
}

void hbm_issue_activate(struct hbm_channel *c, uint64_t t, uint32_t b, const struct hbm_entry *e)
{
    const struct hbm_timing *g = c->t;
    struct hbm_bank *k = &c->bank[b];
    uint32_t each = g->banks / g->groups, first = k->group * each;

    k->row = e->row;
    k->served = 0;
    k->ok[0] = t + g->rcd_read;
    k->ok[1] = t + g->rcd_write;
    c->pre_ok[b] = t + g->ras;
    for (uint32_t i = first; i < first + each; i++)
        c->act_ok[i] = hbm_later(c->act_ok[i], t + g->rrd_l);
    c->act_ok[b] = t + g->rc;
    c->faw[k->pc][c->faw_at[k->pc]++ % 4] = t + g->faw;
    c->pc_act_ok[k->pc] = hbm_later(t + g->rrd_s, c->faw[k->pc][c->faw_at[k->pc] % 4]);
    c->row_bus = t + g->act_cycles;
    c->open |= UINT64_C(1) << b;
    c->fresh[e->write & 1] |= UINT64_C(1) << b;
    c->turn = b;
    find_hits(c, k);
    hbm_classify(c, b);
    c->st.activates++;
    trace_command(c, t, HBM_ACTIVATE, b);
}

/* The row of bank `b` is closed: no request hits it. */
static void close_row(struct hbm_channel *c, uint32_t b)
{
    uint64_t bit = UINT64_C(1) << b;

    for (int d = 0; d < 2; d++) {
        c->bank[b].line[d].n_hit = 0;
        c->bank[b].line[d].hit = HBM_NIL;
        c->fresh[d] &= ~bit;
    }
    c->open &= ~bit;
    c->row_next = 0;
    hbm_classify(c, b);
}

void hbm_issue_precharge(struct hbm_channel *c, uint64_t t, uint32_t b)
{
    c->act_ok[b] = hbm_later(c->act_ok[b], t + c->t->rp);
    c->row_bus = t + 1;
    c->turn = b;
    c->st.conflicts++;
    c->bank_st[b].conflicts++;
    trace_command(c, t, HBM_PRECHARGE, b);
    close_row(c, b);
}

/* Take the oldest hit out of its line; returns its index. */
static uint16_t take_hit(struct hbm_channel *c, struct hbm_bank *k, bool write)
{
    struct hbm_line *l = &k->line[write];
    uint16_t i = l->hit, next = c->entry[i].next;

    if (l->head == i) {
        l->head = next;
        if (next == HBM_NIL)
            l->tail = HBM_NIL;
    } else {
        uint16_t before = l->head;
        while (c->entry[before].next != i)
            before = c->entry[before].next;
        c->entry[before].next = next;
        if (next == HBM_NIL)
            l->tail = before;
    }
    l->n--;
    if (--l->n_hit == 0)
        next = HBM_NIL;
    else
        while (c->entry[next].row != k->row)
            next = c->entry[next].next;
    l->hit = next;
    return i;
}

void hbm_issue_access(struct hbm_channel *c, uint64_t t, uint32_t b, bool write)
{
    const struct hbm_timing *g = c->t;
    struct hbm_bank *k = &c->bank[b];
    struct hbm_gate *group = &c->group[k->group], *pc = &c->pc[k->pc];
    uint16_t i = take_hit(c, k, write);
    struct hbm_entry *e = &c->entry[i];
    uint64_t end = t + (write ? g->write_done : g->read_done);

    group->ok[write] = t + g->ccd_l;
    pc->ok[write] = t + g->ccd_s;
    if (write) {
        group->ok[0] = hbm_later(group->ok[0], t + g->write_read_l);
        pc->ok[0] = hbm_later(pc->ok[0], t + g->write_read_s);
        c->pre_ok[b] = hbm_later(c->pre_ok[b], t + g->write_pre);
    } else {
        pc->ok[1] = hbm_later(pc->ok[1], t + g->read_write);
        c->pre_ok[b] = hbm_later(c->pre_ok[b], t + g->rtp);
    }
    c->st.turnarounds += c->last[k->pc] >= 0 && c->last[k->pc] != (int32_t)write;
    c->last[k->pc] = write;
    c->st.hits += k->served > 0;
    c->bank_st[b].hits += k->served > 0;
    c->bank_st[b].accesses++;
    k->served++;
    if (write)
        c->st.writes++;
    else
        c->st.reads++;
    c->st.latency += end - e->since;
    c->last_done = hbm_later(c->last_done, end);
    c->turn = b;
    c->fresh[0] &= ~(UINT64_C(1) << b);
    c->fresh[1] &= ~(UINT64_C(1) << b);
    c->waiting--;
    if (!g->bank_queue && !(e->write & 2))
        c->n[write]--;
    if (c->done)
        c->done(c->self, e->tag, end);
    e->next = c->free;
    c->free = i;
    c->full &= ~(UINT64_C(1) << b);
    if (g->closed_page && k->line[0].n_hit + k->line[1].n_hit == 0) {
        trace_command(c, t, write ? HBM_WRITE_CLOSE : HBM_READ_CLOSE, b);
        c->act_ok[b] = hbm_later(c->act_ok[b], c->pre_ok[b] + g->rp);
        close_row(c, b);
        return;
    }
    trace_command(c, t, write ? HBM_WRITE : HBM_READ, b);
    hbm_sooner(&c->row_next, c->pre_ok[b]);
    hbm_classify(c, b);
}

/* --- refresh ------------------------------------------------------------------------------ */

void hbm_refresh_due(struct hbm_channel *c)
{
    if (c->owed++ == 0)
        c->owed_since = c->refresh_at;
    c->refresh_at += c->t->refi;
    c->frozen = c->t->refresh == HBM_REFRESH_ALL ? UINT64_MAX : UINT64_C(1) << c->refresh_bank;
}

/* A refresh of `n` banks has issued in cycle `t` and takes `gap` cycles. */
static void note_refresh(struct hbm_channel *c, uint64_t t, uint64_t gap, uint32_t n)
{
    c->row_bus = t + 1;
    c->row_next = 0;
    c->st.refreshes++;
    c->st.refresh_cycles += (t + gap - c->owed_since) * n;
    if (--c->owed > 0) {
        c->owed_since = hbm_later(c->owed_since + c->t->refi, t + gap);
        if (c->t->refresh == HBM_REFRESH_BANK)
            c->frozen = UINT64_C(1) << c->refresh_bank;
    } else {
        c->frozen = 0;
    }
}

static bool refresh_all_banks(struct hbm_channel *c, uint64_t t, uint64_t *next)
{
    uint64_t when = c->row_bus;

    if (c->open) {
        for (uint64_t m = c->open; m; m &= m - 1)
            when = hbm_later(when, c->pre_ok[__builtin_ctzll(m)]);
        if (when > t) {
            hbm_sooner(next, when);
            return false;
        }
        trace_command(c, t, HBM_PRECHARGE_ALL, 0);
        for (uint64_t m = c->open; m; m &= m - 1) {
            uint32_t b = (uint32_t)__builtin_ctzll(m);
            c->act_ok[b] = hbm_later(c->act_ok[b], t + c->t->rp);
            close_row(c, b);
        }
        c->row_bus = t + 1;
        return true;
    }
    for (uint32_t b = 0; b < c->t->banks; b++)
        when = hbm_later(when, c->act_ok[b]);
    if (when > t) {
        hbm_sooner(next, when);
        return false;
    }
    trace_command(c, t, HBM_REFRESH, 0);
    for (uint32_t b = 0; b < c->t->banks; b++)
        c->act_ok[b] = t + c->t->rfc;
    note_refresh(c, t, c->t->rfc, c->t->banks);
    return true;
}

static bool refresh_one_bank(struct hbm_channel *c, uint64_t t, uint64_t *next)
{
    uint32_t b = c->refresh_bank;
    uint64_t *pc_ok = &c->pc_act_ok[c->bank[b].pc];
    bool open = c->open >> b & 1;
    uint64_t when = hbm_later(c->row_bus, open ? c->pre_ok[b] : hbm_later(c->act_ok[b], *pc_ok));

    if (when > t) {
        hbm_sooner(next, when);
        return false;
    }
    if (open) {
        c->act_ok[b] = hbm_later(c->act_ok[b], t + c->t->rp);
        c->row_bus = t + 1;
        trace_command(c, t, HBM_PRECHARGE, b);
        close_row(c, b);
        return true;
    }
    trace_command(c, t, HBM_REFRESH_ONE, b);
    c->act_ok[b] = t + c->t->rfc_bank;
    *pc_ok = hbm_later(*pc_ok, t + c->t->rrefd);
    c->refresh_bank = (b + 1) % c->t->banks;
    note_refresh(c, t, c->t->rfc_bank, 1);
    return true;
}

bool hbm_refresh_step(struct hbm_channel *c, uint64_t t, uint64_t *next)
{
    return c->t->refresh == HBM_REFRESH_ALL ? refresh_all_banks(c, t, next)
                                            : refresh_one_bank(c, t, next);
}
