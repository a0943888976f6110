/* chakra_foreign.h - nodes of another tool as operations.
 *
 * A node of Chakra says what it costs and what it waits for.  Costs become operations on values of
 * that size; what is waited for becomes the order of the lines, and for computations an operand of
 * one byte.  Communication begins at its node and is waited for by the first that depends on it. */
#ifndef IMPORT_CHAKRA_CHAKRA_FOREIGN_H
#define IMPORT_CHAKRA_CHAKRA_FOREIGN_H

#include "import/chakra/chakra_graph.h"
#include "import/chakra/chakra_import.h"

/* Write the text of the trace.  Errors: those of chakra_import(). */
int chakra_foreign_write(const struct chakra_graph *g, struct chakra_import *x, FILE *out,
                         struct err *err);

#endif
