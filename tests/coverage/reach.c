/* reach.c - which blocks of the library ran: what -fsanitize-coverage=trace-pc calls at each.
 * The file REACHED has a byte for each address of the library, 1 where a call returned to.  It is
 * shared memory, so all processes of a test write to one, and those that are killed count too. */
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void __sanitizer_cov_trace_pc(void);

__attribute__((visibility("hidden"))) extern const char __ehdr_start[]; /* by the linker */

static unsigned char *reached;
static size_t size;

__attribute__((constructor)) static void open_reached(void)
{
    const char *path = getenv("REACHED");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    struct stat s;

    if (fd < 0)
        return;
    if (!fstat(fd, &s) && s.st_size > 0) {
        void *at = mmap(0, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

        if (at != MAP_FAILED) {
            reached = at;
            size = (size_t)s.st_size;
        }
    }
    close(fd);
}

void __sanitizer_cov_trace_pc(void)
{
    size_t at = (size_t)((const char *)__builtin_return_address(0) - __ehdr_start);

    if (at < size)
        reached[at] = 1;
}
