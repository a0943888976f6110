/* machine.h - a machine, built and wired: cores on chips on hosts, chips on a mesh or torus.
 *
 *      host --pcie-- chip:  core0 core1  hbm  ici --links-- neighbours
 *                           core: sequencer, mxu..., vpu, xlu, dma
 *
 * Only this folder includes the headers of all components. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <gmp.h>

#include "hw/wires/component.h"
#include "machine/images.h"
#include "machine/spec/spec.h"
#include "task/task.h"

struct machine;
struct des;

/* Build the machine of `spec`, which must outlive it.  `exact`: without shortcuts. */
struct machine *machine_new(const struct machine_spec *spec, bool exact);
/* machine_new, which calls attach(self, sim) before elaboration, to subscribe to probes; NULL:
 * none. */
struct machine *machine_new_watched(const struct machine_spec *spec, bool exact,
                                    void (*attach)(void *self, struct des *sim), void *self);
struct des *machine_sim(const struct machine *m); /* of a machine that is not divided */
/* Build only some chips of `spec` and their hosts, each for others that do the same (`part`, see
 * images.h).  Figures and statistics equal those of the whole machine if machine_alike() allows
 * `part` for every program that runs. */
struct machine *machine_new_alike(const struct machine_spec *spec, enum images_part part,
                                  void (*attach)(void *self, struct des *sim), void *self);
void machine_free(struct machine *m);

/* Build the whole machine for `threads` threads, which simulate groups of hosts side by side
 * (cells.h).  Every figure equals that of machine_new(); nothing can be watched.  Only for programs
 * that machine_divides() allows.  With one thread, as machine_new(). */
struct machine *machine_new_divided(const struct machine_spec *spec, bool exact, unsigned threads);
/* Can several threads simulate the machine, built whole, while it runs `program`? */
bool machine_divides(const struct machine_spec *spec, const struct task_program *program);

/* Parts of the machine that are enough to run `program`, as bits of enum images_part.  IMAGES_ONE:
 * all chips do the same at the same time.  IMAGES_MIRRORED: chips of a corner do, the others in a
 * mirror.  Neither if hosts have different numbers of chips, if the client works for the program,
 * or if the schedules of its collectives distinguish chips. */
uint32_t machine_alike(const struct machine_spec *spec, const struct task_program *program);

/* Share mixes of memory traffic that are walked from now on with processes that are forked later,
 * and among them (hbm_learnt.h).  No result depends on it. */
void machine_share_walks(void);

/* Number of cores built for `part`. */
uint32_t machine_cores(const struct machine_spec *spec, enum images_part part);

/* Run one step of `program` on every core, to the end of the last.  If it has several stages, cores
 * are divided among them in order, and each runs the tasks of its stage.  `ahead` is the program of
 * the step after it, whose input the hosts may prepare already; NULL: none.  Pass the same pointer
 * for the same program; programs must live until the machine is freed.  Errors: ERR_RANGE when
 * simulated time passes MACHINE_LIMIT_FS; the machine can then only be freed. */
int machine_step(struct machine *m, const struct task_program *program,
                 const struct task_program *ahead, struct err *err);

/* A program and the same one with fewer turns of its loops: in `once` every loop that is cut has
 * some turns, in `twice` so many more that `times` such lots of turns on top of `once` are all. */
struct machine_turns {
    const struct task_program *all, *once, *twice;
    uint64_t times;
    const bool *turned;        /* [row] in a loop that is cut */
    const uint32_t *more_rows; /* [row] of its products, as in struct array_mode */
};

/* Run a step of t->all by its other two programs, none of which exchanges data with a host.  Times,
 * books and statistics become those of t->once and so many times what t->twice has more, as if the
 * turns that are not run were like those.  With once == NULL, and where turns are too unlike each
 * other, the program runs as it is.  A machine on which this is called runs all its steps by this
 * call.  Errors: as machine_step(). */
int machine_step_turns(struct machine *m, const struct machine_turns *t, struct err *err);

/* Let the machine rest before its next step: for so long, and to the next edge of the core's clock.
 * Returns the femtoseconds of the rest, which statistics leave out. */
uint64_t machine_rest(struct machine *m, uint64_t fs);

/* Femtoseconds from one refresh of all banks of HBM to the next; 0: they are not refreshed at once.
 */
uint64_t machine_refresh(const struct machine *m);

/* Call `tell` now and then within a step with how far the first core is (sequencer_position).
 * Unless it returns 0 the step ends there with ERR_STOPPED, and the machine is to be freed.  No
 * result depends on it. */
typedef int machine_tell(void *self, uint64_t passed, uint64_t all);
void machine_tells(struct machine *m, machine_tell *tell, void *self);

/* Counters of multiply-accumulates have 64 bits, enough for this time at the largest array and
 * clock.
 */
#define MACHINE_LIMIT_FS (UINT64_C(6800) * UINT64_C(1000000000000000))

/* Simulated time since the beginning, fs; activations of processes so far. */
uint64_t machine_now(const struct machine *m);
uint64_t machine_events(const struct machine *m);

/* Zero all statistics and books: measuring begins now. */
void machine_reset(struct machine *m);

/* The book of `row` of `program` on `core` of the machine, since machine_reset(); the program must
 * have run. */
const struct ledger_row *machine_book(const struct machine *m, const struct task_program *program,
                                      uint32_t row, uint32_t core);
/* Cores that are built; each stands for as many of the machine's.  The book of the index-th. */
uint32_t machine_built_cores(const struct machine *m);
const struct ledger_row *machine_built_book(const struct machine *m,
                                            const struct task_program *program, uint32_t row,
                                            uint32_t index);
/* Set `fs` to the femtoseconds of all cores booked to `row` and `cause`. */
void machine_booked(const struct machine *m, const struct task_program *program, uint32_t row,
                    enum cause cause, mpz_t fs);

/* Statistics since machine_reset(): a call of visit(self, path, table, counters, times) for the
 * table of each component that is built, core by core, chip by chip, host by host, then the client,
 * and for each link and network card of the machine. */
void machine_statistics(struct machine *m, component_visit *visit, void *self);

#endif
