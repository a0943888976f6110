#include "import/chakra/chakra_groups.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"

/* The distance of neighbours, if it is the same everywhere and the groups beside it can be alike:
 * the first of a group lies in the first `stride` ranks of a block. */
static uint64_t find_stride(const json_t *ranks, uint64_t n)
{
    json_int_t first = json_integer_value(json_array_get(ranks, 0));
    json_int_t step = n > 1 ? json_integer_value(json_array_get(ranks, 1)) - first : 1;

    if (first < 0 || step < 1)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *rank = json_array_get(ranks, i);
        if (!json_is_integer(rank) || json_integer_value(rank) != first + (json_int_t)i * step)
            return 0;
    }
    uint64_t block = (uint64_t)step * n;
    return (uint64_t)first % block < (uint64_t)step ? (uint64_t)step : 0;
}

static void add_group(struct chakra_groups *p, const json_t *item)
{
    const json_t *ranks = json_object_get(item, "ranks");
    const json_t *name = json_object_get(item, "pg_name");
    json_int_t size = json_integer_value(json_object_get(item, "group_size"));
    struct chakra_pg g = { .size = size > 0 ? (uint64_t)size : 0, .stride = 1 };

    if (!json_is_string(name))
        return;
    uint64_t n = json_array_size(ranks);
    g.all = n == 0;
    if (n > 0) {
        g.size = n;
        g.stride = find_stride(ranks, n);
    } else if (g.size > p->ranks) {
        p->ranks = g.size;
    }
    g.name = memory_copy(json_string_value(name));
    MEMORY_ADD(p->group, p->n);
    p->group[p->n++] = g;
}

/* The JSON within a Python list of one text: from its first bracket after the quote to the last
 * one before a quote. */
static void read_list(struct chakra_groups *p, const char *values)
{
    const char *quote = values + strcspn(values, "'\"");
    const char *begin = strchr(quote, '['), *end = strrchr(quote, ']');

    while (end && end > begin && end[-1] != ']') /* the list of Python ends behind a quote */
        end--;
    if (!begin || !end || end <= begin)
        return;
    locale_t before = plain_begin();
    json_t *list = json_loadb(begin, (size_t)(end - begin), 0, NULL);
    plain_end(before);
    for (size_t i = 0; i < json_array_size(list); i++)
        add_group(p, json_array_get(list, i));
    json_decref(list);
}

void chakra_groups_read(struct chakra_groups *p, const struct chakra_graph *g)
{
    *p = (struct chakra_groups){ 0 };
    for (uint32_t i = 0; i < g->n; i++) {
        const Chakra__Node *n = g->node[i];
        if ((int)n->type == CHAKRA__NODE_TYPE__METADATA_NODE && n->inputs &&
            strstr(n->inputs->values, "pg_name"))
            read_list(p, n->inputs->values);
    }
}

void chakra_groups_free(struct chakra_groups *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->group[i].name);
    free(p->group);
}

const struct chakra_pg *chakra_groups_find(const struct chakra_groups *p, const char *name)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->group[i].name, name) == 0)
            return &p->group[i];
    return NULL;
}
