/* scalesim_topology.h - the layers of a SCALE-Sim topology file in memory. */
#ifndef IMPORT_SCALESIM_SCALESIM_TOPOLOGY_H
#define IMPORT_SCALESIM_SCALESIM_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* clang-format off */
enum scalesim_column { SCALESIM_LAYER, SCALESIM_IMAGE_H, SCALESIM_IMAGE_W, SCALESIM_FILTER_H, SCALESIM_FILTER_W, SCALESIM_CHANNELS, SCALESIM_FILTERS, SCALESIM_STRIDE, SCALESIM_STRIDE_H,
                       SCALESIM_STRIDE_W, SCALESIM_BATCH, SCALESIM_SPARSITY, SCALESIM_M, SCALESIM_N, SCALESIM_K, SCALESIM_N_COLUMNS,
                       SCALESIM_NOTES = SCALESIM_N_COLUMNS };
/* clang-format on */
#define SCALESIM_CELLS 32 /* of a line, at most */

/* A layer: numbers by their column, 0 where the file has none.  Both strides are set. */
struct scalesim_layer {
    char *name;    /* a word of a trace */
    uint32_t line; /* of the file */
    bool again;    /* a layer before it has that name */
    bool sparse;   /* its filters are */
    uint64_t of[SCALESIM_N_COLUMNS];
};

struct scalesim_topology {
    const char *file;
    const char *text, *end;     /* what is left to read */
    uint32_t line;              /* that was read last */
    int column[SCALESIM_CELLS]; /* of a cell; -1: none */
    bool has[SCALESIM_N_COLUMNS];
    unsigned n_columns, n_cells; /* cells up to the last column; and with what is behind it */
    char comma;                  /* between cells */
    struct scalesim_layer *layer;
    uint32_t n, cap;
    uint64_t sparse; /* layers with sparse filters */
    uint64_t titles; /* lines that are no layers: a name alone, or names of columns again */
    struct err *err;
};

/* Read a file; the topology is freed also after an error.  Errors: those of scalesim_import(). */
int scalesim_topology_read(struct scalesim_topology *t, const char *name, const void *data,
                           size_t size, struct err *err);
void scalesim_topology_free(struct scalesim_topology *t);

/* True if it begins with a line of columns, the first of which names layers. */
bool scalesim_topology_likes(const void *data, size_t size);

#endif
