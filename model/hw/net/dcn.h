/* dcn.h - the data centre's network between slices: the cards of every host, and the uplinks.
 *
 *      up[chip]   >--[ queue ]--[ cards: a round, one message of each chip ]--[ uplink ]--+
 *                                                                               [ latency ]
 *      down[chip] <--[ queue ]<--[ cards of the other host: as they come in ]<------------+
 *
 * The cards of a host send at `nics` times `bandwidth`, and receive at the same rate at the same
 * time.  In a round they send one message of each chip of the host that has one, packet by packet
 * in turn (round-robin), so all messages of a round have left with its last packet.  Then they
 * cross the network.  It delays none, unless `bisection` says that all hosts of a slice together
 * get less through than they send: then the slice's uplink passes messages in the order in which
 * they left their hosts.  The cards at the other side receive messages as they come: a message
 * alone has arrived with its last packet, several add up their times.  Hosts buffer messages in
 * memory without bound before and after their cards, so there is no back-pressure and no circle of
 * waits. */
#ifndef HW_NET_DCN_H
#define HW_NET_DCN_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/net/chunks.h"
#include "hw/wires/component.h"
#include "hw/wires/lane.h"

#define DCN_MAX_CHIPS 8 /* of a host */

/* clang-format off */
#define DCN_PARAMS(P)                                                                              \
    P(U32, slices,    "",    "1",       "1",     "1024",    "slices of the machine, each as [slice] says, joined over the data centre's network [cloud-tpu]") \
    P(U32, nics,      "",    "1",       "1",     "64",      "network cards of a host, used evenly [unverified]") \
    P(U64, bandwidth, "B/s", "25 GB/s", "1 MB/s", "10 TB/s", "one direction of a network card [unverified: as tpu-v4]") \
    P(U64, packet,    "B",   "4096 B",  "1 B",   "64 KiB",  "moved per cycle of the cards of a host [unverified]") \
    P(U64, message,   "B",   "1 MiB",   "1 KiB", "1 GiB",   "parts of a collective go in messages of at most so much [unverified]") \
    P(FS,  message_time, "s", "2 us",   "0 s",   "1 s",     "that a message takes of the cards on either side besides its packets [unverified]") \
    P(FS,  latency,   "s",   "10 us",   "0 s",   "1 s",     "from the cards of one host to those of another [unverified]") \
    P(PPB, bisection, "ratio", "1",     "0.001", "1",       "of what all hosts of a slice can send the network passes so much [unverified]")

#define NIC_STATS(C, R)                                                                            \
    C(capacity, "B", "bytes the cards of a host could have moved one way in the measured time")    \
    C(bytes,    "B", "bytes they moved that way")                                                  \
    R("utilization.dcn", bytes, capacity, "bytes moved over the bandwidth of the network cards, both directions")
/* clang-format on */

struct dcn_params {
    DCN_PARAMS(PARAM_FIELD)
};
struct nic_stats { /* of one direction */
    NIC_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table dcn_param_table;
extern const struct stat_table nic_stat_table;

/* The slices that are joined.  Hosts and chips are counted over all of them, slice by slice. */
struct dcn_place {
    uint32_t hosts_of_slice, chips_of_slice, chips_of_host;
    bool mirror;     /* one chip of one host is simulated for all: it receives what it sends */
    uint32_t copies; /* chips of a host for which one is simulated */
};

struct dcn;

struct nic { /* the cards of a host */
    struct des_module mod;
    struct dcn *net;
    struct nic_stats st[2]; /* [0] in, [1] out */
    uint32_t n_chips;
    struct des_in up[DCN_MAX_CHIPS];    /* struct net_chunk */
    struct des_out down[DCN_MAX_CHIPS]; /* struct net_chunk */
    struct lane send, recv;
    struct chunks waiting[DCN_MAX_CHIPS]; /* to be sent */
    struct chunks coming[DCN_MAX_CHIPS];  /* on the way to here; `tail` is when they are here */
    struct chunks landed[DCN_MAX_CHIPS];  /* taken in */
    struct net_chunk out[DCN_MAX_CHIPS], in[DCN_MAX_CHIPS]; /* of the round at hand */
    uint32_t n_out, n_in;
    uint64_t free; /* edge of recv's clock from which on nothing comes in */
    struct des_event more, arrival, handed;
    struct des_probes show[2]; /* [0] in, [1] out */
};

struct dcn_uplink { /* the bottleneck of one slice, if the network has one */
    struct dcn *net;
    struct lane lane;
    struct chunks queue;
    struct chunks passing;
    uint64_t free;
    struct des_event more;
};

struct dcn {
    struct des_module mod;
    struct dcn_params par;
    struct dcn_place place;
    struct nic *nic; /* [host] */
    uint32_t n_nics;
    struct dcn_uplink *uplink; /* [slice]; NULL: it passes all */
    uint32_t n_uplinks;
};

/* Make cards for `hosts` hosts of `chips` simulated chips each; dcn_free frees them. */
void dcn_init(struct dcn *d, struct des *sim, const struct dcn_params *par,
              const struct dcn_place *place, uint32_t hosts, uint32_t chips, lane_fold_fn *fold);
component_free_fn dcn_free;

/* Cycles of a host's cards for a message: its packets and what it takes besides; their clock. */
uint64_t dcn_cycles(const struct dcn_params *par, uint64_t bytes);
uint64_t dcn_hz(const struct dcn_params *par);

#endif
