/* fill.h - how a tile of weights fills an array that is wider than its lanes or than the tile. */
#ifndef KERNELS_TPU_FILL_H
#define KERNELS_TPU_FILL_H

#include "kernels/common/cap.h"

/* A tile stored transposed pushes as many rows as it has columns: passes over `n` are equal, so
 * that all together push `n`. */
void fill_columns(struct array_mode *mode, uint64_t n, const struct cap *cap);

/* That, and: an array wider than a register holds a tile of at most one register each way twice; an
 * odd number of registers of `n` columns are such tiles.  Of other tiles only the registers that
 * they fill side by side are pushed; of a tile that is held twice each register
 * counts twice, but one that is turned on its way in serves both. */
void fill_registers(struct array_mode *mode, uint64_t n, const struct cap *cap);

#endif
