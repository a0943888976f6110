/* Changes to text that leave most of it sound: see fuzz.h. */
#include <ctype.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

struct text {
    uint8_t *data;
    size_t size, room;
    uint64_t state;
};

struct part {
    size_t at, size;
};

uint64_t fuzz_draw(uint64_t *state, uint64_t n)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % n;
}

/* False if there is no room. */
static bool replace_part(struct text *t, struct part p, const uint8_t *by, size_t n)
{
    uint8_t copy[4096];

    if (n > sizeof copy || t->size - p.size + n > t->room)
        return false;
    memcpy(copy, by, n);
    memmove(t->data + p.at + n, t->data + p.at + p.size, t->size - p.at - p.size);
    memcpy(t->data + p.at, copy, n);
    t->size += n - p.size;
    return true;
}

/* A line with its newline. */
static struct part draw_line(struct text *t)
{
    size_t at = fuzz_draw(&t->state, t->size), end = at;

    while (at > 0 && t->data[at - 1] != '\n')
        at--;
    while (end < t->size && t->data[end] != '\n')
        end++;
    return (struct part){ at, end - at + (end < t->size) };
}

static bool is_word(uint8_t c)
{
    return isalnum(c) || c == '_' || c == '.' || c == '%' || c == '-';
}

/* A word, or one character that is of none. */
static struct part draw_word(struct text *t)
{
    size_t at = fuzz_draw(&t->state, t->size), end;

    while (at > 0 && is_word(t->data[at]) && is_word(t->data[at - 1]))
        at--;
    for (end = at; end < t->size && is_word(t->data[end]);)
        end++;
    return (struct part){ at, end > at ? end - at : 1 };
}

/* A run of digits near a place; empty: there is none. */
static struct part draw_number(struct text *t)
{
    size_t at = fuzz_draw(&t->state, t->size), end;

    while (at < t->size && !isdigit(t->data[at]))
        at++;
    for (end = at; end < t->size && isdigit(t->data[end]);)
        end++;
    return (struct part){ at, end - at };
}

static void change_number(struct text *t)
{
    static const char *const numbers[] = { "0",
                                           "1",
                                           "2",
                                           "3",
                                           "7",
                                           "8",
                                           "9",
                                           "16",
                                           "100",
                                           "128",
                                           "255",
                                           "1024",
                                           "65535",
                                           "65536",
                                           "1000000",
                                           "4294967295",
                                           "4294967296",
                                           "9223372036854775807",
                                           "18446744073709551615",
                                           "18446744073709551616",
                                           "0.5",
                                           "1e9",
                                           "-1",
                                           "007" };
    struct part p = draw_number(t), from = draw_number(t);
    const char *n = numbers[fuzz_draw(&t->state, sizeof numbers / sizeof *numbers)];

    if (p.size == 0)
        return;
    if (fuzz_draw(&t->state, 3) == 0) /* one digit */
        t->data[p.at + p.size - 1] = (uint8_t)('0' + fuzz_draw(&t->state, 10));
    else if (from.size && fuzz_draw(&t->state, 2) == 0)
        replace_part(t, p, t->data + from.at, from.size);
    else
        replace_part(t, p, (const uint8_t *)n, strlen(n));
}

static void swap_lines(struct text *t)
{
    struct part a = draw_line(t), b = draw_line(t);
    uint8_t line[2048];

    if (a.at > b.at) {
        struct part c = a;
        a = b;
        b = c;
    }
    if (a.at + a.size > b.at || a.size > sizeof line || b.size > sizeof line)
        return;
    memcpy(line, t->data + b.at, b.size);
    if (replace_part(t, b, t->data + a.at, a.size) && !replace_part(t, a, line, b.size))
        replace_part(t, (struct part){ b.at, a.size }, line, b.size); /* as it was */
}

static void change_once(struct text *t, const char *const *word, size_t n_words)
{
    struct part p, from;
    uint64_t what = fuzz_draw(&t->state, 12);

    switch (what) {
    case 0: replace_part(t, draw_line(t), t->data, 0); break;
    case 1:
        p = draw_line(t);
        replace_part(t, (struct part){ p.at, 0 }, t->data + p.at, p.size);
        break;
    case 2: swap_lines(t); break;
    case 3:
    case 4:
    case 5: change_number(t); break;
    case 6:
    case 7: /* a word of the text in the place of another */
        p = draw_word(t);
        from = draw_word(t);
        replace_part(t, p, t->data + from.at, from.size);
        break;
    case 8:
    case 9: /* a word that means something, in the place of another or before it */
        if (n_words > 0) {
            const char *w = word[fuzz_draw(&t->state, n_words)];
            p = draw_word(t);
            replace_part(t, (struct part){ p.at, what == 8 ? p.size : 0 }, (const uint8_t *)w,
                         strlen(w));
        }
        break;
    case 10: replace_part(t, draw_word(t), t->data, 0); break;
    default: /* a byte */
        p.at = fuzz_draw(&t->state, t->size);
        t->data[p.at] = (uint8_t)(fuzz_draw(&t->state, 4) ? 32 + fuzz_draw(&t->state, 95)
                                                          : fuzz_draw(&t->state, 256));
    }
}

size_t fuzz_mutate_text(uint8_t *data, size_t size, size_t room, uint64_t seed,
                        const char *const *word, size_t n_words)
{
    struct text t = { data, size, room, seed };

    for (uint64_t n = 1 + fuzz_draw(&t.state, 4); n > 0 && t.size > 0; n--)
        change_once(&t, word, n_words);
    return t.size;
}
