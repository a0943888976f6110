/* fusion_path.c - a test that two kernels can be one: no third stands between them.
 *
 * From what the one reads, and the other does not compute, a search goes back through kernels until
 * it meets the other, or the node. */
#include <stdlib.h>

#include "fusion/fusion_impl.h"

struct search {
    struct fusion_graph *g;
    uint32_t a, b, v; /* the kernels and the node that are to be one */
    struct fusion_list open;
    bool found;
};

/* Kernel `group` is between: go on from what it reads. */
static void open_group(struct search *s, uint32_t group)
{
    struct fusion_group *k = &s->g->group[group];

    if (group == s->a || group == s->b) {
        s->found = true;
    } else if (k->mark != s->g->mark) {
        k->mark = s->g->mark;
        fusion_list_add(&s->open, group);
    }
}

/* Go on from all that kernel `group` reads.  If it reads the other, they cannot be one loop. */
static void begin_group(struct search *s, uint32_t group)
{
    const struct fusion_list *nodes = &s->g->group[group].nodes;

    for (uint32_t k = 0; k < nodes->n && !s->found; k++) {
        const struct fusion_node *n = &s->g->node[nodes->at[k]];
        for (uint32_t j = 0; j < n->n_in && !s->found; j++) {
            uint32_t in = fusion_in(s->g, n, j)->node, home = s->g->node[in].home;
            if (in != s->v && home != FUSION_NONE && home != group)
                open_group(s, home);
        }
    }
}

static void follow_group(struct search *s, uint32_t group)
{
    const struct fusion_list *nodes = &s->g->group[group].nodes;

    for (uint32_t k = 0; k < nodes->n && !s->found; k++) {
        const struct fusion_node *n = &s->g->node[nodes->at[k]];
        for (uint32_t j = 0; j < n->n_in && !s->found; j++) {
            uint32_t in = fusion_in(s->g, n, j)->node, home = s->g->node[in].home;
            if (in == s->v)
                s->found = true;
            else if (home != FUSION_NONE && home != group)
                open_group(s, home);
        }
    }
}

bool fusion_path_between(struct fusion_graph *g, uint32_t a, uint32_t b, uint32_t v)
{
    struct search s = { .g = g, .a = a, .b = b, .v = v };

    g->mark++;
    begin_group(&s, a);
    if (b != FUSION_NONE)
        begin_group(&s, b);
    while (s.open.n && !s.found)
        follow_group(&s, s.open.at[--s.open.n]);
    free(s.open.at);
    return s.found;
}
