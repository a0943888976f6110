/* hbm_issue.h - the effect of a command on a channel: the gaps it begins, the row it opens or
 * closes.  Private to the channel. */
#ifndef HW_HBM_HBM_ISSUE_H
#define HW_HBM_HBM_ISSUE_H

#include "hw/hbm/hbm_channel.h"

/* The later of two cycles. */
static inline uint64_t hbm_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Let *next be no later than `when`. */
static inline void hbm_sooner(uint64_t *next, uint64_t when)
{
    if (when < *next)
        *next = when;
}

/* Tell whoever watches the channel of a command. */
static inline void hbm_issue_trace(const struct hbm_channel *c, uint64_t t, enum hbm_command cmd,
                                   uint32_t b)
{
    if (c->trace)
        c->trace(c->self, t, cmd, b, c->bank[b].row);
}

/* Set the masks has, hit and other of bank `b` from its lines. */
void hbm_classify(struct hbm_channel *c, uint32_t b);

/* Activate the row of request `e` in bank `b`, in cycle `t`. */
void hbm_issue_activate(struct hbm_channel *c, uint64_t t, uint32_t b, const struct hbm_entry *e);
/* Serve the oldest request for the open row of bank `b`; with page=closed, close the row after the
 * last one. */
void hbm_issue_access(struct hbm_channel *c, uint64_t t, uint32_t b, bool write);
void hbm_issue_precharge(struct hbm_channel *c, uint64_t t, uint32_t b);
/* Bank `b` has no open row any more. */
void hbm_issue_close(struct hbm_channel *c, uint32_t b);

/* --- hbm_refresh.c ------------------------------------------------------------------------ */

/* A refresh becomes due: its banks take no other commands. */
void hbm_refresh_due(struct hbm_channel *c);
/* Issue a precharge or refresh for it in cycle `t`, if one can: returns whether it took the row
 * bus. Otherwise *next is set to the cycle in which one can, if that is sooner. */
bool hbm_refresh_step(struct hbm_channel *c, uint64_t t, uint64_t *next);

#endif
