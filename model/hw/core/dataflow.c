/* Closed forms of dataflow.h. */
#include "hw/core/dataflow.h"

#include "base/arith.h"

uint64_t dataflow_cycles(enum dataflow d, uint64_t rows, uint64_t cols, uint64_t m, uint64_t n,
                         uint64_t k)
{
    uint64_t drain = rows + cols - 2;

    switch (d) {
    case DATAFLOW_OS: return arith_ceil_div(m, rows) * arith_ceil_div(n, cols) * (k + drain);
    case DATAFLOW_IS: return arith_ceil_div(k, rows) * arith_ceil_div(m, cols) * (rows + n + drain);
    case DATAFLOW_WS: break;
    }
    return arith_ceil_div(k, rows) * arith_ceil_div(n, cols) * (rows + m + drain);
}
