/* members.h - replicas that attributes list one by one, where no distance describes them.
 *
 *      members="0 7, 1 6, 2 5 3"    groups of replicas, of any sizes; each replica in one
 *      pairs="0 3, 1 0"             who sends to whom; each replica sends once and receives once at
 *                                   most */
#ifndef TRACE_KIND_MEMBERS_H
#define TRACE_KIND_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define MEMBERS_MAX_REPLICA ((UINT32_C(1) << 22) - 1) /* as many devices as an import takes */

struct members {
    uint32_t n_lists, n, longest; /* n: of all lists; longest: of one */
    bool even;                    /* all lists are equally long */
    uint32_t top;                 /* the highest replica */
    uint32_t *first;              /* [n_lists + 1] in replica */
    uint32_t *replica;
};

/* Read such a text.  Returns 0, or -1, *at the place in the text, and an error without a place:
 * ERR_FORMAT for what is no list, or a replica that stands twice; ERR_RANGE for one beyond
 * MEMBERS_MAX_REPLICA. */
int members_read(struct members *m, const char *text, bool pairs, size_t *at, struct err *err);
void members_free(struct members *m);

#endif
