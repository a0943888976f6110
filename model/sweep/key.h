/* key.h - the names that a sweep can vary: machines, traces, parameters of machines and of
 * workloads. */
#ifndef SWEEP_KEY_H
#define SWEEP_KEY_H

#include <gmp.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/param.h"
#include "sweep/expr.h"
#include "traces/gen.h"

enum key_kind {
    KEY_MACHINE, /* "machine": a name of the catalog or an .ini */
    KEY_TRACE,   /* "trace": a file or "gen:WORKLOAD KEY=VALUE..." */
    KEY_PARAM,   /* "mxu.count": a parameter of the machine */
    KEY_PROXY,   /* "proxy.board": a parameter of cost/proxy.h */
    KEY_SHARD,   /* "shard.model": how the step is cut over cores, an axis of `trace shard` */
    KEY_GEN,     /* "gen.batch": a parameter of the workload's generator */
};

struct key {
    enum key_kind kind;
    const struct param_table *table; /* KEY_PARAM, KEY_PROXY */
    const struct param_desc *desc;
    const struct gen_param *gen;                   /* KEY_GEN */
    enum { KEY_DATA, KEY_MODEL, KEY_EDGES } shard; /* KEY_SHARD */
};

/* The key called `name`; "gen." names are those of `w`, which may be NULL.
 * Errors: ERR_UNKNOWN with the nearest name. */
int key_find(struct key *k, const char *name, const struct gen_workload *w, struct err *err);

/* The unit of the key's values ("B/s", "" of counts), or NULL when they are words. */
const char *key_unit(const struct key *k);

/* True if the values are whole numbers of that unit. */
bool key_whole(const struct key *k);

/* Read a value in the unit.  Errors: ERR_FORMAT, ERR_UNIT; that it is in range is not checked. */
int key_read(const struct key *k, const char *text, mpq_t q, struct err *err);

/* Check that `text` is a number in the key's unit, or one of its words.  Ranges are not checked:
 * a point with a value outside its range fails and says so.  Errors: ERR_FORMAT, ERR_UNIT,
 * ERR_UNKNOWN. */
int key_check(const struct key *k, const char *text, struct err *err);

/* Write q as a value of the key, as short as possible: "900 GB/s", "128"; rounded to a whole number
 * if the key takes no other.  `buf` of KEY_TEXT bytes is enough. */
#define KEY_TEXT 128
void key_write(const struct key *k, const mpq_t q, char *buf, size_t size);

/* key_write, rounded to four significant digits. */
void key_about(const struct key *k, const mpq_t q, char *buf, size_t size);

/* A value in an expression: a number in the base unit or a text; unknown when it is no value. */
struct expr_value key_value(const struct key *k, const char *text);

#endif
