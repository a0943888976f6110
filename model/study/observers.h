/* observers.h - observers of a simulation that is no replay: traffic on memory or on a network. */
#ifndef STUDY_OBSERVERS_H
#define STUDY_OBSERVERS_H

#include "des/des.h"
#include "run/result.h"

/* Let them subscribe, elaborate and begin: all from now on is measured, and takes `step_fs` or
 * more.  Errors: those of observers and des_elaborate; the audience is to be ended then too. */
int observers_begin(const struct run_observer *o, size_t n, struct des *sim, uint64_t step_fs,
                    struct err *err);
void observers_end(const struct run_observer *o, size_t n, struct des *sim);

/* Cycles of a clock as a time, DES_NEVER where that has no more bits. */
uint64_t observers_time(uint64_t cycles, uint64_t hz);

#endif
