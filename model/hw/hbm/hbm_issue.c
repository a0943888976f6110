/* The effect of each command on gaps, rows and queues of a channel. */
#include "hw/hbm/hbm_issue.h"

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
    hbm_issue_trace(c, t, HBM_ACTIVATE, b);
}

/* The row of bank `b` is closed: no request hits it.  One that has left its place in the queue for
 * a row that a refresh closes keeps its claim to the bank. */
void hbm_issue_close(struct hbm_channel *c, uint32_t b)
{
    uint64_t bit = UINT64_C(1) << b;

    for (int d = 0; d < 2; d++) {
        c->bank[b].line[d].n_hit = 0;
        c->bank[b].line[d].hit = HBM_NIL;
        if (!c->t->early_place)
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
    hbm_issue_trace(c, t, HBM_PRECHARGE, b);
    hbm_issue_close(c, b);
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
        hbm_issue_trace(c, t, write ? HBM_WRITE_CLOSE : HBM_READ_CLOSE, b);
        c->act_ok[b] = hbm_later(c->act_ok[b], c->pre_ok[b] + g->rp);
        hbm_issue_close(c, b);
        return;
    }
    hbm_issue_trace(c, t, write ? HBM_WRITE : HBM_READ, b);
    hbm_sooner(&c->row_next, c->pre_ok[b]);
    hbm_classify(c, b);
}
