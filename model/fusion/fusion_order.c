/* fusion_order.c - the order of kernels.
 *
 * XLA takes of several orders the one with the least memory.  Here these are three: that of the
 * program; one that takes, of the kernels that could run, the one that frees the most bytes more
 * than it takes; one that runs each kernel as late as the results of the program allow, taken in
 * their order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fusion/fusion_impl.h"

enum way { AS_WRITTEN, MOST_FREED, FREED_FIRST, AS_LATE, N_WAYS };

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

/* Sums over devices and loops without a product write over what they read. */
static bool runs_in_place(const struct fusion_graph *g, uint32_t group)
{
    const struct fusion_group *k = &g->group[group];

    return k->opaque ? g->node[k->nodes.at[0]].from->opcode == HLO_OP_ALL_REDUCE
                     : k->product == FUSION_NONE;
}

static void run_group(struct ordering *o, uint32_t group)
{
    uint64_t freed = bytes_freed(o, group), taken = bytes_taken(o, group);
    uint64_t more = !runs_in_place(o->g, group) ? taken : taken > freed ? taken - freed : 0;

    o->peak = o->used + more > o->peak ? o->used + more : o->peak;
    o->used += taken;
    o->used -= freed < o->used ? freed : o->used;
    for (uint32_t k = 0; k < o->read[group].n; k++)
        o->readers[o->read[group].at[k]]--;
    o->waits[group] = FUSION_NONE;
    fusion_list_add(&o->order, group);
    wake_readers(o, group);
}

/* The next kernel: of those that wait for none the first of the program, or the one that frees
 * most. */
static uint32_t pick_group(const struct ordering *o, enum way way)
{
    uint32_t best = FUSION_NONE;
    int64_t most = INT64_MIN;

    for (uint32_t k = 0; k < o->g->n_groups; k++) {
        if (o->waits[k] != 0 || o->g->group[k].gone)
            continue;
        int64_t gain = (int64_t)bytes_freed(o, k) - (int64_t)bytes_taken(o, k);
        if (way == AS_WRITTEN || (way == FREED_FIRST && gain < 0))
            gain = way == AS_WRITTEN ? 0 : -1;
        if (best == FUSION_NONE || gain > most || (gain == most && o->place[k] < o->place[best])) {
            best = k;
            most = gain;
        }
    }
    return best;
}

/* The kernel that `group` waits for which stands first in the program, or FUSION_NONE. */
static uint32_t find_missing(const struct ordering *o, uint32_t group)
{
    uint32_t first = FUSION_NONE;

    for (uint32_t k = 0; k < o->read[group].n; k++) {
        uint32_t home = o->g->node[o->read[group].at[k]].home;
        if (home != FUSION_NONE && o->waits[home] != FUSION_NONE &&
            (first == FUSION_NONE || o->place[home] < o->place[first]))
            first = home;
    }
    return first;
}

/* Run `group`, and before it all that it waits for, each as late as it can. */
static void run_needed(struct ordering *o, uint32_t group)
{
    struct fusion_list open = { 0 };

    fusion_list_add(&open, group);
    while (open.n) {
        uint32_t missing = find_missing(o, open.at[open.n - 1]);
        if (missing == FUSION_NONE)
            run_group(o, open.at[--open.n]);
        else
            fusion_list_add(&open, missing);
    }
    free(open.at);
}

/* The first kernel of the program that has not run and whose results the caller reads. */
static uint32_t pick_result(const struct ordering *o)
{
    uint32_t first = FUSION_NONE;

    for (uint32_t k = 0; k < o->g->n_groups; k++) {
        bool output = false;
        for (uint32_t j = 0; j < o->written[k].n; j++)
            output |= o->g->node[o->written[k].at[j]].output;
        if (output && o->waits[k] != FUSION_NONE && !o->g->group[k].gone &&
            (first == FUSION_NONE || o->place[k] < o->place[first]))
            first = k;
    }
    return first;
}

static void run_all(struct ordering *o, enum way way)
{
    uint32_t next;

    begin_order(o);
    while (way == AS_LATE && (next = pick_result(o)) != FUSION_NONE)
        run_needed(o, next);
    while ((next = pick_group(o, way)) != FUSION_NONE)
        run_group(o, next);
}

/* The place of a kernel in the program: that of the last node that it writes. */
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
    uint64_t peak = 0;

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
    for (enum way way = 0; way < N_WAYS; way++) {
        run_all(&o, way);
        bool less = way == 0 || o.peak < peak;
        free(less ? g->order.at : o.order.at);
        if (less) {
            g->order = o.order;
            peak = o.peak;
        }
    }
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
