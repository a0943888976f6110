/* hbm_study.h - traffic on the HBM of a machine, or of a memory part: how long it takes, and what
 * each bank does.
 *
 * Nothing else runs: no core, no other traffic.  By default recurring states are folded; with
 * `exact` every request is walked.  Both give the same result unless it is marked statistical.
 *
 * Observers see the channels (hw/hbm/hbm_watch.h) as one measured step that begins at time 0.  With
 * `exact` they see the run itself.  Without it the run is folded, and the requests up to the end of
 * the observers' window are walked a second time for them; the figures are those of the folded run.
 */
#ifndef STUDY_NETWORK_HBM_STUDY_H
#define STUDY_NETWORK_HBM_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/param.h"
#include "run/result/result.h"

/* pattern, bytes, size, stride, apart, write, seed, with their defaults. */
extern const struct param_table hbm_study_keys;

struct hbm_study_request {
    const char *machine;    /* or NULL with a part= among `arg` */
    const char *const *set; /* "dram.faw=30ns" */
    size_t n_set;
    const char *const *arg; /* "pattern=seq", "bytes=1GiB", "part=hbm2-dramsim3" */
    size_t n_args;
    bool exact;
    /* called now and then with the accesses done and their total; may be NULL */
    void (*progress)(void *self, const char *what, uint64_t done, uint64_t all);
    void *progress_self;
    const struct run_observer *observer; /* n_observers of them */
    size_t n_observers;
};

struct hbm_study_bank { /* of one bank index, summed over all channels */
    uint64_t accesses, hits, conflicts;
};

struct hbm_study_result {
    char *name; /* "hbm pattern=seq bytes=1073741824 ..." */
    char *on;   /* the machine or part */
    uint64_t clock, cycles;
    uint64_t bytes, peak; /* bytes moved; bytes per second that the data pins carry at most */
    uint32_t values, unverified; /* of the memory of a machine; 0: it is a part */
    bool statistical;
    uint64_t walked; /* accesses simulated one by one */
    uint64_t accesses, reads, writes, hits, conflicts, activates, turnarounds, refreshes;
    uint64_t latency; /* sum over accesses: cycles from entering the queue to the end of the data */
    uint64_t refresh_cycles; /* of all banks: waiting for a refresh, or in one */
    uint64_t bank_cycles;    /* of all banks: the length of the run */
    uint32_t channels, pseudo_channels, groups, banks;
    struct hbm_study_bank *bank; /* [pseudo_channels * groups * banks] */
};

/* Run it; `r` is to be freed.  Errors: those of machine and part files, ERR_UNKNOWN and ERR_RANGE
 * of keys and sizes. */
int hbm_study_run(const struct hbm_study_request *q, struct hbm_study_result *r, struct err *err);
void hbm_study_free(struct hbm_study_result *r);

#endif
