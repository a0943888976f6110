/* client.h - the machine whose program drives training: one for all hosts of a machine.
 *
 *      call[host]  >--[ gather | network | storage | CPU | network ]--> answer[host]
 *
 * Data that cores send it, and data it returns, crosses its network cards host after host, and the
 * link of each host.  The client is a machine of its own (place=node: a "TPU node"), or its program
 * runs on the first host (place=vm: a "TPU VM"), with the CPU of that host: messages between the
 * two then cost nothing, and the other hosts are across the network. */
#ifndef HW_HOST_CLIENT_H
#define HW_HOST_CLIENT_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/wires/component.h"
#include "hw/wires/msg_host.h"
#include "hw/wires/show.h"

enum client_place { CLIENT_NODE, CLIENT_VM }; /* as client.place says */

/* clang-format off */
#define CLIENT_PARAMS(P)                                                                           \
    P(ENUM, place,         "node|vm", "node", "",     "",                                          \
      "node: the program is across the network from all hosts; vm: on the first host, with host.cores threads [cardoso-2020]") \
    P(U32, cores,          "",    "8",      "1",      "1024",    "CPU threads that run at once [unverified]") \
    P(U32, nics,           "",    "1",      "1",      "64",      "network cards [unverified]")     \
    P(U64, bandwidth,      "B/s", "2 GB/s", "1 MB/s", "10 TB/s", "of a card, each way [unverified]") \
    P(U64, host_bandwidth, "B/s", "2 GB/s", "1 MB/s", "10 TB/s", "of a host's link to the client [unverified]") \
    P(FS,  latency,        "s",   "0.1 ms", "0 s",    "10 s",    "of a message one way [unverified]")

#define CLIENT_STATS(C, R)                                                                         \
    C(elapsed, "fs", "measured time")                                                              \
    C(busy,    "fs", "time in which the client computed, sent or received")                        \
    R("utilization.client", busy, elapsed, "time in which the client computed, sent or received")
/* clang-format on */

struct client_params {
    CLIENT_PARAMS(PARAM_FIELD)
};
struct client_stats {
    CLIENT_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table client_param_table;
extern const struct stat_table client_stat_table;

/* Femtoseconds until `bytes` of each of `hosts` hosts have crossed the network; 0 without bytes or
 * hosts. */
des_time client_network_time(const struct client_params *p, uint64_t bytes, uint32_t hosts);

/* Femtoseconds of a message of `bytes` between the client and each of the `n_hosts` hosts of a
 * machine; between it and host number `host` alone. */
des_time client_message_time(const struct client_params *p, uint64_t bytes, uint32_t n_hosts);
des_time client_single_time(const struct client_params *p, uint64_t bytes, uint32_t host);

struct client {
    struct des_module mod;
    struct client_params par;
    struct client_stats st;
    struct des_probes show;
    uint32_t n_hosts, n_cores, n_called; /* cores of the slice */
    struct des_in *call;    /* struct host_call; arrays of n_hosts, owned by the caller */
    struct des_out *answer; /* struct host_reply */
    struct des_out load;    /* struct storage_request */
    struct des_in loaded;   /* struct storage_done */
    const struct task_work *work;
    uint64_t most; /* bytes of the host that sends most */
    struct host_reply reply;
    bool working;
    des_time since; /* when the work at hand began, or measuring if later */
};

/* Make the client of `n_hosts` hosts and `n_cores` cores; `call` and `answer` are [n_hosts], and
 * their ports are its own. */
void client_init(struct client *c, struct des *sim, struct des_module parent,
                 const struct client_params *par, uint32_t n_hosts, uint32_t n_cores,
                 struct des_in *call, struct des_out *answer);
/* Called when measuring begins and when it ends: hw/wires/component.h. */
component_reset_fn client_reset;
component_finish_fn client_finish;

#endif
