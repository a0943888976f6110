/* profile_reader.c - see profile_reader.h. */
#include "profile/profile_reader.h"

#include <string.h>

#include "profile/hlo_stats.h"
#include "profile/nsys.h"
#include "profile/op_profile.h"
#include "profile/profile_csv.h"
#include "profile/trace_viewer.h"
#include "profile/xplane.h"

static const struct profile_reader readers[] = {
    { "xplane", "an XPlane file (.xplane.pb)", xplane_knows, xplane_read },
    { "nsys", "an SQLite export of Nsight Systems", nsys_knows, nsys_read },
    { "hlo_stats", "XProf's HLO Op Stats as JSON", hlo_stats_json_knows, hlo_stats_json_read },
    { "op_profile", "XProf's Op Profile as JSON", op_profile_knows, op_profile_read },
    { "trace_viewer", "a timeline of XProf as JSON", trace_viewer_knows, trace_viewer_read },
    { "hlo_stats", "XProf's HLO Op Stats as CSV", hlo_stats_csv_knows, hlo_stats_csv_read },
    { "csv", "CSV (name,microseconds[,count])", profile_csv_knows, profile_csv_read },
};

struct stranger {
    const char *head;
    size_t n;
    const char *what;
};

/* clang-format off */
static const struct stranger strangers[] = {
    { "HloModule", 9,        "the text of an HLO program: it goes before the profile" },
    { "// cyclotron:", 13,   "the text of an HLO program: it goes before the profile" },
    { "cyclotron-trace", 15, "a trace of ours: it goes before the profile" },
    { "PK\003\004", 4,       "a zip archive: unpack it first" },
    { "\xfd" "7zXZ", 5,      "xz data: unpack it first" },
    { "BZh", 3,              "bzip2 data: unpack it first" },
    { "\xff\xfe", 2,         "UTF-16 text: turn it into UTF-8 first" },
    { "\xfe\xff", 2,         "UTF-16 text: turn it into UTF-8 first" },
};
/* clang-format on */

static int refuse_file(const char *name, const unsigned char *head, size_t n, struct err *err)
{
    if (n == 0)
        return err_set(err, ERR_FORMAT, "%.200s: an empty file", name);
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (n >= strangers[i].n && memcmp(head, strangers[i].head, strangers[i].n) == 0)
            return err_set(err, ERR_FORMAT, "%.200s: byte 0: %s", name, strangers[i].what);
    return err_set(
        err, ERR_FORMAT,
        "%.200s: byte 0: no profile that is known; read are XPlane (.xplane.pb), XProf's "
        "hlo_stats, op_profile and trace viewer, SQLite of Nsight Systems, and CSV with "
        "name,microseconds[,count]",
        name);
}

const struct profile_reader *profile_reader_find(struct profile_source *s, struct err *err)
{
    const unsigned char *head;
    size_t n;

    if (profile_source_peek(s, PROFILE_READER_HEAD, &head, &n, err) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].knows(head, n))
            return &readers[i];
    refuse_file(profile_source_name(s), head, n, err);
    return NULL;
}
