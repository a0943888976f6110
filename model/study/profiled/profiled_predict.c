/* The predicted side of a profile: kernels of a step, from the rows of a replay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/plain.h"
#include "hlo/proto/hlo_proto.h"
#include "import/open.h"
#include "machine/spec/spec.h"
#include "profile/source/profile_source.h"
#include "study/profiled/profiled_impl.h"

/* A replay of the program on `spec`, of kernels alone: without what lies between them. */
static int run_program(const struct profiled *p, const struct run_request *like,
                       const struct machine_spec *spec, bool brief, struct run_result *r,
                       struct err *err)
{
    struct run_request q = *like;

    q.text = p->text;
    q.text_size = p->text_size;
    q.spec = spec;
    q.machine = spec->name;
    q.set = NULL;
    q.n_set = 0;
    q.steps = 1;
    q.brief = brief;
    q.n_observers = brief ? 0 : q.n_observers; /* they see one run */
    return run_replay(&q, r, err);
}

/* The program of the profile that took most time; NULL: it holds none, or not that one. */
static const struct profile_program *find_held(const struct profile *f, const char *module)
{
    const struct profile_program *found = NULL;

    for (size_t i = 0; i < f->n_programs; i++) {
        const struct profile_program *m = &f->program[i];
        if (m->hlo && (!module || strcmp(m->name, module) == 0) &&
            (!found || m->total > found->total))
            found = m;
    }
    return found;
}

/* Looks at files alone: what a pipe has given is gone. */
static bool is_gzip(const char *path)
{
    unsigned char magic[2] = { 0 };
    struct stat st;
    FILE *in = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;

    size_t n = in ? fread(magic, 1, sizeof magic, in) : 0;
    if (in)
        fclose(in);
    return n == sizeof magic && magic[0] == 0x1f && magic[1] == 0x8b;
}

static int unpack_gzip(struct profiled *p, const char *path, struct err *err)
{
    struct profile_source *s;
    const unsigned char *bytes;
    size_t n;

    if (profile_source_open(&s, path, err) != 0)
        return -1;
    int rc = profile_source_peek(s, PROFILE_SOURCE_PIECE, &bytes, &n, err);
    if (rc == 0) {
        p->text = memory_zeroed(n + 1, 1);
        p->text_size = n;
        memcpy(p->text, bytes, n);
    }
    profile_source_close(s);
    return rc;
}

/* A program as it is, packed with zstd, or with gzip. */
static int read_program(struct profiled *p, const char *path, struct err *err)
{
    return is_gzip(path) ? unpack_gzip(p, path, err)
                         : import_read(&p->text, &p->text_size, path, err);
}

int profiled_open(struct profiled *p, struct profiled_request *q, struct err *err)
{
    if (q->run.trace) {
        p->file = memory_copy(q->run.trace);
        return read_program(p, q->run.trace, err);
    }
    if (strcmp(p->profile->format, "kineto") == 0) { /* it says what ran, and how long */
        p->file = memory_copy(q->profile);
        q->run.trace = p->file;
        return read_program(p, q->profile, err);
    }
    const struct profile_program *m = find_held(p->profile, q->module);
    if (!m)
        return err_set(
            err, ERR_FIT,
            "%.160s: holds no program%s%.80s: expected PROGRAM as well, as XLA prints it",
            q->profile, q->module ? " " : "", q->module ? q->module : "");
    p->file = memory_format("%s, %s", q->profile, m->name);
    q->run.trace = p->file;
    q->module = m->name;
    return hlo_proto_text(&p->text, &p->text_size, p->file, m->hlo, m->hlo_size, err);
}

int profiled_read_module(struct profiled *p, const char *file, struct err *err)
{
    struct hlo_piece *piece;

    if (!hlo_looks_like(p->text, p->text_size))
        return 0;
    hlo_pieces(p->text, p->text_size, &piece);
    int rc = hlo_parse_piece(&p->module, file, piece, err);
    free(piece);
    return rc;
}

/* The length of a row's name without what import puts behind that of an instruction: ":0", which
 * numbers its parts, ".inside" of a product in a kernel and ".between" of what comes behind it. */
static size_t name_length(const char *name)
{
    static const char *const tails[] = { ".inside", ".between" };
    size_t n = strlen(name), end = n;

    while (n > 0 && plain_is_digit(name[n - 1]))
        n--;
    if (n > 1 && n < end && name[n - 1] == ':')
        end = n - 1;
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        n = strlen(tails[i]);
        if (end > n && memcmp(name + end - n, tails[i], n) == 0)
            return end - n;
    }
    return end;
}

struct named_row {
    char *name; /* without its part */
    uint32_t row;
};

static int compare_names(const void *a, const void *b)
{
    const struct named_row *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : x->row < y->row ? -1 : x->row > y->row;
}

void profiled_start_kernel(struct profiled_kernel *k, char *name)
{
    *k = (struct profiled_kernel){
        .name = name, .measured_name = "", .scope = "", .source = "", .kernel = UINT32_MAX
    };
    mpq_inits(k->predicted, k->measured, k->estimated, NULL);
}

/* A kernel for each instruction that has rows, in the order of their first rows. */
static void gather_rows(struct profiled *p)
{
    size_t n = p->run.n_ops;
    struct named_row *by_name = memory_zeroed(n, sizeof *by_name);
    uint32_t *first = memory_zeroed(n, sizeof *first);

    p->kernel_of_row = memory_zeroed(n, sizeof *p->kernel_of_row);
    for (uint32_t i = 0; i < n; i++) {
        const char *name = p->run.ops[i].name;
        by_name[i] = (struct named_row){ memory_copy_part(name, name_length(name)), i };
    }
    qsort(by_name, n, sizeof *by_name, compare_names);
    for (size_t i = 0, head = 0; i < n; i++) {
        if (strcmp(by_name[i].name, by_name[head].name) != 0)
            head = i;
        first[by_name[i].row] = by_name[head].row;
    }
    for (uint32_t i = 0; i < n; i++)
        if (first[i] == i)
            p->kernel_of_row[i] = (uint32_t)p->n_kernels++;
        else
            p->kernel_of_row[i] = p->kernel_of_row[first[i]];
    p->kernel = memory_zeroed(p->n_kernels, sizeof *p->kernel);
    for (size_t i = 0; i < n; i++) {
        uint32_t row = by_name[i].row;
        if (first[row] == row) {
            profiled_start_kernel(&p->kernel[p->kernel_of_row[row]], by_name[i].name);
            by_name[i].name = NULL; /* the kernel's */
        }
        free(by_name[i].name);
    }
    free(by_name);
    free(first);
}

/* A start or a done. */
static bool is_half(const char *kind)
{
    size_t n = strlen(kind);

    return (n > 6 && strcmp(kind + n - 6, "-start") == 0) ||
           (n > 5 && strcmp(kind + n - 5, "-done") == 0);
}

/* The time at the end of a program until the last core is there is idle: it is no kernel. */
static bool is_kernel(const struct run_row *row)
{
    return strcmp(row->kind, trace_kind_name[TRACE_RETURN]) != 0;
}

/* Seconds, class and origin of the kernels, from the rows of `r`. */
static void fill_predicted(struct profiled *p, const struct run_result *r)
{
    for (size_t i = 0; i < r->n_ops; i++) {
        const struct run_row *row = &r->ops[i];
        struct profiled_kernel *k = &p->kernel[p->kernel_of_row[i]];
        enum profiled_class class = profiled_class_of_row(row);
        if (is_kernel(row))
            exact_sum(k->predicted, row->seconds);
        exact_sum(k->estimated, row->estimated);
        if (k->count == 0 || class == PROFILED_MXU)
            k->class = class;
        k->waits = k->waits || is_half(row->kind);
        k->count = row->count > k->count ? row->count : k->count;
        if (p->run.ops[i].scope) {
            k->scope = p->run.ops[i].scope;
            k->source = p->run.ops[i].source;
        }
    }
}

/* The machine without the time between programs, which is no part of a step that a profiler times.
 */
static struct machine_spec leave_programs(const struct machine_spec *spec)
{
    struct machine_spec bare = *spec; /* shares what it points to */

    bare.core.program_time = 0;
    return bare;
}

struct machine_spec profiled_leave_gaps(const struct machine_spec *spec)
{
    struct machine_spec bare = leave_programs(spec);

    bare.core.kernel_gap = 0;
    if (spec->kind == CHIP_GPU) {
        bare.gpu.kernel_gap = 0;
        bare.launch.dispatch = bare.launch.node = bare.launch.call = bare.launch.latency = 0;
    }
    return bare;
}

int profiled_predict_step(struct profiled *p, const struct run_request *q, struct err *err)
{
    struct machine_spec own = leave_programs(p->spec), bare = profiled_leave_gaps(p->spec);
    struct run_result kernels;

    if (run_program(p, q, &own, false, &p->run, err) != 0)
        return -1;
    gather_rows(p);
    if (p->spec->kind != CHIP_GPU && p->spec->core.kernel_gap == 0) {
        fill_predicted(p, &p->run);
        return 0;
    }
    if (run_program(p, q, &bare, true, &kernels, err) != 0)
        return -1;
    fill_predicted(p, &kernels);
    run_result_free(&kernels);
    return 0;
}

int profiled_predict(const struct profiled *p, const struct machine_spec *spec, double *seconds,
                     struct err *err)
{
    struct run_request q = { .trace = p->run.trace };
    struct machine_spec bare = profiled_leave_gaps(spec);
    struct run_result r;

    if (run_program(p, &q, &bare, true, &r, err) != 0)
        return -1;
    for (size_t i = 0; i < p->n_kernels; i++)
        seconds[i] = 0;
    for (size_t i = 0; i < r.n_ops; i++)
        if (is_kernel(&r.ops[i]))
            seconds[p->kernel_of_row[i]] += mpq_get_d(r.ops[i].seconds);
    run_result_free(&r);
    return 0;
}
