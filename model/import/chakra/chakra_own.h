/* chakra_own.h - attributes that cyclotron adds to a Chakra trace, and reading them back.
 *
 * Chakra says what a node costs, not what it is.  So that a trace comes back as it was, the export
 * adds to the metadata
 *
 *     cyclotron.header    texts: the lines of the trace's header
 *     cyclotron.tensors   texts: its tensors, "%w f32[16,32] weight"
 *
 * and to each node
 *
 *     cyclotron.kind      text: "matmul", "all-reduce-start"
 *     cyclotron.results   texts: "%y f32[8,32] gradient"
 *     cyclotron.operands  texts: "%x"
 *     cyclotron.attr.KEY  text: an attribute of the operation as a trace has it, "5x6x6"
 *     cyclotron.gemm      numbers b, m, k, n of a matrix product, for those who read it elsewhere
 *     cyclotron.phase     text; cyclotron.phase-depth: how many repeats it stands in
 *     cyclotron.kernel    number of the fusion that the operation is a member of, from 1;
 *     cyclotron.fusion    text, at its first member: the line of the fusion
 *     cyclotron.loop      numbers: for each repeat around it, from the outside, its own number,
 *                         which turn this is (from 1), and how many there are
 *
 * A node with cyclotron.of, a number, is the other half of the node of that id. */
#ifndef IMPORT_CHAKRA_CHAKRA_OWN_H
#define IMPORT_CHAKRA_CHAKRA_OWN_H

#include "import/chakra/chakra_graph.h"

/* Names of these attributes. */
#define OWN_HEADER "cyclotron.header"
#define OWN_TENSORS "cyclotron.tensors"
#define OWN_KIND "cyclotron.kind"
#define OWN_RESULTS "cyclotron.results"
#define OWN_OPERANDS "cyclotron.operands"
#define OWN_ATTR "cyclotron.attr."
#define OWN_GEMM "cyclotron.gemm"
#define OWN_PHASE "cyclotron.phase"
#define OWN_PHASE_DEPTH "cyclotron.phase-depth"
#define OWN_KERNEL "cyclotron.kernel"
#define OWN_FUSION "cyclotron.fusion"
#define OWN_LOOP "cyclotron.loop"
#define OWN_OF "cyclotron.of"
#define OWN_MAX_LOOPS 64 /* repeats around an operation */

/* Did cyclotron write it? */
bool chakra_own_is(const struct chakra_graph *g);

/* Write the text of the trace that the nodes were made from.  What an attribute says is not checked
 * here but by whoever reads the text.  Errors: ERR_FORMAT for a node without its attributes, or
 * whose num_ops is no more what it was; ERR_RANGE for turns of a repeat that are missing. */
int chakra_own_write(const struct chakra_graph *g, FILE *out, struct err *err);

#endif
