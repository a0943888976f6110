/* show.h - probes of components: the list of all states, and rows of tables of probes.
 *
 * A component has a table of rows and a `struct des_probes`.  It makes the probes in its module and
 * sets them as things happen (des/probe.h).  Waves, timelines and reports need nothing else. */
#ifndef HW_WIRES_SHOW_H
#define HW_WIRES_SHOW_H

#include "des/des.h"

/* clang-format off */
/*    enum        text          the unit ... */
#define SHOW_STATES(S)                                                                             \
    S(IDLE,       "idle",       "has nothing to do")                                               \
    S(BUSY,       "busy",       "works")                                                           \
    S(BLOCKED,    "blocked",    "is done, and waits for room for its answer")                      \
    S(LAUNCH,     "launch",     "pays the fixed cost of an operation or a grid step")              \
    S(READ,       "read",       "waits for tiles to come from HBM, or reads")                      \
    S(COMPUTE,    "compute",    "waits for the units of its core")                                 \
    S(ISSUE,      "issue",      "waits for its last instructions to be issued")                    \
    S(WRITE,      "write",      "waits for the last tiles to be in HBM, or writes")                \
    S(COLLECTIVE, "collective", "waits for a collective")                                          \
    S(INFEED,     "infeed",     "waits for input")                                                 \
    S(HOST,       "host",       "waits for the host")                                              \
    S(LOAD,       "load",       "takes weights and no rows")                                       \
    S(STREAM,     "stream",     "takes rows")                                                      \
    S(DRAIN,      "drain",      "takes neither: weights swap or results leave")                    \
    S(GATHER,     "gather",     "waits for all cores to have called")                              \
    S(RING,       "ring",       "sends and receives")
/* clang-format on */

enum show_state {
#define S(id, text, doc) SHOW_##id,
    SHOW_STATES(S)
#undef S
        SHOW_N_STATES
};
extern const char *const show_states[SHOW_N_STATES]; /* as waves show them */

/* Rows of a table of probes. */
#define SHOW_STATE(name_, doc_)                                                                    \
    {                                                                                              \
        .name = name_, .kind = DES_PROBE_STATE, .names = show_states, .n_names = SHOW_N_STATES,    \
        .doc = doc_                                                                                \
    }
#define SHOW_ROW(kind_, name_, unit_, doc_)                                                        \
    {                                                                                              \
        .name = name_, .kind = DES_PROBE_##kind_, .unit = unit_, .doc = doc_                       \
    }
/* A total whose growth is told as it moves (des_show_ramp): hw/wires/meter.h. */
#define SHOW_MOVED(name_, unit_, doc_)                                                             \
    {                                                                                              \
        .name = name_, .kind = DES_PROBE_TOTAL, .unit = unit_, .doc = doc_, .ramps = true          \
    }
/* A number that says more of the text in the row before it: on a timeline it is part of its slice.
 */
#define SHOW_DETAIL(name_, unit_, doc_)                                                            \
    {                                                                                              \
        .name = name_, .kind = DES_PROBE_NUMBER, .unit = unit_, .doc = doc_, .detail = true        \
    }
/* `track_` is its name on a timeline; of a flow, the probe through whose spans it goes. */
#define SHOW_TRACK(kind_, name_, track_, doc_)                                                     \
    {                                                                                              \
        .name = name_, .kind = DES_PROBE_##kind_, .track = track_, .doc = doc_                     \
    }
/* Rows that are set only while every unit of work is walked (des_walk). */
#define SHOW_FINE_STATE(name_, doc_)                                                               \
    {                                                                                              \
        .name = name_, .kind = DES_PROBE_STATE, .names = show_states, .n_names = SHOW_N_STATES,    \
        .doc = doc_, .fine = true                                                                  \
    }
#define SHOW_FINE(name_, unit_, doc_)                                                              \
    {                                                                                              \
        .name = name_, .kind = DES_PROBE_NUMBER, .unit = unit_, .doc = doc_, .fine = true          \
    }

/* The probes of a whole table of rows, in module `mod`. */
#define SHOW_PROBES(sim, mod, rows) des_probes_new(sim, mod, rows, sizeof(rows) / sizeof *(rows))

#endif
