/* transfer.h - messages through an idle network of routers: the cycle in which each arrives. */
#ifndef STUDY_NETWORK_TRANSFER_H
#define STUDY_NETWORK_TRANSFER_H

#include "study/network/traffic.h"

struct transfer {
    uint32_t from, to, flits;
    uint64_t start, done; /* cycles */
    bool walked;          /* it met another and was simulated; else the closed form gave `done` */
};

struct transfer_result {
    char machine[TRAFFIC_TEXT]; /* "": none */
    uint64_t hz;                /* flits of a link a second; 0 without a machine */
    uint32_t packet;            /* flits */
    struct transfer *message;
    size_t n;
};

/* True if there is a send= among the arguments. */
bool transfer_asked(const struct traffic_request *q);

/* Send the messages of send=FROM-TO:FLITS[@START],... through the network of the other arguments,
 * in packets of flits=.  `exact`: simulate also those that meet no other.  Free `r` with
 * transfer_result_free.  Errors: as traffic_run. */
int transfer_run(const struct traffic_request *q, bool exact, struct transfer_result *r,
                 struct err *err);
void transfer_result_free(struct transfer_result *r);

#endif
