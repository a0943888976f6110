/* probe.h - probes: values that a component shows to waves, timelines and reports.  Part of des.h.
 *
 *     static const struct des_probe_row rows[] = {
 *         { "state", DES_PROBE_STATE, NULL, states, N_STATES, "what the unit does" },
 *         { "bytes", DES_PROBE_TOTAL, "B", NULL, 0, "moved so far" } };
 *     u->show = des_probes_new(sim, u->mod, rows, 2);
 *     ...
 *     des_show(sim, u->show, 0, STATE_BUSY);
 *
 * A probe is a 64-bit value with a name, a kind and a description.  A component sets it; no process
 * reads it, so it has no influence on the simulation.  Setting a probe costs one test while nobody
 * has subscribed to a probe.  Waves, timelines and reports read probes, so they know no
 * component. */
#ifndef DES_PROBE_H
#define DES_PROBE_H

#include "des/des.h"

enum des_probe_kind {
    DES_PROBE_STATE,  /* index of a name in the row; 0 is idle */
    DES_PROBE_TEXT,   /* index of a text of des_texts; 0 is none */
    DES_PROBE_SPAN,   /* number of an activity with begin and end; 0 is none */
    DES_PROBE_NUMBER, /* an index or a count, of which no sum is taken */
    DES_PROBE_LEVEL,  /* an amount at a time, drawn as a curve */
    DES_PROBE_TOTAL,  /* an amount so far, which never falls; its slope is drawn (des_show_ramp) */
    DES_PROBE_FLOW,   /* a number that spans of several modules share: one caused the next */
};

struct des_probe_row {
    const char *name; /* distinct in its module */
    enum des_probe_kind kind;
    const char *unit;         /* NULL: none */
    const char *const *names; /* of a state: its `n_names` names; else NULL */
    uint32_t n_names;
    const char *doc;
    const char *track; /* name on a timeline; NULL: `name`.  For a flow: the probe of the same
                          module with the spans that the flow joins */
    bool fine;         /* set only while the model walks every event: see des_walks */
    bool detail;       /* a number that says more of the text in the row before it */
    bool ramps;        /* of a total: des_show_ramp says when what it grows by moves */
};

/* An amount that moves evenly from one time to another. */
struct des_ramp {
    des_time from, to;
    uint64_t amount;
};

/* Handles: indices, to be copied freely. */
struct des_probe {
    uint32_t id;
};
struct des_probes { /* the probes of a table, in its order */
    uint32_t first;
};

/* Create the probes of a table in module `m`.  The rows and what they point to outlive `sim`.  A
 * probe is 0 until it is set. */
struct des_probes des_probes_new(struct des *sim, struct des_module m,
                                 const struct des_probe_row *rows, uint32_t n);
struct des_probe des_probe_at(struct des_probes p, uint32_t row);
const struct des_probe_row *des_probe_row(const struct des *sim, struct des_probe p);

/* The module of any object. */
struct des_module des_module_of(const struct des *sim, struct des_object x);

/* Set probe `row` of a table.  If the value changes, its watchers are called at once. */
static inline void des_show(struct des *sim, struct des_probes p, uint32_t row, uint64_t value);
/* The part of the amount that has moved by `now`, rounded down. */
uint64_t des_ramp_by(const struct des_ramp *r, des_time now);

/* Tell when that moves by which probe `row` grows; its row has `ramps`.  The total itself is set
 * when it has moved (des_show).  A component says so when the move begins, if it knows the end
 * then, and else when it ends.  Ramps of a probe come in the order of time and do not overlap, so
 * none of them begins before the end of the one before.  Who draws the slope of a total reads
 * ramps (des_watch_ramps): a total that jumps at the end of a move would exceed any rate. */
static inline void des_show_ramp(struct des *sim, struct des_probes p, uint32_t row,
                                 struct des_ramp ramp);
/* The last ramp of a probe; all zero if there was none. */
struct des_ramp des_probe_ramp(const struct des *sim, struct des_probe p);
/* Call `seen` with `self`, `tag` and the amount at each ramp of a probe, which des_probe_ramp has
 * then.  Subscribe before elaboration. */
void des_watch_ramps(struct des *sim, struct des_probe p, des_watcher *seen, void *self,
                     uint32_t tag);

/* The most that a level of probe `row` can be, or that a total can grow in a second, in the unit of
 * the row.  Without this call nobody knows: 0. */
void des_probe_set_peak(struct des *sim, struct des_probes p, uint32_t row, uint64_t peak);
uint64_t des_probe_peak(const struct des *sim, struct des_probe p);

/* True if some probe is watched.  A component asks before it computes a value for probes alone. */
static inline bool des_shown(const struct des *sim);

/* Set the texts of probes of kind DES_PROBE_TEXT: value i is text[i], and 0 is none.  Call it
 * before elaboration; the texts outlive `sim`. */
void des_texts(struct des *sim, const char *const *text, uint32_t n);
const char *des_text(const struct des *sim, uint64_t number); /* "" beyond the last */
uint32_t des_texts_count(const struct des *sim);

/* A new number for a flow.  The sender of a message that causes a span elsewhere puts the number in
 * the message and shows it in its probe of kind DES_PROBE_FLOW before its own span begins; the
 * receiver shows it before its span begins. */
uint64_t des_flow(struct des *sim);

/* True if an object in this module or below it is watched.  A shortcut that computes the result of
 * what is inside must then let it run instead. */
bool des_watched(const struct des *sim, struct des_module m);

/* Request that models walk every event from `from` to `to`, without shortcuts.  Before a component
 * takes a shortcut that ends at `end` it asks des_walks(), which is true if the shortcut overlaps
 * that window and a fine probe of its table is watched; it then walks, and sets its fine probes. */
void des_walk(struct des *sim, des_time from, des_time to);
des_time des_walk_begin(const struct des *sim);
des_time des_walk_end(const struct des *sim); /* 0: des_walk was not called */
static inline bool des_walks(const struct des *sim, struct des_probes p, des_time end);

/* Call `visit` for all clocks, then all probes, all signals and all FIFOs, each in the order of
 * creation. */
typedef void des_visit(struct des *sim, void *self, struct des_object x);
void des_each(struct des *sim, des_visit *visit, void *self);

#endif
