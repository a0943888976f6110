/* kernel.h - run a model on our kernel. */
#ifndef CONFORMANCE_KERNEL_H
#define CONFORMANCE_KERNEL_H

#include "log.h"
#include "script.h"

void kernel_play(const struct script *s, struct log *log);

#endif
