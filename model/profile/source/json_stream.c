/* json_stream.c - see json_stream.h. */
#include "profile/source/json_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"

#define BLOCK 65536
#define AT_END (-1)
#define AT_ERROR (-2)

void json_stream_begin(struct json_stream *s, struct profile_source *source)
{
    *s = (struct json_stream){ .source = source, .cap = 256 };
    s->text = memory_zeroed(s->cap, 1);
}

void json_stream_end(struct json_stream *s)
{
    free(s->text);
}

int json_stream_fail(const struct json_stream *s, struct err *err, const char *what)
{
    uint64_t at = profile_source_at(s->source) + (uint64_t)(s->at - s->begin);

    return profile_source_damaged(s->source, at, err, "%s", what);
}

/* --- bytes -------------------------------------------------------------------------------- */

static int refill_bytes(struct json_stream *s, struct err *err)
{
    size_t got;

    profile_source_take(s->source, (size_t)(s->at - s->begin));
    s->begin = s->at = s->end = NULL;
    if (profile_source_peek(s->source, BLOCK, &s->begin, &got, err) != 0)
        return AT_ERROR;
    s->at = s->begin;
    s->end = s->begin + got;
    return got ? 0 : AT_END;
}

/* The next byte without taking it, AT_END or AT_ERROR. */
static int peek_byte(struct json_stream *s, struct err *err)
{
    if (s->at == s->end) {
        int rc = refill_bytes(s, err);
        if (rc != 0)
            return rc;
    }
    return *s->at;
}

/* ... behind blanks; the end of the file is an error. */
static int peek_sign(struct json_stream *s, struct err *err)
{
    int c;

    while ((c = peek_byte(s, err)) == ' ' || c == '\n' || c == '\t' || c == '\r')
        s->at++;
    if (c == AT_END) {
        json_stream_fail(s, err, "the JSON ends too early: the file is cut");
        return AT_ERROR;
    }
    return c;
}

static int put_byte(struct json_stream *s, int c, struct err *err)
{
    if (s->n + 1 >= s->cap) {
        if (s->cap >= JSON_STREAM_TEXT)
            return json_stream_fail(s, err, "a text of more than 16 MiB");
        s->cap *= 2;
        s->text = memory_resize(s->text, s->cap, 1);
    }
    s->text[s->n++] = (char)c;
    return 0;
}

/* --- texts -------------------------------------------------------------------------------- */

static int put_utf8(struct json_stream *s, unsigned u, struct err *err)
{
    if (u < 0x80)
        return put_byte(s, (int)(u ? u : '?'), err);
    if (u < 0x800)
        return put_byte(s, (int)(0xc0 | u >> 6), err) | put_byte(s, (int)(0x80 | (u & 63)), err);
    if (u >= 0xd800 && u < 0xe000) /* half of a pair: names need none */
        return put_byte(s, '?', err);
    return put_byte(s, (int)(0xe0 | u >> 12), err) | put_byte(s, (int)(0x80 | (u >> 6 & 63)), err) |
           put_byte(s, (int)(0x80 | (u & 63)), err);
}

static int read_hex(struct json_stream *s, struct err *err)
{
    unsigned u = 0;

    for (int i = 0; i < 4; i++) {
        int c = peek_byte(s, err);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (c == AT_ERROR)
            return -1;
        if (digit < 0)
            return json_stream_fail(s, err, "no JSON: four hexadecimal digits expected");
        u = u << 4 | (unsigned)digit;
        s->at++;
    }
    return put_utf8(s, u, err);
}

static int read_escape(struct json_stream *s, struct err *err)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int c = peek_byte(s, err);
    const char *known = c > 0 ? strchr(from, c) : NULL;

    if (c == AT_ERROR)
        return -1;
    if (c == 'u') {
        s->at++;
        return read_hex(s, err);
    }
    if (!known)
        return json_stream_fail(s, err, "no JSON: an unknown escape in a text");
    s->at++;
    return put_byte(s, to[known - from], err);
}

/* A text behind its quote. */
static int read_text(struct json_stream *s, struct err *err)
{
    for (;;) {
        int c = peek_byte(s, err);
        if (c == AT_ERROR)
            return -1;
        if (c == AT_END)
            return json_stream_fail(s, err, "the JSON ends inside a text: the file is cut");
        s->at++;
        if (c == '"')
            break;
        if ((c == '\\' ? read_escape(s, err) : put_byte(s, c ? c : '?', err)) != 0)
            return -1;
    }
    s->text[s->n] = '\0';
    return 0;
}

static bool is_plain(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '+' || c == '.';
}

/* A number or a word, up to what cannot belong to it. */
static int read_plain(struct json_stream *s, struct err *err)
{
    int c;

    while (is_plain(c = peek_byte(s, err))) {
        s->at++;
        if (put_byte(s, c, err) != 0)
            return -1;
    }
    s->text[s->n] = '\0';
    return c == AT_ERROR ? -1 : 0;
}

static bool is_word(const char *text)
{
    static const char *const words[] = { "true", "false", "null", "NaN", "Infinity", "-Infinity" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

static bool is_number(const char *text)
{
    char *end;

    plain_read(text, &end);
    return *text && *end == '\0';
}

/* --- values ------------------------------------------------------------------------------- */

int json_stream_value(struct json_stream *s, enum json_kind *kind, struct err *err)
{
    int c = peek_sign(s, err);

    s->n = 0;
    s->text[0] = '\0';
    if (c == AT_ERROR)
        return -1;
    if (c == '{' || c == '[') {
        s->at++;
        *kind = c == '{' ? JSON_OBJECT_KIND : JSON_ARRAY_KIND;
        return 0;
    }
    if (c == '"') {
        s->at++;
        *kind = JSON_TEXT;
        return read_text(s, err);
    }
    if (read_plain(s, err) != 0)
        return -1;
    *kind = is_word(s->text) ? JSON_WORD : JSON_NUMBER;
    return *kind == JSON_WORD || is_number(s->text)
               ? 0
               : json_stream_fail(s, err, "no JSON: a value expected");
}

/* Past the comma before an item that is not the first.  Returns 0 if `close` stands there. */
static int begin_item(struct json_stream *s, uint64_t *count, char close, struct err *err)
{
    int c = peek_sign(s, err);

    if (c == AT_ERROR)
        return -1;
    if (c == close) {
        s->at++;
        return 0;
    }
    if ((*count)++ == 0)
        return 1;
    if (c != ',')
        return json_stream_fail(
            s, err, close == '}' ? "no JSON: ',' or '}' expected" : "no JSON: ',' or ']' expected");
    s->at++;
    return 1;
}

int json_stream_member(struct json_stream *s, uint64_t *count, struct err *err)
{
    int more = begin_item(s, count, '}', err);

    if (more <= 0)
        return more;
    int c = peek_sign(s, err);
    if (c == AT_ERROR)
        return -1;
    if (c != '"')
        return json_stream_fail(s, err, "no JSON: a key in quotes expected");
    s->at++;
    s->n = 0;
    if (read_text(s, err) != 0)
        return -1;
    c = peek_sign(s, err);
    if (c == AT_ERROR)
        return -1;
    if (c != ':')
        return json_stream_fail(s, err, "no JSON: ':' expected behind a key");
    s->at++;
    return 1;
}

int json_stream_element(struct json_stream *s, uint64_t *count, struct err *err)
{
    return begin_item(s, count, ']', err);
}

/* The rest of a text as it is written, its quotes included. */
static int copy_text(struct json_stream *s, bool keep, struct err *err)
{
    bool escaped = false;

    for (;;) {
        int c = peek_byte(s, err);
        if (c == AT_ERROR)
            return -1;
        if (c == AT_END)
            return json_stream_fail(s, err, "the JSON ends inside a text: the file is cut");
        s->at++;
        if (keep && put_byte(s, c ? c : '?', err) != 0)
            return -1;
        if (c == '"' && !escaped)
            return 0;
        escaped = c == '\\' && !escaped;
    }
}

/* Pass over a value, and keep it if asked to.  What stands in brackets is not checked but for
 * their pairs. */
static int pass_value(struct json_stream *s, bool keep, struct err *err)
{
    char open[JSON_STREAM_DEPTH];
    size_t depth = 0;

    s->n = 0;
    do {
        int c = peek_sign(s, err);
        if (c == AT_ERROR)
            return -1;
        if (depth == 0 && (c == ',' || c == ':' || c == '}' || c == ']'))
            return json_stream_fail(s, err, "no JSON: a value expected");
        if ((c == '{' || c == '[') && depth == JSON_STREAM_DEPTH)
            return json_stream_fail(s, err, "more than 256 values inside each other");
        if (c == '{' || c == '[')
            open[depth++] = (char)(c + 2); /* '}' or ']' */
        else if ((c == '}' || c == ']') && open[--depth] != c)
            return json_stream_fail(s, err, "no JSON: brackets that are no pair");
        if (c == 0 || !strchr("\",:{}[]", c)) {
            size_t before = s->n;
            if (read_plain(s, err) != 0)
                return -1;
            if (s->n == before)
                return json_stream_fail(s, err, "no JSON: a value expected");
            s->n = keep ? s->n : 0;
            continue;
        }
        s->at++;
        if (keep && put_byte(s, c, err) != 0)
            return -1;
        if (c == '"' && copy_text(s, keep, err) != 0)
            return -1;
    } while (depth > 0);
    s->text[s->n] = '\0';
    return 0;
}

int json_stream_skip(struct json_stream *s, struct err *err)
{
    return pass_value(s, false, err);
}

int json_stream_raw(struct json_stream *s, struct err *err)
{
    return pass_value(s, true, err);
}

int json_stream_finish(struct json_stream *s, struct err *err)
{
    int c;

    while ((c = peek_byte(s, err)) == ' ' || c == '\n' || c == '\t' || c == '\r' || c == 0)
        s->at++;
    if (c == AT_ERROR)
        return -1;
    return c == AT_END ? 0 : json_stream_fail(s, err, "no JSON: more behind the last bracket");
}
