/* hbm.h - the HBM of a chip, shared by its cores, ICI and PCIe.
 *
 *      request[i]  >--[ reads  in order ]--+
 *                     [ writes in order ]--+--[ a turn of each ]--> reply[i]
 *
 * A burst is one access of every channel (hbm_channel.h), all at once.  A way is the reads or the
 * writes of one client.  Each way has at most one transfer in service, and ways take turns of
 * `turn` bytes, readers first.  A leg is the bursts of one way that are served without a look at
 * the others: at most a turn.
 *
 * The clock runs at the rate of a lone stream between refreshes: bandwidth * efficiency / burst.  A
 * burst takes one cycle of it, times the cost of a burst in the mix of all ways in service when the
 * leg begins (hbm_part.h).  A transfer has three phases: bursts that set it up and move nothing,
 * bursts of its stream, bursts of its rows at random places.  Every tREFI all banks are precharged
 * and refreshed: nothing moves for tRP + tRFC.
 *
 * A request is seen when the leg at hand ends; an idle memory begins at the next edge.  The walk
 * visits each burst, the shortcut (hbm_fold.c) only the end of a leg. */
#ifndef HW_HBM_HBM_H
#define HW_HBM_HBM_H

#include "base/param.h"
#include "base/stat.h"
#include "base/wide.h"
#include "hw/hbm/hbm_part.h"
#include "hw/wires/component.h"
#include "hw/wires/mem_client.h"
#include "hw/wires/show.h"

#define HBM_MAX_CLIENTS 12                 /* ports of an HBM */
#define HBM_MAX_WAYS (2 * HBM_MAX_CLIENTS) /* two of each client */
#define HBM_WAITING 8 /* transfers of a way that wait here; further ones wait on the wire */

/* clang-format off */
#define HBM_PARAMS(P)                                                                              \
    P(U64, capacity,     "B",     "16 GiB",   "1 MiB",  "16 TiB",   "of the chip [jax]")      \
    P(U64, reserved,     "B",     "0 B",      "0 B",    "1 TiB",                                   \
      "of the capacity that runtime or driver keep [xla-limits]") \
    P(U64, bandwidth,    "B/s",   "600 GB/s", "1 GB/s", "100 TB/s", "peak of the chip [jax]") \
    P(PPB, efficiency,   "ratio", "0.86",     "0.05",   "1",                                       \
      "share of the peak that a lone stream reaches between refreshes [calibrated: tpu_v2-8_fc]")                       \
    P(U64, burst,        "B",     "2048 B",   "32 B",   "64 KiB",                                  \
      "moved per burst by all channels together: 32 channels of 64 B [norrie-2021]")                  \
    P(U64, request_overhead, "B", "0 B", "0 B", "1 MiB",                                           \
      "bytes of streaming lost per transfer while it is set up [calibrated: tpu_v4_gemm]") \
    P(U64, turn, "B", "1 MiB", "32 B", "1 GiB",                                                    \
      "bytes that a transfer moves before the next transfer's turn [calibrated: tpu-copies]")          \
    P(ENUM, contention, "no|yes", "yes", "", "",                                                   \
      "transfers in flight delay each other; no: a burst costs what it costs alone [jesd235]")

#define HBM_STATS(C, R)                                                                            \
    C(capacity, "B", "bytes the peak bandwidth could have moved in the measured time")             \
    C(bytes,    "B", "bytes moved for requests")                                                   \
    C(reads,    "B", "of the bytes, those read")                                                   \
    C(bursts,   "",  "burst times in use, setting up included")                                    \
    C(elapsed,  "",  "burst times of the measured time")                                           \
    C(opening,  "",  "burst times of rows at random places beyond those of a lone stream")        \
    C(turning,  "",  "burst times of streams beyond those of a lone one")                 \
    C(refreshing, "", "burst times of refreshes in the measured time")                             \
    C(accesses, "",  "accesses of a channel, a million for each burst")                                  \
    C(hits,     "",  "of them those to a row that was open")                                       \
    C(conflicts, "", "rows closed for another one by them")                                        \
    C(activates, "", "rows opened by them")                                                        \
    C(turnarounds, "", "changes between reading and writing by them")                              \
    R("utilization.hbm", bytes, capacity, "bytes moved over peak bandwidth")                       \
    R("hbm.reads",       reads, bytes, "bytes read over bytes moved")                              \
    R("hbm.row_hits",    hits, accesses, "accesses to a row that was open")                        \
    R("hbm.conflicts",   conflicts, accesses, "accesses that closed a row for another one")        \
    R("hbm.activates",   activates, accesses, "rows opened over accesses")                         \
    R("hbm.turnarounds", turnarounds, accesses, "changes between reading and writing over accesses") \
    R("hbm.opening",     opening, elapsed, "time that rows at random places take to be opened")                   \
    R("hbm.turning",     turning, elapsed, "time that streams lose to others: turnarounds, conflicts") \
    R("hbm.refresh",     refreshing, elapsed, "time in which all banks are refreshed")
/* clang-format on */

struct hbm_params {
    HBM_PARAMS(PARAM_FIELD)
};
struct hbm_stats {
    HBM_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table hbm_param_table;
extern const struct stat_table hbm_stat_table;

/* A moment, in 1 / HBM_FINE of a cycle of the memory's clock since the beginning. */
typedef u128 hbm_moment;

enum hbm_phase { HBM_SETS_UP, HBM_STREAMS, HBM_OPENS, HBM_N_PHASES }; /* of a transfer */

struct hbm_way {
    struct mem_request wait[HBM_WAITING];
    uint32_t head, count;
    struct mem_request cur;
    enum hbm_phase phase;
    uint64_t left[HBM_N_PHASES];  /* bursts */
    bool measured;                /* a transfer like `cur` has the following: */
    uint64_t whole[HBM_N_PHASES]; /* bursts, */
    uint32_t kind[HBM_N_PHASES];
    hbm_mix_key mix[HBM_N_PHASES]; /* and what its stream adds to the mix */
};

/* Bursts of one way that are served without a look at the others: all of one phase, at most the
 * rest of the turn. */
struct hbm_leg {
    uint32_t way, mixture; /* mixture: HBM_NO_MIX of none */
    uint64_t cost;         /* of a burst */
    bool opens;            /* rows at random places */
    uint64_t bursts, counted;
    hbm_moment from;
    bool folded;
};

#define HBM_NO_MIX UINT32_MAX /* no mixture is looked up yet */

struct hbm;
/* The shortcut: the moment at which the leg at hand ends, and the number of its bursts that have
 * ended at `now`. */
struct hbm_fold {
    hbm_moment (*end)(struct hbm *h);
    uint64_t (*ended)(struct hbm *h, hbm_moment now);
    /* Pass the legs that end before any other process runs, up to the last of a transfer. */
    void (*pass)(struct des *sim, struct hbm *h);
    /* A thread, and what a client calls to join and to ask: hbm_client_fold.c. */
    des_thread *together;
    void (*join)(struct des *sim, struct mem_client *c);
    void (*ask)(struct des *sim, struct mem_client *c, const struct mem_request *q, des_time at);
};
extern const struct hbm_fold hbm_fold;

/* A request of a client that joined, on its way. */
struct hbm_arrival {
    struct mem_request request;
    uint32_t client;
    des_time at;    /* when it was asked for, */
    uint64_t delta; /* and from which delta of that time on the memory sees it */
};

/* For streams of one client alone (hbm_lone_fold.c), by a mask of its read (1) and its write (2):
 * the mixture plus one, 0: not looked up; and what a burst of either costs in it. */
struct hbm_lone {
    uint32_t mixture[4];
    uint64_t cost[4][2];
};

/* Clients that joined (hw/wires/mem_client.h). */
struct hbm_clients {
    struct mem_client *at[HBM_MAX_CLIENTS]; /* NULL: over the wires only */
    bool any;                               /* some are not */
    uint32_t joined;                        /* mask of clients */
    struct hbm_arrival arriving[HBM_MAX_CLIENTS * MEM_CLIENT_FLIGHT];
    uint32_t n_arriving;
    struct des_event alarm; /* the memory has something to do ahead of the wires */
    struct des_call call;
    des_time now;   /* what is at hand, which may be ahead of the simulation, */
    uint64_t delta; /* and its delta, counted from the first one of its time in which `h` ran */
    des_time time;  /* of the simulation when `h` ran last, and */
    uint64_t first; /* the first delta of that time in which it did */
    bool acting;    /* a client that joined is */
    hbm_moment from, until; /* the leg at hand, as work that is possible before (hbm_fold.c) */
    hbm_moment handed;      /* `until` twice, and one more in a leg, as handed back; 0: not yet */
    struct hbm_limit {
        des_time at;
        hbm_moment work; /* that is possible up to then */
    } soon, last;        /* of the client that acts next; of the time that is quiet */
    uint64_t ahead;      /* legs and acts so far, a measure of work */
    struct hbm_lone lone;
};

struct hbm {
    struct des_module mod;
    struct hbm_params par;
    struct hbm_stats st;
    uint32_t n_clients;
    struct des_in request[HBM_MAX_CLIENTS]; /* struct mem_request */
    struct des_out reply[HBM_MAX_CLIENTS];  /* struct mem_done */
    struct des_clock clock;
    struct des_event again;           /* an answer has left, so its way can begin a transfer */
    struct des_event full;            /* an answer found no room */
    const struct hbm_fold *fold;      /* NULL: walk every burst */
    struct hbm_part *part;            /* NULL: no refresh, and all bursts are alike */
    struct hbm_way way[HBM_MAX_WAYS]; /* reads of all clients, then writes */
    /* masks of ways: in service; served, but without room for their answer; able to begin;
     * without room for another transfer */
    uint32_t busy, done, ready, filled;
    uint32_t turn;               /* the way whose turn it is */
    uint64_t turn_left;          /* bursts */
    uint64_t turn_bursts;        /* of a whole turn */
    uint64_t hz;                 /* bursts a second (hbm_burst_hz) */
    struct wide_divisor fine_hz; /* hz in units of HBM_FINE; shorter than 64 bits */
    struct hbm_leg leg;
    bool serving;         /* a leg is at hand */
    hbm_moment at, until; /* service has reached `at`; the leg or burst at hand ends at `until` */
    des_time ends;        /* the time of `until` */
    hbm_moment every, takes; /* interval between refreshes, 0: none; length of one */
    hbm_moment refresh;      /* the one that the shortcut looked up last */
    struct hbm_round {       /* between two refreshes, the one that the shortcut looked up last: */
        hbm_moment begin;    /* of the first refresh, */
        hbm_moment lost;     /* and what those before it took */
    } round;
    struct hbm_span {     /* the same, by the work that is possible: */
        hbm_moment after; /* more than so much, */
        hbm_moment lost;  /* and what refreshes up to then took */
    } span;
    hbm_mix_key mix;  /* of all ways in service, those that set up left out */
    uint32_t mixture; /* its index; HBM_NO_MIX: to be looked up */
    uint64_t *served; /* [mixture] bursts */
    uint32_t n_served;
    uint64_t setting_up; /* bursts of that phase */
    hbm_moment lost[2];  /* beyond the time of lone streams: [0] by streams, [1] by rows */
    uint64_t begun[2]; /* bytes of transfers that were in service while measuring: reads, writes */
    struct hbm_clients clients;
    uint64_t moved; /* bytes of legs since somebody watches, the one at hand included */
    struct des_probes show;
};

/* Rate of a lone stream: bursts per second between refreshes; bytes per second with refreshes. */
uint64_t hbm_burst_hz(const struct hbm_params *par);
uint64_t hbm_stream_bytes_per_s(const struct hbm_params *par, const struct dram_params *dram);

/* A memory for `n_clients` clients, with a port each.  `part` outlives it; NULL: no refresh, and
 * every burst costs the same.  `fold`: the shortcut, or NULL. */
void hbm_init(struct hbm *h, struct des *sim, struct des_module parent,
              const struct hbm_params *par, struct hbm_part *part, uint32_t n_clients,
              const struct hbm_fold *fold);
/* Let a client join at port `number`, by the shortcut; the wires of that port stay.  False: there
 * is no shortcut. */
bool hbm_add_client(struct hbm *h, uint32_t number, struct mem_client *c);
component_free_fn hbm_free;
component_reset_fn hbm_reset;
component_finish_fn hbm_finish;

#endif
