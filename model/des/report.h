/* report.h - messages of a model and of the kernel, with severity and id.  Part of des.h.
 *
 * A report reads "WARNING fifo/half-full chip0.dma @ 1200 fs: text".  The kernel's own ids start
 * with "des/"; docs/des.md lists them. */
#ifndef DES_REPORT_H
#define DES_REPORT_H

#include "des/des.h"

enum des_severity { DES_INFO, DES_WARNING, DES_ERROR, DES_FATAL };

/* What is done about one: any of these together.  Information, warnings and errors are displayed;
 * errors also stop the simulation as des_stop does; fatal ones abort whatever else is set. */
enum des_action { DES_SILENT = 0, DES_DISPLAY = 1, DES_STOP = 2, DES_ABORT = 4 };

struct des_message {
    enum des_severity severity;
    const char *id;   /* "author/what" */
    const char *path; /* of the module, or of the object where it happened */
    des_time now;
    const char *text;
};

void des_report(struct des *sim, enum des_severity severity, struct des_module m, const char *id,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Set the actions (des_action bits) for reports of this severity: those of one id, which goes
 * before, or all others with NULL.  `id` must live as long as `sim`. */
void des_report_actions(struct des *sim, enum des_severity severity, const char *id,
                        unsigned actions);
/* Give displayed messages to `show` instead of stderr. */
typedef void des_report_handler(void *self, const struct des_message *message);
void des_on_report(struct des *sim, des_report_handler *show, void *self);
uint64_t des_report_count(const struct des *sim, enum des_severity severity);

#endif
