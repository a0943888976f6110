/* Refresh of a channel: when it becomes due, which banks it stops, and the precharges and refreshes
 * that it takes.  All banks at a time every tREFI, or one after the other. */
#include "hw/hbm/hbm_issue.h"

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
        hbm_issue_trace(c, t, HBM_PRECHARGE_ALL, 0);
        for (uint64_t m = c->open; m; m &= m - 1) {
            uint32_t b = (uint32_t)__builtin_ctzll(m);
            c->act_ok[b] = hbm_later(c->act_ok[b], t + c->t->rp);
            hbm_issue_close(c, b);
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
    hbm_issue_trace(c, t, HBM_REFRESH, 0);
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
        hbm_issue_trace(c, t, HBM_PRECHARGE, b);
        hbm_issue_close(c, b);
        return true;
    }
    hbm_issue_trace(c, t, HBM_REFRESH_ONE, b);
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
