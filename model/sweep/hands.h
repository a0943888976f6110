/* hands.h - how far our cut of the kernels of a compiled program is from the compiler's. */
#ifndef SWEEP_HANDS_H
#define SWEEP_HANDS_H

#include <stddef.h>

/* Replay a point's program on its machine as it stands, by both hands: seconds by ours / seconds as
 * compiled.  `plan` is the text of a plan; a program that cannot be replayed so gives NAN. */
double hands_compare(const char *plan, size_t point);

#endif
