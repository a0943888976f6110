/* memory.c - see memory.h. */
#include "base/memory.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { FIRST_ROOM = 64 }; /* elements of the smallest growing array */

void *memory_zeroed(size_t n, size_t size)
{
    void *array = calloc(n ? n : 1, size);

    BUG_ON(!array);
    return array;
}

void *memory_resize(void *array, size_t n, size_t size)
{
    array = reallocarray(array, n ? n : 1, size);
    BUG_ON(!array);
    return array;
}

void *memory_grow(void *array, uint32_t n, uint32_t *cap, size_t size)
{
    if (n <= *cap)
        return array;
    uint32_t more = *cap ? *cap : FIRST_ROOM / 2;
    do {
        BUG_ON(more > UINT32_MAX / 2);
        more *= 2;
    } while (more < n);
    array = memory_resize(array, more, size);
    memset((char *)array + *cap * size, 0, (more - *cap) * size);
    *cap = more;
    return array;
}

void *memory_add(void *array, size_t n, size_t size)
{
    if (n & (n - 1))
        return array;
    BUG_ON(n > SIZE_MAX / 2 / size);
    array = realloc(array, (n ? 2 * n : 1) * size);
    BUG_ON(!array);
    return array;
}

char *memory_copy(const char *text)
{
    return text ? memory_copy_part(text, strlen(text)) : NULL;
}

char *memory_copy_part(const char *text, size_t n)
{
    char *copy = text ? strndup(text, n) : NULL;

    BUG_ON(text && !copy);
    return copy;
}

char *memory_format(const char *fmt, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, fmt);
    int length = vasprintf(&text, fmt, args);
    va_end(args);
    BUG_ON(length < 0);
    return text;
}

void memory_text_begin(struct memory_text *t)
{
    *t = (struct memory_text){ 0 };
    t->out = open_memstream(&t->text, &t->size);
    BUG_ON(!t->out);
}

char *memory_text_end(struct memory_text *t)
{
    BUG_ON(fclose(t->out) != 0);
    t->out = NULL;
    return t->text;
}
