/* mlir.c - the module in memory, and questions about it. */
#include "import/mosaic/mlir.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const struct mlir_type nothing = { .kind = MLIR_OTHER };

bool mlir_is(struct mlir_text t, const char *s)
{
    return t.at && strlen(s) == t.size && memcmp(t.at, s, t.size) == 0;
}

bool mlir_starts(struct mlir_text t, const char *s)
{
    size_t n = strlen(s);

    return t.at && t.size >= n && memcmp(t.at, s, n) == 0;
}

const struct mlir_attribute *mlir_member(const struct mlir_module *m,
                                         const struct mlir_attribute *a, const char *name)
{
    if (a == NULL || a->form != MLIR_PAIRS)
        return NULL;
    for (uint32_t k = 0; k < a->n; k++) {
        const struct mlir_attribute *key = &m->attribute[m->item[a->first + 2 * k]];
        if (mlir_is(key->text, name))
            return &m->attribute[m->item[a->first + 2 * k + 1]];
    }
    return NULL;
}

const struct mlir_attribute *mlir_attribute(const struct mlir_module *m, const struct mlir_op *o,
                                            const char *name)
{
    return o->attribute == MLIR_NONE ? NULL : mlir_member(m, &m->attribute[o->attribute], name);
}

bool mlir_number(const struct mlir_module *m, const struct mlir_attribute *a, uint32_t n,
                 int64_t *value)
{
    if (a && a->form == MLIR_NUMBERS && n < a->n) {
        *value = m->number[a->first + n];
        return true;
    }
    if (a && a->form == MLIR_NUMBER && n == 0) {
        *value = a->value;
        return true;
    }
    if (a && a->form == MLIR_LIST && n < a->n) {
        a = &m->attribute[m->item[a->first + n]];
        *value = a->value;
        return a->form == MLIR_NUMBER;
    }
    return false;
}

static const struct mlir_type *type_of(const struct mlir_module *m, uint32_t value)
{
    uint32_t t = value < m->n_values ? m->value[value] : MLIR_NONE;

    return t < m->n_types ? &m->type[t] : &nothing;
}

const struct mlir_type *mlir_operand_type(const struct mlir_module *m, const struct mlir_op *o,
                                          uint32_t n)
{
    return n < o->operands ? type_of(m, m->ref[o->first_operand + n]) : &nothing;
}

const struct mlir_type *mlir_result_type(const struct mlir_module *m, const struct mlir_op *o,
                                         uint32_t n)
{
    return n < o->results ? type_of(m, o->first_result + n) : &nothing;
}

/* --- building ------------------------------------------------------------------------------ */

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
