/* Parts of an MLIR module as a reader appends them. */
#include <string.h>

#include "base/memory.h"
#include "import/mosaic/mlir.h"

#define APPEND(array, n, cap, x)                                                                   \
    do {                                                                                           \
        MEMORY_GROW(array, (n) + 1, cap);                                                          \
        (array)[(n)++] = (x);                                                                      \
    } while (0)

uint32_t mlir_add_value(struct mlir_module *m, uint32_t type)
{
    APPEND(m->value, m->n_values, m->cap_values, type);
    return m->n_values - 1;
}

uint32_t mlir_add_type(struct mlir_module *m, const struct mlir_type *t)
{
    APPEND(m->type, m->n_types, m->cap_types, *t);
    return m->n_types - 1;
}

uint32_t mlir_add_attribute(struct mlir_module *m, const struct mlir_attribute *a)
{
    APPEND(m->attribute, m->n_attributes, m->cap_attributes, *a);
    return m->n_attributes - 1;
}

uint32_t mlir_add_number(struct mlir_module *m, int64_t n)
{
    APPEND(m->number, m->n_numbers, m->cap_numbers, n);
    return m->n_numbers - 1;
}

uint32_t mlir_add_item(struct mlir_module *m, uint32_t item)
{
    APPEND(m->item, m->n_items, m->cap_items, item);
    return m->n_items - 1;
}

uint32_t mlir_add_ref(struct mlir_module *m, uint32_t value)
{
    APPEND(m->ref, m->n_refs, m->cap_refs, value);
    return m->n_refs - 1;
}

uint32_t mlir_add_region(struct mlir_module *m)
{
    APPEND(m->region, m->n_regions, m->cap_regions, (struct mlir_region){ 0 });
    return m->n_regions - 1;
}

uint32_t mlir_add_op(struct mlir_module *m, struct mlir_text name)
{
    struct mlir_op o = { .name = name, .attribute = MLIR_NONE };

    APPEND(m->op, m->n_ops, m->cap_ops, o);
    return m->n_ops - 1;
}

void mlir_count_elements(struct mlir_type *t)
{
    t->elements = 1;
    for (uint32_t k = 0; k < t->rank; k++) {
        uint64_t d = t->dim[k] < 0 ? 0 : (uint64_t)t->dim[k];
        if (__builtin_mul_overflow(t->elements, d, &t->elements) || t->elements >> 62)
            t->elements = 0;
    }
}
