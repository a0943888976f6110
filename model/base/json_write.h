/* json_write.h - JSON, member by member: the writer keeps the separators, the indentation and the
 * brackets; the caller names keys and values.
 *
 *     struct json_write w;
 *     json_write_begin(&w, out);
 *     json_write_object(&w, NULL, JSON_LAYOUT_LINES);
 *     json_write_string(&w, "machine", "tpu-v3-8");
 *     json_write_object(&w, "usd", JSON_LAYOUT_LINE);
 *     json_write_decimal(&w, "on_demand", usd, true);
 *     json_write_close(&w);
 *     json_write_close(&w);
 *
 * writes
 *
 *     {
 *       "machine": "tpu-v3-8",
 *       "usd": {"on_demand": 8.0}
 *     }
 *
 * without a newline at the end.  `key` is NULL for the elements of an array and for the outermost
 * value.  The stream has all of it when the outermost value ends.  Nothing fails but writing, which
 * the caller sees in ferror(out).  Each call is O(bytes that it writes). */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include <stdio.h> /* before gmp.h, which declares what takes a FILE only then */

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#define JSON_WRITE_MAX_DEPTH 16 /* objects and arrays inside each other */
#define JSON_WRITE_ROOM 1024    /* bytes that wait for the stream */

/* The place of the members of an object or an array. */
enum json_write_layout {
    JSON_LAYOUT_LINE,    /* on one line, ", " between them */
    JSON_LAYOUT_LINES,   /* each on a line of its own, two blanks further in */
    JSON_LAYOUT_COMPACT, /* on one line without blanks, and so is all that they contain */
};

struct json_write {
    FILE *out;
    unsigned depth; /* open objects and arrays */
    struct json_write_level {
        enum json_write_layout layout;
        char close; /* '}' or ']' */
        bool empty;
    } level[JSON_WRITE_MAX_DEPTH];
    bool beside, below; /* where the next member stands, if not where its layout says */
    size_t n;           /* bytes of `wait`, which the stream has not yet */
    char wait[JSON_WRITE_ROOM];
};

/* Begin a text on `out`; nothing is written yet. */
void json_write_begin(struct json_write *w, FILE *out);

/* Open an object or an array; json_write_close() ends the innermost one. */
void json_write_object(struct json_write *w, const char *key, enum json_write_layout layout);
void json_write_array(struct json_write *w, const char *key, enum json_write_layout layout);
void json_write_close(struct json_write *w);

/* A string in UTF-8; bytes that are not UTF-8 become U+FFFD.  NULL becomes null. */
void json_write_string(struct json_write *w, const char *key, const char *value);
void json_write_integer(struct json_write *w, const char *key, uint64_t value);
void json_write_bool(struct json_write *w, const char *key, bool value);
void json_write_null(struct json_write *w, const char *key);
/* An integer in full, also beyond 2^64. */
void json_write_whole(struct json_write *w, const char *key, const mpz_t value);
/* The exact decimal if it has at most 17 significant digits, else rounded half to even to that
 * many; null if it is not known. */
void json_write_decimal(struct json_write *w, const char *key, mpq_srcptr value, bool known);
/* num / den; null if den is 0. */
void json_write_ratio(struct json_write *w, const char *key, uint64_t num, uint64_t den);
/* 16 hexadecimal digits as a string, because readers that keep numbers in a double round 64 bits.
 */
void json_write_checksum(struct json_write *w, const char *key, uint64_t value);
/* The caller writes one value of JSON to the stream that is returned, before the next call. */
FILE *json_write_value(struct json_write *w, const char *key);

/* The next member of an object of lines stands on the line of the one before; that of an object on
 * one line starts a new line, one blank further in than the line of the object's bracket; that of a
 * compact one starts a new line. */
void json_write_beside(struct json_write *w);
void json_write_below(struct json_write *w);

#endif
