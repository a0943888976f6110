/* hbm_channel.h - one HBM channel, cycle by cycle: queues, scheduler, banks, refresh.
 *
 *      push >--[ reads | writes ]--[ queue of each bank ]--+--> column bus: RD WR, one a cycle
 *                (depths)            (bank_queue)          +--> row bus: ACT PRE REF, one a cycle
 *
 * Pure timing, in cycles of the command clock from 0.  A request pushed in cycle t can issue its
 * first command in cycle t + 1.  In each cycle a command may issue on each bus.  Of all commands
 * that no gap of hbm_timing.h forbids, the scheduler takes that of the oldest request, or that of
 * the next bank in turn, as `arbiter` says.
 *
 * Direction.  Without bank queues only reads are served, until write_high writes wait or no read
 * does; then only writes, until write_low writes are left while reads wait, or until as many writes
 * as a queue holds were served; after those as many reads go first.  With bank queues the direction
 * decides which requests enter them, one a cycle.
 *
 * Row hit.  An access to the open row issues as soon as it may.  A row is closed when no access
 * waits for it.  It is also closed if an older access waits for another row and either row_hits
 * accesses were served, or the older one has waited for age_limit; in the latter case the bank
 * serves no other access.
 *
 * Refresh.  When one is due, its banks take no commands but precharge and refresh.
 *
 * Cycles without a command are not visited: a step returns the next cycle in which one can issue.
 * Two requests to one address are not ordered; a client that needs order waits for the first.
 *
 * A command costs O(banks with requests).  Nothing is allocated after hbm_channel_init. */
#ifndef HW_HBM_HBM_CHANNEL_H
#define HW_HBM_HBM_CHANNEL_H

#include "hw/hbm/hbm_timing.h"

#define HBM_NEVER UINT64_MAX /* a cycle that does not come */

enum hbm_command {
    HBM_ACTIVATE,
    HBM_READ,
    HBM_WRITE,
    HBM_READ_CLOSE, /* with auto-precharge */
    HBM_WRITE_CLOSE,
    HBM_PRECHARGE,
    HBM_PRECHARGE_ALL,
    HBM_REFRESH,
    HBM_REFRESH_ONE,
};

/* A request in the queues.  Lists are linked by index; HBM_NIL ends them. */
struct hbm_entry {
    uint64_t since; /* cycle in which it was pushed */
    uint32_t row, seq, tag;
    uint16_t next;
    uint8_t bank, write;
};

#define HBM_NIL UINT16_MAX /* the index behind the last of a list */

/* Requests of one direction that the scheduler sees for a bank, oldest first. */
struct hbm_line {
    uint16_t head, tail, hit; /* hit: the oldest request for the open row */
    uint16_t n, n_hit;
};

struct hbm_bank {
    uint64_t ok[2];          /* earliest read and write */
    uint32_t row, served;    /* open row, its accesses so far */
    struct hbm_line line[2]; /* reads, writes */
    struct hbm_queue {
        uint16_t head, tail;
    } queue[2]; /* requests that wait for a place in the bank's queue */
    uint8_t group, pc;
};

struct hbm_gate { /* of a bank group or pseudo-channel: earliest read and write */
    uint64_t ok[2];
};

/* Counters of a channel, from cycle 0. */
#define HBM_CHANNEL_COUNTS(C)                                                                      \
    C(reads)                                                                                       \
    C(writes)                                                                                      \
    C(hits)      /* accesses to an open row after its first access */                              \
    C(conflicts) /* rows closed for another one */                                                 \
    C(activates)                                                                                   \
    C(turnarounds) /* changes between read and write */                                            \
    C(refreshes)                                                                                   \
    C(refresh_cycles) /* a bank waits for refresh or is refreshed, summed over banks */            \
    C(latency)        /* cycles from push to the end of the data, summed */

#define C(name) uint64_t name;
/* The counters of a channel. */
struct hbm_counts {
    HBM_CHANNEL_COUNTS(C)
};
#undef C

/* Counters of one bank, as those of its channel. */
struct hbm_bank_counts {
    uint64_t accesses, hits, conflicts;
};

/* Called for each command that issues, and for each request at the end of its data. */
typedef void hbm_trace_fn(void *self, uint64_t cycle, enum hbm_command cmd, uint32_t bank,
                          uint32_t row);
typedef void hbm_done_fn(void *self, uint32_t tag, uint64_t cycle);

struct hbm_channel {
    const struct hbm_timing *t;
    /* masks of banks.  open: a row is open; fresh: it was opened for a request that is not served
     * yet; frozen: a refresh is due.  By direction, has: requests wait; hit: one for the open row;
     * other: one for another row */
    uint64_t open, fresh[2], frozen, has[2], hit[2], other[2];
    uint64_t queued[2],
        full; /* banks with requests that wait for their queue; banks whose queue is full */
    struct hbm_gate pc[2];
    uint64_t pc_act_ok[2];
    /* by pseudo-channel: the earliest fourth activate after each of the last four */
    uint64_t faw[2][4];
    uint8_t faw_at[2];
    uint64_t row_bus;  /* first cycle in which it is free */
    uint64_t row_next; /* first cycle in which an activate or precharge for a request can issue */
    bool writing;
    uint32_t drain;  /* writes left of the batch at hand, to be served or to enter bank queues */
    uint32_t grace;  /* reads left that go first after a batch of writes */
    int32_t last[2]; /* direction of the last access of each pseudo-channel, -1 none */
    uint32_t turn;   /* bank of the last command; the one after it is first in turn */
    uint32_t seq, arrivals, waiting, n[2]; /* n: places taken in the queues */
    uint16_t free;
    uint64_t refresh_at;
    uint32_t owed, refresh_bank;
    uint64_t owed_since;
    uint64_t fed_at;    /* cycle + 1 in which a bank queue took its last request */
    uint64_t last_done; /* end of the last data */
    struct hbm_counts st;
    hbm_trace_fn *trace;
    hbm_done_fn *done;
    void *self;
    /* earliest activate, that of its group included, and precharge of each bank */
    uint64_t act_ok[HBM_MAX_BANKS], pre_ok[HBM_MAX_BANKS];
    struct hbm_gate group[HBM_MAX_BANKS];
    struct hbm_bank bank[HBM_MAX_BANKS];
    struct hbm_bank_counts bank_st[HBM_MAX_BANKS];
    struct hbm_entry *entry;
    uint32_t n_entries;
};

/* Banks are closed and queues empty.  The first refresh is due an interval and `phase` cycles from
 * 0.
 */
void hbm_channel_init(struct hbm_channel *c, const struct hbm_timing *t, uint64_t phase);
void hbm_channel_free(struct hbm_channel *c);

/* Is there a place in the queue of reads, or of writes? */
static inline bool hbm_channel_room(const struct hbm_channel *c, bool write)
{
    return c->n[write] < (write ? c->t->write_queue : c->t->read_queue);
}

/* A request enters in cycle `t`, after the step of that cycle if one is made.  `tag` is handed to
 * `done`.  Returns whether the channel must be stepped in cycle t + 1 already. */
bool hbm_channel_push(struct hbm_channel *c, uint64_t t, uint32_t bank, uint32_t row, bool write,
                      uint32_t tag);

/* Issue the commands of cycle `t`.  Returns the next cycle in which one can issue, or HBM_NEVER;
 * steps of cycles in between would do nothing. */
uint64_t hbm_channel_step(struct hbm_channel *c, uint64_t t);

/* Requests that are not served yet. */
static inline uint32_t hbm_channel_waiting(const struct hbm_channel *c)
{
    return c->waiting;
}

#endif
