/* dut.h - one Verilated array behind plain C: its pins before and after a clock edge.
 *
 * Each shape is a class of its own in C++; dut.cpp is compiled once for each. */
#ifndef TESTS_RTL_DUT_H
#define TESTS_RTL_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DUT_LANES = 2 }; /* most rows a cycle */

/* Masks have bit l for lane l; valid and ready lanes start at lane 0 without gaps. */
struct dut_in {
    bool reset;
    uint16_t weight_depth, row_depth, result_depth;
    bool w_valid;
    const int8_t *w; /* [weight rows per cycle][size] */
    uint32_t a_valid, a_last;
    const int8_t *a[DUT_LANES]; /* [size] each */
    uint32_t c_ready;
};

struct dut_out {
    bool w_ready, load, loaded, overrun;
    uint32_t a_ready, taken, left, left_last, c_valid, c_last;
    const int32_t *c[DUT_LANES]; /* [size] each, until the next settle */
};

struct dut {
    const char *name;
    uint32_t size, rows_per_cycle, weight_rows_per_cycle, load; /* load: enum array_load */
    void *(*up)(void);                                          /* registers hold random bits */
    void (*down)(void *self);
    void (*settle)(void *self, const struct dut_in *in, struct dut_out *out); /* clock low */
    void (*edge)(void *self);                                                 /* rising */
};

#ifdef __cplusplus
}
#endif

#endif
