/* scalesim.h - topology files of SCALE-Sim as the text of a trace.
 *
 *     Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter,
 * Strides, Conv1,      224,          224,         7,             7,            3,        64, 2,
 *
 *     Layer,  M,  N,  K,
 *     L0,     196, 192, 384,
 *
 * The columns are known by their names, in any order; of two with one name, by their position, as
 * SCALE-Sim itself goes.  Optional ones are "Stride height" and "Stride width" instead of strides,
 * "Batch Size", "Sparsity"; a number behind the last column, if that is strides, is the stride
 * along the width.  Cells may be parted by tabs.  Skipped are blank lines, cells behind the last
 * column that are empty or begin with #, columns behind one without a name, and titles: lines with
 * nothing but a name, or with the names of the columns again. */
#ifndef IMPORT_SCALESIM_SCALESIM_H
#define IMPORT_SCALESIM_SCALESIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct scalesim_notes {
    uint64_t sparse; /* layers with sparse filters, which are taken as dense */
    uint64_t titles; /* lines that were taken for titles */
};

/* True if it begins with a line of columns, the first of which names layers. */
bool scalesim_likes(const void *data, size_t size);

/* Write a trace with an operation for each layer: a conv on `samples` images (0: 1, or its batch
 * size), or a matmul for M, N and K.  A layer whose name has "DP" in it is depthwise, as SCALE-Sim
 * has it: each channel has its own filters.  Windows that begin on the image but do not end there
 * count, also as there: the image is padded.
 * Errors: ERR_FORMAT, ERR_RANGE as "FILE:line:column: what".  O(n log n). */
int scalesim_import(const char *name, const void *data, size_t size, uint64_t samples, FILE *out,
                    struct scalesim_notes *notes, struct err *err);

#endif
