/* Conditions and formulas of sweeps. */
#include <math.h>
#include <stdlib.h>

#include "sweep/expr.h"
#include "tests/fuzz/fuzz.h"

static const char *const words[] = {
    "||",   "&&", "!",          "==",     "!=",        "<=",       "<",       ">",
    ">=",   "+",  "-",          "*",      "/",         "(",        ")",       "min(",
    "max(", ",",  "'tpu-v3-8'", "\"x\"",  "mxu.count", "hbm.rate", "machine", "600 GB/s",
    "86 %", "0",  "1e308",      "1e-308", "-1",
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    if (seed % 4 == 0)
        return LLVMFuzzerMutate(data, size, room);
    return fuzz_mutate_text(data, size, room, seed, words, sizeof words / sizeof *words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "mxu.count", "mxu.size", "hbm.rate", "machine" };
    static const struct expr_value values[][4] = {
        { { NULL, 2 }, { NULL, 128 }, { NULL, 6e11 }, { "tpu-v3-8", 0 } },
        { { NULL, 0 }, { NULL, -1 }, { NULL, NAN }, { "", 0 } },
        { { NULL, 1e308 }, { NULL, INFINITY }, { NULL, 1e-308 }, { "x", 0 } },
    };
    struct err err = { .code = ERR_NONE };
    struct expr *e;
    char *text = fuzz_string(data, size);

    if (expr_parse(&e, text, names, 4, &err) != 0) {
        fuzz_check_error(&err);
        free(text);
        return 0;
    }
    fuzz_accepted++;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double a = expr_eval(e, values[i]), b = expr_eval(e, values[i]);
        FUZZ_CHECK(a == b || (isnan(a) && isnan(b)));
    }
    for (unsigned i = 0; i < 4; i++)
        (void)expr_uses(e, i);
    expr_free(e);
    free(text);
    return 0;
}
