#include "hw/wires/component.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"

void component_list_init(struct component_list *l, struct des *sim)
{
    *l = (struct component_list){ .sim = sim };
    des_set_user(sim, l);
}

void component_list_free(struct component_list *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->at[i].class->free)
            l->at[i].class->free(l->at[i].self);
        free(l->at[i].name);
    }
    free(l->at);
}

void component_list_place(struct component_list *l, uint32_t group, uint32_t index)
{
    l->group = group;
    l->index = index;
}

static void append_component(struct component_list *l, struct component c)
{
    MEMORY_GROW(l->at, l->n + 1, l->cap);
    c.group = l->group;
    c.order = l->n;
    l->at[l->n++] = c;
    l->sorted = false;
}

void component_add(struct des *sim, const struct component_class *class, struct des_module mod,
                   void *self)
{
    struct component_list *l = des_user(sim);

    if (l)
        append_component(
            l, (struct component){ .class = class, .mod = mod, .self = self, .index = l->index });
}

void component_add_named(struct des *sim, const struct component_class *class, uint32_t index,
                         void *self, const char *name, ...)
{
    struct component_list *l = des_user(sim);
    struct memory_text text;
    va_list args;

    if (!l)
        return;
    memory_text_begin(&text);
    va_start(args, name);
    plain_print_list(text.out, name, args);
    va_end(args);
    append_component(
        l, (struct component){
               .class = class, .self = self, .index = index, .name = memory_text_end(&text) });
}

static void *counters_of(const struct component *c)
{
    return c->class->statistics ? (char *)c->self + c->class->counters : NULL;
}

void component_list_reset(struct component_list *l, des_time now)
{
    for (uint32_t i = 0; i < l->n; i++) {
        const struct component *c = &l->at[i];
        if (c->class->statistics)
            memset(counters_of(c), 0, c->class->statistics->size);
        if (c->class->reset)
            c->class->reset(c->self, now);
    }
}

void component_list_finish(struct component_list *l, des_time now, des_time elapsed)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->at[i].class->finish)
            l->at[i].class->finish(l->at[i].self, now, elapsed);
}

static int compare_places(const struct component *a, uint32_t group, uint32_t index)
{
    if (a->group != group)
        return a->group < group ? -1 : 1;
    return a->index < index ? -1 : a->index > index;
}

static int compare_components(const void *a, const void *b)
{
    const struct component *x = a, *y = b;
    int by_place = compare_places(x, y->group, y->index);

    return by_place ? by_place : x->order < y->order ? -1 : x->order > y->order;
}

const struct component *component_list_of(struct component_list *l, uint32_t group, uint32_t index,
                                          uint32_t *n)
{
    uint32_t low = 0, high = l->n;

    if (!l->sorted && l->n)
        qsort(l->at, l->n, sizeof *l->at, compare_components);
    l->sorted = true;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_places(&l->at[middle], group, index) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (*n = 0; low + *n < l->n && compare_places(&l->at[low + *n], group, index) == 0;)
        ++*n;
    return l->at + low;
}

const char *component_name(const struct component_list *l, const struct component *c)
{
    return c->name ? c->name : des_module_path(l->sim, c->mod);
}

const void *component_counters(const struct component *c)
{
    return c->class->has_figures && !c->class->has_figures(c->self) ? NULL : counters_of(c);
}
