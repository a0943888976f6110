/* texts.h - texts that many rows share: each is kept once, and all are freed together. */
#ifndef BASE_TEXTS_H
#define BASE_TEXTS_H

#include <stdint.h>

/* Zeroed: none. */
struct texts {
    const char **slot; /* n_slots, a power of two, by hash; NULL: free */
    uint32_t n, n_slots;
    struct texts_block *blocks; /* that hold them */
};

/* The kept copy of a text, NULL of NULL.  It stays where it is until texts_free().  O(length). */
const char *texts_keep(struct texts *t, const char *text);
/* texts_keep() of a text that is the caller's; frees it. */
const char *texts_take(struct texts *t, char *text);
/* Free all; there are none then. */
void texts_free(struct texts *t);

#endif
