/* ranks.h - the processes of an MPI program; one process if it was built without MPI.
 *
 * `make MPI=1` takes ranks_mpi.c, else ranks_one.c is taken. */
#ifndef SWEEP_RANKS_RANKS_H
#define SWEEP_RANKS_RANKS_H

#include <stdbool.h>
#include <stdint.h>

struct ranks {
    uint32_t number, of; /* 1 .. of */
};

/* Join the other processes.  Call it once, before work is shared out. */
struct ranks ranks_begin(void);

/* Wait for all processes.  Returns true if `well` is true in every one. */
bool ranks_agree(bool well);

/* End MPI; the last thing that a process does of it. */
void ranks_end(void);

#endif
