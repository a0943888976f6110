/* A module of MLIR, read as text or bytecode. */
#include <stdlib.h>
#include <string.h>

#include "import/mosaic/mlir.h"

bool mlir_read(struct mlir_module *m, const char *bytes, size_t size)
{
    *m = (struct mlir_module){ 0 };
    bool read = size >= 4 && memcmp(bytes, "ML\xefR", 4) == 0 ? mlir_read_bytecode(m, bytes, size)
                                                              : mlir_read_text(m, bytes, size);
    if (!read)
        mlir_free(m);
    return read;
}

void mlir_free(struct mlir_module *m)
{
    for (uint32_t k = 0; k < m->n_names; k++)
        free(m->name[k]);
    free(m->name);
    free(m->op);
    free(m->value);
    free(m->ref);
    free(m->item);
    free(m->region);
    free(m->number);
    free(m->attribute);
    free(m->type);
    *m = (struct mlir_module){ 0 };
}
