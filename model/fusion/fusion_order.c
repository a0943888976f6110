/* fusion_order.c - the order of kernels.
 *
 * XLA takes of several orders the one with the least memory.  Here these are two: that of the
 * program, and one that takes, of the kernels that could run, the one that frees the most bytes
 * more than it takes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fusion/fusion_impl.h"

struct ordering {
    struct fusion_graph *g;
    struct fusion_list *read, *written; /* [group] nodes */
    uint32_t *waits;                    /* [group] kernels that it reads and that have not run */
    uint32_t *readers;                  /* [node] kernels that read it and have not run */
    uint32_t *place;                    /* [group] in the program */
    struct fusion_list order;
    uint64_t used, peak;
};

static void begin_order(struct ordering *o)
{
    struct fusion_graph *g = o->g;

    memset(o->readers, 0, g->n * sizeof *o->readers);
    memset(o->waits, 0, g->n_groups * sizeof *o->waits);
    for (uint32_t k = 0; k < g->n_groups; k++)
        for (uint32_t j = 0; j < o->read[k].n; j++) {
            o->readers[o->read[k].at[j]]++;
            o->waits[k] += g->node[o->read[k].at[j]].home != FUSION_NONE;
        }
    o->order = (struct fusion_list){ 0 };
    o->used = o->peak = 0;
}

/* Bytes that a kernel writes, but for results of the program, which are where the arguments are
 * that they replace. */
static uint64_t bytes_taken(const struct ordering *o, uint32_t group)
{
    uint64_t bytes = 0;

    for (uint32_t k = 0; k < o->written[group].n; k++)
        if (!o->g->node[o->written[group].at[k]].output)
            bytes += fusion_value_bytes(o->g, o->written[group].at[k]);
    return bytes;
}

static uint64_t bytes_freed(const struct ordering *o, uint32_t group)
{
    uint64_t bytes = 0;

    for (uint32_t k = 0; k < o->read[group].n; k++) {
        uint32_t v = o->read[group].at[k];
        const struct fusion_node *n = &o->g->node[v];
        if (o->readers[v] == 1 && n->home != FUSION_NONE && !n->output)
            bytes += fusion_value_bytes(o->g, v);
    }
    return bytes;
}

/* Take away `group` from what waits on the nodes that it writes. */
static void wake_readers(struct ordering *o, uint32_t group)
{
    for (uint32_t k = 0; k < o->written[group].n; k++) {
        const struct fusion_node *n = &o->g->node[o->written[group].at[k]];
        struct fusion_list woken = { 0 };
        for (uint32_t j = 0; j < n->users.n; j++) {
            const struct fusion_list *groups = &o->g->node[n->users.at[j]].groups;
            for (uint32_t i = 0; i < groups->n; i++)
                if (!fusion_list_has(&n->groups, groups->at[i]) &&
                    !fusion_list_has(&woken, groups->at[i]))
                    fusion_list_add(&woken, groups->at[i]);
        }
        for (uint32_t j = 0; j < woken.n; j++)
            o->waits[woken.at[j]]--;
        free(woken.at);
    }
}

static void run_group(struct ordering *o, uint32_t group)
{
    uint64_t freed = bytes_freed(o, group);

    o->used += bytes_taken(o, group);
    o->peak = o->used > o->peak ? o->used : o->peak;
    o->used -= freed < o->used ? freed : o->used;
    for (uint32_t k = 0; k < o->read[group].n; k++)
        o->readers[o->read[group].at[k]]--;
    o->waits[group] = FUSION_NONE;
    fusion_list_add(&o->order, group);
    wake_readers(o, group);
}

/* The next kernel: of those that wait for none the first of the program, or the one that frees
 * most. */
static uint32_t pick_group(const struct ordering *o, bool frees)
{
    uint32_t best = FUSION_NONE;
    int64_t most = INT64_MIN;

    for (uint32_t k = 0; k < o->g->n_groups; k++) {
        if (o->waits[k] != 0 || o->g->group[k].gone)
            continue;
        int64_t gain = frees ? (int64_t)bytes_freed(o, k) - (int64_t)bytes_taken(o, k) : 0;
        if (best == FUSION_NONE || gain > most || (gain == most && o->place[k] < o->place[best])) {
            best = k;
            most = gain;
        }
    }
    return best;
}

static void run_all(struct ordering *o, bool frees)
{
    uint32_t next;

    begin_order(o);
    while ((next = pick_group(o, frees)) != FUSION_NONE)
        run_group(o, next);
}

/* Where a kernel stands in the program: at the last node that it writes. */
static uint32_t place_of(const struct fusion_graph *g, uint32_t group)
{
    const struct fusion_list *nodes = &g->group[group].nodes;
    uint32_t place = 0;

    for (uint32_t k = 0; k < nodes->n; k++)
        if (g->node[nodes->at[k]].home == group && nodes->at[k] > place)
            place = nodes->at[k];
    return place;
}

void fusion_order_kernels(struct fusion_graph *g)
{
    struct ordering o = { .g = g };

    o.read = memory_zeroed(g->n_groups, sizeof *o.read);
    o.written = memory_zeroed(g->n_groups, sizeof *o.written);
    o.waits = memory_zeroed(g->n_groups, sizeof *o.waits);
    o.place = memory_zeroed(g->n_groups, sizeof *o.place);
    o.readers = memory_zeroed(g->n, sizeof *o.readers);
    for (uint32_t k = 0; k < g->n_groups; k++) {
        fusion_value_read(g, k, &o.read[k]);
        fusion_value_results(g, k, &o.written[k]);
        o.place[k] = place_of(g, k);
    }
    run_all(&o, false);
    struct fusion_list first = o.order;
    uint64_t peak = o.peak;
    run_all(&o, true);
    bool less = o.peak < peak;
    g->order = less ? o.order : first;
    free(less ? first.at : o.order.at);
    for (uint32_t k = 0; k < g->n_groups; k++) {
        free(o.read[k].at);
        free(o.written[k].at);
    }
    free(o.read);
    free(o.written);
    free(o.waits);
    free(o.place);
    free(o.readers);
}
