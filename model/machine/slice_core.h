/* slice_core.h - the cores of a slice by the kind of its chips; private to model/machine.
 *
 * slice_tpu.c builds TensorCores, slice_gpu.c GPUs, slice_cpu.c nodes of CPUs: each makes the
 * core's own parts and wires them to HBM.  What every kind has, slice_build.c wires: collectives,
 * the host, the launcher of steps.
 */
#ifndef MACHINE_SLICE_CORE_H
#define MACHINE_SLICE_CORE_H

#include "machine/folds.h"
#include "machine/slice.h"

struct slice_kind {
    /* Make core `index` of those that are built, in a module of its chip. */
    void (*build)(struct slice *m, uint32_t index, const struct machine_folds *folds);
    /* Make what the cores of a chip share besides HBM, before they are wired; NULL: nothing. */
    void (*share)(struct slice *m, uint32_t chip, const struct machine_folds *folds);
    /* Wire it to its chip `c`, whose i-th core it is: before, and after the wires of all kinds. */
    void (*wire)(struct slice *m, struct chip *c, struct core *k, uint32_t i);
    void (*wire_more)(struct slice *m, struct chip *c, struct core *k, uint32_t i);
    /* Users of a chip's HBM with `cores` cores: its cores, what they share, what they have more. */
    uint32_t (*users)(const struct slice *m, uint32_t cores);
    /* The program of the steps that begin from now on; `copied`: [n_tasks]. */
    void (*load)(struct core *c, const struct sequencer_program *p, struct copy_mark *copied);
};
/* [kind of chip] */
extern const struct slice_kind *const slice_kinds[CHIP_N_KINDS];
extern const struct slice_kind slice_tpu, slice_gpu, slice_cpu;

/* A FIFO of `places` items of `size` bytes in module `mod` between two ports. */
__attribute__((format(printf, 7, 8))) void slice_join(struct slice *m, struct des_module mod,
                                                      struct des_out from, struct des_in to,
                                                      size_t size, size_t places, const char *name,
                                                      ...);

/* A row of a table of wires: from, to, message, places, name; `m` and `mod` are at hand. */
#define SLICE_WIRE(from, to, message, places, ...)                                                 \
    slice_join(m, mod, from, to, sizeof(struct message), places, __VA_ARGS__)

/* Step tokens, unit commands and answers pass one at a time; memory wires hold what is in flight.
 */
enum {
    SLICE_ONE = 1,
    SLICE_MEMORY = 8,
    SLICE_SHARED = 4, /* users of a chip's HBM besides its cores: ICI and PCIe, two ports each */
};

/* The clock of a chip's cores. */
uint64_t slice_clock(const struct slice *m, uint32_t chip);

#endif
