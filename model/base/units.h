/* units.h - how many stored units make one of a larger unit.
 *
 * Simulated quantities are whole numbers of a small unit, so that arithmetic is exact: time in
 * femtoseconds (FS), a ratio in parts per 1e9 (PPB), money in 1e-9 USD (NANO_USD), a clock in Hz,
 * memory in bytes.  docs/reference/des.md says why a femtosecond. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdint.h>

/* clang-format off */
/* UNIT_PER_LARGER: femtoseconds of a picosecond, and so on. */
#define FS_PER_PS        UINT64_C(1000)
#define FS_PER_NS        UINT64_C(1000000)
#define FS_PER_US        UINT64_C(1000000000)
#define FS_PER_MS        UINT64_C(1000000000000)
#define FS_PER_S         UINT64_C(1000000000000000)
#define US_PER_S         UINT64_C(1000000)
#define NS_PER_S         UINT64_C(1000000000)
#define PPB_PER_ONE      UINT64_C(1000000000) /* a ratio of 1 */
#define NANO_USD_PER_USD UINT64_C(1000000000)
#define HZ_PER_MHZ       UINT64_C(1000000)
#define HZ_PER_GHZ       UINT64_C(1000000000)
#define BYTES_PER_MB     UINT64_C(1000000)    /* decimal: a MiB is 1 << 20 */
#define BYTES_PER_GB     UINT64_C(1000000000)
/* clang-format on */

#endif
