/* hbm_issue.h - what a command does to a channel: the gaps it opens, the row it opens or closes.
 * Private to the channel. */
#ifndef HW_HBM_HBM_ISSUE_H
#define HW_HBM_HBM_ISSUE_H

#include "hw/hbm/hbm_channel.h"

static inline uint64_t hbm_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline void hbm_sooner(uint64_t *next, uint64_t when)
{
    if (when < *next)
        *next = when;
}

/* Set the masks of bank `b` by its lines. */
void hbm_classify(struct hbm_channel *c, uint32_t b);

void hbm_issue_activate(struct hbm_channel *c, uint64_t t, uint32_t b, const struct hbm_entry *e);
/* Serve the oldest request for the open row. */
void hbm_issue_access(struct hbm_channel *c, uint64_t t, uint32_t b, bool write);
void hbm_issue_precharge(struct hbm_channel *c, uint64_t t, uint32_t b);

/* Refresh in cycle `t`: becomes due, and issues what it needs; returns whether it took the row bus.
 */
void hbm_refresh_due(struct hbm_channel *c);
bool hbm_refresh_step(struct hbm_channel *c, uint64_t t, uint64_t *next);

#endif
