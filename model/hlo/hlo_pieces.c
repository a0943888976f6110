/* hlo_pieces.c - the modules of one text, without parsing them.
 *
 * A module begins at a line whose first word is HloModule, outside of comments and strings.  Almost
 * every text has one, at its head: then a search for the word is all that is done. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hlo/hlo_lex.h"
#include "hlo/hlo_module.h"

static const char word[] = "HloModule";
#define WORD_SIZE (sizeof word - 1)

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The start of the line that `at` is in. */
static const char *line_start(const char *text, const char *at)
{
    const char *end = memrchr(text, '\n', (size_t)(at - text));

    return end ? end + 1 : text;
}

/* Is `at` the first word of its line? */
static bool is_head(const char *text, const char *end, const char *at)
{
    const char *begin = at;

    while (begin > text && begin[-1] != '\n' && is_blank(begin[-1]))
        begin--;
    bool mark = begin - text == 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; /* of byte order */
    return (begin == text || begin[-1] == '\n' || mark) &&
           (at + WORD_SIZE == end || is_blank(at[WORD_SIZE]));
}

/* Go to `to`, or to the end of a comment or string that covers it. */
static void skip_hidden(struct hlo_lex *x, const char *to)
{
    while (x->at < to) {
        const char *begin = x->at;
        if (*begin == '"')
            hlo_lex_string(x); /* one without an end goes to the end of the text */
        else
            hlo_lex_blanks(x);
        if (x->at == begin)
            x->at++;
    }
}

/* Comment lines before a module are of it. */
static const char *comments_start(const char *from, const char *begin)
{
    const char *kept = begin;

    while (begin > from) {
        const char *line = line_start(from, begin - 1), *at = line;
        while (at < begin && is_blank(*at))
            at++;
        bool comment = at < begin && (*at == '#' || (*at == '/' && at[1] == '/'));
        if (at < begin && !comment)
            break;
        begin = line;
        if (comment)
            kept = line;
    }
    return kept;
}

static struct hlo_text name_after(const char *at, const char *end)
{
    struct hlo_lex x;
    struct err err;

    hlo_lex_init(&x, "", at, (size_t)(end - at), &err);
    if (hlo_lex_peek(&x) == '%')
        x.at++;
    return hlo_lex_word(&x);
}

/* Add the module at `at`, which ends the one before it. */
static void add_piece(struct hlo_piece **list, uint32_t n, const char *text, const char *end,
                      const char *at)
{
    struct hlo_piece *piece = *list = memory_add(*list, n, sizeof *piece);
    size_t begin = 0;

    if (n > 0) {
        const char *from = text + piece[n - 1].begin;
        begin = (size_t)(comments_start(from, line_start(text, at)) - text);
        piece[n - 1].end = begin;
    }
    piece[n] = (struct hlo_piece){ .text = text,
                                   .begin = begin,
                                   .end = (size_t)(end - text),
                                   .name = name_after(at + WORD_SIZE, end) };
}

uint32_t hlo_pieces(const char *text, size_t size, struct hlo_piece **list)
{
    const char *end = text + size, *at = text;
    struct hlo_lex x;
    struct err err;
    uint32_t n = 0;

    *list = memory_resize(NULL, 1, sizeof **list);
    **list = (struct hlo_piece){ .text = text, .end = size, .name = { text, 0 } };
    hlo_lex_init(&x, "", text, size, &err);
    while ((at = memmem(at, (size_t)(end - at), word, WORD_SIZE))) {
        if (is_head(text, end, at)) {
            skip_hidden(&x, at);
            if (x.at == at)
                add_piece(list, n++, text, end, at);
        }
        at += WORD_SIZE;
    }
    return n ? n : 1;
}
