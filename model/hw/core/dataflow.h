/* dataflow.h - cycles of a matrix product on a bare array, by which operand stays in it.
 *
 *     C[m,n] = A[m,k] B[k,n] on rows x cols elements, tile after tile without any overlap:
 *     ws   B stays, C[.., n] streams   ceil(k/rows) * ceil(n/cols) * (m + 2 rows + cols - 2)
 *     os   C stays, A and B stream     ceil(m/rows) * ceil(n/cols) * (k + rows + cols - 2)
 *     is   A stays, C[m, ..] streams   ceil(k/rows) * ceil(m/cols) * (n + 2 rows + cols - 2)
 *
 * A tile loads its operand in `rows` cycles (ws, is; os has none to load), streams, and drains for
 * rows + cols - 2.  ws on a square array is the `serial` mode of systolic.h.  SCALE-Sim counts the
 * same and prints the index of the last cycle, one less. */
#ifndef HW_CORE_DATAFLOW_H
#define HW_CORE_DATAFLOW_H

#include <stdint.h>

enum dataflow { DATAFLOW_WS, DATAFLOW_OS, DATAFLOW_IS };

/* All sizes at least 1. */
uint64_t dataflow_cycles(enum dataflow d, uint64_t rows, uint64_t cols, uint64_t m, uint64_t n,
                         uint64_t k);

#endif
