/* The text of a trace: read, printed and read again, and if it is small, replayed. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "run/result/result.h"
#include "tests/fuzz/fuzz.h"
#include "trace/trace.h"

#define MOST_WORK 1e9  /* FLOPs and bytes of a trace that is replayed */
#define MOST_TEXT 6000 /* bytes of it */

static const char *const words[] = {
    "step {",
    "}",
    "phase fwd",
    "fusion %f name=\"f\" {",
    "repeat 3 {",
    "repeat l=1..4 {",
    "tensor",
    "matmul",
    "conv",
    "elementwise",
    "gather",
    "scatter",
    "sort",
    "reduce",
    "pool",
    "copy",
    "rng",
    "host",
    "infeed",
    "outfeed",
    "optimizer",
    "all-reduce",
    "all-gather",
    "reduce-scatter",
    "all-to-all",
    "collective-permute",
    "all-reduce-start",
    "all-reduce-done",
    "kernel",
    "slice",
    "gradient",
    "weight",
    "state",
    "input",
    "constant",
    "f32[8,128]",
    "bf16[]",
    "s8[3,3]",
    "u8[0]",
    "flops=64",
    "rows=64",
    "ta=1",
    "tb=1",
    "sync=1",
    "every=2",
    "groups=2",
    "pad=1_1x1_1",
    "size=3x3",
    "stride=2x2",
    "sorted=1",
    "times=2",
    "note=\"\\\"\"",
    "%",
    "(",
    ")",
    ",",
    "\n",
    "form=product",
    "product=1x8x8x8",
    "store=0+4",
    "fetch=4",
    "vector=add:8",
    "basis=absent",
    "basis=unread",
    "basis=loop+branch",
    "basis=groups",
    "dtype",
    "samples",
    "param",
    "program",
    "padding",
    "stages=2",
    "stage=1",
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    if (seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, room);
    return fuzz_mutate_text(data, size, room, seed, words, sizeof words / sizeof *words);
}

/* The trace as it is printed, or NULL: it was refused. */
static char *print_trace(const char *name, const void *data, size_t size, size_t *printed)
{
    const struct trace_limits limits = { 8, 2000, 20000, 20000, 2000, 1 << 20 };
    struct trace_item item;
    struct memory_text out;
    struct trace *t;
    struct err err = { .code = ERR_NONE };
    int rc;

    if (trace_open_memory(&t, name, data, size, false, &err) != 0) {
        fuzz_check_error(&err);
        return NULL;
    }
    trace_limit(t, &limits);
    memory_text_begin(&out);
    do {
        rc = trace_next(t, &item, &err);
        if (rc == 0)
            trace_print(t, &item, out.out);
    } while (rc == 0 && item.kind != TRACE_ITEM_END);
    trace_close(t);
    char *text = memory_text_end(&out);
    *printed = out.size;
    if (rc == 0)
        return text;
    fuzz_check_error(&err);
    free(text);
    return NULL;
}

static bool is_small(const char *text, size_t size)
{
    struct trace_totals s;
    struct trace *t;
    struct err err;
    bool small = size <= MOST_TEXT && trace_open_memory(&t, "t", text, size, false, &err) == 0;

    if (!small)
        return false;
    trace_totals_init(&s);
    small = trace_sum(t, &s, &err) == 0 && mpz_get_d(s.flops) < MOST_WORK && s.ops < 200 &&
            mpz_get_d(s.reads) + mpz_get_d(s.writes) + mpz_get_d(s.reduce_bytes) < MOST_WORK &&
            (double)trace_head(t)->samples_per_step < 1e6;
    trace_totals_clear(&s);
    trace_close(t);
    return small;
}

/* A replay ends, and with shortcuts as without them. */
static void replay_trace(const char *text, size_t size, unsigned pick)
{
    static const char *const machines[] = { "tpu-v2-1", "tpu-v3-8", "tpu-v4-8", "v100",
                                            "v100x4",   "a100",     "xeon-6148" };
    struct run_request q = { .trace = "t",
                             .text = text,
                             .text_size = size,
                             .machine = machines[pick % (sizeof machines / sizeof *machines)],
                             .steps = 1,
                             /* without shortcuts each access to HBM takes its time */
                             .allow.grid_steps = pick % 16 == 0 ? 1000 : 1000000 };
    struct run_result r, exact;
    struct err err = { .code = ERR_NONE };

    if (run_replay(&q, &r, &err) != 0) {
        fuzz_check_error(&err);
        return;
    }
    if (pick % 16 == 0) {
        q.exact = true;
        q.allow.grid_steps *= 4; /* of each of four chips, not of one for all */
        FUZZ_CHECK(run_replay(&q, &exact, &err) == 0);
        FUZZ_CHECK(exact.cycles_per_step == r.cycles_per_step);
        FUZZ_CHECK(mpq_equal(exact.seconds_per_step, r.seconds_per_step));
        run_result_free(&exact);
    }
    fuzz_check_account(&r);
    run_result_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n, again_n;
    unsigned pick = 0;
    char *text = print_trace("t", data, size, &n);

    if (!text)
        return 0;
    fuzz_accepted++;
    char *again = print_trace("t", text, n, &again_n);
    FUZZ_CHECK(again && n == again_n && memcmp(text, again, n) == 0);
    free(again);
    for (size_t i = 0; i < n; i++)
        pick = pick * 31 + (unsigned char)text[i];
    if (is_small(text, n))
        replay_trace(text, n, pick >> 8);
    free(text);
    return 0;
}
