/* storage.h - where a host or the client reads files: a bucket in its zone or elsewhere, or its
 * disk.
 *
 *      request[user]  >--[ one at a time ]--> done[user]
 *
 * A request is divided among its readers; each asks for `request` bytes at a time, so that
 *
 *      time = ceil(files / readers) * latency
 *           + max(ceil(ceil(bytes / request) / readers) * latency + bytes / (readers * stream),
 *                 bytes / bandwidth)
 *
 * with latency and stream of the place.  A disk has one stream of all its bandwidth. */
#ifndef HW_HOST_STORAGE_H
#define HW_HOST_STORAGE_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/wires/component.h"
#include "hw/wires/msg_host.h"
#include "hw/wires/show.h"

#define STORAGE_USERS 2 /* ports */

enum storage_place { STORAGE_ZONE, STORAGE_REGION, STORAGE_DISK }; /* as storage.place says */

/* clang-format off */
#define STORAGE_PARAMS(P)                                                                          \
    P(ENUM, place, "zone|region|disk", "zone", "", "",                                             \
      "a bucket of the machine's zone, one elsewhere, or its disk [unverified]") \
    P(U64, bandwidth,        "B/s", "2 GB/s",   "1 MB/s", "10 TB/s", "from a bucket to one machine, all streams [unverified]") \
    P(U64, request,          "B",   "16 MiB",   "4 KiB",  "1 GiB",   "a reader asks for at once [unverified]") \
    P(FS,  latency,          "s",   "50 ms",    "0 s",    "10 s",    "to the first byte of a request, in the zone [unverified]") \
    P(U64, stream_bandwidth, "B/s", "250 MB/s", "1 kB/s", "10 TB/s", "of one reader, in the zone [unverified]") \
    P(FS,  far_latency,      "s",   "200 ms",   "0 s",    "10 s",    "to the first byte, from elsewhere [unverified]") \
    P(U64, far_bandwidth,    "B/s", "50 MB/s",  "1 kB/s", "10 TB/s", "of one reader, from elsewhere [unverified]") \
    P(FS,  disk_latency,     "s",   "0.2 ms",   "0 s",    "10 s",    "to the first byte, from disk [unverified]") \
    P(U64, disk_bandwidth,   "B/s", "1.2 GB/s", "1 kB/s", "10 TB/s", "of the disk, however many read [unverified]")

#define STORAGE_STATS(C, R)                                                                        \
    C(elapsed, "fs", "measured time")                                                              \
    C(busy,    "fs", "time in which files were read")                                              \
    C(bytes,   "B",  "bytes read")                                                                 \
    R("utilization.storage", busy, elapsed, "time in which a host read files from storage")
/* clang-format on */

struct storage_params {
    STORAGE_PARAMS(PARAM_FIELD)
};
struct storage_stats {
    STORAGE_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table storage_param_table;
extern const struct stat_table storage_stat_table;

/* Femtoseconds to read `bytes` in `files` files with `readers` streams (at least 1). */
des_time storage_time(const struct storage_params *p, uint64_t bytes, uint64_t files,
                      uint32_t readers);

struct storage {
    struct des_module mod;
    struct storage_params par;
    struct storage_stats st;
    struct des_probes show;
    struct des_in request[STORAGE_USERS]; /* struct storage_request; the first n_users */
    struct des_out done[STORAGE_USERS];   /* struct storage_done */
    struct storage_request cur;
    uint32_t n_users, user;
    bool reading;
    des_time since; /* when the read at hand began, or measuring if later */
};

/* Storage of one machine with `n_users` users, 1 to STORAGE_USERS, with a port each. */
void storage_init(struct storage *s, struct des *sim, struct des_module parent,
                  const struct storage_params *par, uint32_t n_users);
component_reset_fn storage_reset;
component_finish_fn storage_finish;

#endif
