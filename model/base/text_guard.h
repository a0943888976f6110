/* text_guard.h - a stream before another one that people read.
 *
 * Names come from files and paths with any bytes in them, and a terminal obeys some.  What is text
 * for people goes through a guard: control characters but tabs and newlines, and bytes that are no
 * UTF-8, arrive as "?" each.  It does not ask which of many reports prints which names. */
#ifndef BASE_TEXT_GUARD_H
#define BASE_TEXT_GUARD_H

#include <stdio.h>

struct text_guard {
    FILE *to;
    char held[5]; /* the beginning of a character, zeros behind it */
    size_t n;
};

/* A stream that writes to `to`, which stays open when this one is closed; `guard` stays where it is
 * until then.  fflush() passes on all but the beginning of a character whose end is missing.  A
 * failed write of `to` is one of this stream too. */
FILE *text_guard_open(struct text_guard *guard, FILE *to);

#endif
