/* rule.c - see rule.h: the table of kinds, and rules of optimizer, host work and infeed. */
#include "trace/rule.h"

#include <inttypes.h>
#include <string.h>

#include "trace/attr.h"
#include "trace/kind/other_name.h"
#include "trace/shape.h"

#define ANY UINT32_MAX

struct rule {
    uint32_t in_min, in_max, out_min, out_max;
    uint64_t attrs; /* attributes besides ATTR_COMMON */
    int (*apply)(struct trace *t, struct trace_op *op);
};

/* The sets of attributes that rows name (kinds.h). */
#define NO_ATTR 0
#define ON_CHIP ATTR_BIT(RESIDENT)
#define EACH (ON_CHIP | ATTR_BIT(FN) | ATTR_BIT(FN_FLOPS))
#define MAPS (EACH | ATTR_BIT(PASSES) | ATTR_BIT(EINSUMS))
#define SUMS (EACH | ATTR_BIT(PASSES) | ATTR_BIT(OVER))
#define UPDATES (EACH | ATTR_BIT(SHARDED))
#define PRODUCTS (ON_CHIP | ATTR_BIT(PRECISION))
#define MATMULS (PRODUCTS | ATTR_BIT(TA) | ATTR_BIT(TB) | ATTR_BIT(BIAS))
#define WINDOW (PRODUCTS | ATTR_WINDOW)
#define BIASED (WINDOW | ATTR_BIT(BIAS))
#define SORTS (ON_CHIP | ATTR_BIT(ROWS) | ATTR_BIT(COLS))
#define INDEX (SORTS | ATTR_BIT(TABLE_ROWS) | ATTR_BIT(SORTED) | ATTR_BIT(UNIQUE) | ATTR_BIT(LOOP))
#define STATED (ATTR_BIT(PRECISION) | ATTR_BIT(ROWS) | ATTR_BIT(COLS) | ATTR_BIT(TIME))
#define JOINED (ATTR_BIT(GROUP) | ATTR_BIT(GROUP_STRIDE) | ATTR_BIT(MEMBERS) | ATTR_BIT(ALGORITHM))
#define BUCKETS (JOINED | ATTR_BIT(COMBINE) | ATTR_BIT(SHARDED))
#define PAIRED (JOINED | ATTR_BIT(SHIFT) | ATTR_BIT(PAIRS))
#define SENDS ATTR_BIT(TO)
#define HANDED ATTR_BIT(SYNC)
#define WORK                                                                                       \
    (ATTR_BIT(TIME) | ATTR_BIT(CALLS) | ATTR_BIT(ITEMS) | ATTR_BIT(ITEM_TIME) | ATTR_BIT(BYTES) |  \
     ATTR_BIT(BYTE_TIME) | ATTR_BIT(THREADS))
#define READING (WORK | ATTR_BIT(READERS))
#define STARTED (WORK | ATTR_BIT(CLIENT))
#define LOADS (READING | ATTR_BIT(CLIENT))
#define HOSTED (STARTED | ATTR_BIT(FALLBACK) | ATTR_BIT(STALENESS))
#define BUILDS (ATTR_BIT(CALLS) | ATTR_BIT(ITEMS))

static const struct rule rules[TRACE_N_KINDS] = {
#define K(id, text, in_min, in_max, out_min, out_max, attrs, rule, ...)                            \
    [TRACE_##id] = { in_min, in_max, out_min, out_max, attrs, rule },
    TRACE_KINDS(K)
#undef K
};

/* clang-format off */
/* Names of operations, for messages; the index of a synchronous kind is its enum trace_kind. */
static const char *const names[] = {
#define K(id, text, ...) text,
    TRACE_KINDS(K)
#undef K
    "all-reduce-start", "all-reduce-done", "reduce-scatter-start", "reduce-scatter-done",
    "all-gather-start", "all-gather-done", "all-to-all-start", "all-to-all-done",
    "collective-permute-start", "collective-permute-done", "collective-broadcast-start",
    "collective-broadcast-done", "send-start", "send-done", "infeed-start", "infeed-done",
    "outfeed-start", "outfeed-done", "copy-start", "copy-done", "kernel-start", "kernel-done",
};
/* clang-format on */

/* The kind without "-start" or "-done" of an operation that is not written as such a pair;
 * TRACE_UNKNOWN: it is no kind with that ending. */
static enum trace_kind find_pairless(const char *word)
{
    const char *ending = strrchr(word, '-');
    enum trace_kind k = 0;

    if (!ending || (strcmp(ending, "-start") != 0 && strcmp(ending, "-done") != 0))
        return TRACE_UNKNOWN;
    while (k < TRACE_FUSION && (strlen(trace_kind_name[k]) != (size_t)(ending - word) ||
                                strncmp(word, trace_kind_name[k], (size_t)(ending - word)) != 0))
        k++;
    return k < TRACE_FUSION ? k : TRACE_UNKNOWN;
}

/* Name the kind that was meant, or what to write for an operation that is made of others. */
static int refuse_kind(const struct trace *t, const struct lex_text *word)
{
    const char *write = other_name_find(word->s);
    enum trace_kind pairless = find_pairless(word->s);

    if (pairless != TRACE_UNKNOWN)
        return lex_fail(&t->lex, word->at, ERR_UNKNOWN,
                        "'%.64s': a %s is one operation, without start and done; beside others run "
                        "collectives, copies and transfers (collective-permute-start, %s, "
                        "collective-permute-done)",
                        word->s, trace_kind_name[pairless], trace_kind_name[pairless]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (other_name_is_like(word->s, names[i]))
            return lex_fail(&t->lex, word->at, ERR_UNKNOWN,
                            "unknown operation '%.64s'; did you mean '%s'?", word->s, names[i]);
    if (!write)
        return reader_unknown(t, word, "operation", names, sizeof names / sizeof *names);
    return lex_fail(
        &t->lex, word->at, ERR_UNKNOWN,
        "'%.64s' is no kind of a trace: write %s (docs/reference/trace-format.md, \"Other "
        "names\")",
        word->s, write);
}

int rule_kind(const struct trace *t, const struct lex_text *word, struct trace_op *op)
{
    static const char *const suffix[] = { [TRACE_START] = "-start", [TRACE_DONE] = "-done" };

    op->kind_text = word->s;
    for (enum trace_kind k = 0; k < TRACE_FUSION; k++) {
        size_t n = strlen(trace_kind_name[k]);
        if (strncmp(word->s, trace_kind_name[k], n) != 0)
            continue;
        op->kind = k;
        op->async = TRACE_SYNC;
        if (word->s[n] == '\0')
            return 0;
        for (op->async = TRACE_START; trace_has_trait(k, TRACE_HALVES) && op->async <= TRACE_DONE;
             op->async++)
            if (strcmp(word->s + n, suffix[op->async]) == 0)
                return 0;
    }
    op->kind = TRACE_UNKNOWN;
    op->async = TRACE_SYNC;
    return t->allow_unknown ? 0 : refuse_kind(t, word);
}

uint64_t rule_attrs(const struct trace_op *op)
{
    if (op->kind == TRACE_FUSION)
        return ATTR_TEXTS | ATTR_BIT(STAGE) | ATTR_BIT(LIBRARY);
    if (op->async == TRACE_DONE)
        return ATTR_COMMON;
    /* the done names the results, but the start begins to move their bytes */
    bool ahead = op->async == TRACE_START && trace_has_trait(op->kind, TRACE_AHEAD);
    if (op->async == TRACE_START && op->kind == TRACE_COPY)
        return ATTR_COMMON | ATTR_BIT(BYTES) | ATTR_BIT(EARLY);
    bool carried = op->async == TRACE_START && rules[op->kind].attrs & ATTR_BIT(ALGORITHM);
    bool launched = trace_is_computed(op->kind) || op->kind == TRACE_KERNEL;
    return ATTR_COMMON | rules[op->kind].attrs | (ahead ? ATTR_BIT(PAYLOAD) : 0) |
           (carried ? ATTR_BIT(CARRIED) : 0) | (launched ? ATTR_BIT(DISPATCH) : 0);
}

bool rule_fuses(const struct trace_op *op)
{
    return (trace_is_computed(op->kind) || op->kind == TRACE_UNKNOWN) && op->async == TRACE_SYNC;
}

/* --- numbers of values -------------------------------------------------------------------- */

static int check_count(const struct trace *t, const struct trace_op *op, const char *what,
                       uint32_t n, uint32_t min, uint32_t max)
{
    if (n >= min && n <= max)
        return 0;
    const char *bound = min == max ? "" : n < min ? "at least " : "at most ";
    uint32_t want = n < min ? min : max;
    if (want == 0)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT, "'%.64s' has no %ss, found %" PRIu32,
                        op->kind_text, what, n);
    return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                    "'%.64s' has %s%" PRIu32 " %s%s, found %" PRIu32, op->kind_text, bound, want,
                    what, want == 1 ? "" : "s", n);
}

static int check_counts(const struct trace *t, const struct trace_op *op)
{
    const struct rule *r = &rules[op->kind];
    uint32_t in_min = r->in_min, in_max = r->in_max, out_min = r->out_min, out_max = r->out_max;
    bool many = rule_has_destinations(op->kind);

    if (op->async == TRACE_START) {
        out_min = 1;
        out_max = many ? ANY : 1;
    } else if (op->async == TRACE_DONE) {
        in_min = 1;
        in_max = many ? ANY : 1;
    }
    if (check_count(t, op, "operand", op->n_in, in_min, in_max) != 0)
        return -1;
    return check_count(t, op, "result", op->n_out, out_min, out_max);
}

/* --- optimizer, host ---------------------------------------------------------------------- */

int rule_none(struct trace *t, struct trace_op *op)
{
    (void)t;
    (void)op;
    return 0;
}

int rule_passes(struct trace *t, struct trace_op *op)
{
    if (op->einsums <= op->passes)
        return 0;
    return lex_fail(&t->lex, t->kind_at, ERR_RANGE,
                    "einsums=%" PRIu64 " are more than passes=%" PRIu64, op->einsums, op->passes);
}

int rule_optimizer(struct trace *t, struct trace_op *op)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < op->n_in; i++) {
        const struct trace_tensor *v = trace_tensor(t, op->in[i]);
        if (v->role != TRACE_WEIGHT && v->role != TRACE_STATE)
            continue;
        if (!shape_add(&sum, trace_bytes(&v->shape)))
            return lex_fail(&t->lex, t->kind_at, ERR_RANGE, "writes do not fit 64 bits");
    }
    if (sum == 0)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "'optimizer' updates nothing: expected a weight or state operand");
    if (!(op->given & ATTR_BIT(WRITES)))
        op->writes = sum;
    return 0;
}

/* A time per item or byte needs their number, and a number needs a time, unless it is a size. */
int rule_work(struct trace *t, struct trace_op *op)
{
    bool items = op->given & ATTR_BIT(ITEMS), item_time = op->given & ATTR_BIT(ITEM_TIME);
    bool bytes = op->given & ATTR_BIT(BYTES), byte_time = op->given & ATTR_BIT(BYTE_TIME);
    bool sized = op->kind == TRACE_LOAD || op->kind == TRACE_INFEED;

    if (items != item_time)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "'%.64s' with %s= needs %s=", op->kind_text, items ? "items" : "item-time",
                        items ? "item-time" : "items");
    if (byte_time && !bytes)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "'%.64s' with byte-time= needs bytes=", op->kind_text);
    if (bytes && !byte_time && !sized)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "'%.64s' with bytes= needs byte-time=", op->kind_text);
    return 0;
}

int rule_host(struct trace *t, struct trace_op *op)
{
    if (!(op->given & (ATTR_BIT(TIME) | ATTR_BIT(ITEM_TIME) | ATTR_BIT(BYTE_TIME))))
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "'host' needs time=, such as time=\"2 ms\", or item-time= or byte-time=");
    if (op->given & ATTR_BIT(STALENESS)) {
        if (!op->work.client)
            return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                            "'host' with staleness= needs client=1");
        if (op->n_out)
            return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                            "'host' with staleness= has no results: what comes back is of another "
                            "step; give writes=");
        if (op->work.staleness > TRACE_MAX_STALENESS)
            return lex_fail(&t->lex, t->kind_at, ERR_RANGE,
                            "staleness = %" PRIu64 ": outside [1, %d]", op->work.staleness,
                            TRACE_MAX_STALENESS);
    }
    return rule_work(t, op);
}

int rule_load(struct trace *t, struct trace_op *op)
{
    if (!(op->given & ATTR_BIT(BYTES)))
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "'load' needs bytes=, what is read from storage");
    return rule_work(t, op);
}

/* All variables go to the host and come back. */
int rule_restart(struct trace *t, struct trace_op *op)
{
    (void)t;
    if (!(op->given & ATTR_BIT(WRITES)))
        op->writes = op->reads;
    return 0;
}

/* An infeed has a cost of reading only if it reads from storage. */
int rule_infeed(struct trace *t, struct trace_op *op)
{
    uint64_t work = op->given & READING;

    if (work && !(op->given & ATTR_BIT(BYTES)))
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "'%.64s' with a cost of reading needs bytes=, what is read from storage",
                        op->kind_text);
    if (rule_work(t, op) != 0)
        return -1;
    return rule_transfer(t, op);
}

/* --- all of them -------------------------------------------------------------------------- */

static int check_resident(const struct trace *t, const struct trace_op *op)
{
    uint32_t have = (op->n_in > 0 ? TRACE_RESIDENT_LHS : 0) |
                    (op->n_in > 1 ? TRACE_RESIDENT_RHS : 0) |
                    (op->n_out > 0 ? TRACE_RESIDENT_OUT : 0);
    uint32_t none = op->resident & ~(have | TRACE_RESIDENT_ALL);

    if (!none)
        return 0;
    return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                    "resident=%s, but '%.64s' has %" PRIu32 " operand%s and %" PRIu32 " result%s",
                    none & TRACE_RESIDENT_LHS   ? "lhs"
                    : none & TRACE_RESIDENT_RHS ? "rhs"
                                                : "out",
                    op->kind_text, op->n_in, op->n_in == 1 ? "" : "s", op->n_out,
                    op->n_out == 1 ? "" : "s");
}

int rule_apply(struct trace *t, struct trace_op *op)
{
    if (check_counts(t, op) != 0 || check_resident(t, op) != 0 || rule_stage(t, op) != 0)
        return -1;
    if (!(op->given & ATTR_BIT(READS)) && rule_bytes(t, op->in, op->n_in, &op->reads) != 0)
        return -1;
    if (!(op->given & ATTR_BIT(WRITES)) && rule_bytes(t, op->out, op->n_out, &op->writes) != 0)
        return -1;
    if (rules[op->kind].apply(t, op) != 0)
        return -1;
    return rule_place(t, op);
}
