#include "script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = { "event",   "signal", "fifo",   "mutex",   "semaphore",
                                     "clock",   "any",    "all",    "channel", "port",
                                     "unbound", "thread", "method", "before",  "elaborated",
                                     "start",   "end",    "main",   "ok",      "item",
                                     "timed",   "left",   "next" };
static const char *const parts[] = { "", "pos", "neg", "written", "read", "done" };

/* Words that follow the keyword: r an item, n a number, v a value, d the word "delta", t the rest.
 */
static const struct {
    const char *word, *args;
    enum opcode code;
} statements[] = {
    { "say", "t", OP_SAY },
    { "note", "t", OP_NOTE },
    { "notify", "r", OP_NOTIFY },
    { "notify", "rd", OP_NOTIFY_DELTA },
    { "notify", "rn", OP_NOTIFY_AFTER },
    { "cancel", "r", OP_CANCEL },
    { "wait", "", OP_WAIT },
    { "wait", "n", OP_WAIT_TIME },
    { "wait", "r", OP_WAIT_FOR_IT },
    { "wait", "rn", OP_WAIT_FOR_IT_OR_TIME },
    { "next", "", OP_WAIT },
    { "next", "n", OP_WAIT_TIME },
    { "next", "r", OP_WAIT_FOR_IT },
    { "next", "rn", OP_WAIT_FOR_IT_OR_TIME },
    { "write", "rv", OP_WRITE },
    { "put", "rv", OP_PUT },
    { "get", "r", OP_GET },
    { "push", "rv", OP_PUSH },
    { "pop", "r", OP_POP },
    { "lock", "r", OP_LOCK },
    { "trylock", "r", OP_TRYLOCK },
    { "unlock", "r", OP_UNLOCK },
    { "take", "r", OP_TAKE },
    { "trytake", "r", OP_TRYTAKE },
    { "post", "r", OP_POST },
    { "request", "r", OP_REQUEST },
    { "suspend", "r", OP_SUSPEND },
    { "resume", "r", OP_RESUME },
    { "kill", "r", OP_KILL },
    { "pause", "", OP_PAUSE },
    { "stop", "", OP_STOP },
    { "again", "", OP_AGAIN },
    { "again", "n", OP_AGAIN_TIMES },
    { "run", "", OP_RUN },
    { "run", "n", OP_RUN_UNTIL },
    { "step", "", OP_STEP },
    { "finish", "", OP_FINISH },
};

_Noreturn static void set_wrong(const char *what, const char *where)
{
    fprintf(stderr, "model: %s: %s\n", what, where);
    abort();
}

static int find_item(const struct script *s, const char *name, size_t len)
{
    for (int i = 0; i < s->n_items; i++)
        if (strlen(s->items[i].name) == len && strncmp(s->items[i].name, name, len) == 0)
            return i;
    return -1;
}

/* "c.neg" */
static bool parse_ref(const struct script *s, const char *word, struct ref *r)
{
    size_t len = strcspn(word, ".");

    r->item = find_item(s, word, len);
    if (r->item < 0)
        return false;
    for (int i = 0; i < (int)(sizeof parts / sizeof *parts); i++)
        if (strcmp(word[len] ? word + len + 1 : "", parts[i]) == 0) {
            r->part = (enum part)i;
            return true;
        }
    return false;
}

static bool parse_number(const char *word, uint64_t *value)
{
    char *end;

    *value = strtoull(word, &end, 10);
    return end != word && *end == '\0';
}

static bool parse_arg(const struct script *s, char type, const char *word, struct op *op)
{
    switch (type) {
    case 'r': return parse_ref(s, word, &op->ref);
    case 'n': return parse_number(word, &op->value);
    case 'd': return strcmp(word, "delta") == 0;
    default:
        return word[0] == '$' ? parse_ref(s, word + 1, &op->from) : parse_number(word, &op->value);
    }
}

static bool parse_args(const struct script *s, const char *types, char *words[], size_t n,
                       struct op *op)
{
    if (strlen(types) != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!parse_arg(s, types[i], words[i], op))
            return false;
    return true;
}

static char *trim_text(char *text)
{
    text += strspn(text, " ");
    for (size_t n = strlen(text); n > 0 && text[n - 1] == ' ';)
        text[--n] = '\0';
    return text;
}

static size_t split_words(char *text, char *words[], size_t max)
{
    size_t n = 0;

    for (char *w = strtok(text, " "); w; w = strtok(NULL, " ")) {
        if (n == max)
            set_wrong("too many words", w);
        words[n++] = w;
    }
    return n;
}

static struct op *add_op(struct script *s)
{
    if (s->n_ops == SCRIPT_OPS)
        set_wrong("too many statements", "");
    struct op *op = &s->ops[s->n_ops++];
    *op = (struct op){ .ref = { -1, PART_WHOLE }, .from = { -1, PART_WHOLE } };
    return op;
}

static void parse_statement(struct script *s, char *text)
{
    struct op *op = add_op(s);
    char whole[128], *words[3] = { 0 };
    size_t len;

    text = trim_text(text);
    len = strcspn(text, " ");
    snprintf(whole, sizeof whole, "%s", text);
    if (strncmp(text, "say ", len + 1) == 0 || strncmp(text, "note ", len + 1) == 0 ||
        strcmp(text, "say") == 0) {
        op->code = text[0] == 's' ? OP_SAY : OP_NOTE;
        snprintf(op->text, sizeof op->text, "%s", trim_text(text + len));
        return;
    }
    size_t n = split_words(text, words, 3);
    for (size_t i = 0; n > 0 && i < sizeof statements / sizeof *statements; i++)
        if (strcmp(words[0], statements[i].word) == 0 &&
            parse_args(s, statements[i].args, words + 1, n - 1, op)) {
            op->code = statements[i].code;
            return;
        }
    set_wrong("no such statement", whole);
}

static void parse_body(struct script *s, struct item *item, char *body)
{
    item->first = s->n_ops;
    while (*body) {
        size_t len = strcspn(body, ";/");
        char end = body[len];
        body[len] = '\0';
        parse_statement(s, body);
        if (end == '/')
            add_op(s)->code = OP_SLASH;
        body += len + (end != '\0');
    }
    item->end = s->n_ops;
}

static struct item *add_item(struct script *s, enum item_kind kind, const char *name)
{
    size_t len = strcspn(name, "=");

    if (s->n_items == SCRIPT_ITEMS)
        set_wrong("too many items", name);
    if (find_item(s, name, len) >= 0 || len >= SCRIPT_NAME)
        set_wrong("not a new name", name);
    struct item *item = &s->items[s->n_items++];
    *item = (struct item){ .kind = kind };
    memcpy(item->name, name, len);
    if (name[len] && !parse_number(name + len + 1, &item->value))
        set_wrong("no number", name);
    return item;
}

static enum item_kind parse_kind(const char *word)
{
    for (int i = 0; i <= ITEM_MAIN; i++)
        if (strcmp(word, kinds[i]) == 0)
            return (enum item_kind)i;
    set_wrong("no such declaration", word);
}

static void add_refs(struct script *s, struct item *item, char *words[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (item->n_refs == SCRIPT_REFS || !parse_ref(s, words[i], &item->refs[item->n_refs++]))
            set_wrong("no such item", words[i]);
    }
}

/* Parse the part before the colon; statements follow when all names are known. */
static void declare_items(struct script *s, char *head)
{
    char *all[12], **words = all;
    size_t n = split_words(head, words, 12);
    bool later = n > 0 && strcmp(words[0], "later") == 0;

    words += later;
    n -= later;
    if (n == 2 && strcmp(words[0], "no") == 0 && strcmp(words[1], "deltas") == 0) {
        s->no_deltas = true;
        return;
    }
    enum item_kind kind = parse_kind(n > 0 ? words[0] : "");
    if (kind == ITEM_MAIN) {
        add_item(s, kind, "main");
    } else if (kind >= ITEM_ANY) {
        if (n < 2)
            set_wrong("a name is missing", words[0]);
        struct item *item = add_item(s, kind, words[1]);
        size_t skip = kind >= ITEM_THREAD && n > 2 ? 3 : 2; /* "on" */
        item->later = later;
        add_refs(s, item, words + skip, n - skip);
    } else {
        for (size_t i = 1; i < n; i++)
            add_item(s, kind, words[i]);
    }
}

void script_parse(struct script *s, const char *text)
{
    char *copy[2] = { strdup(text), strdup(text) }, *save;

    *s = (struct script){ 0 };
    for (char *line = strtok_r(copy[0], "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        line[strcspn(line, ":")] = '\0';
        declare_items(s, line);
    }
    int item = -1;
    for (char *line = strtok_r(copy[1], "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *body = strchr(line, ':');
        if (!body)
            continue;
        do
            item++;
        while (s->items[item].kind < ITEM_THREAD);
        parse_body(s, &s->items[item], body + 1);
    }
    free(copy[0]);
    free(copy[1]);
}

bool script_is_list(const struct script *s, struct ref r)
{
    return s->items[r.item].kind == ITEM_ANY || s->items[r.item].kind == ITEM_ALL;
}

static uint64_t value_of(const struct script *s, const char *name, size_t len, script_value *value,
                         void *self)
{
    for (int kind = ITEM_OK; kind <= ITEM_NEXT; kind++)
        if (strlen(kinds[kind]) == len && strncmp(kinds[kind], name, len) == 0)
            return value(self, (enum item_kind)kind, -1);
    int item = find_item(s, name, len);
    if (item < 0)
        set_wrong("nothing has this value", name);
    return value(self, s->items[item].kind, item);
}

void script_expand(const struct script *s, const char *text, script_value *value, void *self,
                   char *out, size_t size)
{
    size_t n = 0;

    out[0] = '\0';
    while (*text && n < size) {
        size_t len = strcspn(text, "$");
        n += (size_t)snprintf(out + n, size - n, "%.*s", (int)len, text);
        text += len;
        if (*text == '\0' || n >= size)
            break;
        len = strspn(++text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        uint64_t v = value_of(s, text, len, value, self);
        if (v == UINT64_MAX)
            n += (size_t)snprintf(out + n, size - n, "never");
        else
            n += (size_t)snprintf(out + n, size - n, "%llu", (unsigned long long)v);
        text += len;
    }
}
