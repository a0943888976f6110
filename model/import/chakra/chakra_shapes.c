#include "import/chakra/chakra_shapes.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

/* clang-format off */
static const struct { const char *text; uint32_t bytes; const char *ours; } elements[] = {
    { "float", 4, "f32" },           { "c10::BFloat16", 2, "bf16" }, { "c10::Half", 2, "f16" },
    { "double", 8, "f64" },          { "signed char", 1, "s8" },     { "unsigned char", 1, "u8" },
    { "short int", 2, "s16" },       { "int", 4, "s32" },            { "long int", 8, "s64" },
    { "long", 8, NULL },             { "short", 2, NULL },           { "bool", 1, "pred" },
    { "unsigned short int", 2, "u16" }, { "unsigned int", 4, "u32" }, { "unsigned long int", 8, "u64" },
    { "c10::complex<float>", 8, "c64" }, { "c10::complex<double>", 16, "c128" },
    { "c10::Float8_e4m3fn", 1, "f8e4m3fn" }, { "c10::Float8_e5m2", 1, "f8e5m2" },
};
/* clang-format on */
#define N_ELEMENTS (sizeof elements / sizeof *elements)
#define TENSOR "Tensor("
#define ANY_ELEMENT 4

void chakra_shapes_type(enum trace_dtype dtype, FILE *out)
{
    const char *text = trace_dtype_name[dtype];

    for (size_t i = 0; i < N_ELEMENTS; i++)
        if (elements[i].ours && strcmp(elements[i].ours, text) == 0) {
            text = elements[i].text;
            break;
        }
    fprintf(out, TENSOR "%s)", text);
}

/* The bytes of an element of the next tensor in *types, which moves behind it, but not past `end`;
 * 0: no tensor follows. */
static uint32_t next_element(const char **types, const char *end)
{
    for (const char *p = *types; p + strlen(TENSOR) <= end; p++) {
        if (strncmp(p, TENSOR, strlen(TENSOR)) != 0)
            continue;
        p += strlen(TENSOR);
        size_t length = strcspn(p, ")");
        *types = p + length;
        for (size_t i = 0; i < N_ELEMENTS; i++)
            if (strlen(elements[i].text) == length && strncmp(p, elements[i].text, length) == 0)
                return elements[i].bytes;
        return ANY_ELEMENT;
    }
    *types = end; /* nor for those that ask next */
    return 0;
}

/* The next text in quotes of a list; *types moves behind it.  False: none is left. */
static bool next_type(const char **types, const char **begin, const char **end)
{
    *begin = *types + strcspn(*types, "'\"");
    if (**begin == '\0')
        return false;
    char quote[2] = { **begin, '\0' };
    ++*begin;
    *end = *begin + strcspn(*begin, quote);
    *types = **end ? *end + 1 : *end;
    return true;
}

/* Lists that are open, and of the innermost one the product of its numbers. */
struct scan {
    unsigned depth;
    bool plain; /* it holds numbers alone so far */
    bool any;   /* ... and at least one */
    uint64_t product;
    const char *type, *type_end; /* of the element of the outermost list */
    const char *types;
    bool typed;
};

static bool multiply_size(uint64_t *size, uint64_t factor)
{
    return !__builtin_mul_overflow(*size, factor, size) && *size <= INT64_MAX;
}

/* The innermost list ends: a tensor, if it holds numbers or nothing and its type says so. */
static bool close_list(struct scan *s, uint64_t *sum)
{
    uint64_t bytes = s->product;
    uint32_t element = !s->typed ? (s->any ? ANY_ELEMENT : 0)
                       : s->type ? next_element(&s->type, s->type_end)
                                 : 0;

    return multiply_size(&bytes, element) && !__builtin_add_overflow(*sum, bytes, sum) &&
           *sum <= INT64_MAX;
}

static bool scan_number(struct scan *s, const char **p)
{
    char *end;
    unsigned long long n = strtoull(*p, &end, 10);

    *p = end;
    s->any = true;
    return s->depth >= 2 && multiply_size(&s->product, n);
}

static void open_list(struct scan *s)
{
    if (++s->depth == 2 && s->typed && !next_type(&s->types, &s->type, &s->type_end))
        s->type = s->type_end = NULL;
    s->plain = true;
    s->any = false;
    s->product = 1;
}

bool chakra_shapes_bytes(const char *shapes, const char *types, uint64_t *sum)
{
    struct scan s = { .types = types, .typed = strchr(types, '\'') || strchr(types, '"') };
    uint64_t total = *sum;

    for (const char *p = shapes; *p;) {
        if (plain_is_digit(*p)) {
            if (!scan_number(&s, &p))
                return false;
            continue;
        }
        if (*p == '[') {
            open_list(&s);
        } else if (*p == ']') {
            if (s.depth == 0 || (s.depth >= 2 && s.plain && !close_list(&s, &total)))
                return false;
            s.depth--;
            s.plain = false; /* the list around it holds a list */
        } else if (*p != ',' && *p != ' ') {
            return false;
        }
        p++;
    }
    if (s.depth != 0)
        return false;
    *sum = total;
    return true;
}
