#include "import/chakra/chakra_transfer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"

/* Kinds of operations, and for what has none a name of an unknown one. */
static const struct {
    const char *kind;
    bool known;
} collectives[] = {
    [CHAKRA__COLLECTIVE_COMM_TYPE__ALL_REDUCE] = { "all-reduce", true },
    [CHAKRA__COLLECTIVE_COMM_TYPE__REDUCE] = { "reduce-to-root", false },
    [CHAKRA__COLLECTIVE_COMM_TYPE__ALL_GATHER] = { "all-gather", true },
    [CHAKRA__COLLECTIVE_COMM_TYPE__GATHER] = { "gather-to-root", false },
    [CHAKRA__COLLECTIVE_COMM_TYPE__SCATTER] = { "scatter-from-root", false },
    [CHAKRA__COLLECTIVE_COMM_TYPE__BROADCAST] = { "collective-broadcast", true },
    [CHAKRA__COLLECTIVE_COMM_TYPE__ALL_TO_ALL] = { "all-to-all", true },
    [CHAKRA__COLLECTIVE_COMM_TYPE__REDUCE_SCATTER] = { "reduce-scatter", true },
    [CHAKRA__COLLECTIVE_COMM_TYPE__REDUCE_SCATTER_BLOCK] = { "reduce-scatter", true },
    [CHAKRA__COLLECTIVE_COMM_TYPE__BARRIER] = { "barrier", true },
};
#define N_COLLECTIVES (sizeof collectives / sizeof *collectives)
#define MOST_BYTES (UINT64_C(1) << 62)

int chakra_world_read(struct chakra_world *w, const struct chakra_graph *g, uint64_t ranks,
                      bool allow_unknown, struct err *err)
{
    *w = (struct chakra_world){ .g = g, .allow_unknown = allow_unknown };
    chakra_groups_read(&w->groups, g);
    w->ranks = ranks ? ranks : w->groups.ranks;
    w->peer = memory_zeroed(g->n, sizeof *w->peer);
    return chakra_peers_find(g, w->ranks, w->peer, err);
}

void chakra_world_free(struct chakra_world *w)
{
    chakra_groups_free(&w->groups);
    free(w->peer);
}

uint32_t chakra_transfer_width(uint64_t bytes)
{
    return bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
}

void chakra_transfer_shape(uint64_t bytes, uint32_t width, FILE *out)
{
    fprintf(out, "%s[%" PRIu64 "]", width == 4 ? "f32" : width == 2 ? "bf16" : "u8", bytes / width);
}

/* True if it concerns some dimensions of a topology that the file does not describe. */
static bool names_dimensions(const Chakra__Node *n)
{
    const Chakra__AttributeProto *a = chakra_find(n->attr, n->n_attr, "involved_dim");

    if (!a || a->value_case != CHAKRA__ATTRIBUTE_PROTO__VALUE_BOOL_LIST)
        return false;
    for (size_t i = 0; i < a->bool_list->n_values; i++)
        if (!a->bool_list->values[i])
            return true;
    return false;
}

/* The name of its process group, a text or a number, which `room` holds; NULL: it names none. */
static const char *name_group(const Chakra__Node *n, char *number, size_t room)
{
    const char *name = chakra_text(n, "pg_name");
    uint64_t v;

    if (name || chakra_number(n, "pg_name", &v) <= 0)
        return name;
    snprintf(number, room, "%" PRIu64, v);
    return number;
}

/* The ranks that take part; *parts is how many, 0 if nothing says it. */
static int read_group(const struct chakra_world *w, uint32_t node, struct chakra_transfer *t,
                      uint64_t *parts, struct err *err)
{
    const Chakra__Node *n = w->g->node[node];
    char number[24] = "";
    const char *name = name_group(n, number, sizeof number);
    const struct chakra_pg *pg = name ? chakra_groups_find(&w->groups, name) : NULL;

    *parts = w->ranks;
    if (names_dimensions(n) && !w->allow_unknown)
        return chakra_fail(w->g, node, err, ERR_UNKNOWN,
                           "involved_dim leaves out dimensions of a topology that the file does "
                           "not describe; --allow-unknown takes all ranks");
    if (name && *name && !pg && !w->allow_unknown)
        return chakra_fail(w->g, node, err, ERR_UNKNOWN,
                           "pg_name = %.20s: a process group whose ranks the file does not list; "
                           "--allow-unknown takes all ranks",
                           name);
    t->guessed = names_dimensions(n) || (name && *name && !pg);
    if (!pg || pg->all || pg->size == w->ranks)
        return 0;
    if (pg->stride == 0 && !w->allow_unknown)
        return chakra_fail(w->g, node, err, ERR_UNKNOWN,
                           "the ranks of process group %.20s are not evenly spaced; "
                           "--allow-unknown takes neighbours",
                           name);
    t->guessed |= pg->stride == 0;
    *parts = t->group = pg->size;
    t->stride = pg->stride ? pg->stride : 1;
    return 0;
}

/* Sizes of what makes a whole of the parts of all ranks, or parts of a whole.  A whole that does
 * not divide evenly is filled up. */
static int size_parts(const struct chakra_world *w, uint32_t node, struct chakra_transfer *t,
                      uint64_t parts, bool gathers, struct err *err)
{
    uint64_t bytes = t->operand;

    if (parts == 0)
        return chakra_fail(w->g, node, err, ERR_RANGE,
                           "the size of its result follows from the number of ranks, which nothing "
                           "says; give `cyclotron trace import --ranks N`");
    if (bytes > MOST_BYTES / parts || parts > MOST_BYTES)
        return chakra_fail(w->g, node, err, ERR_RANGE,
                           "comm_size = %" PRIu64 " on %" PRIu64 " ranks: more than 2^62 bytes",
                           bytes, parts);
    uint64_t part = gathers ? bytes : (bytes + parts - 1) / parts;
    t->width = chakra_transfer_width(part);
    t->operand = gathers ? part : part * parts;
    t->result = gathers ? part * parts : part;
    return 0;
}

static int read_collective(const struct chakra_world *w, uint32_t node, struct chakra_transfer *t,
                           struct err *err)
{
    uint64_t type = CHAKRA__COLLECTIVE_COMM_TYPE__ALL_REDUCE, parts;

    if (chakra_graph_number(w->g, node, "comm_type", &type, err) != 0)
        return -1;
    if (type >= N_COLLECTIVES)
        return chakra_fail(w->g, node, err, ERR_RANGE, "comm_type = %" PRIu64 ": outside [0, %zu]",
                           type, N_COLLECTIVES - 1);
    t->kind = collectives[type].kind;
    t->known = collectives[type].known;
    if (!t->known && !w->allow_unknown)
        return chakra_fail(w->g, node, err, ERR_UNKNOWN,
                           "no kind of operation does %s; --allow-unknown costs its bytes as "
                           "traffic of memory",
                           t->kind);
    if (read_group(w, node, t, &parts, err) != 0)
        return -1;
    if (t->operand == 0)
        return 0;
    switch ((int)type) {
    case CHAKRA__COLLECTIVE_COMM_TYPE__ALL_GATHER: return size_parts(w, node, t, parts, true, err);
    case CHAKRA__COLLECTIVE_COMM_TYPE__REDUCE_SCATTER:
    case CHAKRA__COLLECTIVE_COMM_TYPE__REDUCE_SCATTER_BLOCK:
        return size_parts(w, node, t, parts, false, err);
    case CHAKRA__COLLECTIVE_COMM_TYPE__ALL_TO_ALL: t->result = t->operand; return 0;
    default: return 0;
    }
}

int chakra_transfer_read(const struct chakra_world *w, uint32_t node, struct chakra_transfer *t,
                         struct err *err)
{
    *t = (struct chakra_transfer){ 0 };
    if (chakra_graph_number(w->g, node, "comm_size", &t->operand, err) != 0)
        return -1;
    if (t->operand > MOST_BYTES)
        return chakra_fail(w->g, node, err, ERR_RANGE,
                           "comm_size = %" PRIu64 ": more than 2^62 bytes", t->operand);
    t->width = chakra_transfer_width(t->operand);
    if ((int)w->g->node[node]->type == CHAKRA__NODE_TYPE__COMM_COLL_NODE)
        return read_collective(w, node, t, err);
    t->kind = "collective-permute";
    t->known = true;
    t->shift = w->peer[node].shift;
    t->result = t->operand;
    return 0;
}
