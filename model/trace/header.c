/* header.c - the header lines of a trace: read and printed. */
#include <inttypes.h>
#include <string.h>

#include "trace/file/foreign.h"
#include "trace/parse.h"
#include "trace/print.h"
#include "trace/shape.h"

#define VERSION 1

/* clang-format off */
static const char *const keywords[] = { "workload", "samples", "dtype", "param", "padding", "program", "provenance",
                                        "framework", "recorded" };
/* clang-format on */
#define N_KEYWORDS (sizeof keywords / sizeof *keywords)

static int store_token(struct trace *t, char *to, size_t size, const struct lex_text *w,
                       const char *what)
{
    if (w->n >= size)
        return lex_fail(&t->lex, w->at, ERR_RANGE, "%s of %zu bytes, expected at most %zu", what,
                        w->n, size - 1);
    memcpy(to, w->s, w->n + 1);
    return 0;
}

static int read_string(struct trace *t, char *to, size_t size, const char *what)
{
    struct lex_text w;

    return lex_string(&t->lex, &w, what) != 0 ? -1 : store_token(t, to, size, &w, what);
}

/* Read "key=" of a line that takes each of `keys` once.  Sets *i to its index. */
static int read_key(struct trace *t, const char *const *keys, unsigned n, uint32_t *seen,
                    unsigned *i)
{
    struct lex_text w;

    if (lex_word(&t->lex, &w, "a key") != 0)
        return -1;
    for (*i = 0; *i < n && strcmp(w.s, keys[*i]) != 0;)
        ++*i;
    if (*i == n)
        return reader_unknown(t, &w, "key", keys, n);
    if (*seen >> *i & 1)
        return lex_fail(&t->lex, w.at, ERR_FORMAT, "'%s' is given twice", w.s);
    *seen |= UINT32_C(1) << *i;
    return lex_expect(&t->lex, '=');
}

/* step=N, or step=unknown of a program that nobody has stated it for. */
static int read_batch(struct trace *t)
{
    struct trace_header *h = &t->head;
    struct lex_text w;

    if (!lex_peek(&t->lex, 'u'))
        return lex_int(&t->lex, &h->samples_per_step, 1, INT64_MAX, "step");
    if (lex_word(&t->lex, &w, "a number") != 0)
        return -1;
    h->samples_unknown = strcmp(w.s, "unknown") == 0;
    return h->samples_unknown
               ? 0
               : lex_fail(&t->lex, w.at, ERR_FORMAT, "'%.40s': expected a number or unknown", w.s);
}

static int read_samples(struct trace *t)
{
    static const char *const keys[] = { "step", "epoch", "steps", "shared", "cores", "stages" };
    uint64_t *to[] = { NULL,
                       &t->head.samples_per_epoch,
                       &t->head.steps_per_epoch,
                       &t->head.shared,
                       &t->head.cores,
                       &t->head.stages };
    uint32_t seen = 0;
    unsigned i;

    while (!lex_end(&t->lex))
        if (read_key(t, keys, 6, &seen, &i) != 0 ||
            (to[i] ? lex_int(&t->lex, to[i], 1, INT64_MAX, keys[i]) : read_batch(t)) != 0)
            return -1;
    if (!(seen & 1))
        return lex_fail(&t->lex, t->lex.at, ERR_FORMAT, "expected step=");
    if ((seen & 7) == 5)
        return lex_fail(&t->lex, t->lex.at, ERR_FORMAT, "steps= without epoch=");
    if (t->head.samples_unknown && t->head.samples_per_epoch)
        return lex_fail(&t->lex, t->lex.at, ERR_FORMAT, "epoch= with step=unknown");
    return 0;
}

static int read_activations(struct trace *t, const struct lex_text *w)
{
    for (int a = 0; a < TRACE_N_ACTIVATIONS; a++)
        if (strcmp(w->s, trace_activations_name[a]) == 0) {
            t->head.activations = (enum trace_activations)a;
            return 0;
        }
    return reader_unknown(t, w, "choice", trace_activations_name, TRACE_N_ACTIVATIONS);
}

static int read_dtype(struct trace *t)
{
    static const char *const keys[] = { "tensors", "matmul", "activations" };
    uint32_t seen = 0;
    struct lex_text w;
    unsigned i;

    while (!lex_end(&t->lex)) {
        if (read_key(t, keys, 3, &seen, &i) != 0)
            return -1;
        if (lex_word(&t->lex, &w, i < 2 ? "a dtype" : "keep, narrow or products") != 0)
            return -1;
        if (i == 2) {
            if (read_activations(t, &w) != 0)
                return -1;
            continue;
        }
        enum trace_dtype d = shape_dtype(w.s);
        if (d == TRACE_N_DTYPES)
            return reader_no_dtype(t, &w);
        *(i == 0 ? &t->head.tensors : &t->head.matmul) = d;
    }
    return 0;
}

static int read_param(struct trace *t)
{
    struct trace_header *h = &t->head;
    struct lex_text key, value;

    if (lex_word(&t->lex, &key, "a key") != 0)
        return -1;
    if (h->n_params == sizeof h->param / sizeof *h->param)
        return lex_fail(&t->lex, key.at, ERR_RANGE, "more than %zu generator parameters",
                        sizeof h->param / sizeof *h->param);
    for (uint32_t i = 0; i < h->n_params; i++)
        if (strcmp(h->param[i].key, key.s) == 0)
            return lex_fail(&t->lex, key.at, ERR_FORMAT, "parameter '%s' is given twice", key.s);
    if (lex_expect(&t->lex, '=') != 0 || lex_word(&t->lex, &value, "a value") != 0 ||
        store_token(t, h->param[h->n_params].key, sizeof h->param->key, &key, "key") != 0 ||
        store_token(t, h->param[h->n_params].value, sizeof h->param->value, &value, "value") != 0)
        return -1;
    h->n_params++;
    return 0;
}

/* Read "nodes real=140000 padded=150000". */
static int read_padding(struct trace *t)
{
    static const char *const keys[] = { "real", "padded" };
    struct trace_header *h = &t->head;
    struct trace_padding *p = &h->padding[h->n_padding];
    uint64_t *to[] = { &p->real, &p->padded };
    uint32_t seen = 0;
    struct lex_text name;
    unsigned i;

    if (lex_word(&t->lex, &name, "what is padded, such as nodes") != 0)
        return -1;
    if (h->n_padding == TRACE_MAX_PADDING)
        return lex_fail(&t->lex, name.at, ERR_RANGE, "more than %d lines of padding",
                        TRACE_MAX_PADDING);
    if (store_token(t, p->name, sizeof p->name, &name, "name") != 0)
        return -1;
    while (!lex_end(&t->lex))
        if (read_key(t, keys, 2, &seen, &i) != 0 ||
            lex_int(&t->lex, to[i], i, INT64_MAX, keys[i]) != 0)
            return -1;
    if (seen != 3)
        return lex_fail(&t->lex, t->lex.at, ERR_FORMAT, "expected real= and padded=");
    if (p->real == 0 && strcmp(p->name, TRACE_SAMPLES) == 0)
        return lex_fail(&t->lex, name.at, ERR_RANGE, "real = 0: a step without samples");
    if (p->real > p->padded)
        return lex_fail(&t->lex, name.at, ERR_RANGE,
                        "real = %" PRIu64 ": more than padded = %" PRIu64, p->real, p->padded);
    for (uint32_t k = 0; k < h->n_padding; k++)
        if (strcmp(h->padding[k].name, p->name) == 0 &&
            (h->padding[k].padded == p->padded || strcmp(p->name, TRACE_SAMPLES) == 0))
            return lex_fail(&t->lex, name.at, ERR_FORMAT,
                            "%s padded to %" PRIu64 " are given twice", p->name,
                            h->padding[k].padded);
    h->n_padding++;
    return 0;
}

/* Read 'compiler="jax 0.10.2" machine=tpu-v3-8 topology="v3:2x2" cores=8 ...'. */
static int read_program(struct trace *t)
{
    static const char *const keys[] = { "compiler",  "machine", "topology",    "cores", "megacore",
                                        "scheduled", "peak",    "temporaries", "gpu",   "slices" };
    struct trace_program *p = &t->head.program;
    uint64_t megacore = 0, scheduled = 0, gpu = 0;
    uint64_t *to[] = {
        &p->cores, &megacore, &scheduled, &p->peak, &p->temporaries, &gpu, &p->slices
    };
    static const uint64_t max[] = { UINT32_MAX, 1, 1, INT64_MAX, INT64_MAX, 1, UINT32_MAX };
    uint32_t seen = 0;
    unsigned i;
    int rc = 0;

    while (!lex_end(&t->lex) && rc == 0) {
        if (read_key(t, keys, sizeof keys / sizeof *keys, &seen, &i) != 0)
            return -1;
        switch (i) {
        case 0: rc = read_string(t, p->compiler, sizeof p->compiler, keys[i]); break;
        case 1: rc = read_string(t, p->machine, sizeof p->machine, keys[i]); break;
        case 2: rc = read_string(t, p->topology, sizeof p->topology, keys[i]); break;
        default: rc = lex_int(&t->lex, to[i - 3], 0, max[i - 3], keys[i]); break;
        }
    }
    if (rc == 0 && !(seen & 1))
        rc = lex_fail(&t->lex, t->lex.at, ERR_FORMAT, "expected compiler=");
    p->megacore = megacore == 1;
    p->scheduled = scheduled == 1;
    p->gpu = gpu == 1;
    p->given = true;
    return rc;
}

static int read_framework(struct trace *t)
{
    struct lex_text w;

    if (lex_word(&t->lex, &w, "pytorch, jax or tensorflow") != 0)
        return -1;
    for (int f = 1; f < TRACE_N_FRAMEWORKS; f++)
        if (strcmp(w.s, trace_framework_name[f]) == 0) {
            t->head.framework = (enum trace_framework)f;
            return 0;
        }
    return reader_unknown(t, &w, "framework", trace_framework_name + 1, TRACE_N_FRAMEWORKS - 1);
}

/* Read "recorded kernels=78 ns=2960000 unread=1646000 lost=3". */
static int read_recorded(struct trace *t)
{
    static const char *const keys[] = { "kernels", "ns", "unread", "lost" };
    struct trace_recorded *r = &t->head.recorded;
    uint64_t *to[] = { &r->kernels, &r->time, &r->unread, &r->lost };
    uint32_t seen = 0;
    unsigned i;

    while (!lex_end(&t->lex))
        if (read_key(t, keys, 4, &seen, &i) != 0 ||
            lex_int(&t->lex, to[i], 0, INT64_MAX, keys[i]) != 0)
            return -1;
    if ((seen & 7) != 7)
        return lex_fail(&t->lex, t->lex.at, ERR_FORMAT, "expected kernels=, ns= and unread=");
    if (r->unread > r->time)
        return lex_fail(&t->lex, t->lex.at, ERR_RANGE,
                        "unread = %" PRIu64 ": more than ns = %" PRIu64, r->unread, r->time);
    if (r->kernels + r->lost == 0)
        return lex_fail(&t->lex, t->lex.at, ERR_RANGE, "kernels = 0: nothing was recorded");
    return 0;
}

static int read_keyword(struct trace *t, unsigned i)
{
    struct trace_header *h = &t->head;

    switch (i) {
    case 0: return read_string(t, h->workload, sizeof h->workload, "workload");
    case 1: return read_samples(t);
    case 2: return read_dtype(t);
    case 3: return read_param(t);
    case 4: return read_padding(t);
    case 5: return read_program(t);
    case 7: return read_framework(t);
    case 8: return read_recorded(t);
    default: return read_string(t, h->provenance, sizeof h->provenance, "provenance");
    }
}

static int read_first(struct trace *t, struct err *err)
{
    struct lex_text w;
    uint64_t version;
    int got = reader_line(t, err);

    if (got < 0)
        return -1;
    if (got == 0)
        return lex_fail(&t->lex, 0, ERR_FORMAT, "no text, expected 'cyclotron-trace %d'", VERSION);
    const char *other = foreign_text(t->lex.s, t->lex.n);
    if (other)
        return lex_fail(&t->lex, 0, ERR_FORMAT,
                        "expected 'cyclotron-trace %d', the first line of a trace; %s", VERSION,
                        other);
    if (lex_word(&t->lex, &w, "'cyclotron-trace 1'") != 0)
        return -1;
    if (strcmp(w.s, "cyclotron-trace") != 0)
        return lex_fail(&t->lex, w.at, ERR_FORMAT, "expected 'cyclotron-trace %d', found '%.64s'",
                        VERSION, w.s);
    if (lex_int(&t->lex, &version, VERSION, VERSION, "version") != 0 ||
        lex_expect_end(&t->lex) != 0)
        return -1;
    t->head = (struct trace_header){ .version = VERSION,
                                     .samples_per_step = 1,
                                     .shared = 1,
                                     .stages = 1,
                                     .tensors = TRACE_F32,
                                     .matmul = TRACE_BF16 };
    return 0;
}

int parse_header(struct trace *t, struct err *err)
{
    uint32_t line[N_KEYWORDS] = { 0 };
    struct lex_text w;
    int got;

    if (read_first(t, err) != 0)
        return -1;
    while ((got = reader_line(t, err)) == 1) {
        unsigned i = N_KEYWORDS;
        if (!lex_peek(&t->lex, '%') && !lex_peek(&t->lex, '}')) {
            if (lex_word(&t->lex, &w, "a statement") != 0)
                return -1;
            for (i = 0; i < N_KEYWORDS && strcmp(w.s, keywords[i]) != 0;)
                i++;
        }
        if (i == N_KEYWORDS) {
            t->held = true;
            return 0;
        }
        if (line[i] && strcmp(w.s, "param") != 0 && strcmp(w.s, "padding") != 0)
            return lex_fail(&t->lex, w.at, ERR_FORMAT,
                            "'%s' is given twice, first in line %" PRIu32, w.s, line[i]);
        line[i] = t->lex.line;
        if (read_keyword(t, i) != 0 || lex_expect_end(&t->lex) != 0)
            return -1;
    }
    return got;
}

void print_framework(enum trace_framework framework, FILE *out)
{
    if (framework != TRACE_UNSTATED)
        fprintf(out, "framework %s\n", trace_framework_name[framework]);
}

void print_padding(const struct trace_padding *p, FILE *out)
{
    fprintf(out, "padding %s real=%" PRIu64 " padded=%" PRIu64 "\n", p->name, p->real, p->padded);
}

static void print_key(const char *key, const char *text, FILE *out)
{
    if (!*text)
        return;
    fprintf(out, " %s=", key);
    print_string(text, out);
}

static void print_program(const struct trace_program *p, FILE *out)
{
    fputs("program", out);
    print_key("compiler", p->compiler, out);
    print_key("machine", p->machine, out);
    print_key("topology", p->topology, out);
    if (p->cores)
        fprintf(out, " cores=%" PRIu64, p->cores);
    fprintf(out, " megacore=%d scheduled=%d", p->megacore, p->scheduled);
    if (p->peak)
        fprintf(out, " peak=%" PRIu64, p->peak);
    if (p->temporaries)
        fprintf(out, " temporaries=%" PRIu64, p->temporaries);
    if (p->gpu)
        fputs(" gpu=1", out);
    if (p->slices > 1)
        fprintf(out, " slices=%" PRIu64, p->slices);
    putc('\n', out);
}

static void print_recorded(const struct trace_recorded *r, FILE *out)
{
    if (r->kernels + r->lost == 0)
        return;
    fprintf(out, "recorded kernels=%" PRIu64 " ns=%" PRIu64 " unread=%" PRIu64, r->kernels, r->time,
            r->unread);
    if (r->lost)
        fprintf(out, " lost=%" PRIu64, r->lost);
    putc('\n', out);
}

void print_header(const struct trace_header *h, FILE *out)
{
    fprintf(out, "cyclotron-trace %" PRIu32 "\n", h->version);
    if (h->workload[0]) {
        fputs("workload ", out);
        print_string(h->workload, out);
        putc('\n', out);
    }
    fputs("samples step=", out);
    if (h->samples_unknown)
        fputs("unknown", out);
    else
        fprintf(out, "%" PRIu64, h->samples_per_step);
    if (h->samples_per_epoch)
        fprintf(out, " epoch=%" PRIu64, h->samples_per_epoch);
    if (h->steps_per_epoch)
        fprintf(out, " steps=%" PRIu64, h->steps_per_epoch);
    if (h->shared > 1)
        fprintf(out, " shared=%" PRIu64, h->shared);
    if (h->cores)
        fprintf(out, " cores=%" PRIu64, h->cores);
    if (h->stages > 1)
        fprintf(out, " stages=%" PRIu64, h->stages);
    fprintf(out, "\ndtype tensors=%s matmul=%s activations=%s\n", trace_dtype_name[h->tensors],
            trace_dtype_name[h->matmul], trace_activations_name[h->activations]);
    print_framework(h->framework, out);
    for (uint32_t i = 0; i < h->n_params; i++)
        fprintf(out, "param %s=%s\n", h->param[i].key, h->param[i].value);
    for (uint32_t i = 0; i < h->n_padding; i++)
        print_padding(&h->padding[i], out);
    if (h->program.given)
        print_program(&h->program, out);
    print_recorded(&h->recorded, out);
    if (h->provenance[0]) {
        fputs("provenance ", out);
        print_string(h->provenance, out);
        putc('\n', out);
    }
}
