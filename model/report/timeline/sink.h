/* sink.h - the file that a timeline is written to, compressed if wanted, up to a limit. */
#ifndef REPORT_TIMELINE_SINK_H
#define REPORT_TIMELINE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sink;

/* `out` is the caller's and stays open.  `limit` counts bytes before they are compressed. */
struct sink *sink_new(FILE *out, bool compress, uint64_t limit);
/* Returns 0 or an errno; EFBIG at the limit, after which nothing more is written.  `self` is a
 * struct sink. */
int sink_write(void *self, const char *bytes, size_t n);
/* Bytes that were written, before compression, and those refused at the limit. */
uint64_t sink_bytes(const struct sink *s);
bool sink_full(const struct sink *s);
/* End the compressed frame and free the sink; what could not be written shows in ferror(out). */
void sink_free(struct sink *s);

#endif
