/* reader.h - the state of a trace reader, which lexer, parser and rules share. */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include "trace/file/source.h"
#include "trace/lex.h"
#include "trace/scope.h"
#include "trace/trace.h"
#include "trace/turn.h"

#define READER_DEPTH 64 /* blocks inside each other */

struct reader_block {
    enum trace_item_kind kind; /* of its begin */
    uint32_t line;
    uint32_t height;           /* of the scope when it began */
    uint64_t times;            /* runs of this block in a step, the product of repeats; 63 bits */
    uint32_t first_out, n_out; /* of a fusion: ids of the values that leave it */
    uint64_t n_ops;
    uint64_t stage; /* of a fusion */
};

struct reader_result { /* a result of an operation, as written in the line */
    struct lex_text name;
    struct trace_shape shape;
    enum trace_role role;
    bool placed; /* it takes the place of a value */
    struct trace_value at;
    size_t at_at; /* offset of that value in the line */
};

struct reader_kernel { /* what the line states of a kernel */
    struct trace_compiled stated;
    uint64_t *fetch, *store;
    bool *held;
    uint32_t cap_in, cap_out;
};

enum reader_part { READER_TENSORS, READER_STEPS, READER_END }; /* of the text */

struct trace {
    struct source source;
    char *file;
    bool allow_unknown, words; /* words: reader_shorten() */
    struct trace_header head;
    struct scope scope;
    struct lex lex;
    struct turn turn; /* the open repeat with an index */
    bool held;        /* the line in lex is the next one to parse */
    enum reader_part part;
    bool head_given; /* the header item has been handed out */
    struct reader_block block[READER_DEPTH];
    uint32_t n_blocks;
    uint64_t n_steps, n_all_steps, n_all_ops, n_all_operands;
    uint64_t n_lines, turn_bytes; /* handed out; of turns after the first */
    struct trace_limits limits;
    /* of the open fusion; but the name, each may be NULL */
    char *fusion_name, *fusion_note, *fusion_scope, *fusion_source;
    bool failed;
    struct err why;

    /* the operation of the current line */
    struct reader_result *result;
    struct trace_value *in, *out;
    size_t *in_at, *out_at; /* their offsets in the line */
    uint32_t n_result, cap_result, n_in, cap_in, n_out, cap_out;
    size_t kind_at;
    struct reader_kernel kernel;
};

/* Open a trace whose bytes the reader owns from here on, also after an error.  Errors: those of
 * trace_open(). */
int trace_open_bytes(struct trace **t, const struct bytes *bytes, bool allow_unknown,
                     struct err *err);

/* From here on read integers of 64 bits as those of 32, as compilers for TPUs take those of a
 * recording.  Call it before the first item is read. */
void reader_shorten(struct trace *t);

/* Start the next line that is neither blank nor a comment.  Returns 1; 0 at the end; -1 on error.
 */
int reader_line(struct trace *t, struct err *err);

/* Count `more` of `what` at n: a few bytes may ask for work without end.  Errors: ERR_RANGE. */
int reader_count(const struct trace *t, uint64_t *n, uint64_t more, uint64_t most,
                 const char *what);

/* Fail because `word` is not among `names`: "unknown WHAT 'word'; did you mean 'x'?". */
int reader_unknown(const struct trace *t, const struct lex_text *word, const char *what,
                   const char *const *names, unsigned n);
/* ... that the word is no type of numbers. */
int reader_no_dtype(const struct trace *t, const struct lex_text *word);

#endif
