/* Imported traces: the reader must accept the text of an importer; small ones are replayed. */
#include "run/result/result.h"
#include "tests/fuzz/fuzz.h"
#include "trace/trace.h"

#define MOST_WORK 1e9 /* FLOPs and bytes of a step that is replayed */
#define MOST_OPS 100
#define MOST_TEXT 20000 /* bytes of it */

void fuzz_check_account(const struct run_result *r)
{
    const struct account *a = &r->account;
    mpq_t sum[N_ACCOUNT + 1];

    for (int c = 0; c <= N_ACCOUNT; c++)
        mpq_init(sum[c]);
    for (int c = 0; c < N_ACCOUNT; c++) {
        FUZZ_CHECK(mpq_sgn(a->seconds[c]) >= 0);
        mpq_add(sum[N_ACCOUNT], sum[N_ACCOUNT], a->seconds[c]);
    }
    for (size_t i = 0; i < a->n_reasons; i++)
        mpq_add(sum[a->reason[i].class], sum[a->reason[i].class], a->reason[i].seconds);
    FUZZ_CHECK(mpq_equal(sum[N_ACCOUNT], r->seconds_per_step));
    for (int c = ACCOUNT_BOUNDS; c < N_ACCOUNT; c++)
        FUZZ_CHECK(mpq_equal(sum[c], a->seconds[c]));
    for (int c = 0; c <= N_ACCOUNT; c++)
        mpq_clear(sum[c]);
}

static bool is_small(const struct trace_totals *s, size_t size)
{
    return size <= MOST_TEXT && s->ops < MOST_OPS && mpz_get_d(s->flops) < MOST_WORK &&
           mpz_get_d(s->reads) + mpz_get_d(s->writes) + mpz_get_d(s->reduce_bytes) < MOST_WORK;
}

static void replay_import(const char *text, size_t size)
{
    static const char *const machines[] = { "tpu-v5e-8", "h100x1", "xeon-6148" };
    struct run_request q = { .trace = "t",
                             .text = text,
                             .text_size = size,
                             .machine = machines[size % (sizeof machines / sizeof *machines)],
                             .steps = 1,
                             .allow_unknown = true,
                             .allow.grid_steps = 1000000 };
    struct run_result r;
    struct err err = { .code = ERR_NONE };

    if (run_replay(&q, &r, &err) != 0) {
        fuzz_check_error(&err);
        return;
    }
    fuzz_check_account(&r);
    run_result_free(&r);
}

void fuzz_read_import(const char *text, size_t size, bool foreign)
{
    struct err err = { .code = ERR_NONE };
    struct trace_totals totals;
    bool small = false;
    struct trace *t;

    fuzz_accepted++;
    trace_totals_init(&totals);
    if (trace_open_memory(&t, "t", text, size, foreign, &err) != 0) {
        if (!foreign)
            fuzz_fail(__FILE__, __LINE__, err.msg);
        fuzz_check_error(&err);
    } else if (trace_sum(t, &totals, &err) != 0) {
        fuzz_check_error(&err);
    } else {
        small = is_small(&totals, size);
    }
    trace_close(t);
    trace_totals_clear(&totals);
    if (small)
        replay_import(text, size);
}
