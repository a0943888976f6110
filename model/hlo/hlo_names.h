/* hlo_names.h - names of instructions or computations and what they stand for. */
#ifndef HLO_NAMES_H
#define HLO_NAMES_H

#include "hlo/hlo_module.h"

struct hlo_name_slot {
    uint32_t hash, value; /* value: 1 + index */
};

/* Open addressing.  Names of an earlier scope need no clearing: an index below `first` is none. */
struct hlo_names {
    struct hlo_name_slot *slot;
    uint32_t cap;      /* a power of two, or 0 */
    uint32_t n, first; /* names and least index of this scope */
};

/* Begin a scope in which all indices are `first` or more, and forget all others. */
void hlo_names_begin(struct hlo_names *t, uint32_t first);
/* The index of a name or HLO_NONE.  name_of(data, index) is the name of an index. */
typedef struct hlo_text hlo_name_of(const struct hlo_module *m, uint32_t index);
uint32_t hlo_names_find(const struct hlo_names *t, const struct hlo_module *m, hlo_name_of *name_of,
                        struct hlo_text name);
/* Add a name that is not there. */
void hlo_names_add(struct hlo_names *t, struct hlo_text name, uint32_t index);
void hlo_names_free(struct hlo_names *t);

#endif
