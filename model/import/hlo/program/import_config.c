/* import_config.c - what the compiler says of a kernel in backend_config={...}: a scanner of JSON
 * that looks at the keys it knows, at any depth, and at no others. */
#include <string.h>

#include "base/plain.h"
#include "import/hlo/program/importing.h"

struct scan {
    const char *at, *end;
};

/* A text that is not there has nothing to scan. */
static struct scan begin_scan(struct hlo_text t)
{
    return (struct scan){ t.at, t.at ? t.at + t.size : t.at };
}

static void skip_blanks(struct scan *s)
{
    while (s->at < s->end && strchr(" \t\n,:", *s->at) && *s->at)
        s->at++;
}

/* At a quote: the text inside; *s moves behind the closing one. */
static struct hlo_text read_string(struct scan *s)
{
    const char *begin = ++s->at;

    while (s->at < s->end && *s->at != '"')
        s->at += *s->at == '\\' && s->at + 1 < s->end ? 2 : 1;
    struct hlo_text t = { begin, (uint32_t)(s->at - begin) };
    s->at += s->at < s->end;
    return t;
}

/* Any value; returns its text. */
static struct hlo_text read_value(struct scan *s)
{
    skip_blanks(s);
    const char *begin = s->at;
    int depth = 0;

    if (s->at < s->end && *s->at == '"')
        return read_string(s);
    while (s->at < s->end) {
        char c = *s->at;
        if (c == '"') {
            read_string(s);
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            break;
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        s->at++;
        if (depth == 0 && (c == '}' || c == ']'))
            break;
    }
    return (struct hlo_text){ begin, (uint32_t)(s->at - begin) };
}

/* Numbers of a text, in quotes or not; those above 63 bits are UINT64_MAX. */
static uint32_t read_numbers(struct hlo_text t, uint64_t *n, uint32_t room)
{
    const char *p = t.at, *end = t.at + t.size;
    uint32_t count = 0;

    while (p < end) {
        if (*p < '0' || *p > '9') {
            p++;
            continue;
        }
        uint64_t v = 0;
        for (; p < end && *p >= '0' && *p <= '9'; p++)
            v = import_add(import_multiply(v, 10), (uint64_t)(*p - '0'));
        if (count < room)
            n[count] = v;
        count++;
    }
    return count;
}

static uint64_t read_number(struct hlo_text t)
{
    uint64_t n = 0;

    read_numbers(t, &n, 1);
    return n;
}

static int64_t read_signed(struct hlo_text t)
{
    uint64_t n = read_number(t);

    n = n > INT64_MAX ? INT64_MAX : n;
    return t.size && memchr(t.at, '-', t.size) ? -(int64_t)n : (int64_t)n;
}

static bool find_key(struct scan *s, struct hlo_text *key)
{
    while (s->at < s->end) {
        s->at = memchr(s->at, '"', (size_t)(s->end - s->at));
        if (s->at == NULL)
            break;
        *key = read_string(s);
        if (s->at < s->end && *s->at == ':')
            return true;
    }
    s->at = s->end;
    return false;
}

/* used_scoped_memory_configs: the largest in VMEM. */
static uint64_t read_vmem(struct hlo_text t)
{
    struct scan s = begin_scan(t);
    struct hlo_text key;
    uint64_t space = 0, most = 0;

    while (find_key(&s, &key)) {
        uint64_t n = read_number(read_value(&s));
        if (hlo_text_is(key, "memory_space"))
            space = n;
        else if (hlo_text_is(key, "size") && space == 1 && n > most)
            most = n;
    }
    return most;
}

static uint32_t read_bounds(struct scan *s, uint64_t *n)
{
    uint32_t count = read_numbers(read_value(s), n, IMPORT_DIMS);

    return count > IMPORT_DIMS ? 0 : count;
}

static bool has_text(struct hlo_text t, const char *part)
{
    return t.size && memmem(t.at, t.size, part, strlen(part)) != NULL;
}

/* The fields of a cost estimate of a kernel by hand, among others of the same names. */
static void read_cost(struct import_config *c, struct hlo_text key, struct scan *s)
{
    if (hlo_text_is(key, "flops"))
        c->flops = read_number(read_value(s));
    else if (hlo_text_is(key, "transcendentals"))
        c->transcendentals = read_number(read_value(s));
    else if (hlo_text_is(key, "bytes_accessed"))
        c->bytes = read_number(read_value(s));
}

/* Taps share passes of the array where the features of the input are in sublanes: by whole groups
 * of 8, or packed without gaps.  Gradients of filters have them on the sublanes of both operands;
 * "XposeReuse" turns the rows that stream once for all taps. */
static void read_emitter(struct import_config *c, struct hlo_text t)
{
    c->dense = has_text(t, "Packed");
    c->summed = has_text(t, "AllInputFeatureInSublanes");
    c->packed = c->dense || c->summed || has_text(t, "InputBatchInLanes");
}

/* The number in {"n":"16"}, if it is a whole one. */
static void read_trips(struct import_config *c, struct hlo_text t)
{
    uint32_t digits = 0;

    for (uint32_t i = 0; i < t.size; i++) {
        if (t.at[i] && strchr("-+.eE", t.at[i]))
            return;
        digits += plain_is_digit(t.at[i]) != 0;
    }
    c->counted = digits > 0;
    c->trips = read_number(t);
}

static void read_field(struct import_config *c, struct hlo_text key, struct scan *s)
{
    if (hlo_text_is(key, "kernel_window_bounds"))
        c->n_kernel = read_bounds(s, c->kernel);
    else if (hlo_text_is(key, "input_window_bounds"))
        c->n_input = read_bounds(s, c->input);
    else if (hlo_text_is(key, "output_window_bounds"))
        c->n_output = read_bounds(s, c->output);
    else if (hlo_text_is(key, "iteration_bounds"))
        c->n_grid = read_bounds(s, c->grid);
    else if (hlo_text_is(key, "estimated_cycles"))
        c->estimate = read_number(read_value(s));
    else if (hlo_text_is(key, "used_scoped_memory_configs"))
        c->vmem = read_vmem(read_value(s));
    else if (hlo_text_is(key, "scoped_memory_configs") || hlo_text_is(key, "debug"))
        read_value(s);
    else if (hlo_text_is(key, "megacore_split_dim")) {
        c->divided = true;
        c->split = read_signed(read_value(s));
    } else if (hlo_text_is(key, "megacore_allreduce_bytes"))
        c->split_bytes = read_number(read_value(s));
    else if (hlo_text_is(key, "emitter"))
        read_emitter(c, read_value(s));
    else if (hlo_text_is(key, "known_trip_count"))
        read_trips(c, read_value(s));
    else if (hlo_text_is(key, "aliasing_operands"))
        c->aliases = read_value(s);
    else if (hlo_text_is(key, "dot_dimension_numbers"))
        c->dot = read_value(s);
    else if (hlo_text_is(key, "precision_config"))
        c->precision = read_value(s);
    else
        read_cost(c, key, s);
}

/* A string that holds JSON: without its quotes and escapes. */
static struct hlo_text unquote_text(struct hlo_text t, char **storage)
{
    char *copy = memory_zeroed((size_t)t.size + 1, 1);
    uint32_t n = 0;

    for (uint32_t i = 1; i + 1 < t.size; i++) {
        i += t.at[i] == '\\' && i + 2 < t.size;
        copy[n++] = t.at[i];
    }
    *storage = copy;
    return (struct hlo_text){ copy, n };
}

void import_config_read(struct import_config *c, struct hlo_text text, char **storage)
{
    struct hlo_text key;

    *c = (struct import_config){ .vmem = UINT64_MAX };
    *storage = NULL;
    if (text.at == NULL)
        return;
    if (text.size >= 2 && text.at[0] == '"')
        text = unquote_text(text, storage);
    struct scan s = begin_scan(text);
    while (find_key(&s, &key))
        read_field(c, key, &s);
    if (c->estimate >= INT64_MAX)
        c->estimate = 0;
}

/* The k-th operand of a list of operands and leaves, its first if there are fewer. */
static uint64_t list_operand(const uint64_t *n, uint32_t count, uint32_t n_operands, uint32_t k)
{
    uint64_t first = IMPORT_NONE;

    for (uint32_t i = 0; i < count; i++) {
        if (n[i] >= n_operands)
            continue;
        first = first == IMPORT_NONE ? n[i] : first;
        if (k-- == 0)
            return n[i];
    }
    return first;
}

bool import_config_alias(const struct import_config *c, uint32_t n_operands, uint32_t *at,
                         uint32_t *operand, uint32_t *leaf)
{
    struct scan s = begin_scan(c->aliases);
    struct hlo_text key;
    uint64_t n[64];
    uint32_t seen = 0;

    if (c->aliases.at == NULL)
        return false;
    while (find_key(&s, &key)) {
        if (!hlo_text_is(key, "indices"))
            continue;
        uint32_t count = read_numbers(read_value(&s), n, 64), leaves = 0;
        count = count < 64 ? count : 64;
        for (uint32_t i = 0; i < count; i++) {
            if (n[i] < n_operands)
                continue;
            uint64_t o = list_operand(n, count, n_operands, leaves++);
            if (o == IMPORT_NONE || seen++ != *at)
                continue;
            *operand = (uint32_t)o;
            *leaf = (uint32_t)(n[i] - n_operands);
            ++*at;
            return true;
        }
    }
    return false;
}

uint32_t import_config_numbers(struct hlo_text json, const char *key, uint64_t *n, uint32_t room)
{
    struct scan s = begin_scan(json);
    struct hlo_text k;

    while (json.at && find_key(&s, &k))
        if (hlo_text_is(k, key)) {
            uint32_t count = read_numbers(read_value(&s), n, room);
            return count < room ? count : room;
        }
    return 0;
}

struct hlo_text import_config_text(struct hlo_text json, const char *key)
{
    struct scan s = begin_scan(json);
    struct hlo_text k;

    while (json.at && find_key(&s, &k))
        if (hlo_text_is(k, key))
            return read_value(&s);
    return (struct hlo_text){ 0 };
}
