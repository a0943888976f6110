/* origin_text.h - where the time of a compiled program goes, by layer, scope and source line. */
#ifndef REPORT_TEXT_ORIGIN_TEXT_H
#define REPORT_TEXT_ORIGIN_TEXT_H

#include <stdio.h>

#include "run/result/result.h"

/* Print a table for each of them: the longest rows, groups of layers and scopes as one row.  What
 * all scopes begin with is told once.  Nothing for a trace written by hand. */
void origin_text(const struct run_result *r, FILE *out);

/* A scope in at most `width` bytes, to be freed: without "jit(step)/shard_map/" before it, with
 * fwd(x) and bwd(x) for what JAX made of x, and cut in the middle. */
char *origin_text_brief(const char *scope, unsigned width);

#endif
