/* gen.h - workload generators: each writes a training step of a published model as trace text.
 *
 * A generator has parameters, such as batch=, with defaults from the publication.  It writes
 * canonical text, so the same parameters give the same bytes. */
#ifndef TRACES_GEN_H
#define TRACES_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct gen_param {
    const char *key;
    uint64_t def, min, max;
    const char *doc;           /* meaning, unit, [source] of the default */
    const char *const *choice; /* words for the values 0, 1, ..., then NULL; NULL: numbers */
};

struct gen_workload {
    const char *name, *summary;
    const struct gen_param *params;
    size_t n_params;
    /* value[i] belongs to params[i] and is in its range.  `check` refuses combinations that cannot
     * be written; NULL: there are none. */
    int (*check)(const uint64_t *value, struct err *err);
    void (*write)(const uint64_t *value, FILE *out);
    /* True if the step depends on how many replicas there are, the parameter "cores"; NULL: no step
     * of this workload does. */
    bool (*is_sized)(const uint64_t *value);
};

/* All generators. */
extern const struct gen_workload *const gen_workloads[];
extern const size_t gen_n_workloads;

#define GEN_MAX_PARAMS 32 /* of a workload */

/* The workload called `name`, NULL if there is none.  The place of a parameter among those of `w`;
 * w->n_params if there is none called `key`. */
const struct gen_workload *gen_find(const char *name);
size_t gen_param_index(const struct gen_workload *w, const char *key);

/* Change value[i], which belongs to w->params[i], by a setting "key=value".  On errors, which are
 * those of gen_write(), nothing has changed. */
int gen_set(const struct gen_workload *w, const char *set, uint64_t *value, struct err *err);

/* Write workload `name` as trace text, with `n_set` settings "key=value".  Errors: ERR_UNKNOWN
 * workload, key or word (the nearest is named), ERR_FORMAT, ERR_RANGE, ERR_IO. */
int gen_write(const char *name, const char *const *set, size_t n_set, FILE *out, struct err *err);

#endif
