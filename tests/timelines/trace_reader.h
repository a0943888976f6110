/* trace_reader.h - reads a Perfetto trace of TrackEvents by the field numbers of the public schema
 * and refuses what Perfetto's trace processor drops or counts as an error.  It knows nothing of
 * what wrote it.
 *
 *     packets   sequences 1, 2 ... after each other; the first of each clears the incremental
 *               state, all others need it
 *     names     numbered from 1, given once, before they are used
 *     tracks    numbered from 1, given once, after the group they belong to; a rank for each in a
 *               group that orders by rank; groups have process ids of their own
 *     slices    begin and end in turn on a track that is no counter, named either way but not both,
 *               in order of time over the whole sequence, and end all
 *     counters  a finite value on a track that is one, in order of time on it
 *     flows     pass through a begin or an instant, once each, forward in time */
#ifndef TESTS_TRACE_READER_H
#define TESTS_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_MAX_TRACKS 4096
#define TRACE_MAX_FLOWS 8192
#define TRACE_MAX_NAMES 1024

struct trace_track {
    char name[96], open_name[96];
    uint64_t parent, open_at, last, slices, pid;
    int64_t rank; /* -1: it has none */
    bool declared, process, ranks, counter, open;
    uint64_t numbers, sum;  /* slices with a number beside their name; its sum */
    double integral, value; /* of a counter, over ns */
    /* the largest value, less one unit over the time for which it was held: a rate is a whole
     * number of units over that time, and so may be up to one of them too large */
    double most;
    uint64_t since;
};

struct trace_flow {
    uint64_t id, first_track, last_track, first_ns, last_ns, n;
};

struct trace_file {
    struct trace_track track[TRACE_MAX_TRACKS]; /* by uuid */
    struct trace_flow flow[TRACE_MAX_FLOWS];
    size_t n_flows;
    struct {
        uint64_t iid;
        char name[96];
    } name[TRACE_MAX_NAMES];
    size_t n_names;
    struct { /* time by track name and slice name */
        char track[96], name[96];
        uint64_t ns, n;
    } sum[TRACE_MAX_NAMES];
    size_t n_sums;
    uint64_t packets, sequence, slices_at; /* slices_at: time of the last begin, end or instant */
    char error[200];                       /* "" or what is wrong with which packet */
};

/* A trace, or what is wrong with it in `error`; to be freed. */
struct trace_file *trace_file_read(const char *bytes, size_t n);

#endif
