/* xplane_write.h - XPlane files for tests, message by message. */
#ifndef TESTS_XPLANE_WRITE_H
#define TESTS_XPLANE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

struct xplane_write {
    unsigned char *bytes;
    size_t n, cap;
};

void xplane_write_free(struct xplane_write *w);
/* The profile that these bytes are; they are freed.  Bytes that cannot be read end the test. */
struct profile *xplane_write_read(struct xplane_write *file);
/* Fields of the message that is being written. */
void xplane_write_number(struct xplane_write *w, unsigned field, uint64_t value);
void xplane_write_real(struct xplane_write *w, unsigned field, double value);
void xplane_write_text(struct xplane_write *w, unsigned field, const char *text);
/* A message as a field; it is empty and free afterwards. */
void xplane_write_inner(struct xplane_write *w, unsigned field, struct xplane_write *inner);

/* An entry of metadata of events: a name, a text to show or NULL, and the statistics hlo_category
 * (NULL: none) and program_id (0: none) under the ids of xplane_write_stats. */
void xplane_write_meta(struct xplane_write *plane, uint64_t id, const char *name,
                       const char *display, const char *category, uint64_t program);
void xplane_write_stats(struct xplane_write *plane);
/* A line's head and an event of it, in ps, that the device saw at its own time if `clock`. */
void xplane_write_line(struct xplane_write *line, const char *name, int64_t timestamp_ns);
void xplane_write_event(struct xplane_write *line, uint64_t meta, uint64_t offset, uint64_t length);
void xplane_write_clocked(struct xplane_write *line, uint64_t meta, uint64_t offset,
                          uint64_t length, uint64_t clock_offset, uint64_t clock_length);

#endif
