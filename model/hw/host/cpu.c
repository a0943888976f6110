/* Times of CPU work. */
#include "hw/host/cpu.h"

#include "base/wide.h"

des_time cpu_time(des_time fs, uint32_t threads, uint32_t cores)
{
    uint32_t at_once = threads < cores ? threads : cores;

    BUG_ON(at_once == 0);
    return fs / at_once + (fs % at_once != 0);
}

des_time cpu_copy_time(uint64_t bytes, uint64_t rate)
{
    return (des_time)((u128)bytes * DES_FS_PER_S / rate);
}
