/* hlo_mutate.h - spoiled HLO text: nothing that a file holds may do more than be refused.
 *
 * Mutation number i of a seed is always the same text, so a failure can be looked at again.  All of
 * the reader is called: parsing, and every question about every instruction. */
#ifndef TESTS_HLO_HLO_MUTATE_H
#define TESTS_HLO_HLO_MUTATE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hlo/hlo_module.h"
#include "tests/hlo/hlo_samples.h"
#include "tests/hlo/import_samples.h"

#define HLO_MUTATE_ROOM 16384 /* bytes that a text may grow */

struct hlo_mutate {
    const char *const *sample; /* that are spoiled */
    uint64_t n_samples;
    uint64_t state; /* of the generator */
    char *text, *piece;
    size_t size, room;
};

struct hlo_mutate_counts {
    uint64_t read, refused, instructions;
};

static const char *const hlo_mutate_samples[] = { HLO_SAMPLES_ALL, IMPORT_SAMPLES };

/* Spoil these; NULL: those of the two headers. */
static inline void hlo_mutate_begin(struct hlo_mutate *u, const char *const *sample, uint64_t n)
{
    size_t longest = 0;

    *u = (struct hlo_mutate){ .sample = sample ? sample : hlo_mutate_samples, .n_samples = n };
    if (!sample)
        u->n_samples = sizeof hlo_mutate_samples / sizeof *hlo_mutate_samples;
    for (uint64_t i = 0; i < u->n_samples; i++)
        longest = strlen(u->sample[i]) > longest ? strlen(u->sample[i]) : longest;
    u->room = longest + HLO_MUTATE_ROOM;
    u->text = malloc(u->room);
    u->piece = malloc(u->room);
}

static inline void hlo_mutate_end(struct hlo_mutate *u)
{
    free(u->text);
    free(u->piece);
}

/* splitmix64; below n, n >= 1 */
static inline uint64_t hlo_mutate_draw(struct hlo_mutate *u, uint64_t n)
{
    uint64_t z = u->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % n;
}

/* Put `size` bytes of `from`, which may be of the text, in the place of [at, at + gone). */
static inline void hlo_mutate_replace(struct hlo_mutate *u, size_t at, size_t gone,
                                      const char *from, size_t size)
{
    if (size > u->room || u->size - gone + size > u->room)
        return;
    memcpy(u->piece, from, size);
    memmove(u->text + at + size, u->text + at + gone, u->size - at - gone);
    memcpy(u->text + at, u->piece, size);
    u->size += size - gone;
}

/* A token of the text: a word, or one character. */
static inline void hlo_mutate_token(struct hlo_mutate *u, size_t *at, size_t *size)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-%";
    size_t end;

    *at = hlo_mutate_draw(u, u->size);
    while (*at > 0 && u->text[*at - 1] && strchr(word, u->text[*at - 1]))
        --*at;
    for (end = *at; end < u->size && u->text[end] && strchr(word, u->text[end]);)
        end++;
    *size = end > *at ? end - *at : 1;
}

static inline void hlo_mutate_swap(struct hlo_mutate *u)
{
    size_t a, na, b, nb;
    char first[256];

    hlo_mutate_token(u, &a, &na);
    hlo_mutate_token(u, &b, &nb);
    if (a > b || a + na > b || na > sizeof first)
        return;
    memcpy(first, u->text + a, na);
    hlo_mutate_replace(u, a, na, u->text + b, nb);
    hlo_mutate_replace(u, b + nb - na, nb, first, na);
}

/* Words that mean something. */
static const char *const hlo_mutate_words[] = {
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "\"",
    ",",
    "=",
    "->",
    "/*",
    "*/",
    "//",
    "\n",
    "#0",
    "ROOT",
    "ENTRY",
    "%",
    "<=",
    "?",
    "*",
    "9223372036854775807",
    "18446744073709551616",
    "-1",
    "0",
    "4294967295",
    "f32[]",
    "(f32[], s32[2])",
    "b(f32[])",
    "T(8,128)",
    "S(1)",
    "E(4)",
    "calls=",
    "to_apply={",
    "index=1",
    "replica_groups=",
    "mesh['a'=4] {'a'}",
    "[2,4]<=[4,2]T(1,0)",
    "window={size=3x3 pad=1_1x1_1}",
    "dim_labels=b01f_01io->b01f",
    "metadata={stack_frame_id=1}",
    "StackFrames\n1 {file_location_id=1}\n",
    "constant({",
    "parameter(",
    "get-tuple-element(",
    "HloModule",
    "\\",
    "'",
};

static inline const char *hlo_mutate_word(struct hlo_mutate *u)
{
    return hlo_mutate_words[hlo_mutate_draw(u, sizeof hlo_mutate_words / sizeof *hlo_mutate_words)];
}

/* One change: a bit, a byte, a cut, a token twice, two tokens swapped, a piece of another module, a
 * word that means something. */
static inline void hlo_mutate_once(struct hlo_mutate *u)
{
    size_t at, size, n = u->size ? u->size : 1;

    if (u->size == 0)
        return;
    at = hlo_mutate_draw(u, n);
    switch (hlo_mutate_draw(u, 12)) {
    case 0: u->text[at] = (char)(u->text[at] ^ (1 << hlo_mutate_draw(u, 8))); break;
    case 1: u->text[at] = (char)hlo_mutate_draw(u, 256); break;
    case 2: u->size = at; break;
    case 3: /* a cut in the middle */
        size = hlo_mutate_draw(u, n - at < 40 ? n - at : 40);
        hlo_mutate_replace(u, at, size, "", 0);
        break;
    case 4: /* a token twice */
        hlo_mutate_token(u, &at, &size);
        hlo_mutate_replace(u, at, 0, u->text + at, size);
        break;
    case 5: hlo_mutate_swap(u); break;
    case 6: { /* a piece of any module here */
        const char *other = u->sample[hlo_mutate_draw(u, u->n_samples)];
        size_t from = hlo_mutate_draw(u, strlen(other)), left = strlen(other) - from;
        hlo_mutate_replace(u, at, hlo_mutate_draw(u, n - at < 80 ? n - at : 80), other + from,
                           hlo_mutate_draw(u, left < 200 ? left : 200));
        break;
    }
    case 7: { /* a word in the place of a token */
        const char *word = hlo_mutate_word(u);
        hlo_mutate_token(u, &at, &size);
        hlo_mutate_replace(u, at, size, word, strlen(word));
        break;
    }
    case 8: { /* a word before a token */
        const char *word = hlo_mutate_word(u);
        hlo_mutate_token(u, &at, &size);
        hlo_mutate_replace(u, at, 0, word, strlen(word));
        break;
    }
    default: /* a digit, which the text may survive */
        while (at + 1 < n && (u->text[at] < '0' || u->text[at] > '9'))
            at++;
        u->text[at] = (char)('0' + hlo_mutate_draw(u, 10));
        break;
    }
}

static inline bool hlo_mutate_is_number(const struct hlo_mutate *u, size_t at, size_t size)
{
    for (size_t i = at; i < at + size; i++)
        if (u->text[i] < '0' || u->text[i] > '9')
            return false;
    return true;
}

/* A word in the place of one that it may be exchanged with: numbers, opcodes, names. */
static inline void hlo_mutate_exchange(struct hlo_mutate *u)
{
    static const char *const numbers[] = {
        "0", "1", "2", "3", "7", "128", "1024", "65536", "2147483648", "9223372036854775807"
    };
    size_t at, size, other, other_size;
    const char *word;

    hlo_mutate_token(u, &at, &size);
    if (hlo_mutate_is_number(u, at, size)) {
        word = numbers[hlo_mutate_draw(u, sizeof numbers / sizeof *numbers)];
        hlo_mutate_replace(u, at, size, word, strlen(word));
    } else if (at + size < u->size && u->text[at + size] == '(') {
        word = hlo_opcode_name[hlo_mutate_draw(u, HLO_N_OPCODES)];
        hlo_mutate_replace(u, at, size, word, strlen(word));
    } else {
        hlo_mutate_token(u, &other, &other_size);
        if (!hlo_mutate_is_number(u, other, other_size))
            hlo_mutate_replace(u, at, size, u->text + other, other_size);
    }
}

/* A line less. */
static inline void hlo_mutate_drop(struct hlo_mutate *u)
{
    size_t at = hlo_mutate_draw(u, u->size), end = at;

    while (at > 0 && u->text[at - 1] != '\n')
        at--;
    while (end < u->size && u->text[end] != '\n')
        end++;
    hlo_mutate_replace(u, at, end - at, "", 0);
}

/* A change that the grammar may allow. */
static inline void hlo_mutate_softly(struct hlo_mutate *u)
{
    if (u->size == 0)
        return;
    if (hlo_mutate_draw(u, 16) == 0)
        hlo_mutate_drop(u);
    else
        hlo_mutate_exchange(u);
}

/* The text of mutation `i` in u->text. */
static inline void hlo_mutate_make(struct hlo_mutate *u, uint64_t seed, uint64_t i)
{
    u->state = seed * 0x9e3779b97f4a7c15u ^ i * 0xd1342543de82ef95u;
    const char *sample = u->sample[hlo_mutate_draw(u, u->n_samples)];
    u->size = strlen(sample);
    memcpy(u->text, sample, u->size);
    bool softly = hlo_mutate_draw(u, 2) == 0;
    for (uint64_t n = 1 + hlo_mutate_draw(u, 3); n > 0; n--)
        (softly ? hlo_mutate_softly : hlo_mutate_once)(u);
}

/* An error says where, and shows it. */
static inline bool hlo_mutate_is_error(const struct err *err)
{
    const char *line = strchr(err->msg, '\n'), *caret = line ? strchr(line + 1, '\n') : NULL;

    return strncmp(err->msg, "t:", 2) == 0 && caret && caret[1 + strspn(caret + 1, " ")] == '^' &&
           strlen(err->msg) < sizeof err->msg && err->code != ERR_NONE;
}

/* All questions about one instruction; false if an answer cannot be. */
static inline bool hlo_mutate_ask(const struct hlo_module *m, const struct hlo_instruction *i)
{
    struct hlo_window w;
    struct hlo_dim_labels d;
    struct hlo_groups g;
    struct hlo_text file;
    struct err err;
    uint32_t line;
    bool good = i->shape != NULL && i->computation < m->n_computations;

    for (uint32_t n = 0; n < i->n_operands; n++)
        good = good && hlo_operand(m, i, n) < i;
    for (uint32_t n = 0; n < i->n_called; n++)
        good = good && hlo_called(m, i, n)->root < m->n_instructions;
    if (!good)
        return false;
    (void)hlo_bytes(i->shape);
    (void)hlo_elements(i->shape);
    (void)hlo_source(m, i, &file, &line);
    (void)hlo_part(hlo_part(hlo_attribute(m, i, "backend_config"), "window_config"), "note");
    good = hlo_window(m, i, &w, &err) == 0 || hlo_mutate_is_error(&err);
    good = good && (hlo_dim_labels(m, i, &d, &err) == 0 || hlo_mutate_is_error(&err));
    if (good && hlo_groups(m, i, &g, &err) == 0)
        free(g.member);
    else
        good = good && hlo_mutate_is_error(&err);
    return good;
}

/* Read one text and ask.  False if something is wrong with an answer or an error. */
static inline bool hlo_mutate_read(const char *text, size_t size, struct hlo_mutate_counts *counts)
{
    struct hlo_module *m;
    struct err err;
    bool good = true;

    (void)hlo_looks_like(text, size);
    if (hlo_parse(&m, "t", text, size, &err) != 0) {
        counts->refused++;
        return hlo_mutate_is_error(&err);
    }
    counts->read++;
    counts->instructions += m->n_instructions;
    for (uint32_t i = 0; i < m->n_instructions && good; i++)
        good = hlo_mutate_ask(m, &m->instruction[i]);
    hlo_free(m);
    return good;
}

/* The text in a piece of memory of just its size, so that no read past its end is missed. */
static inline char *hlo_mutate_exact(const struct hlo_mutate *u)
{
    char *exact = malloc(u->size ? u->size : 1);

    memcpy(exact, u->text, u->size);
    return exact;
}

static inline bool hlo_mutate_try(struct hlo_mutate *u, uint64_t seed, uint64_t i,
                                  struct hlo_mutate_counts *counts)
{
    hlo_mutate_make(u, seed, i);
    char *exact = hlo_mutate_exact(u);
    bool good = hlo_mutate_read(exact, u->size, counts);
    free(exact);
    return good;
}

#endif
