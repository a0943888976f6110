/* expected_error.h - the error to expect of a prediction, and the cases that it rests on. */
#ifndef RUN_RESULT_EXPECTED_ERROR_H
#define RUN_RESULT_EXPECTED_ERROR_H

#include <stdint.h>

/* The way in which the work of a step was stated. */
enum run_way {
    RUN_WAY_HAND,     /* a trace that somebody wrote or generated, or a program no compiler saw */
    RUN_WAY_COMPILED, /* a program as the compiler made it */
    RUN_WAY_RECORDED, /* operations that PyTorch's profiler recorded */
    RUN_WAY_CHAKRA,   /* operations of a Chakra execution trace */
    RUN_N_WAYS
};

/* The nearness of the cases that an error to expect rests on. */
enum run_expected_level {
    RUN_EXPECTED_SAME,       /* this workload on this generation */
    RUN_EXPECTED_WORKLOAD,   /* this workload on this kind of machine */
    RUN_EXPECTED_GENERATION, /* any workload on this generation */
    RUN_EXPECTED_KIND,       /* any on this kind of machine */
    RUN_EXPECTED_N_LEVELS
};

/* Steps of that way and generation that constants were fitted on; errors in percent. */
struct run_fitted {
    uint64_t steps;
    int least, most;
};

/* The error to expect, as a factor less 1, either way: run/result/expected.h. */
struct run_expected {
    enum run_way way;
    enum run_expected_level level;
    uint64_t cases;    /* measured ones of that level; 0: none, and nobody knows the error */
    uint64_t near;     /* of them of this workload on this generation */
    uint64_t pairs;    /* steps by hand beside their compiled programs; 0: not asked */
    uint32_t permille; /* thousandths */
    struct run_fitted fitted;
};

#endif
