/* xplane_meta.h - names in an XPlane: metadata of events and statistics.
 *
 * A plane's metadata may stand behind the lines that refer to them, and names of statistics stand
 * behind the metadata that use them: entries are kept as they lie in the file until the plane ends.
 */
#ifndef PROFILE_XPLANE_META_H
#define PROFILE_XPLANE_META_H

#include "profile/profile_build.h"
#include "profile/source/proto_read.h"

/* Statistics that are read. */
enum xplane_stat {
    XPLANE_CATEGORY,
    XPLANE_SCOPE,
    XPLANE_PROGRAM_ID,
    XPLANE_FLOPS,
    XPLANE_BYTES,
    XPLANE_DEVICE_TYPE,
    XPLANE_PEAK_FLOPS,
    XPLANE_PEAK_HBM,
    XPLANE_MEGACORE,
    XPLANE_CORE,
    XPLANE_HLO,
    XPLANE_STATS,
};

struct xplane_entry {
    uint64_t id;
    size_t at, n; /* of its message in `bytes` */
};

struct xplane_entries {
    struct xplane_entry *entry; /* sorted by id once the plane has ended */
    uint32_t n, cap;
};

struct xplane_meta {
    unsigned char *bytes;
    size_t n_bytes, cap_bytes;
    struct xplane_entries events, stats, own; /* `own`: statistics of the plane itself, id 0 */
};

/* A value of a statistic: all members are set as far as they make sense. */
struct xplane_value {
    bool known;
    uint64_t number;
    double real;
    struct proto_message text; /* of a string, bytes or a reference to a name */
};

/* Free what it keeps; it is empty then. */
void xplane_meta_free(struct xplane_meta *m);
/* Keep an entry of a map from ids to metadata, or a statistic of the plane.  Returns -1 if it is
 * damaged. */
int xplane_meta_add(struct xplane_meta *m, struct xplane_entries *to, struct proto_message entry);
void xplane_meta_add_own(struct xplane_meta *m, struct proto_message stat);
/* The plane has ended: sort. */
void xplane_meta_sort(struct xplane_meta *m);

/* The message of metadata `id`; empty if there is none.  O(log n). */
struct proto_message xplane_meta_find(const struct xplane_meta *m, const struct xplane_entries *in,
                                      uint64_t id);
/* The id of a statistic by its name; 0 if there is none. */
uint64_t xplane_meta_stat(const struct xplane_meta *m, const char *name);
/* Read the statistics of the plane, or those in field `field` of a message, into
 * value[XPLANE_STATS].
 */
void xplane_meta_own(const struct xplane_meta *m, struct xplane_value *value);
void xplane_meta_stats(const struct xplane_meta *m, struct proto_message from, uint32_t field,
                       struct xplane_value *value);
/* A field of bytes of a message; empty if it has none. */
struct proto_message xplane_meta_text(struct proto_message from, uint32_t field);

/* The instruction that metadata of an event describes. */
struct profile_op xplane_meta_op(const struct xplane_meta *m, struct proto_message event);

#endif
