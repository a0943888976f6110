#include "model_random.h"
#include "base/plain.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct draw {
    uint64_t state;
    char *text;
    size_t n, size;
    char who;
    bool is_method;
    uint64_t unit; /* of all delays but those of Z */
};

static unsigned pick_one(struct draw *d, unsigned n)
{
    d->state ^= d->state << 13; /* xorshift64 */
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return (unsigned)(d->state >> 33) % n;
}

__attribute__((format(printf, 2, 3))) static void put_line(struct draw *d, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    d->n += (size_t)plain_text_list(d->text + d->n, d->size - d->n, fmt, ap);
    va_end(ap);
    if (d->n >= d->size)
        d->n = d->size - 1;
}

static const char *one_of(struct draw *d, const char *const *names, unsigned n)
{
    return names[pick_one(d, n)];
}

static unsigned long long draw_delay(struct draw *d, unsigned most)
{
    return d->unit * pick_one(d, most + 1);
}

/* --- the statements of a process ---------------------------------------------------------- */

static void put_wait(struct draw *d)
{
    static const char *const waited[] = { "e", "f", "a", "b", "s", "t", "u", "l", "k", "m" };
    const char *word = d->is_method ? "next" : "wait";

    switch (pick_one(d, 4)) {
    case 0: put_line(d, "%s %llu; ", word, draw_delay(d, 4)); break;
    case 1: put_line(d, "%s; ", word); break;
    case 2: put_line(d, "%s %s; ", word, one_of(d, waited, 10)); break;
    default: put_line(d, "%s %s %llu; ", word, one_of(d, waited, 10), draw_delay(d, 5));
    }
}

static void put_notify(struct draw *d)
{
    static const char *const shared[] = { "e", "f" };
    bool own = (d->who == 'A' || d->who == 'B') && pick_one(d, 2) == 0;
    char mine[2] = { (char)(d->who - 'A' + 'a'), '\0' };
    const char *event = own ? mine : one_of(d, shared, 2);

    if (own && pick_one(d, 3) == 0)
        put_line(d, "cancel %s; ", event);
    else if (pick_one(d, 3) == 0)
        put_line(d, "notify %s delta; ", event);
    else
        put_line(d, "notify %s %llu; ", event, draw_delay(d, 6));
}

/* A writes s, B t and C u; A puts into the FIFO, B takes from it. */
static void put_data(struct draw *d)
{
    static const char *const read[] = { "$s", "$t", "$u" };
    static const char *const a[] = { "put q 1; ", "push q 2; ", "push q $t; ", "put q $u; " };
    static const char *const b[] = { "get q; say item=$item; ", "pop q; say item=$item q=$q; " };

    if (d->who == 'A' && pick_one(d, 2))
        put_line(d, "%s", one_of(d, a, 4));
    else if (d->who == 'B' && pick_one(d, 2))
        put_line(d, "%s", one_of(d, b, 2));
    else if (d->who > 'C')
        put_line(d, "say %s; ", one_of(d, read, 3));
    else if (pick_one(d, 2))
        put_line(d, "write %c %u; ", d->who - 'A' + 's', pick_one(d, 3));
    else
        put_line(d, "write %c %s; ", d->who - 'A' + 's', one_of(d, read, 3));
}

static void put_statements(struct draw *d, unsigned n)
{
    while (n-- > 0)
        switch (pick_one(d, 4)) {
        case 0: put_notify(d); break;
        case 1: put_data(d); break;
        default:
            if (!d->is_method)
                put_wait(d);
            put_line(d, "say s=$s t=$t u=$u; ");
        }
}

static void put_head(struct draw *d, char who, bool is_method)
{
    static const char *const sources[] = { "e", "f", "a", "b", "s", "t", "u", "q.written" };

    d->who = who;
    d->is_method = is_method;
    /* E always runs at the start: SystemC 2.3.4 runs a thread that is killed before it began */
    put_line(d, "%s%s %c on %s %s: ", pick_one(d, 3) || who == 'E' ? "" : "later ",
             is_method ? "method" : "thread", who, one_of(d, sources, 4),
             one_of(d, sources + 4, 4));
}

static void put_thread(struct draw *d, char who)
{
    put_head(d, who, false);
    put_statements(d, 3 + pick_one(d, 4));
    if (pick_one(d, 6) == 0)
        put_line(d, "suspend %c; ", who);
    put_wait(d);
    put_line(d, "say s=$s t=$t u=$u; again %u\n", 1 + pick_one(d, 5));
}

static void put_method(struct draw *d, char who)
{
    put_head(d, who, true);
    for (unsigned i = 2 + pick_one(d, 3); i > 0; i--) {
        put_statements(d, 1 + pick_one(d, 2));
        if (pick_one(d, 2))
            put_wait(d);
        put_line(d, "say %u / ", i);
    }
    put_line(d, "next\n"); /* further activations do nothing */
}

static void put_controller(struct draw *d)
{
    static const char *const acts[] = { "suspend", "suspend", "resume", "resume", "resume" };
    static const char *const notified[] = { "e", "f", "e delta", "f 0" };

    put_line(d, "thread Z: wait 1");
    for (unsigned i = 4 + pick_one(d, 6); i > 0; i--) {
        if (pick_one(d, 2))
            put_line(d, "; notify %s", one_of(d, notified, 4));
        else if (pick_one(d, 12))
            put_line(d, "; %s %c", one_of(d, acts, 5), 'A' + (char)pick_one(d, 5));
        else
            put_line(d, "; kill %c", 'C' + (char)pick_one(d, 3));
        if (pick_one(d, 4))
            put_line(d, "; wait %llu", draw_delay(d, 3) + d->unit + 1);
    }
    put_line(d, "\n");
}

void random_model(uint64_t seed, char *text, size_t size)
{
    static const uint64_t units[] = { 1000, 4096, 1000003, 123456789012 };
    struct draw d = { .state = seed * 0x9e3779b97f4a7c15 + 1, .text = text, .size = size };

    d.unit = units[pick_one(&d, 4)];
    put_line(&d, "event e f a b\nsignal s t u=1\nfifo q=%u\n", 1 + pick_one(&d, 3));
    put_line(&d, "any l e s a\nall k e f\nall m a b t\n");
    put_thread(&d, 'A');
    put_thread(&d, 'B');
    put_method(&d, 'C');
    put_method(&d, 'D');
    put_thread(&d, 'E');
    put_controller(&d);
    put_line(&d, "main: run %llu; say left=$left next=$next; ", draw_delay(&d, 8));
    put_line(&d, "run %llu; say left=$left next=$next; run; say left=$left\n",
             8 * d.unit + draw_delay(&d, 9) + pick_one(&d, 9));
}
