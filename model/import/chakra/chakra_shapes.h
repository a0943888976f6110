/* chakra_shapes.h - the tensors of a node: lists as Python prints them, and their bytes.
 *
 *     shapes  "[[32, 3, 224, 224], [64, 3, 7, 7], [], [[8], [8]]]"
 *     types   "['Tensor(float)', 'Tensor(c10::Half)', 'Int',
 * 'GenericList[Tensor(int),Tensor(int)]']" */
#ifndef IMPORT_CHAKRA_CHAKRA_SHAPES_H
#define IMPORT_CHAKRA_CHAKRA_SHAPES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/trace.h"

/* Bytes of all tensors of an IOInfo: *sum grows by them.  What is no tensor has none; an element of
 * a dtype that is not known has 4.  False, and *sum as it was, if the text is no such list or the
 * bytes do not fit 63 bits.  O(length). */
bool chakra_shapes_bytes(const char *shapes, const char *types, uint64_t *sum);

/* Print what PyTorch calls tensors of a dtype: "Tensor(float)"; one that it lacks has our name. */
void chakra_shapes_type(enum trace_dtype dtype, FILE *out);

#endif
