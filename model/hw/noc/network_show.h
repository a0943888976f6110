/* network_show.h - a network as modules of a simulation, which show its queues, credits and links
 * cycle by cycle.
 *
 *     node0             clock; waiting: packets at its source
 *     node0.x_up        state, flits of the link that leaves by this port; credit0 ...: places left
 *                       at its end, of each virtual channel; queue0 ...: flits that came in by this
 *                       port and wait
 *     node0.own         queue0 ...: from its source
 *
 * The network knows nothing of it: who runs the cycles calls network_show_cycle after each. */
#ifndef HW_NOC_NETWORK_SHOW_H
#define HW_NOC_NETWORK_SHOW_H

#include "des/des.h"
#include "hw/noc/network.h"

struct network_show;

/* Modules for networks on `t`, with cycles of `hz`; before elaboration. */
struct network_show *network_show_new(struct des *sim, const struct topology *t,
                                      const struct network_params *par, uint64_t hz);
void network_show_free(struct network_show *s);

/* `n` has just done cycle n->now - 1: show how it is, at the begin of that cycle by its clock, as
 * long as somebody looks (des_walk). */
void network_show_cycle(struct network_show *s, const struct network *n);
/* No more cycles follow: links end what they do. */
void network_show_end(struct network_show *s);

#endif
