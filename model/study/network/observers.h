/* observers.h - observers (waves) of a simulation that is no replay: traffic on memory or on a
 * network. */
#ifndef STUDY_NETWORK_OBSERVERS_H
#define STUDY_NETWORK_OBSERVERS_H

#include "des/des.h"
#include "run/result/result.h"

/* Attach `n` observers, elaborate `sim` and begin to measure at time 0.  The run will take at least
 * `step_fs` femtoseconds.  Errors: those of observers and des_elaborate; call observers_end then
 * too. */
int observers_begin(const struct run_observer *o, size_t n, struct des *sim, uint64_t step_fs,
                    struct err *err);
void observers_end(const struct run_observer *o, size_t n, struct des *sim);

/* Femtoseconds of so many cycles of a clock, rounded down; DES_NEVER if they exceed 64 bits. */
uint64_t observers_time(uint64_t cycles, uint64_t hz);

#endif
