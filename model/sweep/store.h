/* store.h - the SQLite database of a sweep: the plan, the sources of traces and machines, the
 * results.
 *
 * Every point is a row from the beginning, so none can be lost; a result is written with the state
 * of its point in one transaction, so none can come twice, whenever the process is killed.  The
 * tables are described in docs/guide/sweeps.md.  Only store*.c know SQLite. */
#ifndef SWEEP_STORE_H
#define SWEEP_STORE_H

#include "sweep/point.h"

struct store;

enum store_state { STORE_OPEN, STORE_DONE, STORE_FAILED }; /* of a point */

struct store_shard {
    uint32_t number, of; /* 1 .. of; 1 of 1 is everything */
};

/* True if point `i` belongs to the shard; each point belongs to exactly one. */
bool store_in_shard(struct store_shard s, size_t i);

/* Open the database of a finished plan to add results, or create it.  `version` is the program's.
 * One of another plan that shares points with this one becomes that of this plan, unless it is of a
 * shard: points that stay keep their results, results of points that leave are kept aside and come
 * back with their points.
 * Errors: ERR_IO; ERR_FIT when the database is of another plan, shard, version or program, when a
 * machine or trace has changed since, or when another process adds to it. */
int store_open(struct store **s, const char *path, const struct plan *p, struct store_shard shard,
               const char *version, struct err *err);

/* Close the lock of the store in a forked process that will not use it. */
void store_forget(struct store *s);

/* Open a database that is there, to read it; it may be in use.  Nothing in it is trusted: it must
 * be a regular file with the tables that this program makes and nothing else, and plan, sources and
 * parameters must be those that were written.  Errors: ERR_IO, ERR_FORMAT; ERR_FIT for the tables
 * of another version.  O(parameters of all points). */
int store_read(struct store **s, const char *path, struct err *err);

/* Close the database and free the store; NULL is allowed. */
void store_close(struct store *s);

/* The name of the file, and the text of its plan; they live as long as the store. */
const char *store_path(const struct store *s);
const char *store_plan(const struct store *s);
/* The shard that the file holds. */
struct store_shard store_shard(const struct store *s);

/* The fate of results when store_open met another plan: how many points of this plan have one
 * from before, how many results lie aside.  `extended` is false if the plan was there. */
struct store_change {
    bool extended;
    uint64_t reused, aside;
};
struct store_change store_change(const struct store *s);

/* The point that is the machine and workload without changes; false: the plan has none.  Of
 * store_read alone. */
bool store_baseline(const struct store *s, size_t *id);

/* Points in all, done, failed. */
struct store_count {
    uint64_t all, done, failed;
};
int store_count(struct store *s, struct store_count *c, struct err *err);

/* Ids of the points that are open, in order; free it. */
int store_open_points(struct store *s, size_t **ids, size_t *n, struct err *err);

/* Look whether files of traces and machines have changed since the last call, or since store_open.
 * *touched: a file was written or replaced and has the same content as at the beginning; points
 * that ran meanwhile may have read another.  Errors: ERR_IO for a file that is gone; ERR_FIT for
 * one with other content.  O(files), and O(bytes) where one was touched. */
int store_compare_files(struct store *s, const struct plan *p, bool *touched, struct err *err);

/* Write the outcome of a point.  false in *new: it has one already, which stays.
 * Errors: ERR_IO; ERR_FIT when the trace is not that of the points before. */
int store_put(struct store *s, size_t id, const struct point_outcome *o, bool *new,
              struct err *err);

/* Add the points that another database of the same plan has.  Errors: ERR_IO; ERR_FIT when it is of
 * another plan or version, or a point has another result there. */
int store_merge(struct store *s, const char *path, struct err *err);

/* A hash of all content except times: equal if plan, points and results are equal. */
int store_digest(struct store *s, uint64_t *digest, struct err *err);

/* Visit the points in order.  `json` is decompressed if `with_json`, else NULL.  The row lives for
 * the call.  Errors: ERR_IO; ERR_FORMAT when points are missing, a row is not what was written, or
 * a result that is read is not. */
struct store_row {
    size_t id;
    enum store_state state;
    const char *error; /* of a failed one */
    const char **parameter, **value;
    size_t n_parameters;
    const struct point_figure *figure;
    size_t n_figures;
    const char *json;
    uint64_t trace_checksum, machine_checksum, result_checksum;
};
typedef int store_visit(void *self, const struct store_row *row, struct err *err);
int store_rows(struct store *s, bool with_json, store_visit *visit, void *self, struct err *err);

/* Called for each source with its kind, name and checksum: "trace", "traces/3dgan.trace.zst",
 * "0x...". */
typedef void store_source(void *self, const char *kind, const char *name, const char *checksum);
int store_sources(struct store *s, store_source *visit, void *self, struct err *err);

#endif
