/* chakra_work.h - what a node computes, as attributes of a kernel. */
#ifndef IMPORT_CHAKRA_CHAKRA_WORK_H
#define IMPORT_CHAKRA_CHAKRA_WORK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Print the form of a kernel with so many FLOPs, which moves so many bytes.  More FLOPs for a byte
 * than what goes element by element has, and enough to fill a matrix unit: this is a product.  Its
 * shape is not known.  As Chakra's own users, we take it as one that runs at the peak: a cube of
 * half-precision numbers, whose sides are whole tiles.  Returns true if it is one. */
bool chakra_work_print(uint64_t flops, uint64_t bytes, FILE *out);

/* Print that nothing says what it does, but how long it took where it was recorded. */
void chakra_work_print_time(uint64_t micros, FILE *out);

#endif
