/* Values of a recording: which value an operand is, by its shape (aten_write.h). */
#include <string.h>

#include "base/memory.h"
#include "import/kineto/aten_write.h"

uint64_t aten_elements(const struct trace_shape *s)
{
    uint64_t n = 1;

    for (uint32_t d = 0; d < s->rank; d++)
        n *= s->dim[d];
    return n;
}

struct trace_shape aten_shape_of(enum trace_dtype dtype, uint32_t rank, const uint64_t *dim)
{
    struct trace_shape s = { .dtype = dtype, .rank = rank };

    memcpy(s.dim, dim, rank * sizeof *dim);
    return s;
}

struct trace_shape aten_shape(const struct aten_arg *a)
{
    struct trace_shape s = aten_shape_of(a->dtype, a->rank, a->dim);

    for (uint32_t d = 0; a->strided && d < s.rank; d++)
        if (a->stride[d] == 0)
            s.dim[d] = 1;
    return s;
}

struct trace_shape aten_reduced(const struct trace_shape *s, uint32_t over)
{
    struct trace_shape r = { .dtype = s->dtype };

    for (uint32_t d = 0; d < s->rank; d++)
        if (!(over >> d & 1))
            r.dim[r.rank++] = s->dim[d];
    return r;
}

/* --- finding -------------------------------------------------------------------------------- */

static bool is_equal(const struct trace_shape *a, const struct trace_shape *b)
{
    return a->dtype == b->dtype && a->rank == b->rank &&
           memcmp(a->dim, b->dim, a->rank * sizeof *a->dim) == 0;
}

static bool has_shape(const void *array, uint32_t position, const void *key)
{
    const struct aten_value *v = array;

    return is_equal(&v[position].shape, key);
}

static bool has_size(const void *array, uint32_t position, const void *key)
{
    const struct aten_value *v = (const struct aten_value *)array + position;
    const struct aten_value *x = key;

    return v->elements == x->elements && v->shape.dtype == x->shape.dtype;
}

#define MOST_BACK 8 /* values of one shape that an operand may be */

static uint64_t hash_shape(const struct trace_shape *s)
{
    return profile_index_hash((const char *)s->dim, s->rank * sizeof *s->dim, s->dtype, s->rank);
}

static uint64_t hash_size(const struct aten_value *v)
{
    return profile_index_hash("", 0, v->shape.dtype, v->elements);
}

/* The latest value stands in a slot of its shape: `latest` of the first one of that shape. */
static uint32_t find_latest(const struct aten_writer *w, const struct profile_index *index,
                            uint64_t hash, profile_index_same *same, const void *key, bool size)
{
    uint32_t first = profile_index_find(index, hash, same, w->value, key);

    return first == PROFILE_INDEX_NONE ? ATEN_NO_VALUE : w->latest[2 * first + size];
}

static void note_latest(struct aten_writer *w, struct profile_index *index, uint64_t hash,
                        profile_index_same *same, const void *key, bool size, uint32_t v)
{
    uint32_t first = profile_index_find(index, hash, same, w->value, key);

    if (first == PROFILE_INDEX_NONE) {
        profile_index_add(index, hash, v);
        first = v;
    }
    w->latest[2 * first + size] = v;
}

/* A value that nothing finds. */
static uint32_t make_value(struct aten_writer *w, const struct trace_shape *s)
{
    uint32_t v = w->n_values++, cap = w->cap_values;

    MEMORY_GROW(w->value, v + 1, w->cap_values);
    if (w->cap_values != cap)
        w->latest = memory_resize(w->latest, 2 * (size_t)w->cap_values, sizeof *w->latest);
    w->value[v] =
        (struct aten_value){ .shape = *s, .elements = aten_elements(s), .before = ATEN_NO_VALUE };
    return v;
}

static uint32_t add_value(struct aten_writer *w, const struct trace_shape *s, bool tensor,
                          bool weight)
{
    uint32_t v = make_value(w, s);

    uint32_t before = find_latest(w, &w->by_shape, hash_shape(s), has_shape, s, false);
    w->value[v] = (struct aten_value){ *s, tensor, weight, aten_elements(s), before };
    w->latest[2 * v] = w->latest[2 * v + 1] = v;
    note_latest(w, &w->by_shape, hash_shape(s), has_shape, s, false, v);
    note_latest(w, &w->by_size, hash_size(&w->value[v]), has_size, &w->value[v], true, v);
    return v;
}

/* --- of the forward pass -------------------------------------------------------------------- */

static void save_value(struct aten_job *j, uint32_t v)
{
    struct aten_writer *w = j->w;

    if (j->op->phase != RECORDED_FORWARD || j->op->sequence < 0)
        return;
    MEMORY_GROW(w->saved, w->n_saved + 1, w->cap_saved);
    w->saved[w->n_saved++] = (struct aten_saved){ j->op->sequence, v };
}

static bool is_used(const struct aten_job *j, uint32_t v)
{
    for (uint32_t i = 0; i < j->n_used; i++)
        if (j->used[i] == v)
            return true;
    return false;
}

/* Numbers of autograd grow in the forward pass, so the list is in their order but for calls that
 * hold others; what was saved out of order is not found. */
static uint32_t find_saved(const struct aten_job *j, const struct trace_shape *s)
{
    const struct aten_writer *w = j->w;
    uint32_t low = 0, high = w->n_saved;

    if (j->op->phase != RECORDED_BACKWARD || j->op->sequence < 0)
        return ATEN_NO_VALUE;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->saved[middle].sequence < j->op->sequence)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < w->n_saved && w->saved[low].sequence == j->op->sequence; low++)
        if (is_equal(&w->value[w->saved[low].value].shape, s) && !is_used(j, w->saved[low].value))
            return w->saved[low].value;
    return ATEN_NO_VALUE;
}

/* --- views ---------------------------------------------------------------------------------- */

/* True if dimensions of `b` are those of `a` merged. */
static bool is_merged(const struct trace_shape *a, const struct trace_shape *b)
{
    uint32_t i = 0;

    for (uint32_t d = 0; d < b->rank; d++) {
        uint64_t n = 1;
        if (b->dim[d] == 1)
            continue;
        while (i < a->rank && n < b->dim[d])
            n *= a->dim[i++];
        if (n != b->dim[d])
            return false;
    }
    while (i < a->rank && a->dim[i] == 1)
        i++;
    return i == a->rank;
}

static uint32_t write_view(struct aten_job *j, uint32_t from, const struct trace_shape *s)
{
    uint32_t v = add_value(j->w, s, false, false);

    aten_begin(j, 1, "copy", &v, 1, &from, 1);
    fputs(" name=\"view\"\n", j->w->out);
    return v;
}

static uint32_t find_value(struct aten_job *j, const struct trace_shape *s)
{
    struct aten_writer *w = j->w;
    struct aten_value probe = { .shape = *s, .elements = aten_elements(s) };
    uint32_t v = j->n_used > 0 ? find_saved(j, s) : ATEN_NO_VALUE; /* first is the gradient */

    if (v != ATEN_NO_VALUE)
        return v;
    v = find_latest(w, &w->by_shape, hash_shape(s), has_shape, s, false);
    for (int i = 0; i < MOST_BACK && v != ATEN_NO_VALUE && is_used(j, v); i++)
        v = w->value[v].before;
    if (v != ATEN_NO_VALUE && !is_used(j, v))
        return v;
    if (probe.elements == 1)
        return ATEN_NO_VALUE;
    v = find_latest(w, &w->by_size, hash_size(&probe), has_size, &probe, true);
    if (v == ATEN_NO_VALUE || is_used(j, v) || is_equal(&w->value[v].shape, s))
        return ATEN_NO_VALUE;
    return is_merged(&w->value[v].shape, s) || is_merged(s, &w->value[v].shape)
               ? write_view(j, v, s)
               : ATEN_NO_VALUE;
}

uint32_t aten_operand(struct aten_job *j, const struct trace_shape *s)
{
    uint32_t v = find_value(j, s);

    if (v == ATEN_NO_VALUE)
        v = add_value(j->w, s, true, false);
    save_value(j, v);
    if (j->n_used < ATEN_MOST_OPERANDS)
        j->used[j->n_used++] = v;
    return v;
}

void aten_operands(struct aten_job *j, const struct trace_shape *s, uint32_t n, uint32_t *v)
{
    for (uint32_t i = 0; i < n; i++)
        v[i] = aten_operand(j, &s[i]);
}

uint32_t aten_flat(struct aten_job *j, uint32_t i, uint64_t n, enum trace_dtype dtype)
{
    uint32_t *list = &j->w->list[i % 8];
    struct trace_shape s = aten_shape_of(dtype, 1, &n);

    if (*list == ATEN_NO_VALUE || !is_equal(&j->w->value[*list].shape, &s))
        *list = add_value(j->w, &s, true, i != 1); /* gradients are no weights */
    return *list;
}

uint32_t aten_scalar(struct aten_job *j, enum trace_dtype dtype)
{
    struct trace_shape s = { .dtype = dtype };
    uint32_t v = find_latest(j->w, &j->w->by_shape, hash_shape(&s), has_shape, &s, false);

    return v == ATEN_NO_VALUE ? add_value(j->w, &s, true, false) : v;
}

uint32_t aten_weight(struct aten_job *j, const struct trace_shape *s)
{
    if (j->op->phase != RECORDED_FORWARD)
        return aten_operand(j, s);
    uint32_t v = add_value(j->w, s, true, true);
    save_value(j, v);
    if (j->n_used < ATEN_MOST_OPERANDS)
        j->used[j->n_used++] = v;
    return v;
}

uint32_t aten_result(struct aten_job *j, const struct trace_shape *s)
{
    uint32_t v = add_value(j->w, s, false, false);

    save_value(j, v);
    return v;
}

uint32_t aten_inner(struct aten_job *j, const struct trace_shape *s)
{
    return make_value(j->w, s);
}
