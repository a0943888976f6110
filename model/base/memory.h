/* memory.h - storage that is there or the program ends: zeroed arrays, growing arrays, copies of
 * strings, text that is put together piece by piece.
 *
 * No function returns NULL for want of memory: that is a bug report and exit code 70.  What is
 * returned is freed with free(). */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* `n` zeroed elements of `size` bytes; of at least one, so that the pointer is never NULL. */
void *memory_zeroed(size_t n, size_t size);

/* Room for `n` elements in `array`, which has room for *cap: `array` itself, or a larger copy of it
 * whose new part is zero; *cap is then at least doubled.  Appending n elements costs O(n). */
void *memory_grow(void *array, uint32_t n, uint32_t *cap, size_t size);

/* The same for an array in a structure: `a` is the pointer, `n` how many must fit, `cap` a
 * uint32_t. */
#define MEMORY_GROW(a, n, cap) ((a) = memory_grow((a), (n), &(cap), sizeof *(a)))

/* A copy of a string, of its first `n` bytes, or of what a format says; NULL of NULL. */
char *memory_copy(const char *text);
char *memory_copy_part(const char *text, size_t n);
char *memory_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A stream into a string that grows: written to `out`, then taken by memory_text_end. */
struct memory_text {
    FILE *out;
    char *text;
    size_t size;
};
void memory_text_begin(struct memory_text *t);
/* Close the stream and hand out its string, which may hold NUL bytes; `t->size` says how long it
 * is. */
char *memory_text_end(struct memory_text *t);

#endif
