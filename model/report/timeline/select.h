/* select.h - the choice of what a timeline shows, by name and by time. */
#ifndef REPORT_TIMELINE_SELECT_H
#define REPORT_TIMELINE_SELECT_H

#include <stddef.h>

#include "des/des.h"

struct timeline_choice {
    const char *const *glob; /* shell patterns of names, "chip0.core0.*"; none: all */
    size_t n_globs;
    bool lenient;      /* a pattern may match nothing */
    des_time from, to; /* from the begin of the first measured step; to: DES_NEVER to the end */
};

/* A chosen object.  `text`: a probe of texts whose characters alone are chosen, by the name that
 * they have in waves, "op_text". */
typedef void timeline_visit(struct des *sim, void *self, struct des_object x, bool text);

/* Call `visit` for each clock, probe, signal and FIFO whose name is chosen.
 * Errors: ERR_UNKNOWN when a pattern matches none, with the nearest name. */
int timeline_each(const struct timeline_choice *c, struct des *sim, timeline_visit *visit,
                  void *self, struct err *err);

#endif
