/* machine.h - a slice, built and wired: cores on chips on hosts, chips on a mesh or torus.
 *
 *      host --pcie-- chip:  core0 core1  hbm  ici --links-- neighbours
 *                           core: sequencer, mxu..., vpu, xlu, dma
 *
 * The only place that includes every component. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <gmp.h>

#include "hw/wires/component.h"
#include "machine/images.h"
#include "machine/spec.h"
#include "task/task.h"

struct machine;
struct des;

/* Build the slice of `spec` (which must outlive it).  `exact`: no shortcuts. */
struct machine *machine_new(const struct machine_spec *spec, bool exact);
/* The same; `attach` is called before elaboration, to subscribe to what components show. */
struct machine *machine_new_watched(const struct machine_spec *spec, bool exact,
                                    void (*attach)(void *self, struct des *sim), void *self);
struct des *machine_sim(const struct machine *m);
/* Build one chip of `spec` for all, or those whose images in a mirror the others are, and their
 * hosts, which is the slice folded: figures and statistics are the same as of all chips if
 * machine_alike() allows it of every program that runs. */
struct machine *machine_new_alike(const struct machine_spec *spec, enum images_part part,
                                  void (*attach)(void *self, struct des *sim), void *self);
void machine_free(struct machine *m);

/* What can be built for the slice to run `program`, as bits of enum images_part: one chip, if all
 * do the same at the same time; the chips of a corner, if the others do the same in a mirror.
 * Neither if hosts have not all as many, something is left to the client, or the schedules of its
 * collectives tell chips apart. */
uint32_t machine_alike(const struct machine_spec *spec, const struct task_program *program);

/* Cores that are built for that. */
uint32_t machine_cores(const struct machine_spec *spec, enum images_part part);

/* Run one step of `program` on every core and wait for the last; of one of several stages a core
 * runs what is its stage's, the cores of the slice being cut into stages in order.  `ahead` is the
 * program of the step after it, whose input the hosts may already prepare; NULL if there is none.
 * Pass the same pointers again for the same program; they must live until the next call. Errors:
 * ERR_RANGE when the simulated time passes MACHINE_LIMIT_FS; the machine is of no use then.
 */
int machine_step(struct machine *m, const struct task_program *program,
                 const struct task_program *ahead, struct err *err);

/* Have `tell` called now and then within a step, with the simulated time since it began, fs.  It
 * changes nothing. */
typedef void machine_tell(void *self, uint64_t fs);
void machine_tells(struct machine *m, machine_tell *tell, void *self);

/* 64-bit counters of multiply-accumulate slots hold this long at the largest array and clock. */
#define MACHINE_LIMIT_FS (UINT64_C(6800) * UINT64_C(1000000000000000))

/* Simulated time since reset, fs; process activations so far. */
uint64_t machine_now(const struct machine *m);
uint64_t machine_events(const struct machine *m);

/* Forget the statistics and bookings so far: measuring starts now. */
void machine_reset(struct machine *m);

/* What was booked since machine_reset() to `row` of `program`, which has run, on `core` of the
 * slice. */
const struct ledger_row *machine_book(const struct machine *m, const struct task_program *program,
                                      uint32_t row, uint32_t core);
/* Of all cores: femtoseconds of `row` on `cause`. */
void machine_booked(const struct machine *m, const struct task_program *program, uint32_t row,
                    enum cause cause, mpz_t fs);

/* Statistics since machine_reset(): one call of visit(self, path, table, counters) for every table
 * of every component, core by core, chip by chip, link by link, host by host, then the client. */
void machine_statistics(struct machine *m, component_visit *visit, void *self);

#endif
