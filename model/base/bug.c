/* The end of a program that does not hold what it promises itself. */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

_Noreturn void bug(const char *file, int line, const char *expr)
{
    fprintf(stderr, "BUG %s:%d: %s\n", file, line, expr);
    abort();
}
