/* probe.h - what a component shows of itself to whoever looks.  Part of des.h.
 *
 *     static const struct des_probe_row rows[] = {
 *         { "state", DES_PROBE_STATE, NULL, states, N_STATES, "what the unit does" },
 *         { "bytes", DES_PROBE_TOTAL, "B", NULL, 0, "moved so far" } };
 *     u->show = des_probes_new(sim, u->mod, rows, 2);
 *     ...
 *     des_show(sim, u->show, 0, STATE_BUSY);
 *
 * A probe is a 64-bit value with a name, a kind and a sentence, that a component sets as things
 * happen and no process reads.  It takes no part in the simulation: to set it costs a test while
 * nobody has subscribed to any probe, and changes nothing else ever.  Dumps, timelines and reports
 * are made of probes, so they need not know the component. */
#ifndef DES_PROBE_H
#define DES_PROBE_H

#include "des/des.h"

enum des_probe_kind {
    DES_PROBE_STATE,  /* one of a list of names; 0 is rest */
    DES_PROBE_TEXT,   /* one of the texts of des_texts; 0 is none */
    DES_PROBE_SPAN,   /* the number of something that lasts: 0 is none */
    DES_PROBE_NUMBER, /* an index or a count: looked at, not summed up */
    DES_PROBE_LEVEL,  /* how much there is of something: drawn as a curve */
    DES_PROBE_TOTAL,  /* how much there has been so far, never less: its slope is drawn */
    DES_PROBE_FLOW,   /* a number that spans of several modules share when one leads to the next */
};

struct des_probe_row {
    const char *name; /* distinct in its module */
    enum des_probe_kind kind;
    const char *unit;         /* NULL: it has none */
    const char *const *names; /* of a state, `n_names` of them; NULL otherwise */
    uint32_t n_names;
    const char *doc;
    const char *track; /* its name on a timeline; NULL: the same.  Of a flow: the probe of its
                          module through whose spans it goes */
    bool fine;         /* set only while the model walks every step: see des_walks */
};

struct des_probe {
    uint32_t id;
};
struct des_probes { /* those of a table, in its order */
    uint32_t first;
};

/* The probes of a component in module `m`; rows and what they point to outlive `sim`.  All are 0
 * until they are set. */
struct des_probes des_probes_new(struct des *sim, struct des_module m,
                                 const struct des_probe_row *rows, uint32_t n);
struct des_probe des_probe_at(struct des_probes p, uint32_t row);
const struct des_probe_row *des_probe_row(const struct des *sim, struct des_probe p);

/* The module of any object. */
struct des_module des_module_of(const struct des *sim, struct des_object x);

/* Set probe `row` of a table.  Watchers are told at once, if the value is another. */
static inline void des_show(struct des *sim, struct des_probes p, uint32_t row, uint64_t value);
/* Somebody watches a probe: what is worth working out for them alone. */
static inline bool des_shown(const struct des *sim);

/* The texts that probes of kind DES_PROBE_TEXT number, from 1 on; text[0] is for 0.  Before
 * elaboration; they outlive `sim`. */
void des_texts(struct des *sim, const char *const *text, uint32_t n);
const char *des_text(const struct des *sim, uint64_t number); /* "" beyond the last */
uint32_t des_texts_count(const struct des *sim);

/* A number that no other flow of this simulation has.  Who sends a message that causes a span
 * elsewhere puts it in the message and shows it in a probe of kind DES_PROBE_FLOW before its own
 * span begins; so does who gets it. */
uint64_t des_flow(struct des *sim);

/* Somebody watches something in this module or below it: a model that stands for what is inside
 * must let that act. */
bool des_watched(const struct des *sim, struct des_module m);

/* From `from` to `to` somebody looks at every step of the models.  A model with a shortcut asks
 * before it takes it until time `end`, and walks if des_walks says so, because some fine probe of
 * its table is watched: then those are set too.  There is no such time unless this is called. */
void des_walk(struct des *sim, des_time from, des_time to);
des_time des_walk_begin(const struct des *sim);
des_time des_walk_end(const struct des *sim); /* 0: there is no such time */
static inline bool des_walks(const struct des *sim, struct des_probes p, des_time end);

/* Call visit for each signal, FIFO, clock and probe, kind after kind, in the order in which they
 * were made. */
typedef void des_visit(struct des *sim, void *self, struct des_object x);
void des_each(struct des *sim, des_visit *visit, void *self);

#endif
