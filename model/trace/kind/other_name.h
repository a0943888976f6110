/* other_name.h - names of operations that are no kinds of a trace, and what to write instead.
 *
 * They are the names of `cyclotron op` and those of frameworks; docs/reference/trace-format.md has
 * the most frequent ones for readers. */
#ifndef TRACE_KIND_OTHER_NAME_H
#define TRACE_KIND_OTHER_NAME_H

#include <stdbool.h>

/* Say what to write instead of `name`: "copy, which is any change of layout".  Case, '-' and '_'
 * make no difference, and neither does what stands before the last '.', ':' or '/', such as
 * "jax.lax.". NULL: the name is not known. */
const char *other_name_find(const char *name);

/* True if the names differ in case, '-', '_' and what stands before the last '.', ':' or '/' alone.
 */
bool other_name_is_like(const char *name, const char *other);

/* Row `i` of the table: names with blanks between them, and what to write.  False behind the last.
 */
bool other_name_row(unsigned i, const char **names, const char **write);

#endif
