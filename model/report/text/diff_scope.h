/* diff_scope.h - the operations of two compiled programs, named so that they can be paired.
 *
 * Another compilation gives kernels other names and fuses otherwise.  What both have is where an
 * operation comes from: its scope, "jit(step)/jvp(layer0)/dot_general", and its kind. */
#ifndef REPORT_TEXT_DIFF_SCOPE_H
#define REPORT_TEXT_DIFF_SCOPE_H

#include <jansson.h>
#include <stdbool.h>

/* If both runs are of compiled programs and these are not the same one, call each operation by its
 * scope, with its kind if it is no kernel ("jit(step)/sub copy-done"), or without one by its name
 * up to a number (".12", ":0"); scopes that differ in numbers alone are a group.  Returns whether
 * it did.  The runs have passed diff_check().  O(operations).
 */
bool diff_scope_names(json_t *const run[2]);

#endif
