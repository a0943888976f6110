/* aten_args.c - see aten_args.h. */
#include "import/kineto/aten_args.h"

#include <stdlib.h>
#include <string.h>

#define MOST_DIM (UINT64_C(1) << 40)
#define MOST_NUMBER (INT64_C(1) << 40) /* and least, below 0 */

/* Types as PyTorch 1 and 2 write them. */
static const struct {
    const char *name;
    enum trace_dtype dtype;
} types[] = {
    { "float", TRACE_F32 },
    { "double", TRACE_F64 },
    { "c10::Half", TRACE_F16 },
    { "c10::BFloat16", TRACE_BF16 },
    { "long int", TRACE_S64 },
    { "long", TRACE_S64 },
    { "int", TRACE_S32 },
    { "short int", TRACE_S16 },
    { "short", TRACE_S16 },
    { "signed char", TRACE_S8 },
    { "unsigned char", TRACE_U8 },
    { "bool", TRACE_PRED },
    { "c10::complex<float>", TRACE_C64 },
    { "c10::complex<double>", TRACE_C128 },
    { "c10::Float8_e4m3fn", TRACE_F8E4M3FN },
    { "c10::Float8_e5m2", TRACE_F8E5M2 },
};

bool aten_args_type(const char *name, size_t n, enum trace_dtype *dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == n && strncmp(types[i].name, name, n) == 0) {
            *dtype = types[i].dtype;
            return true;
        }
    return false;
}

/* Behind the value at `at`, which a comma or a bracket ends. */
static const char *pass_item(const char *at)
{
    int depth = 0;

    for (; *at; at++) {
        if (*at == '"')
            for (at++; *at && *at != '"'; at++)
                at += *at == '\\' && at[1] != '\0';
        if (*at == '\0')
            break;
        if (*at == '[')
            depth++;
        if ((*at == ']' || *at == ',') && depth == 0)
            break;
        if (*at == ']')
            depth--;
    }
    return at;
}

/* The next item of a list that begins at *at, its bracket or a comma. */
static bool next_item(const char **at, const char **item, size_t *n)
{
    if (**at != '[' && **at != ',')
        return false;
    *item = *at + 1;
    *at = pass_item(*item);
    *n = (size_t)(*at - *item);
    return **at != '\0' && (*n > 0 || **at == ',');
}

/* "[64,32]" as dimensions: leading ones beyond those of a trace are one. */
static void read_dims(struct aten_arg *a, const char *text)
{
    const char *at = text, *item;
    size_t n;

    a->rank = 0;
    while (next_item(&at, &item, &n)) {
        uint64_t dim = strtoull(item, NULL, 10);
        dim = *item == '-' || dim > MOST_DIM ? 0 : dim;
        a->empty |= dim == 0;
        if (a->rank == TRACE_MAX_RANK) {
            uint64_t product = a->dim[0] * a->dim[1];
            a->empty |= a->dim[0] && product / a->dim[0] != a->dim[1];
            memmove(a->dim, a->dim + 1, (TRACE_MAX_RANK - 1) * sizeof *a->dim);
            a->dim[0] = product;
            a->rank--;
        }
        a->dim[a->rank++] = dim;
    }
    if (aten_args_elements(a) == 0)
        a->empty = true;
}

static void read_strides(struct aten_arg *a, const char *text)
{
    const char *at = text, *item;
    uint32_t rank = 0;
    size_t n;

    while (next_item(&at, &item, &n) && rank < TRACE_MAX_RANK)
        a->stride[rank++] = *item == '-' ? 0 : strtoull(item, NULL, 10);
    a->strided = rank == a->rank && rank > 0;
}

static uint32_t count_items(const char *text)
{
    const char *at = text, *item;
    uint32_t count = 0;
    size_t n;

    while (next_item(&at, &item, &n))
        count++;
    return count;
}

static void read_arg(struct aten_arg *a, const char *dims, const char *type, size_t n)
{
    static const char lists[] = "TensorList";

    *a = (struct aten_arg){ .value = "" };
    if (dims[0] == '[' && dims[1] == '[') {
        a->kind = ATEN_LIST;
        a->list = dims;
        a->n_list = count_items(dims);
    } else if (n == strlen(lists) && strncmp(type, lists, n) == 0) {
        a->kind = ATEN_LIST; /* of more tensors than the profiler writes down */
    } else if (aten_args_type(type, n, &a->dtype)) {
        a->kind = ATEN_TENSOR;
        read_dims(a, dims);
    } else if (n > 0) {
        a->kind = ATEN_VALUE;
    }
}

static void strip_quotes(const char **text, size_t *n)
{
    if (*n >= 2 && **text == '"') {
        ++*text;
        *n -= 2;
    }
}

void aten_args_read(struct aten_args *a, const struct kineto *k, const struct kineto_call *call)
{
    const char *dims = kineto_text(k, call->dims), *kinds = kineto_text(k, call->types);
    const char *strides = kineto_text(k, call->strides), *values = kineto_text(k, call->values);
    const char *dim, *kind, *item;
    size_t n_dim, n_kind, n;

    a->n = 0;
    while (a->n < ATEN_MOST_ARGS && next_item(&dims, &dim, &n_dim)) {
        struct aten_arg *arg = &a->arg[a->n++];
        if (!next_item(&kinds, &kind, &n_kind))
            kind = "", n_kind = 0;
        strip_quotes(&kind, &n_kind);
        read_arg(arg, dim, kind, n_kind);
        if (next_item(&strides, &item, &n) && arg->kind == ATEN_TENSOR)
            read_strides(arg, item);
        if (next_item(&values, &item, &n)) {
            strip_quotes(&item, &n);
            arg->value = item;
            arg->n = n;
        }
    }
}

bool aten_args_next(const struct aten_arg *list, const char **at, struct aten_arg *tensor)
{
    const char *item;
    size_t n;

    if (!list->list)
        return false;
    *at = *at ? *at : list->list;
    if (!next_item(at, &item, &n))
        return false;
    *tensor = (struct aten_arg){ .kind = ATEN_TENSOR, .dtype = list->dtype, .value = "" };
    read_dims(tensor, item);
    return true;
}

uint32_t aten_args_numbers(const struct aten_arg *value, int64_t *number, uint32_t most)
{
    const char *at = value->value, *end = at + value->n;
    uint32_t n = 0;

    while (at < end && n < most) {
        char *behind = NULL;
        int64_t value_of = (*at >= '0' && *at <= '9') || *at == '-' ? strtoll(at, &behind, 10) : 0;
        if (!behind || behind == at) { /* "-inf" has a sign and no number */
            at++;
            continue;
        }
        number[n++] = value_of > MOST_NUMBER    ? MOST_NUMBER
                      : value_of < -MOST_NUMBER ? -MOST_NUMBER
                                                : value_of;
        at = behind;
        if (*at == '.') /* no whole number */
            at += 1 + strspn(at + 1, "0123456789");
    }
    return n;
}

bool aten_args_true(const struct aten_args *a, uint32_t i)
{
    return i < a->n && a->arg[i].n == 4 && strncmp(a->arg[i].value, "True", 4) == 0;
}

uint64_t aten_args_elements(const struct aten_arg *a)
{
    uint64_t n = 1;

    for (uint32_t d = 0; d < a->rank; d++)
        n = a->dim[d] && n > (UINT64_C(1) << 50) / a->dim[d] ? 0 : n * a->dim[d];
    return n;
}
