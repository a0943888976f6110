/* profile_mutate.h - spoiled profiles: nothing that a file holds may do more than be refused.
 *
 * Mutation number i of a seed is always the same bytes, so a failure can be looked at again.  The
 * samples are the captures and exports in this folder, and small files that hold all that the
 * readers know. */
#ifndef TESTS_PROFILE_MUTATE_H
#define TESTS_PROFILE_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile_mutate_counts {
    uint64_t read, refused;
};

struct profile_mutate_sample {
    char *name;
    unsigned char *bytes; /* unpacked, and packed ones as they lie in the file besides */
    size_t n;
};

struct profile_mutate {
    struct profile_mutate_sample *sample;
    size_t n_samples;
    uint64_t state; /* of the generator */
    unsigned char *bytes;
    size_t n, room;
    const char *from; /* name of the sample */
};

void profile_mutate_begin(struct profile_mutate *m);
void profile_mutate_end(struct profile_mutate *m);

/* Spoil a sample, read it, look at all that comes out.  Returns false, and prints why, if an error
 * has no message of one line with the file's name, or a profile does not hold together. */
bool profile_mutate_try(struct profile_mutate *m, uint64_t seed, uint64_t i,
                        struct profile_mutate_counts *counts);
/* Make mutation i without reading it: m->bytes, m->n. */
void profile_mutate_make(struct profile_mutate *m, uint64_t seed, uint64_t i);

/* Read bytes, a profile or a serialised program, and look at all that comes out.  False as above.
 */
bool profile_mutate_check(const void *bytes, size_t n, bool program,
                          struct profile_mutate_counts *counts);
/* Spoil `n` of `room` bytes by one to four changes.  Returns how many there are then. */
size_t profile_mutate_bytes(unsigned char *bytes, size_t n, size_t room, uint64_t seed);

#endif
