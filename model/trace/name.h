/* name.h - names of values in a line: with an index, defined, used.
 *
 *     %h          in a repeat with an index: h of this turn, if there is one
 *     %h[l-1]     h of the turn before, where the index of the repeat is l
 *     %h[3]       h of turn 3
 *     %h[1..12]   as an operand: h of these turns, one after the other
 *
 * A name that is defined in such a repeat without an index gets that of the turn. */
#ifndef TRACE_NAME_H
#define TRACE_NAME_H

#include "trace/reader.h"

/* Read the name of a value to define; name->s is complete. */
int name_read(struct trace *t, struct lex_text *name);

/* Define a name, which must not be in scope. */
int name_define(struct trace *t, const struct lex_text *name, uint32_t *id);

/* A use may be of ... */
enum name_want {
    NAME_TENSOR, /* not a result of a start */
    NAME_HANDLE, /* a result of a start that has no done yet */
    NAME_ANY,    /* either */
};

/* Read the value at the cursor, which must be defined.  *at is its offset in the line. */
int name_use(struct trace *t, struct trace_value *v, size_t *at, enum name_want want);

/* Read an operand, which may be several, behind those of the reader. */
int name_operands(struct trace *t, enum name_want want);

/* Give the name of an operation or fusion that was written in the line the index of the turn. */
const char *name_of_turn(struct trace *t, const char *name);

/* Read "A..B" at the cursor: indices of turns. */
int name_turns(struct trace *t, uint32_t *first, uint32_t *last);

#endif
