/* memory.c - see memory.h. */
#include "base/memory.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

enum { FIRST_ROOM = 64 }; /* elements of the smallest growing array */

/* No bug of ours, and perhaps none next time. */
static _Noreturn void give_up(void)
{
    static const char message[] = "cyclotron: no memory left\n";

    (void)!write(STDERR_FILENO, message, sizeof message - 1);
    _exit(MEMORY_EXIT);
}

void *memory_zeroed(size_t n, size_t size)
{
    void *array = calloc(n ? n : 1, size);

    if (!array)
        give_up();
    return array;
}

void *memory_resize(void *array, size_t n, size_t size)
{
    array = reallocarray(array, n ? n : 1, size);
    if (!array)
        give_up();
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
    if (!array)
        give_up();
    return array;
}

char *memory_copy(const char *text)
{
    return text ? memory_copy_part(text, strlen(text)) : NULL;
}

char *memory_copy_part(const char *text, size_t n)
{
    char *copy = text ? strndup(text, n) : NULL;

    if (text && !copy)
        give_up();
    return copy;
}

char *memory_format(const char *fmt, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, fmt);
    int length = vasprintf(&text, fmt, args);
    va_end(args);
    if (length < 0)
        give_up();
    return text;
}

void memory_text_begin(struct memory_text *t)
{
    *t = (struct memory_text){ 0 };
    t->out = open_memstream(&t->text, &t->size);
    if (!t->out)
        give_up();
}

char *memory_text_end(struct memory_text *t)
{
    if (fclose(t->out) != 0)
        give_up();
    t->out = NULL;
    return t->text;
}
