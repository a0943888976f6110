/* import_value.c - values, their names and their buffers. */
#include <string.h>

#include "import/hlo/program/importing.h"

uint32_t import_leaves(const struct hlo_shape *s)
{
    return s->leaves;
}

uint32_t import_leaf_of(const struct hlo_shape *s, uint32_t part)
{
    return part < s->n_parts ? s->part[part].first_leaf : s->leaves;
}

uint32_t import_part_of(const struct hlo_shape *s, uint32_t leaf)
{
    uint32_t lo = 0, hi = s->n_parts; /* the last part that begins at `leaf` or before it */

    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->part[mid].first_leaf <= leaf)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

const struct hlo_shape *import_leaf_shape(const struct hlo_shape *s, uint32_t leaf)
{
    static const struct hlo_shape nothing = { .dtype = HLO_TOKEN, .leaves = 1 };

    while (s->dtype == HLO_TUPLE) {
        if (leaf >= s->leaves)
            return &nothing;
        s = &s->part[import_part_of(s, leaf)];
        leaf -= s->first_leaf;
    }
    return s->dtype == HLO_BUFFER && s->part ? s->part : s;
}

/* JAX names what belongs to the backward pass transpose(jvp(...)). */
static bool is_backward(const struct importing *im, const struct hlo_instruction *i)
{
    struct hlo_text t = hlo_part(hlo_attribute(im->m, i, "metadata"), "op_name");

    return t.size && memmem(t.at, t.size, "transpose(jvp", 13) != NULL;
}

uint32_t import_value_new(struct importing *im, const struct hlo_instruction *i, uint32_t leaf,
                          const struct hlo_shape *shape, uint32_t scope,
                          enum import_value_kind kind)
{
    if (hlo_dtype_bits[shape->dtype] == 0 || hlo_elements(shape) == 0)
        return 0;
    import_limit_room(im, 2 * sizeof *im->value);
    MEMORY_GROW(im->value, im->n_values + 1, im->cap_values);
    struct import_value *v = &im->value[im->n_values];
    uint32_t id = (uint32_t)(i - im->m->instruction);
    *v = (struct import_value){ .shape = shape,
                                .name = i->name,
                                .leaf = leaf,
                                .suffix = im->scope[scope].suffix,
                                .scope = scope,
                                .instruction = id,
                                .kind = kind };
    if (v->suffix == 0 && scope != 0 && (im->doubled[id / 32] >> id % 32 & 1))
        v->suffix = scope;
    v->gradient = kind == IMPORT_RESULT && is_backward(im, i);
    return im->n_values++;
}

uint32_t import_value_root(const struct importing *im, uint32_t v)
{
    for (uint32_t up; (up = im->value[v].root); v = up)
        if (im->value[up].root) /* half the way for whoever comes next */
            up = im->value[v].root = im->value[up].root;
    return v;
}

/* True if names of scope `outer` are known in `inner`. */
static bool sees_scope(const struct importing *im, uint32_t inner, uint32_t outer)
{
    while (outer && !im->scope[outer].loop)
        outer = im->scope[outer].parent; /* in line with it */
    for (;; inner = im->scope[inner].parent) {
        if (inner == outer)
            return true;
        if (inner == 0)
            return false;
    }
}

void import_value_join(struct importing *im, uint32_t a, uint32_t b)
{
    if (a == 0 || b == 0)
        return;
    uint32_t x = import_value_root(im, a), y = import_value_root(im, b);
    uint32_t first = x < y ? x : y, last = x < y ? y : x, name = x < y ? a : b;
    if (first == last || im->value[last].kind == IMPORT_ARGUMENT ||
        im->value[last].kind == IMPORT_CONSTANT || im->value[first].kind == IMPORT_HANDLE ||
        im->value[last].kind == IMPORT_HANDLE ||
        im->value[first].shape->layout.space != im->value[last].shape->layout.space ||
        im->value[first].kind == IMPORT_CONSTANT ||
        hlo_bytes(im->value[first].shape) < hlo_bytes(im->value[last].shape) ||
        !sees_scope(im, im->value[last].scope, im->value[first].scope))
        return;
    /* the name that the value has here, if it is older than the one that takes its place */
    im->value[last].at =
        name < last && sees_scope(im, im->value[last].scope, im->value[name].scope) ? name : first;
    im->value[last].root = first;
}

void import_value_put(struct importing *im, uint32_t part, uint32_t whole)
{
    part = import_value_root(im, part);
    if (part == 0 || whole == 0 || part == whole || im->value[part].kind != IMPORT_RESULT ||
        im->value[part].scope != im->value[whole].scope ||
        im->value[part].shape->layout.space != im->value[whole].shape->layout.space ||
        hlo_bytes(im->value[part].shape) > hlo_bytes(im->value[whole].shape))
        return;
    im->value[part].at = im->value[part].root = whole;
    im->value[whole].buffer = true;
}
