/* profile_index.h - a hash table from names to positions in an array that its user keeps. */
#ifndef PROFILE_PROFILE_INDEX_H
#define PROFILE_PROFILE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_INDEX_NONE UINT32_MAX /* not there */

struct profile_index_slot {
    uint64_t hash;
    uint32_t position; /* PROFILE_INDEX_NONE: free */
};

/* All zero is an empty table. */
struct profile_index {
    struct profile_index_slot *slot;
    uint32_t cap, n;
};

/* Is the element at `position` of the array the one that `key` asks for? */
typedef bool profile_index_same(const void *array, uint32_t position, const void *key);

/* A hash of a name and numbers that belong to it. */
uint64_t profile_index_hash(const char *name, size_t n, uint64_t a, uint64_t b);

/* The position of the element, or PROFILE_INDEX_NONE.  O(1) on average. */
uint32_t profile_index_find(const struct profile_index *x, uint64_t hash, profile_index_same *same,
                            const void *array, const void *key);
/* Add a position that is not there. */
void profile_index_add(struct profile_index *x, uint64_t hash, uint32_t position);
void profile_index_free(struct profile_index *x);

#endif
