/* refuse.c - preloaded into a program, it refuses allocations:
 *
 *     FAULT_AT=N     the N-th allocation of the process, counted from 1
 *     FAULT_FROM=N   that and all later ones
 *     FAULT_COUNT=FILE   write to it how many there were, at exit
 *
 * Forked processes count on from where they began. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static unsigned long at, from, count;
static const char *count_file;

__attribute__((constructor)) static void begin_count(void)
{
    const char *one = getenv("FAULT_AT"), *all = getenv("FAULT_FROM");

    count_file = getenv("FAULT_COUNT");
    at = one ? strtoul(one, NULL, 10) : 0;
    from = all ? strtoul(all, NULL, 10) : 0;
    count = 0;
}

__attribute__((destructor)) static void end_count(void)
{
    char text[32];
    int fd = count_file ? open(count_file, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;

    if (fd < 0)
        return;
    int n = snprintf(text, sizeof text, "%lu\n", count);
    if (write(fd, text, (size_t)n) != n)
        _exit(99);
    close(fd);
}

static int is_refused(void)
{
    count++;
    if (count != at && (from == 0 || count < from))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return is_refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return is_refused() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return is_refused() ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t n, size_t size)
{
    size_t all;

    if (__builtin_mul_overflow(n, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, all);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return is_refused() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **at_, size_t alignment, size_t size)
{
    *at_ = is_refused() ? NULL : __libc_memalign(alignment, size);
    return *at_ ? 0 : ENOMEM;
}
