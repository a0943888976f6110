/* slice.h - the components of a slice and their wiring; private to the machine.
 *
 * Everything is created before the first step, so nothing is allocated while it runs. */
#ifndef MACHINE_SLICE_H
#define MACHINE_SLICE_H

#include "des/des.h"
#include "hw/ici.h"
#include "hw/launcher.h"
#include "machine/spec.h"

struct core {
    struct des_module mod;
    struct sequencer sequencer;
    struct mxu *mxu;
    struct vpu vpu;
    struct xlu xlu;
    struct dma dma;
};

struct chip {
    struct des_module mod;
    struct hbm hbm;
    struct cmem cmem; /* where it has a capacity */
    struct ici ici;
    struct pcie pcie;
};

struct slice {
    const struct machine_spec *spec;
    struct des *sim;
    uint32_t n_cores, n_chips, n_hosts;
    struct core *core;
    struct chip *chip;
    struct host *host;
    struct storage *storage; /* of each host, then of the client */
    struct client client;
    struct des_in *asked; /* by each host of the client */
    struct des_out *answered;
    struct link *link[2]; /* [direction][place on the ring]: to the next or previous chip */
    struct mxu *mxus;     /* of all cores */
    struct launcher launcher;
    struct des_in *finished;
    struct des_out *go;
};

/* Zeroed storage of at least one element; a bug when there is none to be had. */
void *slice_array(size_t n, size_t size);

/* Build and wire the slice of `spec`; then elaborate, and let every process reach its first wait.
 */
void slice_build(struct slice *m, const struct machine_spec *spec, bool exact);
void slice_start(struct slice *m);
void slice_free(struct slice *m);

#endif
