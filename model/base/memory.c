/* memory.c - see memory.h. */
#include "base/memory.h"

#include <gmp.h>
#include <jansson.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/plain.h"

enum { FIRST_ROOM = 64 }; /* elements of the smallest growing array */

/* No bug of ours, and perhaps none next time. */
_Noreturn void memory_end(void)
{
    static const char message[] = "cyclotron: no memory left\n";

    (void)!write(STDERR_FILENO, message, sizeof message - 1);
    _exit(MEMORY_EXIT);
}

void *memory_take(size_t size)
{
    void *got = malloc(size ? size : 1);

    if (!got)
        memory_end();
    return got;
}

void *memory_more(void *old, size_t old_size, size_t size)
{
    void *got = realloc(old, size ? size : 1);

    (void)old_size;
    if (!got)
        memory_end();
    return got;
}

/* For GMP. */
static void give_back(void *block, size_t size)
{
    (void)size;
    free(block);
}

/* The allocator that GMP begins with.  Its header does not name it, and to ask GMP for it sets it,
 * for a moment, in all threads. */
extern void *__gmp_default_allocate(size_t size) __attribute__((weak));

void memory_supply(void)
{
    void *(*take)(size_t);
    void *(*json_take)(size_t);
    void (*json_give)(void *);

    mp_get_memory_functions(&take, NULL, NULL);
    if (take == __gmp_default_allocate)
        mp_set_memory_functions(memory_take, memory_more, give_back);
    json_get_alloc_funcs(&json_take, &json_give);
    if (json_take == malloc)
        json_set_alloc_funcs(memory_take, free);
}

void *memory_zeroed(size_t n, size_t size)
{
    void *array = calloc(n ? n : 1, size);

    if (!array)
        memory_end();
    return array;
}

void *memory_aligned(size_t size, size_t alignment)
{
    void *got = NULL;

    if (posix_memalign(&got, alignment, size ? size : 1) != 0)
        memory_end();
    return got;
}

void *memory_resize(void *array, size_t n, size_t size)
{
    array = reallocarray(array, n ? n : 1, size);
    if (!array)
        memory_end();
    return array;
}

void *memory_grow(void *array, uint32_t n, uint32_t *cap, size_t size)
{
    if (n <= *cap)
        return array;
    uint32_t more = *cap ? *cap : FIRST_ROOM / 2;
    do {
        BUG_ON(more > UINT32_MAX / 2);
        more += more * size < MEMORY_LARGE ? more : more / 4;
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
        memory_end();
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
        memory_end();
    return copy;
}

char *memory_format_list(const char *fmt, va_list args)
{
    char first[256]; /* few texts are longer, and formatting takes longer than a copy */
    va_list again;

    va_copy(again, args);
    int n = plain_text_list(first, sizeof first, fmt, again);
    va_end(again);
    if (n < 0)
        memory_end();
    char *text = memory_zeroed((size_t)n + 1, 1);
    if ((size_t)n < sizeof first)
        memcpy(text, first, (size_t)n);
    else
        plain_text_list(text, (size_t)n + 1, fmt, args);
    return text;
}

char *memory_format(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    char *text = memory_format_list(fmt, args);
    va_end(args);
    return text;
}

struct memory_sink {
    char *text;
    size_t size, room;
};

/* A stream of the C library loses, in silence, what it has no memory for: this one ends the
 * program.
 */
static ssize_t write_sink(void *self, const char *bytes, size_t n)
{
    struct memory_sink *s = self;

    if (n >= s->room - s->size) {
        s->room = 2 * s->room + n;
        s->text = memory_resize(s->text, s->room, 1);
    }
    memcpy(s->text + s->size, bytes, n);
    s->size += n;
    return (ssize_t)n;
}

void memory_text_begin(struct memory_text *t)
{
    const cookie_io_functions_t write_only = { .write = write_sink };

    *t = (struct memory_text){ .sink = memory_zeroed(1, sizeof *t->sink) };
    t->sink->room = FIRST_ROOM;
    t->sink->text = memory_resize(NULL, FIRST_ROOM, 1);
    t->out = fopencookie(t->sink, "w", write_only);
    if (!t->out)
        memory_end();
    __fsetlocking(t->out, FSETLOCKING_BYCALLER); /* no other thread has it */
}

char *memory_text_end(struct memory_text *t)
{
    if (fclose(t->out) != 0)
        memory_end();
    t->out = NULL;
    t->text = t->sink->text;
    t->size = t->sink->size;
    t->text[t->size] = '\0';
    if (t->sink->room > t->size + FIRST_ROOM / 2) /* results keep a million texts */
        t->text = memory_resize(t->text, t->size + 1, 1);
    free(t->sink);
    t->sink = NULL;
    return t->text;
}
