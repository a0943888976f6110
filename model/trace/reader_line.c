/* Lines that a trace reader takes, what it counts, and words that it does not know. */
#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "trace/reader.h"

/* The next line of the source, or of the open repeat in a turn after its first. */
static int next_line(struct trace *t, const char **s, size_t *n, uint32_t *line, struct err *err)
{
    if (t->turn.again) {
        *s = turn_take(&t->turn, n, line);
        t->turn_bytes += *n + 1;
        return 1;
    }
    int got = source_line(&t->source, s, n, err);
    *line = t->source.line;
    return got;
}

int reader_count(const struct trace *t, uint64_t *n, uint64_t more, uint64_t most, const char *what)
{
    static const char text[] = "more than %" PRIu64 " %s (--allow %s=N allows more)";

    *n += more;
    return *n > most ? lex_fail(&t->lex, 0, ERR_RANGE, text, most, what, what) : 0;
}

/* The line in the lexer is another one to parse, of the source or of a turn. */
static int count_line(struct trace *t)
{
    if (t->turn_bytes > t->limits.text)
        return lex_fail(&t->lex, 0, ERR_RANGE,
                        "more than %" PRIu64 " bytes of text in turns (--allow text=N allows more)",
                        t->limits.text);
    return reader_count(t, &t->n_lines, 1, t->limits.lines, "lines");
}

int reader_line(struct trace *t, struct err *err)
{
    const char *s;
    uint32_t line;
    size_t n;

    if (t->held) {
        t->held = false;
        t->lex.at = t->lex.used = 0;
        t->lex.err = err;
        return 1;
    }
    do {
        int got = next_line(t, &s, &n, &line, err);
        if (got < 0)
            return -1;
        if (got == 0) { /* messages give the line after the last one */
            t->lex.line = t->source.line + 1;
            t->lex.err = err;
            return 0;
        }
        if (lex_start(&t->lex, s, n, line, err) != 0)
            return -1;
    } while (lex_end(&t->lex));
    if (t->turn.open && !t->turn.again)
        turn_keep(&t->turn, s, n, line);
    return count_line(t) != 0 ? -1 : 1;
}

int reader_unknown(const struct trace *t, const struct lex_text *word, const char *what,
                   const char *const *names, unsigned n)
{
    const char *near = err_nearest(word->s, names, n);

    if (near && *near)
        return lex_fail(&t->lex, word->at, ERR_UNKNOWN, "unknown %s '%.64s'; did you mean '%s'?",
                        what, word->s, near);
    return lex_fail(&t->lex, word->at, ERR_UNKNOWN, "unknown %s '%.64s'", what, word->s);
}

int reader_no_dtype(const struct trace *t, const struct lex_text *word)
{
    char hint[96];

    return lex_fail(&t->lex, word->at, ERR_UNKNOWN, "unknown dtype '%.64s'%s", word->s,
                    trace_dtype_hint(word->s, hint, sizeof hint));
}

const struct trace_tensor *trace_tensor(const struct trace *t, struct trace_value v)
{
    return &scope_at(&t->scope, v.id)->tensor;
}
