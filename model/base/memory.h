/* memory.h - allocation that cannot fail: zeroed arrays, growing arrays, copies of strings, strings
 * that are written piece by piece.
 *
 * If memory runs out the program says so and ends with status MEMORY_EXIT, so no caller checks for
 * NULL.  Every result is freed by free(). */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MEMORY_EXIT 71 /* EX_OSERR: the machine has not enough, which may pass */

/* Say that no memory is left, and end with MEMORY_EXIT: for libraries that tell their caller. */
_Noreturn void memory_end(void);

/* Allocation for libraries that take functions for it: as malloc and realloc, but they cannot fail.
 * memory_more is for GMP, which says the old size too. */
void *memory_take(size_t size);
void *memory_more(void *old, size_t old_size, size_t size);
/* Give these to GMP and Jansson, unless somebody has set others.  Their own are malloc too, so what
 * was allocated before is freed as before.  The library calls it as it is loaded. */
void memory_supply(void);

/* A zeroed array of `n` elements of `size` bytes.  With n = 0 it has one element. */
void *memory_zeroed(size_t n, size_t size);

/* `size` bytes, one at least, at a multiple of `alignment`, a power of two.  Not initialised. */
void *memory_aligned(size_t size, size_t alignment);

/* Change `array`, which may be NULL, to `n` elements of `size` bytes, one at least.  Returns it; it
 * may have moved.  New elements are not initialised. */
void *memory_resize(void *array, size_t n, size_t size);

/* Make room for at least `n` elements in `array`, which has room for *cap of `size` bytes each.
 * Returns the array, which may have moved; new elements are zero.  If it has to grow, *cap at least
 * doubles, beyond MEMORY_LARGE bytes by a quarter, so appending n elements one by one costs O(n).
 */
#define MEMORY_LARGE 1048576
void *memory_grow(void *array, uint32_t n, uint32_t *cap, size_t size);

/* memory_grow for the pointer variable `a` and the uint32_t variable `cap`.  It evaluates its
 * arguments more than once and calls memory_grow only if the array is full. */
#define MEMORY_GROW(a, n, cap)                                                                     \
    ((void)((n) > (cap) ? (a) = memory_grow((a), (n), &(cap), sizeof *(a)) : (a)))

/* Room for one more element in `array`, which holds n and has grown by this function alone: it
 * doubles when n is a power of two, so that appending n elements costs O(n) without a field for the
 * capacity.  The new element is not set. */
void *memory_add(void *array, size_t n, size_t size);
#define MEMORY_ADD(a, n) ((a) = memory_add((a), (n), sizeof *(a)))

/* A copy of a string, or of its first `n` bytes; NULL if `text` is NULL.  A string from a format.
 */
char *memory_copy(const char *text);
char *memory_copy_part(const char *text, size_t n);
char *memory_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *memory_format_list(const char *fmt, va_list args) __attribute__((format(printf, 1, 0)));

/* A string that is written as a stream: begin, print to t.out, end; `text` and `size` are set then.
 */
struct memory_sink;
struct memory_text {
    FILE *out;
    struct memory_sink *sink;
    char *text;
    size_t size;
};
void memory_text_begin(struct memory_text *t);
/* Close the stream.  Returns the string, with a NUL at its end; t->size is its length. */
char *memory_text_end(struct memory_text *t);

#endif
