/* client_server.h - the client as a parameter server: it serves cores one by one, as they call.
 *
 *      ask[host]  >--[ receive | update | send ]--> told[host]
 *
 * Three stages work side by side, each on one call:
 *     receive  client.latency + bytes up over the network of one host (nothing where
 * client.place=vm and it is the first host) update   CPU time / threads that run at once send the
 * same for bytes down A call stays in its stage until the next stage is free, so the slowest stage
 * sets the throughput: at most one update in its time, for any number of cores.  Hosts take turns.
 *
 * A call says how many updates were in the weights that its gradients were computed with.  Its
 * staleness is the number of updates made since, when its own is applied (counter `missed`). */
#ifndef HW_HOST_CLIENT_SERVER_H
#define HW_HOST_CLIENT_SERVER_H

#include "hw/host/client.h"

/* clang-format off */
#define CLIENT_SERVER_STATS(C, R)                                                                  \
    C(elapsed,   "fs", "measured time")                                                            \
    C(receiving, "fs", "time in which gradients came in")                                           \
    C(updating,  "fs", "time in which the CPU updated")                                             \
    C(sending,   "fs", "time in which weights went out")                                           \
    C(updates,   "",   "updates")                                                                  \
    C(missed,    "",   "updates that were made since the weights were read, over all updates")     \
    R("utilization.server_receive", receiving, elapsed, "time in which the parameter server received") \
    R("utilization.server_update",  updating,  elapsed, "time in which the parameter server updated")  \
    R("utilization.server_send",    sending,   elapsed, "time in which the parameter server sent")
/* clang-format on */

struct client_server_stats {
    CLIENT_SERVER_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct stat_table client_server_stat_table;

enum { CLIENT_RECEIVE, CLIENT_UPDATE, CLIENT_SEND, CLIENT_STAGES };

struct client_stage {
    struct host_call call;
    struct host_reply reply;
    uint32_t host;
    bool full;      /* it holds a call */
    bool done;      /* the call waits for the next stage */
    des_time since; /* when work on the call began, or measuring if later */
};

struct client_server {
    struct des_module mod;
    struct client_params par;
    struct client_server_stats st;
    struct des_probes show;
    uint32_t n_hosts, turn;
    struct des_in *ask;   /* struct host_call; arrays of n_hosts, owned by the caller */
    struct des_out *told; /* struct host_reply */
    struct client_stage stage[CLIENT_STAGES];
    struct des_event moved; /* a call has changed its stage */
    uint64_t version;       /* updates since the beginning */
};

/* Make the server of a client; `ask` and `told` are [n_hosts], and their ports are its own. */
void client_server_init(struct client_server *s, struct des *sim, struct des_module parent,
                        const struct client_params *par, uint32_t n_hosts, struct des_in *ask,
                        struct des_out *told);
/* Called when measuring begins and when it ends: hw/wires/component.h. */
component_reset_fn client_server_reset;
component_finish_fn client_server_finish;

#endif
