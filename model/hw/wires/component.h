/* component.h - the list in which the parts of a machine register themselves to be measured.
 *
 * A component describes itself once, in a `struct component_class`, and its X_init adds itself to
 * the list of the simulation it is built in:
 *
 *     static const struct component_class cmem_class = { .name = "cmem",
 *                                                        .parameters = &cmem_param_table,
 *                                                        .statistics = &cmem_stat_table,
 *                                                        .counters = offsetof(struct cmem, st),
 *                                                        .finish = cmem_finish };
 *     ...
 *     component_add(sim, &cmem_class, c->mod, c);
 *
 * There is no other list of components: measuring begins, ends and is read in loops over this one.
 * In a simulation without a list (a test bench) component_add does nothing.
 *
 * The verbs of a life are the same for all:
 *     X_init    makes module, ports, processes and probes, and adds the component to the list
 *     X_bind    tells it of another object that it reads; only where X_init cannot
 *     X_reset   measuring begins: component_reset_fn; the counters are zero already
 *     X_finish  measuring has lasted so long: component_finish_fn; may be called again later
 *     X_free    gives back what X_init and the run allocated: component_free_fn */
#ifndef HW_WIRES_COMPONENT_H
#define HW_WIRES_COMPONENT_H

#include "base/param.h"
#include "base/stat.h"
#include "des/des.h"

/* Measuring begins at `now`.  Work under way counts from there. */
typedef void component_reset_fn(void *self, des_time now);
/* Measuring has lasted `elapsed` fs, up to `now`.  Sets the counters that follow from time, and
 * counts work under way up to `now`. */
typedef void component_finish_fn(void *self, des_time now, des_time elapsed);
/* Give back what X_init and the run have allocated; the simulation does not run any more. */
typedef void component_free_fn(void *self);

struct component_class {
    const char *name;
    const struct param_table *parameters;  /* section of machine files; NULL: none */
    const struct stat_table *statistics;   /* NULL: none */
    size_t counters;                       /* offset of the struct that `statistics` describes */
    component_reset_fn *reset;             /* NULL: zero counters are enough */
    component_finish_fn *finish;           /* NULL: nothing to do */
    component_free_fn *free;               /* NULL: nothing is allocated */
    bool (*has_figures)(const void *self); /* false: not in use, not reported; NULL: always is */
};

struct component {
    const struct component_class *class;
    struct des_module mod;
    void *self;
    char *name;            /* under which statistics are visited; NULL: the path of `mod` */
    uint32_t group, index; /* its unit: component_list_place */
    uint32_t order;        /* components added before it */
};

/* All components of one simulation. */
struct component_list {
    struct des *sim;
    struct component *at;
    uint32_t n, cap;
    uint32_t group, index; /* of what is added next */
    bool sorted;
};

/* An empty list, which X_init functions find through `sim` from now on; it keeps its address. */
void component_list_init(struct component_list *l, struct des *sim);
/* Free what its components have allocated, and the list; components themselves are the builder's.
 */
void component_list_free(struct component_list *l);

/* Components added from now on belong to the index-th unit of `group`.  The machine numbers its
 * groups, such as cores, chips and hosts (machine/slice.h). */
void component_list_place(struct component_list *l, uint32_t group, uint32_t index);

/* Add a component to the list of `sim`, if it has one.  `mod` names its statistics. */
void component_add(struct des *sim, const struct component_class *class, struct des_module mod,
                   void *self);
/* Add a component whose statistics have a name of their own, as printf writes it, to the unit
 * `index` of the group at hand: for an object that holds a component for each unit. */
void component_add_named(struct des *sim, const struct component_class *class, uint32_t index,
                         void *self, const char *name, ...) __attribute__((format(printf, 5, 6)));

/* Measuring begins: zero the counters of each component, then call its reset.  Measuring has lasted
 * `elapsed`, up to `now`: call each finish.  The order of components does not matter. */
void component_list_reset(struct component_list *l, des_time now);
void component_list_finish(struct component_list *l, des_time now, des_time elapsed);

/* The `n` components of a unit, in the order in which they were added.  O(log n) but for the first
 * call after one was added, which sorts. */
const struct component *component_list_of(struct component_list *l, uint32_t group, uint32_t index,
                                          uint32_t *n);

/* Its name; its counters, NULL without statistics or while it has no figures. */
const char *component_name(const struct component_list *l, const struct component *c);
const void *component_counters(const struct component *c);

/* Called for the statistics of a component that stands for `times` with the same counters, itself
 * among them. */
typedef void component_visit(void *self, const char *path, const struct stat_table *table,
                             const void *counters, uint64_t times);

#endif
