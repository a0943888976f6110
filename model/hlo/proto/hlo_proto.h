/* hlo_proto.h - a program as XLA serialises it (HloProto), written as the HLO text that hlo_parse()
 * reads.
 *
 * Profiles hold their programs in this form.  Instructions come in the order of the schedule if
 * there is one.  Literals of arrays are left out.  Field numbers: xla/service/hlo.proto and
 * xla/xla_data.proto of openxla/xla. */
#ifndef HLO_PROTO_HLO_PROTO_H
#define HLO_PROTO_HLO_PROTO_H

#include <stddef.h>

#include "base/err.h"

/* Write the `n` bytes of an HloProto, which messages call `name`, as text into *text, to be freed,
 * with a NUL at its end.  O(n log n).  Errors: ERR_FORMAT damaged or without a module, an operand
 * or a called computation that is not there. */
int hlo_proto_text(char **text, size_t *size, const char *name, const void *bytes, size_t n,
                   struct err *err);

#endif
