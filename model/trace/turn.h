/* turn.h - a repeat with an index: its lines, which are read once for each of its turns.
 *
 *     repeat l=1..12 {          the lines up to the closing brace, for l = 1, 2, ... 12
 *
 * It is no block of the step.  Lines are kept while they are read for the first turn and handed out
 * again for the others; a name that is defined in them gets the turn (name.h).  So every user of a
 * reader sees the operations of all turns, one after the other. */
#ifndef TRACE_TURN_H
#define TRACE_TURN_H

#include "trace/lex.h"

#define TURN_MAX 99999 /* largest index */

struct turn_line {
    char *s;
    size_t n;
    uint32_t line;
};

struct turn {
    bool open;
    bool again; /* lines come from here: a turn after the first */
    char index[LEX_NAME_MAX + 1];
    uint32_t line;  /* of its begin */
    uint32_t depth; /* blocks around it */
    uint32_t now, last;
    struct turn_line *lines; /* of a turn, the closing brace included */
    uint32_t n_lines, next, cap_lines;
};

/* Open a repeat in line `line` inside `depth` blocks; the index goes from `first` to `last`, up or
 * down. */
void turn_open(struct turn *t, const char *index, uint32_t first, uint32_t last, uint32_t line,
               uint32_t depth);
void turn_free(struct turn *t);

/* Keep a line of the first turn. */
void turn_keep(struct turn *t, const char *s, size_t n, uint32_t line);
/* The next line of a later turn. */
const char *turn_take(struct turn *t, size_t *n, uint32_t *line);
/* Go on to the next turn; after the last one the repeat is not open. */
void turn_end(struct turn *t);

#endif
