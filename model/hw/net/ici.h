/* ici.h - the collective engine of a chip: between its cores, its HBM, its vector units, its links.
 *
 *      call[core]  >--[ gather | before | steps of the schedule | after ]--> reply[core]
 *                              from[port] >--[ here, or further ]--> to[port]
 *
 * The engine waits until every core of the chip has called, and for what it takes to launch the
 * collective (on TPU v7 a kernel of SparseCores).  Then it does the work of the chip by
 * itself that comes first, every step of the schedule (model/schedule/schedule.h), and the work
 * that comes last.  Within a step data stream: HBM reads and writes, additions, sending and
 * receiving run side by side, and the step ends with the last of them.  Chips need not be in the
 * same step: a part names its step, and is counted until this chip gets there.
 *
 * A part for another slice leaves in messages over PCIe (ici_bind), and has arrived with its last.
 *
 * A part for another chip is sent on as it comes in, along one dimension after the other.  Chunks
 * wait for a port in an unbounded queue, so there is no back-pressure between chips, and links
 * cannot wait for each other in a circle.
 *
 * Beside its collectives the engine carries transfers from one core to another (ici_send.c):
 *
 *      send[core]  >--[ read piece by piece ]--> to[port]
 *                               from[port] >--[ write ]--> arrived[core] */
#ifndef HW_NET_ICI_H
#define HW_NET_ICI_H

#include "base/stat.h"
#include "des/des.h"
#include "hw/net/chunks.h"
#include "hw/wires/component.h"
#include "hw/wires/lane.h"
#include "hw/wires/msg_mem.h"
#include "hw/wires/msg_net.h"
#include "hw/wires/show.h"

#define ICI_MAX_CORES 4 /* of a chip */
/* A transfer goes in pieces of ICI_PIECE bytes, or in ICI_MAX_PIECES larger ones: a piece is read,
 * crosses the links, and is written, while others do the same. [unverified] */
#define ICI_PIECE (UINT64_C(64) << 10)
#define ICI_MAX_PIECES 16

/* clang-format off */
#define ICI_FAR_STATS(C, R)                                                                        \
    C(elapsed, "fs", "measured time")                                                              \
    C(time,    "fs", "time of steps of schedules in which parts go to other slices")               \
    R("dcn.collectives", time, elapsed, "time of steps of collectives that cross the data centre's network")
/* clang-format on */

struct ici_far_stats {
    ICI_FAR_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct stat_table ici_far_stat_table;

/* The place of the engine: its slice, its chip, and their rates. */
struct ici_place {
    struct mesh mesh;       /* of its slice */
    uint32_t chip, n_cores; /* counted within the slice */
    uint32_t first;         /* the slice's first chip, counted over all slices */
    uint64_t message;       /* bytes at most of a message to another slice */
    const uint8_t *way;     /* [chip] port by which parts for it leave; NULL: mesh_port */
    bool mirror;            /* the chip is simulated for several that do the same: parts it sends
                               come in as those of its neighbours */
    bool routes;            /* such a chip passes on what is for others */
    uint32_t shift[MESH_PORTS]; /* what comes in by a port is for the chip so many places further
                                   on, round the slice, than its sender said */
    uint64_t core_hz;           /* of the vector units */
    des_time launch;            /* from the call of its last core until a collective begins */
    uint64_t die_bandwidth;     /* B/s between cores of the chip, one direction; 0: no limit */
    des_time operand;           /* of each of its operands but the first, before it begins */
    uint64_t adds_per_cycle;    /* elements, all cores of the chip together */
};

struct ici_heard { /* parts that have come for one step */
    uint32_t parts;
    des_time ready; /* the latest call that their senders knew of */
};

struct ici_early { /* a part that came before its step, to be shown in it */
    uint64_t step, flow;
};

struct ici {
    struct des_module mod;
    struct ici_far_stats far_st;
    struct ici_place place;
    struct des_in call[ICI_MAX_CORES];   /* struct net_call */
    struct des_out reply[ICI_MAX_CORES]; /* struct net_reply */
    bool linked[MESH_PORTS];
    struct des_in from[MESH_PORTS]; /* struct net_chunk; of the neighbour behind that port */
    struct des_out to[MESH_PORTS];
    bool joined;            /* with other slices */
    struct des_in far_from; /* struct net_chunk */
    struct des_out far_to;
    struct des_process passing;
    struct des_out request;                /* struct mem_request */
    struct des_in done;                    /* struct mem_done */
    struct des_in send[ICI_MAX_CORES];     /* struct net_send */
    struct des_out arrived[ICI_MAX_CORES]; /* struct net_arrival */
    struct des_out carry;                  /* struct mem_request: of transfers */
    struct des_in carried;                 /* struct mem_done */
    /* bytes sent by port: along dimensions, and round the chips (schedule_goes_round) */
    uint64_t sent[2][MESH_PORTS];

    struct des_event heard_one, add_some;
    struct lane adder;
    uint64_t to_add; /* cycles of the adder that have not begun */
    bool adding;
    des_time crossed; /* when what one die sends to another has come */
    uint32_t asked;   /* reads and writes of HBM that are not back */
    struct net_call cur, next;
    struct schedule_step step;
    des_time ready;
    des_time away, back;      /* as in net_reply */
    bool crosses;             /* the step at hand sends to another slice */
    des_time far_since;       /* when it began, or measuring did */
    uint64_t now;             /* this chip's step, counted over all collectives */
    struct ici_heard *window; /* [step % n_window] of steps from `now` on; a power of two */
    uint32_t n_window;
    struct chunks out[MESH_PORTS]; /* parts that wait for a port */
    struct chunks far;             /* messages to other slices */
    uint32_t i;
    bool stepping;           /* within a step, rather than between two */
    bool called;             /* a collective is under way: some core has called */
    struct ici_early *early; /* for waves and timelines */
    uint32_t n_early, early_size;
    /* pieces of transfers: to be read, being read, to be written, being written; and the last ones
     * of those that have arrived */
    struct chunks to_read, reading, to_write, writing, came[ICI_MAX_CORES];
    struct des_event piece; /* one has come in */
    struct des_probes show;
};

/* --- for ici_send.c ----------------------------------------------------------------------- */

/* Put a part into the queue of the port that leads to its chip. */
void ici_send(struct ici *u, const struct net_chunk *c);
/* Take in all chunks that have come, and put out those that there is room for. */
void ici_pump(struct des *sim, struct ici *u);
/* Make the engine of the chip at `place`.  `fold` NULL: vector units are walked cycle by cycle. */
void ici_init(struct ici *u, struct des *sim, struct des_module parent,
              const struct ici_place *place, lane_fold_fn *fold);
/* Give it the ports of transfers and the process that carries them. */
void ici_carrier_init(struct ici *u, struct des *sim);
/* Give it the ports to other slices, and its statistics of them a place in the list. */
void ici_bind(struct ici *u, struct des *sim);
/* True if the engine sends nothing before a core calls or hands it a transfer, or a chunk for
 * another chip comes in. */
bool ici_quiet(const struct ici *u, const struct des *sim);
/* Free the queues; the simulation is not run after this. */
component_free_fn ici_free;

#endif
