#include "study/profiled/pairing.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"

void pairing_clear(struct pairing_item *item)
{
    free(item->head);
    free(item->whole);
    free(item->placed);
    *item = (struct pairing_item){ 0 };
}

/* Profilers put the kind of operation behind the scope: "jit(step)/add:". */
static void add_placed(struct pairing_item *item)
{
    size_t n = item->scope ? strcspn(item->scope, ":") : 0;

    if (item->whole && n > 0)
        item->placed = memory_format("%s %.*s", item->whole, (int)n, item->scope);
}

/* --- an instruction of a program ------------------------------------------------------------ */

static void print_shape(const struct hlo_shape *s, FILE *out)
{
    if (s->dtype == HLO_TUPLE) {
        putc('(', out);
        for (uint32_t i = 0; i < s->n_parts; i++) {
            if (i > 0)
                putc(',', out);
            print_shape(&s->part[i], out);
        }
        putc(')', out);
        return;
    }
    fprintf(out, "%s[", hlo_dtype_name[s->dtype]);
    for (uint32_t i = 0; i < s->rank; i++)
        fprintf(out, "%s%" PRIu64, i ? "," : "", s->dim[i]);
    putc(']', out);
}

void pairing_describe(struct pairing_item *item, const struct hlo_module *m,
                      const struct hlo_instruction *i)
{
    struct hlo_text kind = hlo_attribute(m, i, "kind");
    struct memory_text t;

    memory_text_begin(&t);
    print_shape(i->shape, t.out);
    fprintf(t.out, " %.*s", (int)i->opcode_text.size, i->opcode_text.at);
    if (kind.at)
        fprintf(t.out, " %.*s", (int)kind.size, kind.at);
    item->head = memory_text_end(&t);
    memory_text_begin(&t);
    fputs(item->head, t.out);
    for (uint32_t k = 0; k < i->n_operands; k++) {
        putc(' ', t.out);
        print_shape(hlo_operand(m, i, k)->shape, t.out);
    }
    item->whole = memory_text_end(&t);
    add_placed(item);
}

void pairing_write(const struct hlo_module *m, const struct hlo_instruction *i, FILE *out)
{
    struct hlo_text kind = hlo_attribute(m, i, "kind");

    fprintf(out, "%%%.*s = ", (int)i->name.size, i->name.at);
    print_shape(i->shape, out);
    fprintf(out, " %.*s(", (int)i->opcode_text.size, i->opcode_text.at);
    for (uint32_t k = 0; k < i->n_operands; k++) {
        const struct hlo_instruction *o = hlo_operand(m, i, k);
        fputs(k ? ", " : "", out);
        print_shape(o->shape, out);
        fprintf(out, " %%%.*s", (int)o->name.size, o->name.at);
    }
    putc(')', out);
    if (kind.at)
        fprintf(out, ", kind=%.*s", (int)kind.size, kind.at);
}

/* --- its text in a profile ------------------------------------------------------------------ */

/* Behind the bracket that closes the one at `at`; NULL: the text ends before. */
static const char *skip_brackets(const char *at)
{
    unsigned depth = 0;

    for (; *at; at++) {
        if (strchr("([{", *at))
            depth++;
        else if (strchr(")]}", *at) && --depth == 0)
            return at + 1;
    }
    return NULL;
}

static const char *skip_blanks(const char *at)
{
    for (;;) {
        const char *comment = strncmp(at, "/*", 2) == 0 ? strstr(at + 2, "*/") : NULL;
        if (comment)
            at = comment + 2;
        else if (plain_is_blank(*at))
            at++;
        else
            return at;
    }
}

/* Print the shape at `at` without layouts, bounds and blanks.  Returns the place behind it, or NULL
 * if there is none. */
static const char *print_text_shape(const char *at, FILE *out)
{
    const char *end = *at == '(' ? skip_brackets(at) : strchr(at, '[');

    if (end && *at != '(') {
        for (const char *c = at; c < end; c++)
            if (!plain_is_word(*c))
                return NULL;
        end = skip_brackets(end);
    }
    if (!end)
        return NULL;
    while (at < end) {
        const char *next = skip_blanks(at);
        if (next == at && *at == '{')
            next = skip_brackets(at);
        if (!next)
            return NULL;
        if (next == at) {
            if (!strchr("<=", *at))
                putc(*at, out);
            next = at + 1;
        }
        at = next;
    }
    return *at == '{' ? skip_brackets(at) : at;
}

/* " f32[8] f32[]" of "(f32[8]{0} %a, f32[] %b)"; false: an operand has no shape, or it is cut. */
static bool print_operands(const char *at, FILE *out)
{
    at = skip_blanks(at + 1);
    while (*at != ')') {
        putc(' ', out);
        at = print_text_shape(at, out);
        if (!at)
            return false;
        at += strcspn(at, ",)");
        if (*at == ',')
            at = skip_blanks(at + 1);
        else if (*at != ')')
            return false;
    }
    return true;
}

void pairing_read(struct pairing_item *item, const char *text)
{
    const char *at = strstr(text, " = "), *kind = strstr(text, ", kind=");
    struct memory_text t;

    if (!at)
        return;
    memory_text_begin(&t);
    at = print_text_shape(skip_blanks(at + 3), t.out);
    at = at ? skip_blanks(at) : NULL;
    size_t word = at ? strcspn(at, "( ") : 0;
    if (word > 0 && at[word] == '(')
        fprintf(t.out, " %.*s", (int)word, at);
    if (kind)
        fprintf(t.out, " %.*s", (int)strcspn(kind + 7, ", "), kind + 7);
    item->head = memory_text_end(&t);
    if (word == 0 || at[word] != '(') {
        free(item->head);
        item->head = NULL;
        return;
    }
    memory_text_begin(&t);
    fputs(item->head, t.out);
    bool all = print_operands(at + word, t.out);
    item->whole = memory_text_end(&t);
    if (!all) {
        free(item->whole);
        item->whole = NULL;
    }
    add_placed(item);
}

/* --- partners ------------------------------------------------------------------------------- */

enum key { KEY_NAME, KEY_PLACED, KEY_WHOLE, KEY_HEAD };

/* An item that has no partner yet, by one of its texts. */
struct entry {
    const char *key;
    uint32_t index;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = strcmp(x->key, y->key);

    return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

/* Those of `item` that are not taken and have such a text, sorted. */
static size_t sort_entries(struct entry *e, const struct pairing_item *item, size_t n,
                           const bool *taken, enum key by)
{
    size_t found = 0;

    for (uint32_t i = 0; i < n; i++) {
        const char *const keys[] = { item[i].name, item[i].placed, item[i].whole, item[i].head };
        const char *key = keys[by];
        if (key && !taken[i])
            e[found++] = (struct entry){ key, i };
    }
    qsort(e, found, sizeof *e, compare_entries);
    return found;
}

static bool may_be_partners(const struct pairing_item *a, const struct pairing_item *b)
{
    return !a->head || !b->head || strcmp(a->head, b->head) == 0;
}

struct search {
    struct pairing_partner *partner;
    const struct pairing_item *a, *b;
    size_t n_a, n_b;
    bool *taken_a, *taken_b;
    struct entry *entry_a, *entry_b;
};

/* Pair those of equal text, the first with the first. */
static void pair_equal(const struct search *s, enum key by)
{
    size_t n_a = sort_entries(s->entry_a, s->a, s->n_a, s->taken_a, by);
    size_t n_b = sort_entries(s->entry_b, s->b, s->n_b, s->taken_b, by);

    for (size_t i = 0, k = 0; i < n_a && k < n_b;) {
        uint32_t x = s->entry_a[i].index, y = s->entry_b[k].index;
        int order = strcmp(s->entry_a[i].key, s->entry_b[k].key);
        if (order == 0 && (by != KEY_NAME || may_be_partners(&s->a[x], &s->b[y]))) {
            s->partner[x] =
                (struct pairing_partner){ y, by == KEY_NAME ? PAIRING_NAME : PAIRING_SHAPE };
            s->taken_a[x] = s->taken_b[y] = true;
        }
        i += order <= 0;
        k += order >= 0;
    }
}

void pairing_find(struct pairing_partner *partner, const struct pairing_item *a, size_t n_a,
                  const struct pairing_item *b, size_t n_b)
{
    struct search s = { .partner = partner, .a = a, .b = b, .n_a = n_a, .n_b = n_b };

    memset(partner, 0, n_a * sizeof *partner);
    s.taken_a = memory_zeroed(n_a, sizeof *s.taken_a);
    s.taken_b = memory_zeroed(n_b, sizeof *s.taken_b);
    s.entry_a = memory_zeroed(n_a, sizeof *s.entry_a);
    s.entry_b = memory_zeroed(n_b, sizeof *s.entry_b);
    pair_equal(&s, KEY_NAME);
    pair_equal(&s, KEY_PLACED);
    pair_equal(&s, KEY_WHOLE);
    pair_equal(&s, KEY_HEAD);
    free(s.taken_a);
    free(s.taken_b);
    free(s.entry_a);
    free(s.entry_b);
}
