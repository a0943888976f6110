/* timeline_options.h - the options that look into a run: --vcd, --perfetto, --html, --trace of
 * `replay` and `op`, -o x.xplane.pb of `replay`, the waves alone of `op hbm` and `network`. */
#ifndef CLI_OPTIONS_TIMELINE_OPTIONS_H
#define CLI_OPTIONS_TIMELINE_OPTIONS_H

#include "cli/options/cli.h"
#include "cli/options/cli_format.h"
#include "cli/options/machine_options.h"
#include "report/timeline/lanes.h"
#include "report/timeline/perfetto.h"
#include "report/timeline/wave.h"
#include "report/timeline/xspace.h"

#define TIMELINE_MAX_NAMES 8 /* files of names */

struct timeline {
    const char *vcd, *perfetto, *html;
    const char *xplane;      /* by -o alone */
    const char *file, *text; /* of the trace; what it holds, if it was read before, or NULL */
    size_t text_size;
    bool only_waves;
    struct cli_list globs;
    bool has_from, has_to, has_limit;
    des_time from, to;
    uint64_t limit;
    /* from timeline_open to timeline_close */
    struct wave_request wave_request;
    struct perfetto_request perfetto_request;
    struct wave *wave;
    struct perfetto *trace;
    struct lanes *lanes;
    struct xspace *xspace;
    struct cli_out wave_out, view, trace_out, html_out, xplane_out;
    char *view_path; /* beside the dump; NULL: none */
    char *names_path[TIMELINE_MAX_NAMES];
    struct cli_out names_out[TIMELINE_MAX_NAMES];
    const char *const *named[TIMELINE_MAX_NAMES]; /* the lists of names that are in such files */
    size_t n_named;
    struct run_observer observer[4];
    size_t n_observers;
};

enum {
    TIMELINE_VCD = 0x100,
    TIMELINE_PERFETTO,
    TIMELINE_HTML,
    TIMELINE_TRACE,
    TIMELINE_FROM,
    TIMELINE_TO,
    TIMELINE_LIMIT
};

/* clang-format off */
/* Rows of an argp table: --vcd; what is recorded, and when; all files; files and what is recorded.
 */
#define TIMELINE_WAVES                                                                             \
    { "vcd", TIMELINE_VCD, "FILE", 0, "Write waves to FILE, .vcd or .vcd.zst", 1 }
#define TIMELINE_WINDOW(since)                                                                     \
    { "trace", TIMELINE_TRACE, "PATTERN", CLI_REPEATED, "Record only what has such a name: 'chip0.core0.*'; may be repeated (all)", 1 }, \
    { "from", TIMELINE_FROM, "TIME", 0, "Begin the timeline at TIME, counted from " since ": 1ms (0 s)", 1 }, \
    { "to", TIMELINE_TO, "TIME", 0, "End the timeline at TIME: 2ms (the end)", 1 },                         \
    { "limit", TIMELINE_LIMIT, "SIZE", 0, "Fail if the timeline becomes larger than SIZE (1 GB)", 1 }
#define TIMELINE_FILES                                                                             \
    TIMELINE_WAVES,                                                                                \
    { "perfetto", TIMELINE_PERFETTO, "FILE", 0, "Write a trace for ui.perfetto.dev to FILE, .pftrace or .pftrace.zst", 1 }, \
    { "html", TIMELINE_HTML, "FILE", 0, "Write a report for a browser to FILE", 1 }
#define TIMELINE_OPTIONS                                                                           \
    TIMELINE_FILES,                                                                                \
    TIMELINE_WINDOW("the first measured step")
/* clang-format on */

/* One of these options: 0, or EINVAL after a usage error of command `name`. */
error_t timeline_parse(struct timeline *t, const char *name, int key, const char *arg);
/* One of these options, or of those of a run on one machine. */
error_t timeline_parse_run(struct timeline *t, struct machine_options *one, int key, char *arg);
/* Call when all options are read: settle the format of the output (cli_format_settle).  `output` is
 * the file of -o; if its name is that of a timeline or a page it is taken as one, becomes NULL, and
 * the report is text on standard output.  0, or EINVAL after a usage error. */
error_t timeline_settle(struct timeline *t, const char *name, const char *can, const char **output,
                        enum cli_format *format);

/* Open all files and subscribe the observers, before the run.  Errors: ERR_IO. */
int timeline_open(struct timeline *t, struct err *err);
/* After the run: finish the files if it `ran` without an error, else leave none.  `r` is the result
 * of a replay, for --html; NULL of a run that has no such report.  Errors: ERR_IO; those of
 * observers. */
int timeline_close(struct timeline *t, bool ran, const struct run_result *r, struct err *err);
void timeline_free(struct timeline *t);

#endif
