/* gen.h - workload generators: a training step of a published model as trace text.
 *
 * Each generator is a parametric model of the layers; it writes canonical text, so that the same
 * parameters give the same bytes. */
#ifndef TRACES_GEN_H
#define TRACES_GEN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct gen_param {
    const char *key;
    uint64_t def, min, max;
    const char *doc;           /* meaning, unit, [source] of the default */
    const char *const *choice; /* the values are these words, counted from 0, then NULL; or NULL */
};

struct gen_workload {
    const char *name, *summary;
    const struct gen_param *params;
    size_t n_params;
    /* value[i] belongs to params[i] and is in its range; NULL: every such set can be written */
    int (*check)(const uint64_t *value, struct err *err);
    void (*write)(const uint64_t *value, FILE *out);
};

extern const struct gen_workload *const gen_workloads[];
extern const size_t gen_n_workloads;

/* Write workload `name` with "key=value" settings as trace text.
 * Errors: ERR_UNKNOWN workload, key or word (nearest named), ERR_FORMAT, ERR_RANGE. */
int gen_write(const char *name, const char *const *set, size_t n_set, FILE *out, struct err *err);

#endif
