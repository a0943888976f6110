/* chakra_groups.h - process groups of a Chakra trace: which ranks take part in a collective.
 *
 * PyTorch's converter keeps them in a metadata node "## process_group:init ##", whose input is a
 * JSON text in a Python list:
 *
 *     ['[{"pg_name": "1", "ranks": [0, 2], "group_size": 2}, ...]']
 *
 * No ranks mean all of them. */
#ifndef IMPORT_CHAKRA_CHAKRA_GROUPS_H
#define IMPORT_CHAKRA_CHAKRA_GROUPS_H

#include "import/chakra/chakra_graph.h"

struct chakra_pg {
    char *name;
    uint64_t size;   /* ranks of a group; 0: not stated */
    uint64_t stride; /* between neighbours; 0: they are not evenly spaced */
    bool all;        /* it is all ranks */
};

struct chakra_groups {
    struct chakra_pg *group;
    size_t n;
    uint64_t ranks; /* of all; 0: not stated */
};

/* Collect the groups of all metadata nodes.  What cannot be read as one is left out. */
void chakra_groups_read(struct chakra_groups *p, const struct chakra_graph *g);
void chakra_groups_free(struct chakra_groups *p);

/* The group of that name, or NULL. */
const struct chakra_pg *chakra_groups_find(const struct chakra_groups *p, const char *name);

#endif
