/* fusion_header.h - the first lines of the text that fusion_text() writes. */
#ifndef FUSION_FUSION_HEADER_H
#define FUSION_FUSION_HEADER_H

#include <stdio.h>

#include "fusion/fusion_impl.h"

/* True if all functions that reductions and sorts apply are of scalars and call no other. */
bool fusion_header_knows(const struct hlo_module *m);
/* True if the caller gives the memory of parameter `number` away. */
bool fusion_header_gives(const struct hlo_module *m, uint64_t number);
void fusion_header_print(const struct fusion_graph *g, FILE *out);

#endif
