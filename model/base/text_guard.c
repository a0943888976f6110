#include "base/text_guard.h"

#include <string.h>
#include <sys/types.h>

#include "base/memory.h"
#include "base/text_write.h"

#define MOST 4 /* bytes of a character */

/* Bytes that its first one says a character has. */
static size_t said_length(char first)
{
    unsigned char c = (unsigned char)first;

    return c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : MOST;
}

/* Pass on the first character of those that are held, or "?" for it. */
static void pass_one(struct text_guard *g)
{
    size_t n = text_shown_length(g->held);

    if (n > 0)
        fwrite(g->held, 1, n, g->to);
    else if (*g->held == '\n' || *g->held == '\t')
        putc(*g->held, g->to);
    else
        putc('?', g->to);
    if (n == 0)
        n = text_control_length(g->held);
    memmove(g->held, g->held + n, sizeof g->held - n);
    memset(g->held + sizeof g->held - n, 0, n);
    g->n -= n;
}

/* Bytes from the first on that are plain letters, which most are. */
static size_t plain_length(const char *bytes, size_t size)
{
    size_t n = 0;

    while (n < size && (bytes[n] == '\n' || (bytes[n] >= ' ' && bytes[n] <= '~')))
        n++;
    return n;
}

static ssize_t write_guarded(void *self, const char *bytes, size_t size)
{
    struct text_guard *g = self;

    for (size_t i = 0; i < size;) {
        size_t plain = g->n == 0 ? plain_length(bytes + i, size - i) : 0;
        if (plain > 0) {
            fwrite(bytes + i, 1, plain, g->to);
            i += plain;
            continue;
        }
        g->held[g->n++] = bytes[i++];
        while (g->n > 0 && g->n >= said_length(*g->held))
            pass_one(g);
    }
    return fflush(g->to) != 0 || ferror(g->to) ? 0 : (ssize_t)size;
}

static int close_guard(void *self)
{
    struct text_guard *g = self;

    while (g->n > 0)
        pass_one(g);
    return fflush(g->to) != 0 || ferror(g->to) ? -1 : 0;
}

FILE *text_guard_open(struct text_guard *guard, FILE *to)
{
    const cookie_io_functions_t calls = { .write = write_guarded, .close = close_guard };

    *guard = (struct text_guard){ .to = to };
    FILE *out = fopencookie(guard, "w", calls);
    if (!out)
        memory_end();
    return out;
}
