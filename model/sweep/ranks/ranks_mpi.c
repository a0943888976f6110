/* The processes of an MPI program. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "sweep/ranks/ranks.h"

/* An MPI call that fails aborts the whole program: the default of MPI. */
struct ranks ranks_begin(void)
{
    int rank, size;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* each of them would run the whole sweep */
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    if (size == 1 && tasks && strtol(tasks, NULL, 10) > 1) {
        fprintf(
            stderr,
            "cyclotron: Slurm has started %.10s processes that MPI does not know as one program: "
            "srun --mpi=pmix, or mpirun\n",
            tasks);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
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
