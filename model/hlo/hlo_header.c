/* hlo_header.c - the head of a module: comment, name, attributes, aliases. */
#include <string.h>

#include "base/memory.h"
#include "hlo/hlo_parser.h"

#define COMMENT "// cyclotron:"

static struct hlo_text trim_text(const char *from, const char *to)
{
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    while (from < to && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r'))
        to--;
    return (struct hlo_text){ from, (uint32_t)(to - from) };
}

/* Comments before the module, with # in lit tests; the first one for us is kept. */
static void read_comments(struct hlo_parser *p)
{
    struct hlo_lex *x = &p->lex;
    struct hlo_text *kept = &p->m->comment;

    if (x->end - x->at >= 3 && memcmp(x->at, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
        x->at += 3;
    for (;;) {
        while (x->at < x->end && (*x->at == ' ' || (*x->at >= '\t' && *x->at <= '\r')))
            x->at++;
        const char *begin = x->at, *line_end = begin < x->end
                                                   ? memchr(begin, '\n', (size_t)(x->end - begin))
                                                   : NULL;
        if (!line_end)
            line_end = x->end;
        if (!kept->at && (size_t)(line_end - begin) > sizeof COMMENT - 1 &&
            memcmp(begin, COMMENT, sizeof COMMENT - 1) == 0)
            *kept = trim_text(begin + sizeof COMMENT - 1, line_end);
        if (begin < x->end && *begin == '#')
            x->at = line_end;
        else
            hlo_lex_blanks(x);
        if (x->at == begin)
            return;
    }
}

/* {0, 1} */
static int read_path(struct hlo_lex *x, uint32_t path[4], uint32_t *n)
{
    *n = 0;
    if (hlo_lex_expect(x, '{', "'{' before a path in a tuple") != 0)
        return -1;
    while (hlo_lex_peek(x) != '}') {
        const char *at = x->at;
        uint64_t number;
        if (*n > 0 && hlo_lex_expect(x, ',', "',' or '}' in a path") != 0)
            return -1;
        if (*n == 4)
            return hlo_lex_fail(x, at, ERR_RANGE, "an alias more than 4 tuples deep");
        if (hlo_lex_number(x, "an index in a tuple", &number) != 0)
            return -1;
        if (number >= UINT32_MAX)
            return hlo_lex_fail(x, at, ERR_RANGE, "an index in a tuple of more than 32 bits");
        path[(*n)++] = (uint32_t)number;
    }
    x->at++;
    return 0;
}

/* {0}: (3, {}, may-alias); older texts write {0}: 3 */
static int read_alias(struct hlo_lex *x, struct hlo_alias *a)
{
    uint64_t number;

    *a = (struct hlo_alias){ 0 };
    if (read_path(x, a->output, &a->n_output) != 0 ||
        hlo_lex_expect(x, ':', "':' between result and parameter") != 0)
        return -1;
    bool pair = hlo_lex_take(x, '(');
    const char *at = (hlo_lex_blanks(x), x->at);
    if (hlo_lex_number(x, "the number of a parameter", &number) != 0)
        return -1;
    if (number >= UINT32_MAX)
        return hlo_lex_fail(x, at, ERR_RANGE, "the number of a parameter has more than 32 bits");
    a->parameter = (uint32_t)number;
    if (!pair)
        return 0;
    if (hlo_lex_take(x, ',') && read_path(x, a->part, &a->n_part) != 0)
        return -1;
    if (hlo_lex_take(x, ',') && hlo_lex_word(x).size == 0)
        return hlo_lex_expected(x, "may-alias or must-alias");
    return hlo_lex_expect(x, ')', "')' after an alias");
}

/* { {0}: (0, {}, may-alias), ... } */
static int read_aliases(struct hlo_parser *p, struct hlo_text value)
{
    struct hlo_module *m = p->m;
    struct hlo_lex x = p->lex;

    x.at = value.at;
    x.counted = x.line_start = x.text;
    x.line = 1;
    if (hlo_lex_expect(&x, '{', "'{' before aliases") != 0)
        return -1;
    for (bool first = true; hlo_lex_peek(&x) != '}'; first = false) {
        if (!first && hlo_lex_expect(&x, ',', "',' or '}' between aliases") != 0)
            return -1;
        HLO_PARSER_ROOM(m->alias, m->n_aliases, p->cap_aliases);
        if (read_alias(&x, &m->alias[m->n_aliases++]) != 0)
            return -1;
    }
    return 0;
}

/* replica_count=4 */
static int read_count(struct hlo_parser *p, struct hlo_attribute a, uint64_t *count)
{
    int64_t number;

    if (hlo_numbers(a.value, &number, 1) != 1 || number < 1 || number > UINT32_MAX)
        return hlo_lex_fail(&p->lex, a.value.at, ERR_RANGE, "%.*s = %.*s: outside [1, %u]",
                            (int)a.key.size, a.key.at, a.value.size > 40 ? 40 : (int)a.value.size,
                            a.value.at, UINT32_MAX);
    *count = (uint64_t)number;
    return 0;
}

static int read_attribute(struct hlo_parser *p)
{
    struct hlo_module *m = p->m;
    struct hlo_attribute a;

    if (hlo_lex_attribute(&p->lex, &a) != 0)
        return -1;
    hlo_parser_add_attribute(p, a);
    m->n_header_attributes++;
    if (hlo_text_is(a.key, "is_scheduled"))
        m->scheduled = hlo_text_is(a.value, "true");
    else if (hlo_text_is(a.key, "replica_count"))
        return read_count(p, a, &m->replicas);
    else if (hlo_text_is(a.key, "num_partitions"))
        return read_count(p, a, &m->partitions);
    else if (hlo_text_is(a.key, "input_output_alias"))
        return read_aliases(p, a.value);
    return 0;
}

int hlo_parser_header(struct hlo_parser *p)
{
    struct hlo_lex *x = &p->lex;

    read_comments(p);
    const char *begin = (hlo_lex_blanks(x), x->at);
    struct hlo_text word = hlo_lex_word(x);
    if (hlo_text_is(word, "hlo_module"))
        return hlo_lex_fail(
            x, begin, ERR_FORMAT,
            "a module as text of protobuf, expected HLO text, as as_text() prints it");
    if (hlo_text_is(word, "module") && hlo_lex_peek(x) == '@')
        return hlo_lex_fail(
            x, begin, ERR_FORMAT,
            "a module of MLIR, expected HLO text, as compile().as_text() prints it");
    if (!hlo_text_is(word, "HloModule")) {
        x->at = begin;
        return 0;
    }
    hlo_lex_blanks(x);
    const char *name = x->at;
    while (x->at<x->end && * x->at> ' ' && *x->at != ',' && *x->at != '{')
        x->at++;
    if (x->at == name)
        return hlo_lex_expected(x, "the name of the module");
    p->m->name = (struct hlo_text){ name, (uint32_t)(x->at - name) };
    if (name[p->m->name.size - 1] == ':')
        p->m->name.size--;
    p->m->first_header_attribute = p->m->n_attributes;
    while (hlo_lex_take(x, ','))
        if (read_attribute(p) != 0)
            return -1;
    return 0;
}
