#include "run/result/memory_owner.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/shape.h"

struct key {
    const char *at;
    size_t n;
    const struct footprint_buffer *buffer;
};

typedef struct key key_of_buffer(const struct step *, const struct footprint_buffer *);

static struct key key_of_source(const struct step *step, const struct footprint_buffer *b)
{
    const char *source = step_source(step, b->from);

    return (struct key){ source ? source : "", source ? strlen(source) : 0, b };
}

static struct key key_of_scope(const struct step *step, const struct footprint_buffer *b)
{
    const char *scope = step_scope(step, b->from), *last = scope ? strrchr(scope, '/') : NULL;

    return (struct key){ scope ? scope : "", last ? (size_t)(last - scope) : 0, b };
}

static int compare_texts(const struct key *a, const struct key *b)
{
    int order = memcmp(a->at, b->at, a->n < b->n ? a->n : b->n);

    if (order == 0 && a->n == 0 && b->n == 0)
        return (a->buffer->role > b->buffer->role) - (a->buffer->role < b->buffer->role);
    return order ? order : (a->n > b->n) - (a->n < b->n);
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = compare_texts(x, y);

    return order ? order : (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

/* Most bytes first; of equals the one that sorts first. */
static int compare_owners(const void *a, const void *b)
{
    const struct run_owner *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return order ? order : (x->role > y->role) - (x->role < y->role);
}

static void add_buffer(struct run_owner *o, const struct footprint_buffer *b)
{
    o->bytes += b->bytes;
    o->buffers++;
}

/* Say which buffer of a row is the largest: "fusion.12 bf16[16,4096]". */
static void name_largest(struct run_owner *o, const struct step *step,
                         const struct footprint_buffer *b)
{
    char shape[SHAPE_TEXT_MAX];

    shape_text(shape, &step->value[b->holds].shape);
    o->largest =
        memory_format("%s %.*s", step_name(step, b->holds), (int)strcspn(shape, "{"), shape);
    o->largest_bytes = b->bytes;
    o->role = b->role;
}

static struct run_owner *sum_by(const struct step *step, const struct footprint_buffer *buffer,
                                size_t n_buffers, key_of_buffer *key_of, size_t *n)
{
    struct key *key = memory_zeroed(n_buffers + 1, sizeof *key);
    struct run_owner *rows = NULL;

    for (size_t i = 0; i < n_buffers; i++)
        key[i] = key_of(step, &buffer[i]);
    qsort(key, n_buffers, sizeof *key, compare_keys);
    *n = 0;
    for (size_t i = 0, next; i < n_buffers; i = next) {
        MEMORY_ADD(rows, *n);
        struct run_owner *o = &rows[(*n)++];
        *o = (struct run_owner){ .name = memory_copy_part(key[i].at, key[i].n) };
        const struct footprint_buffer *most = key[i].buffer;
        for (next = i; next < n_buffers && compare_texts(&key[i], &key[next]) == 0; next++) {
            add_buffer(o, key[next].buffer);
            if (key[next].buffer->bytes > most->bytes)
                most = key[next].buffer;
        }
        name_largest(o, step, most);
    }
    free(key);
    if (*n)
        qsort(rows, *n, sizeof *rows, compare_owners);
    return rows;
}

/* --- one by one ------------------------------------------------------------------------------ */

static int compare_buffers(const void *a, const void *b)
{
    const struct run_buffer *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return strcmp(x->name, y->name);
}

static char *copy_optional(const char *text)
{
    return memory_copy(text ? text : "");
}

static struct run_buffer describe_buffer(const struct step *step, const struct footprint_buffer *b)
{
    const struct step_value *v = &step->value[b->holds], *place = &step->value[b->value];
    struct trace_shape kept = v->shape;
    char shape[SHAPE_TEXT_MAX];

    kept.dtype = v->stored;
    shape_text(shape, &kept);
    bool made = !v->persistent && v->op != STEP_NONE;
    bool ends = !place->persistent && place->last_use < step->n_nodes;
    return (struct run_buffer){
        .name = memory_copy(step_name(step, b->holds)),
        .shape = memory_copy(shape),
        .scope = copy_optional(step_scope(step, b->from)),
        .source = copy_optional(step_source(step, b->from)),
        .made =
            copy_optional(made ? step_text(step, step->node[step->op[v->op].node].title) : NULL),
        .last = copy_optional(ends ? step_text(step, step->node[place->last_use].title) : NULL),
        .role = b->role,
        .bytes = b->bytes,
        .logical = trace_elements(&kept) * trace_dtype_bytes[kept.dtype],
    };
}

void memory_owner_find(struct run_owners *o, const struct footprint *m, const struct step *step,
                       const struct footprint_core *core, uint64_t stage, bool sums)
{
    size_t n;
    struct footprint_buffer *buffer = footprint_buffers(m, step, core, stage, &n);

    *o = (struct run_owners){ .buffer = memory_zeroed(n + 1, sizeof *o->buffer), .n_buffers = n };
    for (size_t i = 0; i < n; i++)
        o->buffer[i] = describe_buffer(step, &buffer[i]);
    if (n > 0)
        qsort(o->buffer, n, sizeof *o->buffer, compare_buffers);
    if (sums) {
        o->source = sum_by(step, buffer, n, key_of_source, &o->n_sources);
        o->scope = sum_by(step, buffer, n, key_of_scope, &o->n_scopes);
    }
    free(buffer);
}

static struct run_buffer *copy_buffers(const struct run_buffer *from, size_t n)
{
    struct run_buffer *list = memory_zeroed(n + 1, sizeof *list);

    for (size_t i = 0; i < n; i++) {
        list[i] = from[i];
        char **const text[] = { &list[i].name,   &list[i].shape, &list[i].scope,
                                &list[i].source, &list[i].made,  &list[i].last };
        for (size_t k = 0; k < sizeof text / sizeof *text; k++)
            *text[k] = memory_copy(*text[k]);
    }
    return list;
}

static void free_buffers(struct run_buffer *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *const text[] = { list[i].name,   list[i].shape, list[i].scope,
                               list[i].source, list[i].made,  list[i].last };
        for (size_t k = 0; k < sizeof text / sizeof *text; k++)
            free(text[k]);
    }
    free(list);
}

static struct run_owner *copy_rows(const struct run_owner *from, size_t n)
{
    struct run_owner *rows = memory_zeroed(n + 1, sizeof *rows);

    for (size_t i = 0; i < n; i++) {
        rows[i] = from[i];
        rows[i].name = memory_copy(from[i].name);
        rows[i].largest = memory_copy(from[i].largest);
    }
    return rows;
}

void memory_owner_copy(struct run_owners *to, const struct run_owners *from)
{
    *to = (struct run_owners){ .source = copy_rows(from->source, from->n_sources),
                               .n_sources = from->n_sources,
                               .scope = copy_rows(from->scope, from->n_scopes),
                               .n_scopes = from->n_scopes,
                               .buffer = copy_buffers(from->buffer, from->n_buffers),
                               .n_buffers = from->n_buffers };
}

static void free_rows(struct run_owner *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(rows[i].name);
        free(rows[i].largest);
    }
    free(rows);
}

void memory_owner_free(struct run_owners *o)
{
    free_rows(o->source, o->n_sources);
    free_rows(o->scope, o->n_scopes);
    free_buffers(o->buffer, o->n_buffers);
    *o = (struct run_owners){ 0 };
}
