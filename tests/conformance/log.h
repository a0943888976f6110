/* log.h - what a model says, line by line.  It can lie in shared memory: no pointers. */
#ifndef CONFORMANCE_LOG_H
#define CONFORMANCE_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum { LOG_LINES = 4096, LOG_TEXT = 80 };

struct log {
    unsigned n;
    bool no_deltas, full;
    struct log_line {
        uint64_t time, delta;
        bool fixed; /* said outside of any process: it stays where it is */
        char text[LOG_TEXT];
    } lines[LOG_LINES];
};

/* Add "NAME TEXT"; either may be empty. */
void log_add(struct log *log, uint64_t time, uint64_t delta, bool fixed, const char *name,
             const char *text);

/* The log as text, the lines of each phase sorted; `last` is added as it is.  To be freed. */
char *log_text(struct log *log, const char *last);

#endif
