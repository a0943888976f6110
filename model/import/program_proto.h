/* program_proto.h - a compiled program as profilers take it: an HloProto, and the text of each of
 * its instructions. */
#ifndef IMPORT_PROGRAM_PROTO_H
#define IMPORT_PROGRAM_PROTO_H

#include "base/err.h"
#include "base/proto.h"

/* A buffer in device memory, by the names of operations: of the one that makes it, "fusion.3:1" for
 * a part of its result; of the last that reads it, "" none. */
struct program_proto_buffer {
    const char *made, *last;
    uint64_t bytes;
};

struct program_proto;

/* Read the program in these `size` bytes of HLO text, which are borrowed.  *p is NULL where they
 * are something else or no program.  O(size). */
void program_proto_open(struct program_proto **p, const char *file, const char *text, size_t size);
void program_proto_free(struct program_proto *p); /* NULL is allowed */

/* "jit_step"; to be freed. */
char *program_proto_name(const struct program_proto *p);

/* "%fusion.3 = f32[8] fusion(...), calls=..." without its metadata, to be freed; NULL: there is
 * none of this name, which may end in the number of a part of the result.  `self` is a program. */
char *program_proto_line(void *self, const char *operation);

/* "loop fusion", "convolution fusion", "copy-start": the category of an operation in XProf; NULL as
 * above. */
const char *program_proto_category(void *self, const char *operation);

/* Append the HloProto.  Buffers whose operation is not of the entry computation are left out. */
void program_proto_encode(const struct program_proto *p, struct proto *to,
                          const struct program_proto_buffer *buffer, size_t n);

#endif
