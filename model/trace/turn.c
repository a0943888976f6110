/* turn.c - see turn.h. */
#include "trace/turn.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void drop_lines(struct turn *t)
{
    while (t->n_lines > 0)
        free(t->lines[--t->n_lines].s);
    t->next = 0;
}

void turn_open(struct turn *t, const char *index, uint32_t first, uint32_t last, uint32_t line,
               uint32_t depth)
{
    drop_lines(t);
    t->open = true;
    t->again = false;
    memcpy(t->index, index, strlen(index) + 1);
    t->line = line;
    t->depth = depth;
    t->now = first;
    t->last = last;
}

void turn_free(struct turn *t)
{
    drop_lines(t);
    free(t->lines);
    *t = (struct turn){ 0 };
}

void turn_keep(struct turn *t, const char *s, size_t n, uint32_t line)
{
    MEMORY_GROW(t->lines, t->n_lines + 1, t->cap_lines);
    t->lines[t->n_lines++] = (struct turn_line){ memory_copy_part(s, n), n, line };
}

const char *turn_take(struct turn *t, size_t *n, uint32_t *line)
{
    BUG_ON(t->next >= t->n_lines);
    const struct turn_line *l = &t->lines[t->next++];

    *n = l->n;
    *line = l->line;
    return l->s;
}

void turn_end(struct turn *t)
{
    t->open = t->again = t->now != t->last;
    t->next = 0;
    if (t->open)
        t->now += t->now < t->last ? 1 : -1u;
}
