/* cpu.h - the time a CPU takes for work that is given as that of one thread. */
#ifndef HW_HOST_CPU_H
#define HW_HOST_CPU_H

#include "des/des.h"

/* `fs` of one thread, shared equally by `threads` of which as many run at once as there are
 * `cores`; rounded up to a femtosecond.  Both are at least 1. */
des_time cpu_time(des_time fs, uint32_t threads, uint32_t cores);

/* Femtoseconds for `bytes` at `rate` bytes a second, rounded down. */
des_time cpu_copy_time(uint64_t bytes, uint64_t rate);

#endif
