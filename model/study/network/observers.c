#include "study/network/observers.h"

#include "base/units.h"
#include "base/wide.h"

int observers_begin(const struct run_observer *o, size_t n, struct des *sim, uint64_t step_fs,
                    struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (o[i].attach(o[i].self, sim, err) != 0)
            return -1;
    if (des_elaborate(sim, err) != 0)
        return -1;
    des_run(sim, 0); /* so that a dump has the values before the first cycle */
    for (size_t i = 0; i < n; i++)
        if (o[i].begin(o[i].self, sim, step_fs, 1, err) != 0)
            return -1;
    return 0;
}

void observers_end(const struct run_observer *o, size_t n, struct des *sim)
{
    for (size_t i = 0; i < n; i++)
        o[i].end(o[i].self, sim);
}

uint64_t observers_time(uint64_t cycles, uint64_t hz)
{
    u128 fs = wide_mul(cycles, FS_PER_S) / hz;

    return fs < DES_NEVER ? (uint64_t)fs : DES_NEVER;
}
