/* basis.h - what the cost of an operation rests on where it is not what the program states
 * (basis=).
 *
 * An importer says it of each line that it had to guess at; reports say how much of a step rests on
 * it (run/result/account.h). */
#ifndef TRACE_KIND_BASIS_H
#define TRACE_KIND_BASIS_H

/* clang-format off */
/*    enum       text         the operation is ... */
#define TRACE_BASES(B)                                                                             \
    B(ABSENT,    "absent",    "not modelled: it takes no time")                                    \
    B(UNREAD,    "unread",    "not read: memory traffic alone")                                    \
    B(PARTIAL,   "partial",   "read in part alone")                                                \
    B(ESTIMATE,  "estimate",  "not read: its author's estimate at full rate")                      \
    B(OUTLINE,   "outline",   "of known FLOPs and bytes alone: a shape was assumed")               \
    B(RECORDED,  "recorded",  "of known time alone: what another machine took")                    \
    B(LOOP,      "loop",      "in a loop that data end: one turn was counted")                     \
    B(BRANCH,    "branch",    "in the branch with the most work of those that data choose")        \
    B(SIZES,     "sizes",     "as large as data say: a size was assumed")                          \
    B(GROUPS,    "groups",    "in groups that were not read: others were assumed")                 \
    B(DENSE,     "dense",     "with sparse factors: computed as dense ones")                       \
    B(HAND,      "hand",      "written by hand, and read")
/* clang-format on */
enum trace_basis {
#define B(id, text, doc) TRACE_BASIS_##id,
    TRACE_BASES(B)
#undef B
        TRACE_N_BASES
};

/* The bit of a basis in trace_op.basis. */
#define TRACE_BASIS_BIT(id) (UINT32_C(1) << TRACE_BASIS_##id)

/* [enum trace_basis] "loop"; "in a loop that data end: one turn was counted" */
extern const char *const trace_basis_name[TRACE_N_BASES];
extern const char *const trace_basis_doc[TRACE_N_BASES];

#endif
