/* The processes of an MPI program. */
#include <mpi.h>

#include "sweep/ranks.h"

/* An MPI call that fails aborts the whole program: the default of MPI. */
struct ranks ranks_begin(void)
{
    int rank, size;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return (struct ranks){ (uint32_t)rank + 1, (uint32_t)size };
}

bool ranks_agree(bool well)
{
    int mine = well, all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

void ranks_end(void)
{
    MPI_Finalize();
}
