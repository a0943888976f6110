/* svg.h - plots as SVG, to stand in a page: no scripts, no files besides. */
#ifndef ANALYSIS_SVG_H
#define ANALYSIS_SVG_H

#include "analysis/ask.h"

/* Text with the characters escaped that mean something in HTML. */
void svg_text(const char *s, FILE *out);

/* All points by the first two goals, those of the front joined by a line; a point says what it is
 * when the pointer rests on it. */
void svg_scatter(const struct ask_answer *a, FILE *out);

/* A tornado plot of goal `f`: one bar for each parameter, from the goal at its lowest value to the
 * goal at its highest, by the power law with the others at their means; the widest bar on top. */
void svg_tornado(const struct ask_answer *a, size_t f, FILE *out);

#endif
