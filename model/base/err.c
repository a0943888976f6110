/* err.c - see err.h.  Edit distance is that of Levenshtein: insert, delete, substitute. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"

int(err_set)(struct err *e, enum err_code code, const char *fmt, ...)
{
    va_list ap;

    if (code == ERR_IO && errno == ENOMEM)
        memory_end(); /* nothing is wrong with the file */
    e->code = code;
    va_start(ap, fmt);
    plain_text_list(e->msg, sizeof e->msg, fmt, ap);
    va_end(ap);
    return -1;
}

int(err_at)(struct err *e, const char *fmt, ...)
{
    char where[256];
    va_list ap;

    va_start(ap, fmt);
    plain_text_list(where, sizeof where, fmt, ap);
    va_end(ap);
    size_t n = strlen(where), room = sizeof e->msg - n - 2, old = strlen(e->msg);
    size_t kept = old < room ? old : room - 1;
    memmove(e->msg + n + 2, e->msg, kept);
    e->msg[n + 2 + kept] = '\0';
    memcpy(e->msg, where, n);
    memcpy(e->msg + n, ": ", 2);
    return -1;
}

#define NEAREST_MAX 63 /* letters: no name in use is longer, so a longer one is close to none */

static unsigned edit_distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    unsigned row[NEAREST_MAX + 1];

    if (la > NEAREST_MAX || lb > NEAREST_MAX)
        return UINT32_MAX;
    for (size_t j = 0; j <= lb; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= la; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= lb; j++) {
            unsigned substitute = diagonal + (a[i - 1] != b[j - 1]);
            unsigned best = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best < substitute ? best : substitute;
        }
    }
    return row[lb];
}

const char *err_nearest(const char *name, const char *const *names, unsigned count)
{
    const char *best = NULL;
    unsigned limit = (unsigned)strlen(name) / 3 + 1;

    for (unsigned i = 0; i < count; i++) {
        unsigned d = edit_distance(name, names[i]);
        if (d <= limit && (d < limit || !best)) {
            limit = d;
            best = names[i];
        }
    }
    return best;
}
