/* report.h - messages of a model or of the kernel, each with a severity and an id.  Part of des.h.
 *
 * A report reads "WARNING fifo/half-full chip0.dma @ 1200 fs: text".  The kernel's own ids start
 * with "des/"; docs/reference/des.md lists them. */
#ifndef DES_REPORT_H
#define DES_REPORT_H

#include "des/des.h"

/* From the lightest to the gravest; enum des_action says what each does. */
enum des_severity { DES_INFO, DES_WARNING, DES_ERROR, DES_FATAL };

/* Actions on a report; they can be combined.  By default every report is displayed and an error
 * also stops the simulation, as des_stop does.  A fatal report always aborts. */
enum des_action { DES_SILENT = 0, DES_DISPLAY = 1, DES_STOP = 2, DES_ABORT = 4 };

struct des_message {
    enum des_severity severity;
    const char *id;   /* "author/what" */
    const char *path; /* of the module, or of the object where it happened */
    des_time now;
    const char *text;
};

/* Report something that happened in module `m`. */
void des_report(struct des *sim, enum des_severity severity, struct des_module m, const char *id,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Set the actions (des_action bits) for reports of a severity: with an id, or with NULL for all
 * other ids.  `id` outlives `sim`. */
void des_report_actions(struct des *sim, enum des_severity severity, const char *id,
                        unsigned actions);
/* Pass messages to `show` instead of printing them to stderr. */
typedef void des_report_handler(void *self, const struct des_message *message);
void des_on_report(struct des *sim, des_report_handler *show, void *self);
uint64_t des_report_count(const struct des *sim, enum des_severity severity);

#endif
