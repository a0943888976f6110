/* refuse.c - preloaded into a program, it refuses allocations:
 *
 *     FAULT_AT=N     the N-th allocation of the process, counted from 1
 *     FAULT_FROM=N   that and all later ones
 *     FAULT_COUNT=FILE   write to it how many there were, at exit
 *     FAULT_LOCKS=ERRNO  what every lock of a file fails with, as on a file system without locks
 *
 * Forked processes count on from where they began.  With NEXT defined what is not refused goes to
 * the allocator that would have been there, such as a sanitizer's, else to that of the C library.
 */
#ifdef NEXT
#include <dlfcn.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef NEXT
#define ALLOCATOR(name, ...)                                                                       \
    static void *(*next)(__VA_ARGS__);                                                             \
    if (!next)                                                                                     \
    *(void **)&next = dlsym(RTLD_NEXT, name)

static void *give_bytes(size_t size)
{
    ALLOCATOR("malloc", size_t);
    return next(size);
}

static void *give_zeroes(size_t n, size_t size)
{
    ALLOCATOR("calloc", size_t, size_t);
    return next(n, size);
}

static void *give_more(void *old, size_t size)
{
    ALLOCATOR("realloc", void *, size_t);
    return next(old, size);
}

static void *give_aligned(size_t alignment, size_t size)
{
    ALLOCATOR("memalign", size_t, size_t);
    return next(alignment, size);
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
#define give_bytes __libc_malloc
#define give_zeroes __libc_calloc
#define give_more __libc_realloc
#define give_aligned __libc_memalign
#endif

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
    return is_refused() ? NULL : give_bytes(size);
}

void *calloc(size_t n, size_t size)
{
    return is_refused() ? NULL : give_zeroes(n, size);
}

void *realloc(void *old, size_t size)
{
    return is_refused() ? NULL : give_more(old, size);
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
    return is_refused() ? NULL : give_aligned(alignment, size);
}

int posix_memalign(void **at_, size_t alignment, size_t size)
{
    *at_ = is_refused() ? NULL : give_aligned(alignment, size);
    return *at_ ? 0 : ENOMEM;
}

/* --- locks ---------------------------------------------------------------------------------- */

static int control_file(int fd, int command, long argument)
{
    const char *number = getenv("FAULT_LOCKS");
    bool lock = command == F_SETLK || command == F_SETLKW || command == F_GETLK ||
                command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;

    if (lock && number) {
        errno = atoi(number);
        return -1;
    }
    return (int)syscall(SYS_fcntl, fd, command, argument);
}

/* The argument is an int, a pointer or nothing. */
#define CONTROL(name)                                                                              \
    int name(int fd, int command, ...)                                                             \
    {                                                                                              \
        va_list args;                                                                              \
                                                                                                   \
        va_start(args, command);                                                                   \
        long argument = va_arg(args, long);                                                        \
        va_end(args);                                                                              \
        return control_file(fd, command, argument);                                                \
    }
CONTROL(fcntl)
CONTROL(fcntl64)
