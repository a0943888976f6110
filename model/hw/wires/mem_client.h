/* mem_client.h - the shortcut around the wires between a memory and a core that runs a kernel.
 *
 *      core  --join, ask-->  memory          memory  --act, answer-->  core
 *
 * While a core runs a kernel it is only a list of moments at which it asks for transfers, and it
 * waits for their answers.  A memory that knows those moments can serve them ahead of the clock,
 * for as long as no other process runs (des_quiet_until).  A client joins when its kernel begins,
 * names the moment at which it acts next, and leaves when all its transfers are answered.
 *
 * Over the wires a request is seen two deltas after it was asked for, at the earliest; the memory
 * keeps to that. */
#ifndef HW_WIRES_MEM_CLIENT_H
#define HW_WIRES_MEM_CLIENT_H

#include "hw/wires/msg_mem.h"

#define MEM_CLIENT_FLIGHT 8 /* transfers of a client in flight at most */

struct mem_client {
    /* set by the memory */
    void *memory;
    uint32_t number; /* its port */
    void (*join)(struct des *sim, struct mem_client *c);
    /* Ask for a transfer at `at`, in the delta in which the client joins or acts. */
    void (*ask)(struct des *sim, struct mem_client *c, const struct mem_request *q, des_time at);
    /* set by the client */
    void *self;
    void (*act)(struct des *sim, struct mem_client *c, des_time at); /* sets `due` */
    /* The next read, or write, is done at `at`, which leaves the client asking for nothing. */
    void (*answer)(struct des *sim, struct mem_client *c, bool write, des_time at);
    des_time due; /* when it acts next; DES_NEVER: it waits for answers */
    bool late;    /* it acts a delta later than a timer of that time would */
    bool joined;  /* set by join(), cleared by the client when it leaves */
};

#endif
