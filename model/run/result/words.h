/* words.h - what reports call the parts of a machine, by the kind of its chips. */
#ifndef RUN_RESULT_WORDS_H
#define RUN_RESULT_WORDS_H

#include "run/result/result.h"

struct words {
    const char *chip;      /* as run_result.chip has it: "GPU" */
    const char *core;      /* runs one program: "core", "GPU", "node" */
    const char *device;    /* bought and counted: "chip", "GPU", "node" */
    const char *whole;     /* "slice", "machine" */
    const char *all;       /* "all cores, chips and hosts" */
    const char *many;      /* "slice", "node": one of several that are joined */
    const char *rate;      /* in front of the clock of a core: "per core" */
    const char *of_memory; /* in front of the rate of its memory: "per chip " */
};

/* The words for the machine of `r`; for chips of a kind, "GPU", NULL as "TPU". */
const struct words *words_of_result(const struct run_result *r);
const struct words *words_of_chip(const char *chip);

#endif
