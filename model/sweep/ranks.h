/* ranks.h - the processes of an MPI program; one, if it was built without MPI.
 *
 * `make MPI=1` takes ranks_mpi.c, else ranks_one.c is taken. */
#ifndef SWEEP_RANKS_H
#define SWEEP_RANKS_H

#include <stdbool.h>
#include <stdint.h>

struct ranks {
    uint32_t number, of; /* 1 .. of */
};

/* Join the others.  Once a process, before anything is shared out. */
struct ranks ranks_begin(void);

/* Wait for all others: is all well with every one? */
bool ranks_agree(bool well);

void ranks_end(void);

#endif
