/* schedule.h - collectives as tables of steps: which ranges each chip sends, receives and adds.
 * Data alone, no time.
 *
 * Each chip of a group holds a buffer of `bytes` (the collective's payload, padded so that it can
 * be divided evenly).  A schedule is a table of steps; all chips have the same number of them.  In
 * a step a chip sends parts of its buffer as they are when the step begins, and receives the parts
 * that others send to it in the same step, which it adds to its buffer or copies into it.  A step
 * of a chip waits for that chip's step before it and for the parts it receives; nothing else
 * orders the chips.
 *
 *      all-reduce       every buffer ends as the sum of all
 *      reduce-scatter   every chip ends with the sum in its own ranges (schedule_share)
 *      all-gather       starts from those ranges; every buffer ends with all of them
 *      all-to-all       block j of chip i ends as block i of chip j
 *      permute          the buffer goes `shift` places on along the round through the group
 *      broadcast        every buffer ends as that of member 0
 *      barrier          an all-reduce of nothing
 *
 * docs/model/collectives.md has the algorithms, their closed forms and the rule that chooses. */
#ifndef SCHEDULE_SCHEDULE_H
#define SCHEDULE_SCHEDULE_H

#include <stddef.h>

#include "schedule/mesh.h"

/* clang-format off */
/* The collectives, and their names in traces. */
#define SCHEDULE_KINDS(K)                                                                          \
    K(ALL_REDUCE,     "all-reduce")                                                                \
    K(REDUCE_SCATTER, "reduce-scatter")                                                            \
    K(ALL_GATHER,     "all-gather")                                                                \
    K(ALL_TO_ALL,     "all-to-all")                                                                \
    K(PERMUTE,        "collective-permute")                                                        \
    K(BROADCAST,      "collective-broadcast")                                                      \
    K(BARRIER,        "barrier")
/* In the order in which they are tried; the first of equally fast ones is taken. */
#define SCHEDULE_ALGORITHMS(A)                                                                     \
    A(AUTO,         "auto",            "the cheapest by the rule")                                 \
    A(TORUS,        "torus",           "dimension by dimension, a colour for each, all links busy") \
    A(RING,         "ring",            "round the chips in both directions")                       \
    A(HIERARCHICAL, "hierarchical",    "dimension by dimension, one colour")                       \
    A(LINE,         "line",            "along the chips and back, both directions")                \
    A(HALVING,      "halving-doubling", "halves between partners ever further apart")              \
    A(TREE,         "tree",            "all of it to a root and back, in pieces")                          \
    A(RING_ONE_WAY, "ring-one-way",    "round the chips in one direction")                         \
    A(DIRECT,       "direct",          "from each to each, over the links between them")               \
    A(EXCHANGE,     "exchange",        "among boards: chips, boards, groups, each time from each to each")
/* clang-format on */
enum schedule_kind {
#define K(id, text) SCHEDULE_##id,
    SCHEDULE_KINDS(K)
#undef K
        SCHEDULE_N_KINDS
};
enum schedule_algorithm {
#define A(id, text, doc) SCHEDULE_##id,
    SCHEDULE_ALGORITHMS(A)
#undef A
        SCHEDULE_N_ALGORITHMS
};
extern const char *const schedule_kind_name[SCHEDULE_N_KINDS];
extern const char *const schedule_algorithm_name[SCHEDULE_N_ALGORITHMS];

/* The algorithms as choices of a parameter, in the order above. */
#define SCHEDULE_CHOICES                                                                           \
    "auto|torus|ring|hierarchical|line|halving-doubling|tree|ring-one-way|direct|exchange"

#define SCHEDULE_MAX_PIECES 256 /* of a buffer in a tree */

/* Slices that take part in one collective, `stride` apart; n < 2: every slice by itself. */
struct schedule_outer {
    uint32_t n, stride;
};

/* A collective of a library that cuts its data into chunks so small that they follow each other
 * without a gap: of its steps only the time of the first chunk is seen, and then bytes flow.  What
 * is kept are totals (schedule_flow.h). */
struct schedule_flow {
    const char *by;              /* the library's algorithm and protocol; NULL: it is no flow */
    uint64_t near, far;          /* bytes that a chip sends to the next one of its slice, and to
                                    the one at its place in the next slice */
    uint64_t times;              /* a link takes so many times as long, in parts per 1e9 */
    uint64_t wait_fs;            /* before its first byte: the latency of all steps */
    uint64_t read, write, added; /* bytes of HBM, and that are added up, of a chip */
};

struct schedule_list;

/* A collective of one group of chips and all groups beside it. */
struct schedule {
    enum schedule_kind kind;
    enum schedule_algorithm algorithm; /* not AUTO */
    struct mesh mesh;                  /* of all chips of a slice */
    struct mesh_group group;           /* within a slice */
    struct schedule_outer outer;       /* over slices (model/schedule/schedule_slices.h) */
    uint64_t bytes;                    /* of a chip's buffer; permute: what a whole shift moves */
    uint32_t element;                  /* bytes; parts are multiples of it, at least 1 */
    uint32_t pieces;  /* of the buffer of a tree or broadcast, 1 to SCHEDULE_MAX_PIECES */
    uint32_t shift;   /* permute: places, less than group.size */
    uint64_t further; /* permute: bytes besides `bytes`, which go shift + 1 places */
    /* groups or pairs one by one (schedule_list.h), or NULL; it belongs to who made the schedule */
    struct schedule_list *list;
    struct schedule_flow flow; /* then steps are those of the flow, whatever `algorithm` is */
};

/* `count` runs of `bytes` each, `pitch` apart, from `offset` of the buffer. */
struct schedule_part {
    uint32_t chip; /* the other one; chip i of slice j is j * mesh_size() + i */
    uint64_t offset, bytes, pitch, count;
};

#define SCHEDULE_MAX_PARTS 36 /* of one chip in one step, each way: one to each group of boards */

struct schedule_step {
    struct schedule_part send[SCHEDULE_MAX_PARTS], recv[SCHEDULE_MAX_PARTS];
    uint32_t n_send, n_recv;
    bool sum; /* received parts are added to the buffer; else copied */
    /* bytes that the chip reads and writes in HBM and adds up for the step; a part that was
     * received in the step before and is sent on in this one is on chip, and so is a sum until its
     * last addend */
    uint64_t read, write, added;
};

/* True if the algorithm can do this kind on such a group. */
bool schedule_fits(const struct schedule *s);
/* The algorithms that can, as bits 1 << algorithm, whatever s->algorithm is; and those that can do
 * a kind on some group. */
uint32_t schedule_candidates(const struct schedule *s);
uint32_t schedule_algorithms(enum schedule_kind kind);
/* Names of such a set: "torus, ring or direct"; cut off where `size` ends. */
void schedule_list(uint32_t algorithms, char *text, size_t size);

/* The number of steps. */
uint32_t schedule_steps(const struct schedule *s);
/* Fill `out` for a chip in step `i` < schedule_steps().  O(1), or O(log chips) for halving. */
void schedule_step(const struct schedule *s, uint32_t chip, uint32_t i, struct schedule_step *out);

/* Bytes of the padded buffer; offsets of parts are within it. */
uint64_t schedule_padded(const struct schedule *s);
/* The ranges a chip ends a reduce-scatter with, and starts an all-gather with; returns their number
 * (at most SCHEDULE_MAX_PARTS). */
uint32_t schedule_share(const struct schedule *s, uint32_t chip,
                        struct schedule_part out[SCHEDULE_MAX_PARTS]);

/* True if all chips do the same in every step, each over links of its own, so that the time and
 * traffic of all follow from those of one.  (A round through the chips counts only if it is one of
 * all chips.) */
bool schedule_uniform(const struct schedule *s);

/* True if chips at mirrored places of the mesh do the same in mirrored directions, and chips along
 * a closed dimension the same, all over single links.  (That is so for torus and hierarchical on
 * the whole mesh, unless it is twisted.)  Between boards: if chips at the same place of all groups
 * do the same. */
bool schedule_mirrored(const struct schedule *s);

/* True if it goes round the chips, rather than along dimensions. */
bool schedule_goes_round(const struct schedule *s);

/* The closed form of the time: `hops` latencies of a hop, and then `bytes` over the busiest link.
 * Exact where every step keeps all chips equally busy (ring, line, torus, hierarchical) and where
 * pieces follow each other over single links (tree, broadcasts).  For the others an upper bound:
 * each step's longest route together with its largest load.  For a group that is no box it is that
 * of the first group, an estimate.  For a schedule over slices it covers the steps within them
 * (schedule_far has the rest). */
struct schedule_cost {
    uint64_t hops, bytes;
};
struct schedule_cost schedule_cost(const struct schedule *s);

/* Set s->algorithm, unless it is given, and s->pieces (a power of two) so that hops * latency_fs +
 * bytes / bytes_per_s is least.  The first algorithm in the order above wins, unless another takes
 * at least 1 % less. */
void schedule_choose(struct schedule *s, uint64_t latency_fs, uint64_t bytes_per_s);

#endif
