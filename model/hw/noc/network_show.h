/* network_show.h - a network as modules of a simulation, for waves of queues, credits and links in
 * every cycle.
 *
 *     node0             clock; waiting: packets at its source
 *     node0.x_up        state, flits of the link that leaves by this port; credit0 ...: places left
 *                       at its end, of each virtual channel; queue0 ...: flits that came in by this
 *                       port and wait
 *     node0.own         queue0 ...: from its source
 *
 * The network does not know of it: whoever runs its cycles calls network_show_cycle after each. */
#ifndef HW_NOC_NETWORK_SHOW_H
#define HW_NOC_NETWORK_SHOW_H

#include "des/des.h"
#include "hw/noc/network.h"

struct network_show;

/* Make modules for networks on `t` with `hz` cycles a second, before elaboration. */
struct network_show *network_show_new(struct des *sim, const struct topology *t,
                                      const struct network_params *par, uint64_t hz);
void network_show_free(struct network_show *s);

/* `n` has just done cycle n->now - 1: show its state at the beginning of that cycle, while the
 * window of des_walk lasts. */
void network_show_cycle(struct network_show *s, const struct network *n);
/* No more cycles follow: run until all links are idle. */
void network_show_end(struct network_show *s);

#endif
