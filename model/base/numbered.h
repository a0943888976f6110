/* numbered.h - names, numbered from 0 in the order in which they first come. */
#ifndef BASE_NUMBERED_H
#define BASE_NUMBERED_H

#include <stddef.h>

/* Zeroed: no names. */
struct numbered {
    void *tree;
    size_t n;
};

/* Find the number of a name; a new name gets the number x->n, and x->n grows by one.  The name is
 * copied.  O(log names). */
size_t numbered_find(struct numbered *x, const char *name);

/* Forget all names. */
void numbered_clear(struct numbered *x);

#endif
