/* Ways to spoil samples, and rules that hold of all that is read: see profile_mutate.h. */
#include "profile_mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hlo/proto/hlo_proto.h"
#include "profile/profile.h"

/* splitmix64; below n, n >= 1 */
static uint64_t draw_below(struct profile_mutate *m, uint64_t n)
{
    uint64_t z = m->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % n;
}

/* A place, more often one near the begin, where heads of messages are. */
static size_t draw_place(struct profile_mutate *m)
{
    uint64_t n = draw_below(m, 3) == 0 && m->n > 512 ? 512 : m->n;

    return n ? (size_t)draw_below(m, n) : 0;
}

static void insert_bytes(struct profile_mutate *m, size_t at, size_t from, size_t n)
{
    if (m->n + n > m->room || from + n > m->n)
        return;
    unsigned char piece[256];
    n = n < sizeof piece ? n : sizeof piece;
    memcpy(piece, m->bytes + from, n);
    memmove(m->bytes + at + n, m->bytes + at, m->n - at);
    memcpy(m->bytes + at, piece, n);
    m->n += n;
}

static void spoil_once(struct profile_mutate *m)
{
    static const unsigned char telling[] = { 0,    1,    2,    5,    8,    0x0a, 0x12, 0x1a,
                                             0x22, 0x7f, 0x80, 0x81, 0xc0, 0xf0, 0xff, '"',
                                             ',',  '{',  '}',  '0',  '-',  '\n' };
    size_t at = draw_place(m), n;

    if (m->n == 0)
        return;
    switch (draw_below(m, 7)) {
    case 0: m->bytes[at] ^= (unsigned char)(1u << draw_below(m, 8)); break;
    case 1: m->bytes[at] = telling[draw_below(m, sizeof telling)]; break;
    case 2: m->bytes[at] = (unsigned char)draw_below(m, 256); break;
    case 3: m->n = at; break;
    case 4: /* take bytes out */
        n = (size_t)draw_below(m, 16) + 1;
        n = n < m->n - at ? n : m->n - at;
        memmove(m->bytes + at, m->bytes + at + n, m->n - at - n);
        m->n -= n;
        break;
    case 5: insert_bytes(m, at, draw_place(m), (size_t)draw_below(m, 64) + 1); break;
    default: /* a long number */
        for (n = 0; n < 1 + draw_below(m, 10) && at + n < m->n; n++)
            m->bytes[at + n] = 0xff;
    }
}

void profile_mutate_make(struct profile_mutate *m, uint64_t seed, uint64_t i)
{
    m->state = seed * 0xd1342543de82ef95u + i;
    const struct profile_mutate_sample *s = &m->sample[draw_below(m, m->n_samples)];
    memcpy(m->bytes, s->bytes, s->n);
    m->n = s->n;
    m->from = s->name;
    for (uint64_t n = 1 + draw_below(m, 4); n > 0; n--)
        spoil_once(m);
}

static bool check_message(const struct err *err)
{
    return err->code != ERR_NONE && strncmp(err->msg, "spoiled:", 8) == 0 &&
           !strchr(err->msg, '\n') && strlen(err->msg) > 12;
}

/* Do all references point into the profile, and do sums agree? */
static bool check_profile(const struct profile *p)
{
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct profile_kernel *k = &p->kernel[i];
        if (k->program >= p->n_programs || !k->name || !k->text || !k->category || k->count == 0 ||
            k->least > k->most)
            return false;
    }
    for (size_t i = 0; i < p->n_events; i++)
        if (p->event[i].kernel >= p->n_kernels ||
            p->event[i].length > p->kernel[p->event[i].kernel].most)
            return false;
    for (size_t i = 0; i < p->n_programs; i++)
        if (!p->program[i].name || p->program[i].busy > p->program[i].total)
            return false;
    return true;
}

/* Programs inside are written as text or refused. */
static bool check_programs(const struct profile *p)
{
    for (size_t i = 0; i < p->n_programs; i++) {
        struct err err = { .code = ERR_NONE };
        char *text;
        size_t n;
        if (!p->program[i].hlo)
            continue;
        int rc =
            hlo_proto_text(&text, &n, "spoiled", p->program[i].hlo, p->program[i].hlo_size, &err);
        if (rc == 0 ? strlen(text) > n : text || err.code == ERR_NONE)
            return false;
        free(text);
    }
    return true;
}

/* A serialised program alone, or what is left of it. */
static bool try_program(const void *bytes, size_t n, struct profile_mutate_counts *counts)
{
    struct err err = { .code = ERR_NONE };
    char *text;
    size_t size;

    if (hlo_proto_text(&text, &size, "spoiled", bytes, n, &err) != 0) {
        counts->refused++;
        return !text && strncmp(err.msg, "spoiled:", 8) == 0;
    }
    counts->read++;
    free(text);
    return true;
}

bool profile_mutate_check(const void *bytes, size_t n, bool program,
                          struct profile_mutate_counts *counts)
{
    struct err err = { .code = ERR_NONE };
    struct profile *p;
    bool good;

    if (program)
        return try_program(bytes, n, counts);
    if (profile_read_memory(&p, "spoiled", bytes, n, &err) == 0) {
        counts->read++;
        good = check_profile(p) && check_programs(p);
    } else {
        counts->refused++;
        good = !p && check_message(&err);
    }
    if (!good)
        fprintf(stderr, "%s\n", err.msg);
    profile_free(p);
    return good;
}

size_t profile_mutate_bytes(unsigned char *bytes, size_t n, size_t room, uint64_t seed)
{
    struct profile_mutate m = { .state = seed, .bytes = bytes, .n = n, .room = room };

    for (uint64_t i = 1 + draw_below(&m, 4); i > 0; i--)
        spoil_once(&m);
    return m.n;
}

bool profile_mutate_try(struct profile_mutate *m, uint64_t seed, uint64_t i,
                        struct profile_mutate_counts *counts)
{
    profile_mutate_make(m, seed, i);
    unsigned char *exact = malloc(m->n ? m->n : 1); /* so that a sanitizer sees its end */
    memcpy(exact, m->bytes, m->n);
    bool good = profile_mutate_check(exact, m->n, strstr(m->from, ".hlo.pb") != NULL, counts);
    if (!good)
        fprintf(stderr, "mutation %llu of seed %llu\n", (unsigned long long)i,
                (unsigned long long)seed);
    free(exact);
    return good;
}
