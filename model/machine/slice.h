/* slice.h - the components of a machine and their wires; private to model/machine.
 *
 * A machine has one slice, or several equal ones joined over the data centre's network.  Chips,
 * cores and hosts are counted over all slices, those of the first slice first.  All components are
 * made before the first step: nothing is allocated while a step runs.
 *
 * All of them, or those of some hosts, belong to one event kernel: a large machine may be several
 * such structs (cells.h).
 *
 * slice_build.c makes them, slice_measure.c resets and reads their counters, slice.c says which
 * chips, cores and hosts stand for others. */
#ifndef MACHINE_SLICE_H
#define MACHINE_SLICE_H

#include "des/des.h"
#include "hw/host/client_server.h"
#include "hw/host/launcher.h"
#include "hw/net/border.h"
#include "hw/net/ici.h"
#include "hw/wires/component.h"
#include "machine/images.h"
#include "machine/spec/spec.h"
#include "machine/spec/stages.h"

/* A line of machine/spec/stages.h as a member of struct core. */
#define SLICE_STAGE(section, component, kinds) struct component component;

struct core {
    struct des_module mod;
    struct sequencer *sequencer; /* of the core, which is a TensorCore, a GPU or a node of CPUs */
    struct tensorcore tensor;
    struct gpu_core gpu;
    struct cpu_node cpu;
    struct mxu *mxu;
    struct vpu vpu;
    struct xlu xlu;
    struct vmem vmem;
    struct dma dma, copies;       /* copies: its queues in the background */
    struct sparsecore sparsecore; /* where it has some */
    MEMORY_STAGES(SLICE_STAGE)
};

struct chip {
    struct des_module mod;
    struct hbm hbm;
    struct cmem cmem; /* where it has a capacity */
    struct ici ici;
    struct pcie pcie;
};

/* Components belong to one of these each, in the order in which statistics are visited. */
enum slice_group {
    SLICE_CORES,
    SLICE_CHIPS,
    SLICE_LINKS, /* chip * MESH_PORTS + port */
    SLICE_NICS,  /* of each host */
    SLICE_HOSTS,
    SLICE_STORAGES, /* of each host, then of the client */
    SLICE_CLIENT,
    SLICE_N_GROUPS
};

/* A link over the border to a chip of another event kernel, and the one back. */
struct slice_border {
    uint32_t chip, port; /* it leaves by: counted over all slices */
    struct border_out out;
    struct border_in in;
};

/* The hosts whose chips and cores are built, of a machine that is built whole. */
struct slice_range {
    uint32_t first_host, hosts; /* no hosts: all of them */
};

struct slice {
    struct component_list components;
    const struct machine_spec *spec;
    struct des *sim;
    uint32_t n_cores, n_chips, n_hosts; /* of all slices */
    uint32_t chips_of_slice, hosts_of_slice;
    uint32_t cores, chips, hosts; /* that are built */
    uint32_t first_core, first_chip,
        first_host;       /* of them; 0 where not all are built as they are */
    bool alike;           /* not all are built */
    bool uniform;         /* only one chip is built */
    struct images images; /* which chips of a slice are built, if alike */
    struct mesh mesh;     /* of a slice */
    struct dcn dcn;       /* where there are several */
    uint8_t *way; /* routes around a dead link of the first slice (fault_ways); NULL without one */
    struct core *core;
    struct chip *chip;
    struct host *host;
    struct storage *storage; /* of each host, then of the client */
    struct client client;
    struct client_server server;
    struct des_in *asked, *ask; /* [host] calls to the client, and to its server */
    struct des_out *answered, *told;
    struct link *link; /* [chip][port]; one that leads nowhere is not made */
    struct slice_border *border;
    uint32_t n_borders;
    struct mxu *mxus;     /* of all cores */
    struct hbm_part part; /* of all chips */
    struct launcher launcher;
    struct des_in *finished;
    struct des_out *go;
};

/* slice_build makes and wires the components of `spec`; slice_start elaborates and lets every
 * process reach its first wait.  With a `part` only some chips are built (images.h): what one of
 * them sends comes in as what its images send.  With a `range` only some hosts are, and links to
 * chips of others end at borders. */
void slice_build(struct slice *m, const struct machine_spec *spec, bool exact,
                 enum images_part part, struct slice_range range);
void slice_start(struct slice *m);

/* Number of the chip that is built as the index-th. */
uint32_t slice_number(const struct slice *m, uint32_t index);
/* Index of the built chip, core or host that stands for one of all slices. */
uint32_t slice_chip(const struct slice *m, uint32_t chip);
uint32_t slice_core(const struct slice *m, uint32_t core);
uint32_t slice_host(const struct slice *m, uint32_t host);

/* Chips of a host that are built, where not all are. */
uint32_t slice_chips_of_host(const struct slice *m);

/* True if the machine has several slices. */
bool slice_joined(const struct slice *m);
/* The chip at the end of the link by `port`, or MESH_NO_PORT; is there such a link? */
uint32_t slice_neighbour(const struct slice *m, uint32_t chip, uint32_t port);
bool slice_linked(const struct slice *m, uint32_t chip, uint32_t port);
/* "chip0->chip1", "GPU0->GPU1" */
#define SLICE_LINK_NAME 48
char *slice_link_name(const struct slice *m, uint32_t chip, uint32_t port,
                      char buf[SLICE_LINK_NAME]);
void slice_free(struct slice *m);

/* Measuring begins now; it began at `since`, for the cores of the slow chip at `slow_since`, and
 * has lasted until `now`; visit the statistics of a group (slice_measure.c). */
void slice_reset(struct slice *m);
void slice_finish(struct slice *m, des_time now, des_time since, des_time slow_since);
void slice_visit(struct slice *m, enum slice_group group, component_visit *visit, void *self);

#endif
