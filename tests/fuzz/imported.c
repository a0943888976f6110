/* What importers wrote, given to the reader of traces. */
#include "tests/fuzz/fuzz.h"
#include "trace/trace.h"

void fuzz_read_import(const char *text, size_t size, bool foreign)
{
    struct err err = { .code = ERR_NONE };
    struct trace_totals totals;
    struct trace *t;

    fuzz_accepted++;
    trace_totals_init(&totals);
    if (trace_open_memory(&t, "t", text, size, foreign, &err) != 0) {
        if (!foreign)
            fuzz_fail(__FILE__, __LINE__, err.msg);
        fuzz_check_error(&err);
    } else if (trace_sum(t, &totals, &err) != 0) {
        fuzz_check_error(&err);
    }
    trace_close(t);
    trace_totals_clear(&totals);
}
