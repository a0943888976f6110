/* mlir.c - the module in memory, and questions about it. */
#include "import/mosaic/mlir.h"

#include <string.h>

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
