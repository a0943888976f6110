/* kineto.c - see kineto.h. */
#include "profile/kineto.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "profile/source/json_stream.h"

/* An event, whose keys come in any order. */
struct event {
    char phase;
    uint32_t kind, name; /* texts */
    uint32_t process, thread;
    int64_t begin_ns, length_ns;
    struct kineto_call call;
    struct kineto_work work;
};

struct reader {
    struct kineto *k;
    struct json_stream json;
    struct err *err;
    struct event e;
    bool events; /* there was a list of them */
};

/* --- texts -------------------------------------------------------------------------------- */

static uint32_t keep_text(struct reader *r)
{
    return kineto_keep(r->k, r->json.text, r->json.n);
}

/* --- values ------------------------------------------------------------------------------- */

/* The next value as a text, whatever it is; what has others inside is passed over. */
static int read_scalar(struct reader *r)
{
    enum json_kind kind;

    if (json_stream_value(&r->json, &kind, r->err) != 0)
        return -1;
    if (kind != JSON_OBJECT_KIND && kind != JSON_ARRAY_KIND)
        return 0;
    return json_stream_fail(&r->json, r->err, "a number or a text expected");
}

/* A time in us as whole nanoseconds; as text, for a double has no digits for them. */
static int64_t read_ns(const char *text)
{
    bool minus = *text == '-';
    int64_t ns = 0;
    int digits = 0;

    if (strpbrk(text, "eEnN")) {
        double us = plain_read(text, NULL);
        return fabs(us) < 9e15 ? (int64_t)(us * 1000) : 0;
    }
    for (text += minus; *text >= '0' && *text <= '9' && ns < INT64_MAX / 10000; text++)
        ns = 10 * ns + (*text - '0');
    if (*text == '.')
        text++;
    for (; digits < 3; digits++)
        ns = 10 * ns + (*text >= '0' && *text <= '9' ? *text++ - '0' : 0);
    return minus ? -ns : ns;
}

static uint64_t read_count(const char *text)
{
    return *text == '-' ? 0 : strtoull(text, NULL, 10);
}

/* The blocks or threads "[32,8,1]". */
static int read_sides(struct reader *r, uint32_t *first, uint32_t *all)
{
    uint64_t product = 1;

    if (json_stream_raw(&r->json, r->err) != 0)
        return -1;
    const char *at = r->json.text;
    for (int i = 0; i < 3 && *at; i++) {
        char *end;
        uint64_t n = strtoull(at + 1, &end, 10);
        if (end == at + 1 || n == 0 || n > UINT32_MAX || product > UINT32_MAX / n)
            break;
        product *= n;
        if (i == 0 && first)
            *first = (uint32_t)n;
        at = end;
    }
    *all = (uint32_t)product;
    return 0;
}

enum field {
    RAW_DIMS,
    RAW_TYPES,
    RAW_STRIDES,
    RAW_VALUES,
    COUNT_ID,
    COUNT_MATCHES,
    COUNT_SEQUENCE,
    COUNT_BYTES,
    COUNT_IN,
    COUNT_OUT,
    COUNT_GROUP,
    COUNT_DEVICE,
    COUNT_STREAM,
    SIDES_GRID,
    SIDES_BLOCK,
    TEXT_COLLECTIVE,
    TEXT_TYPE,
    RAW_RANKS
};

/* Arguments of events; other keys are passed over. */
static const struct {
    const char *key;
    enum field field;
} arguments[] = {
    { "Input Dims", RAW_DIMS },
    { "Input type", RAW_TYPES },
    { "Input Strides", RAW_STRIDES },
    { "Concrete Inputs", RAW_VALUES },
    { "External id", COUNT_ID },
    { "external id", COUNT_ID },
    { "correlation", COUNT_MATCHES },
    { "Sequence number", COUNT_SEQUENCE },
    { "bytes", COUNT_BYTES },
    { "In msg nelems", COUNT_IN },
    { "Out msg nelems", COUNT_OUT },
    { "Group size", COUNT_GROUP },
    { "device", COUNT_DEVICE },
    { "stream", COUNT_STREAM },
    { "grid", SIDES_GRID },
    { "block", SIDES_BLOCK },
    { "Collective name", TEXT_COLLECTIVE },
    { "dtype", TEXT_TYPE },
    { "Process Group Ranks", RAW_RANKS },
};

static int read_number(struct reader *r, enum field field)
{
    struct event *e = &r->e;

    if (read_scalar(r) != 0)
        return -1;
    uint64_t n = read_count(r->json.text);
    uint32_t small = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
    switch (field) {
    case COUNT_ID: e->call.id = e->work.id = n; break;
    case COUNT_MATCHES: e->call.matches = e->work.matches = n; break;
    case COUNT_SEQUENCE:
        e->call.sequence = *r->json.text == '-' || n > INT64_MAX ? -1 : (int64_t)n;
        break;
    case COUNT_BYTES: e->work.bytes = n; break;
    case COUNT_IN: e->work.message.elements_in = n; break;
    case COUNT_OUT: e->work.message.elements_out = n; break;
    case COUNT_GROUP: e->work.message.group = small; break;
    case COUNT_DEVICE: e->work.device = small; break;
    case COUNT_STREAM: e->work.stream = small; break;
    case TEXT_COLLECTIVE: e->work.message.collective = keep_text(r); break;
    case TEXT_TYPE: e->work.message.types = keep_text(r); break;
    default: break;
    }
    return 0;
}

static int read_argument(struct reader *r, enum field field)
{
    struct event *e = &r->e;
    uint32_t *to = field == RAW_DIMS      ? &e->call.dims
                   : field == RAW_TYPES   ? &e->call.types
                   : field == RAW_STRIDES ? &e->call.strides
                   : field == RAW_VALUES  ? &e->call.values
                   : field == RAW_RANKS   ? &e->work.message.ranks
                                          : NULL;

    if (field == SIDES_GRID)
        return read_sides(r, &e->work.grid, &e->work.blocks);
    if (field == SIDES_BLOCK)
        return read_sides(r, NULL, &e->work.threads);
    if (!to)
        return read_number(r, field);
    if (json_stream_raw(&r->json, r->err) != 0)
        return -1;
    *to = keep_text(r);
    return 0;
}

static int read_arguments(struct reader *r)
{
    enum json_kind kind;
    uint64_t count = 0;
    int more;

    if (json_stream_value(&r->json, &kind, r->err) != 0)
        return -1;
    if (kind != JSON_OBJECT_KIND)
        return kind == JSON_ARRAY_KIND ? json_stream_fail(&r->json, r->err, "\"args\" is no object")
                                       : 0;
    while ((more = json_stream_member(&r->json, &count, r->err)) > 0) {
        size_t i = 0;
        while (i < sizeof arguments / sizeof *arguments &&
               strcmp(arguments[i].key, r->json.text) != 0)
            i++;
        int rc = i < sizeof arguments / sizeof *arguments ? read_argument(r, arguments[i].field)
                                                          : json_stream_skip(&r->json, r->err);
        if (rc != 0)
            return -1;
    }
    return more;
}

/* --- events ------------------------------------------------------------------------------- */

/* Kinds of events by their "cat". */
static const struct {
    const char *name;
    enum kineto_kind kind;
    bool works, copies, fills;
} kinds[] = {
    { "cpu_op", KINETO_OPERATION, false, false, false },
    { "Operator", KINETO_OPERATION, false, false, false }, /* PyTorch 1 */
    { "operator", KINETO_OPERATION, false, false, false },
    { "cuda_runtime", KINETO_RUNTIME, false, false, false },
    { "cuda_driver", KINETO_RUNTIME, false, false, false },
    { "Runtime", KINETO_RUNTIME, false, false, false },
    { "runtime", KINETO_RUNTIME, false, false, false },
    { "user_annotation", KINETO_ANNOTATION, false, false, false },
    { "overhead", KINETO_OVERHEAD, false, false, false },
    { "kernel", KINETO_RUNTIME, true, false, false },
    { "Kernel", KINETO_RUNTIME, true, false, false },
    { "gpu_memcpy", KINETO_RUNTIME, true, true, false },
    { "Memcpy", KINETO_RUNTIME, true, true, false },
    { "gpu_memset", KINETO_RUNTIME, true, false, true },
    { "Memset", KINETO_RUNTIME, true, false, true },
};

static int add_call(struct reader *r, enum kineto_kind kind)
{
    struct kineto *k = r->k;
    struct kineto_call c = r->e.call;

    if (k->n_calls >= UINT32_MAX / 2)
        return json_stream_fail(&r->json, r->err, "more calls than are counted");
    c.kind = kind;
    c.name = r->e.name;
    c.begin = r->e.begin_ns;
    c.end = c.begin + r->e.length_ns;
    c.parent = KINETO_NONE;
    char thread[32];
    int n = snprintf(thread, sizeof thread, "%u/%u", r->e.process, r->e.thread);
    c.thread = kineto_keep(k, thread, (size_t)n);
    k->shapes = k->shapes || c.dims;
    if (r->e.work.message.group > 0) {
        MEMORY_GROW(k->message, k->n_messages + 1, k->cap_messages);
        k->message[k->n_messages++] = r->e.work.message;
        c.message = k->n_messages;
    }
    MEMORY_GROW(k->call, k->n_calls + 1, k->cap_calls);
    k->call[k->n_calls++] = c;
    return 0;
}

static int add_work(struct reader *r, bool copies, bool fills)
{
    struct kineto *k = r->k;
    struct kineto_work w = r->e.work;

    if (k->n_work >= UINT32_MAX / 2)
        return json_stream_fail(&r->json, r->err, "more kernels than are counted");
    w.name = r->e.name;
    w.begin = r->e.begin_ns;
    w.end = w.begin + r->e.length_ns;
    w.launch = KINETO_NONE;
    w.copies = copies;
    w.fills = fills;
    MEMORY_GROW(k->work, k->n_work + 1, k->cap_work);
    k->work[k->n_work++] = w;
    return 0;
}

static int take_event(struct reader *r)
{
    const char *kind = kineto_text(r->k, r->e.kind);

    if (r->e.phase != 'X')
        return 0;
    if (r->e.length_ns < 0)
        return json_stream_fail(&r->json, r->err, "an event with a negative \"dur\"");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, kind) == 0)
            return kinds[i].works ? add_work(r, kinds[i].copies, kinds[i].fills)
                                  : add_call(r, kinds[i].kind);
    return 0;
}

static int read_field(struct reader *r)
{
    static const char *const keys[] = { "ph", "cat", "name", "pid", "tid", "ts", "dur" };
    struct event *e = &r->e;
    unsigned i = 0;

    while (i < sizeof keys / sizeof *keys && strcmp(keys[i], r->json.text) != 0)
        i++;
    if (strcmp(r->json.text, "args") == 0)
        return read_arguments(r);
    if (i == sizeof keys / sizeof *keys)
        return json_stream_skip(&r->json, r->err);
    if (read_scalar(r) != 0)
        return -1;
    switch (i) {
    case 0: e->phase = r->json.text[0]; break;
    case 1: e->kind = keep_text(r); break;
    case 2: e->name = keep_text(r); break;
    case 3: e->process = keep_text(r); break;
    case 4: e->thread = keep_text(r); break;
    case 5: e->begin_ns = read_ns(r->json.text); break;
    default: e->length_ns = read_ns(r->json.text); break;
    }
    return 0;
}

static int read_events(struct reader *r)
{
    enum json_kind kind;
    uint64_t n = 0;
    int more;

    r->events = true;
    while ((more = json_stream_element(&r->json, &n, r->err)) > 0) {
        uint64_t count = 0;
        if (json_stream_value(&r->json, &kind, r->err) != 0)
            return -1;
        if (kind != JSON_OBJECT_KIND)
            return json_stream_fail(&r->json, r->err, "an event is no object");
        r->e = (struct event){ .call.sequence = -1 };
        while ((more = json_stream_member(&r->json, &count, r->err)) > 0)
            if (read_field(r) != 0)
                return -1;
        if (more != 0 || take_event(r) != 0)
            return -1;
    }
    return more;
}

/* --- the file ----------------------------------------------------------------------------- */

static uint32_t find_number(const char *text, const char *key, uint32_t otherwise)
{
    const char *at = strstr(text, key);

    return at ? (uint32_t)strtoul(at + strlen(key), NULL, 10) : otherwise;
}

/* Facts of the whole file that stand beside its events. */
static int read_fact(struct reader *r, bool device)
{
    if (json_stream_raw(&r->json, r->err) != 0)
        return -1;
    if (!device) {
        r->k->rank = find_number(r->json.text, "\"rank\":", 0);
        r->k->ranks = find_number(r->json.text, "\"world_size\":", 1);
        return 0;
    }
    const char *name = strstr(r->json.text, "\"name\":\"");
    if (name) {
        name += strlen("\"name\":\"");
        size_t n = strcspn(name, "\"\\");
        n = n < sizeof r->k->device ? n : sizeof r->k->device - 1;
        memcpy(r->k->device, name, n);
        r->k->device[n] = '\0';
    }
    return 0;
}

static int read_object(struct reader *r)
{
    uint64_t count = 0;
    int more;

    while ((more = json_stream_member(&r->json, &count, r->err)) > 0) {
        const char *key = r->json.text;
        enum json_kind kind;
        int rc;
        if (strcmp(key, "traceEvents") == 0) {
            rc = json_stream_value(&r->json, &kind, r->err);
            if (rc == 0 && kind != JSON_ARRAY_KIND)
                rc = json_stream_fail(&r->json, r->err, "\"traceEvents\" is no list");
            rc = rc == 0 ? read_events(r) : rc;
        } else if (strcmp(key, "distributedInfo") == 0 || strcmp(key, "deviceProperties") == 0) {
            rc = read_fact(r, strcmp(key, "deviceProperties") == 0);
        } else {
            rc = json_stream_skip(&r->json, r->err);
        }
        if (rc != 0)
            return -1;
    }
    return more;
}

static int read_file(struct reader *r)
{
    enum json_kind kind;

    if (json_stream_value(&r->json, &kind, r->err) != 0)
        return -1;
    if (kind != JSON_OBJECT_KIND && kind != JSON_ARRAY_KIND)
        return json_stream_fail(&r->json, r->err, "no JSON object");
    if ((kind == JSON_OBJECT_KIND ? read_object(r) : read_events(r)) != 0 ||
        json_stream_finish(&r->json, r->err) != 0)
        return -1;
    if (r->k->n_calls == 0 && r->k->n_work == 0)
        return err_set(r->err, ERR_FORMAT,
                       "%.160s: no recording of PyTorch's profiler: %s; `cyclotron profile` "
                       "reads those of XProf",
                       profile_source_name(r->json.source),
                       r->events ? "none of its events is a cpu_op, a cuda_runtime or a kernel"
                                 : "it has no \"traceEvents\"");
    return 0;
}

int kineto_read(struct kineto *k, struct profile_source *source, struct err *err)
{
    struct reader r = { .k = k, .err = err };

    *k = (struct kineto){ .ranks = 1 };
    kineto_keep(k, "", 0);
    json_stream_begin(&r.json, source);
    int rc = read_file(&r);
    json_stream_end(&r.json);
    if (rc == 0) {
        kineto_order(k);
        kineto_messages(k);
    } else {
        kineto_free(k);
    }
    return rc;
}

void kineto_free(struct kineto *k)
{
    free(k->call);
    free(k->work);
    free(k->message);
    free(k->text);
    free(k->place);
    profile_index_free(&k->index);
    *k = (struct kineto){ 0 };
}
