/* cpu.h - the time a CPU takes for work that is given as work of one thread. */
#ifndef HW_HOST_CPU_H
#define HW_HOST_CPU_H

#include "des/des.h"

/* Time of `fs` of work divided equally among `threads`, of which at most `cores` run at once;
 * rounded up to a femtosecond.  threads >= 1, cores >= 1. */
des_time cpu_time(des_time fs, uint32_t threads, uint32_t cores);

/* Femtoseconds for `bytes` at `rate` bytes a second, rounded down. */
des_time cpu_copy_time(uint64_t bytes, uint64_t rate);

#endif
