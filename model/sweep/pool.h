/* pool.h - run the points of a sweep on several processes of this machine.
 *
 * This process hands out points and is the only one that writes to the database; a worker runs one
 * point after the other.  Results do not depend on which worker runs which point. */
#ifndef SWEEP_POOL_H
#define SWEEP_POOL_H

#include "sweep/store.h"

#define POOL_MAX_WORKERS 1024 /* processes */

/* Called after each point, and twice a second: how many of the n are done, and how many of these
 * failed.  false stops the pool; points at work are left open. */
typedef bool pool_progress(void *self, size_t done, size_t failed, size_t n);

/* Run the n points of `ids` on `workers` processes; `print` writes the JSON of a result.  A worker
 * that dies is replaced and its point tried once more; the second time the point fails with what
 * the worker died of.  If that was want of memory or a signal from outside, or if a point could not
 * read its files twice, it stays open; *left counts these.  Points during which a file of the plan
 * was written run again.  Errors: of the store, of store_compare_files(); ERR_IO when no worker can
 * be started. */
int pool_run(const struct plan *p, struct store *s, const size_t *ids, size_t n, unsigned workers,
             point_print *print, pool_progress *progress, void *self, size_t *left,
             struct err *err);

#endif
