#include "cli/options/timeline_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/quantity.h"
#include "import/open.h"
#include "import/program_proto.h"
#include "report/html/html_page.h"

#define DEFAULT_LIMIT UINT64_C(1000000000)

/* --- options ------------------------------------------------------------------------------ */

/* `text` in `unit` as a whole number of 1 / `per` of it; false: a usage error was printed. */
static bool parse_quantity(const char *name, const char *option, const char *text, const char *unit,
                           uint64_t per, uint64_t *value)
{
    struct err err;
    mpq_t q, scale;
    mpz_t z;
    bool ok;

    mpq_inits(q, scale, NULL);
    mpz_init(z);
    ok = quantity_parse(q, text, unit, &err) == 0;
    if (ok) {
        exact_ratio(scale, per, 1);
        mpq_mul(q, q, scale);
        mpz_fdiv_q(z, mpq_numref(q), mpq_denref(q));
        ok = mpz_sgn(z) >= 0 && mpz_sizeinbase(z, 2) < 64;
        if (ok)
            *value = mpz_get_ui(z);
        else
            err_set(&err, ERR_RANGE, "%.40s: outside [0, %llu] %s", text,
                    (unsigned long long)(INT64_MAX / per), unit);
    }
    if (!ok)
        cli_usage(name, "--%s: %s", option, err.msg);
    mpz_clear(z);
    mpq_clears(q, scale, NULL);
    return ok;
}

error_t timeline_parse(struct timeline *t, const char *name, int key, const char *arg)
{
    switch (key) {
    case TIMELINE_VCD: t->vcd = arg; return 0;
    case TIMELINE_PERFETTO: t->perfetto = arg; return 0;
    case TIMELINE_HTML: t->html = arg; return 0;
    case TIMELINE_TRACE: cli_list_add(&t->globs, arg); return 0;
    case TIMELINE_FROM:
        t->has_from = true;
        return parse_quantity(name, "from", arg, "s", DES_FS_PER_S, &t->from) ? 0 : EINVAL;
    case TIMELINE_TO:
        t->has_to = true;
        return parse_quantity(name, "to", arg, "s", DES_FS_PER_S, &t->to) ? 0 : EINVAL;
    case TIMELINE_LIMIT:
        t->has_limit = true;
        return parse_quantity(name, "limit", arg, "B", 1, &t->limit) ? 0 : EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

error_t timeline_parse_run(struct timeline *t, struct machine_options *one, int key, char *arg)
{
    error_t rc = machine_options_parse(one, key, arg);

    return rc == ARGP_ERR_UNKNOWN ? timeline_parse(t, one->name, key, arg) : rc;
}

/* True if two outputs go to one place, after a usage error. */
static bool has_collision(const struct timeline *t, const char *name, const char *output)
{
    const char *const option[] = { "--vcd", "--perfetto", "--html", "-o", "the report" };
    const char *const path[] = { t->vcd, t->perfetto, t->html, t->xplane, output ? output : "-" };
    const unsigned n = sizeof path / sizeof *path;

    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < i; k++)
            if (path[i] && path[k] && cli_out_same(path[i], path[k])) {
                bool std = strcmp(path[i], "-") == 0;
                cli_usage(name, "%s and %s both go to %.80s: name another %s", option[k], option[i],
                          std ? "standard output" : path[i],
                          i == n - 1 ? "file by -o FILE" : "file");
                return true;
            }
    return false;
}

/* -o run.vcd is --vcd run.vcd, and so on; the report then goes to standard output. */
static error_t move_output(struct timeline *t, const char *name, const char **output,
                           enum cli_format *format)
{
    const char **file = *format == CLI_VCD       ? &t->vcd
                        : *format == CLI_PFTRACE ? &t->perfetto
                        : *format == CLI_HTML    ? &t->html
                        : *format == CLI_XPLANE  ? &t->xplane
                                                 : NULL;

    if (!file)
        return 0;
    if (*file) {
        cli_usage(name, "-o %.80s and %.80s are two files of one format: name one of them", *output,
                  *file);
        return EINVAL;
    }
    *file = *output;
    *output = NULL;
    *format = CLI_TEXT;
    return 0;
}

error_t timeline_settle(struct timeline *t, const char *name, const char *can, const char **output,
                        enum cli_format *format)
{
    if (cli_format_settle(name, can, *output, format) != 0 ||
        cli_format_check(name, "--vcd", ".vcd[.zst]", t->vcd) != 0 ||
        cli_format_check(name, "--perfetto", ".pftrace[.zst]", t->perfetto) != 0 ||
        cli_format_check(name, "--html", ".html", t->html) != 0 ||
        move_output(t, name, output, format) != 0)
        return EINVAL;
    if (!t->has_to)
        t->to = DES_NEVER;
    if (!t->has_limit)
        t->limit = DEFAULT_LIMIT;
    if (!t->vcd && !t->perfetto && (t->globs.n || t->has_from || t->has_to || t->has_limit))
        cli_usage(name, "--trace, --from, --to and --limit need a timeline: give --vcd FILE%s",
                  t->only_waves ? "" : " or --perfetto FILE");
    else if (t->from >= t->to)
        cli_usage(name, "--from is not before --to");
    else if (!has_collision(t, name, *output))
        return 0;
    return EINVAL;
}

/* --- files -------------------------------------------------------------------------------- */

/* run.vcd.zst -> run.gtkw */
static char *name_beside(const char *path, const char *end)
{
    size_t n = strlen(path);

    n -= cli_format_packed(path) ? 4 : 0;
    n -= n > 4 && strncmp(path + n - 4, ".vcd", 4) == 0 ? 4 : 0;
    return memory_format("%.*s%s", (int)n, path, end);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Write a list of names that GTKWave reads: a line for each value in hexadecimal, and its name.
 * Further lists have files of their own: run.states.txt, run.states2.txt. */
static const char *write_names(void *self, const char *const *name, uint32_t n)
{
    struct timeline *t = self;
    struct err err;
    size_t i = 0;
    int digits = 1;

    while (i < t->n_named && t->named[i] != name)
        i++;
    if (i < t->n_named)
        return base_name(t->names_path[i]);
    if (i == TIMELINE_MAX_NAMES)
        return NULL; /* numbers then, as in the dump */
    char end[32];
    snprintf(end, sizeof end, i ? ".states%zu.txt" : ".states.txt", i + 1);
    t->names_path[i] = name_beside(t->vcd, end);
    if (cli_out_open(&t->names_out[i], t->names_path[i], CLI_VCD, &err) != 0) {
        free(t->names_path[i]);
        return NULL;
    }
    for (uint32_t most = (n - 1) >> 4; most; most >>= 4)
        digits++;
    for (uint32_t k = 0; k < n; k++)
        fprintf(t->names_out[i].file, "%0*x %s\n", digits, (unsigned)k, name[k]);
    t->named[t->n_named++] = name;
    return base_name(t->names_path[i]);
}

static int open_wave(struct timeline *t, struct err *err)
{
    if (cli_out_open(&t->wave_out, t->vcd, CLI_VCD, err) != 0)
        return -1;
    t->wave_request = (struct wave_request){
        .choice = { .glob = t->globs.word, .n_globs = t->globs.n, .from = t->from, .to = t->to },
        .path = t->vcd,
        .compress = cli_format_packed(t->vcd),
        .limit = t->limit,
        .names = write_names,
        .self = t,
    };
    if (t->wave_out.temporary) { /* a file, which can have others beside it */
        t->view_path = name_beside(t->vcd, ".gtkw");
        if (cli_out_open(&t->view, t->view_path, CLI_VCD, err) != 0)
            return -1;
        t->wave_request.view = t->view.file;
    }
    t->wave = wave_new(&t->wave_request, t->wave_out.file);
    t->observer[t->n_observers++] = wave_observer(t->wave);
    return 0;
}

/* Without --trace: all of the first core, its chip and host, since the others do the same, and of
 * the others operations, collectives, memory and traffic. */
static const char *const overview[] = { "chip0.core0.*", "chip0.[!c]*", "chip0.cmem*", "GPU0.*",
                                        "node0.*",       "host0.*",     "*.op",        "*.module",
                                        "*.step",        "*.async?",    "*.flow",      "*.part",
                                        "*.ici.state",   "*.memory",    "*.bytes",     "*.infeed" };

static int open_trace(struct timeline *t, struct err *err)
{
    if (cli_out_open(&t->trace_out, t->perfetto, CLI_PFTRACE, err) != 0)
        return -1;
    bool all = t->globs.n == 0;
    t->perfetto_request = (struct perfetto_request){
        .choice = { .glob = all ? overview : t->globs.word,
                    .n_globs = all ? sizeof overview / sizeof *overview : t->globs.n,
                    .lenient = all,
                    .from = t->from,
                    .to = t->to },
        .path = t->perfetto,
        .compress = cli_format_packed(t->perfetto),
        .limit = t->limit,
    };
    t->trace = perfetto_new(&t->perfetto_request, t->trace_out.file);
    t->observer[t->n_observers++] = perfetto_observer(t->trace);
    return 0;
}

static int open_html(struct timeline *t, struct err *err)
{
    if (cli_out_open(&t->html_out, t->html, CLI_HTML, err) != 0)
        return -1;
    t->lanes = lanes_new_page();
    t->observer[t->n_observers++] = lanes_observer(t->lanes);
    return 0;
}

static int open_xplane(struct timeline *t, struct err *err)
{
    if (cli_out_open(&t->xplane_out, t->xplane, CLI_XPLANE, err) != 0)
        return -1;
    t->xspace = xspace_new();
    t->observer[t->n_observers++] = xspace_observer(t->xspace);
    return 0;
}

int timeline_open(struct timeline *t, struct err *err)
{
    if ((t->xplane && open_xplane(t, err) != 0) || (t->vcd && open_wave(t, err) != 0) ||
        (t->perfetto && open_trace(t, err) != 0) || (t->html && open_html(t, err) != 0)) {
        struct err ignored;
        timeline_close(t, false, NULL, &ignored);
        return -1;
    }
    return 0;
}

/* Give a file its name, or leave none. */
static int finish_output(struct cli_out *out, bool good, struct err *err)
{
    if (good && out->file)
        return cli_out_close(out, err);
    cli_out_abandon(out);
    return 0;
}

/* The program with the buffers alive at its peak. */
static void encode_program(const struct program_proto *program, const struct run_result *r,
                           struct proto *proto)
{
    size_t n = r->owners.n_buffers;
    struct program_proto_buffer *buffer = memory_zeroed(n + 1, sizeof *buffer);

    for (size_t i = 0; i < n; i++) {
        const struct run_buffer *b = &r->owners.buffer[i];
        buffer[i] = (struct program_proto_buffer){ b->name, b->last, b->bytes };
    }
    program_proto_encode(program, proto, buffer, n);
    free(buffer);
}

/* The trace is read once more: it may be a program, which goes into the file. */
static int write_xplane(const struct timeline *t, const struct run_result *r, struct err *err)
{
    struct program_proto *program;
    struct proto proto = { 0 };
    char *own = NULL;
    const char *text = t->text;
    size_t size = t->text_size;

    if (!text && import_read(&own, &size, t->file, err) != 0)
        return -1;
    program_proto_open(&program, t->file, text ? text : own, size);
    char *name = program ? program_proto_name(program) : memory_copy(r->workload);
    if (program)
        encode_program(program, r, &proto);
    const struct xspace_program x = { .name = name,
                                      .proto = proto.bytes,
                                      .size = proto.n,
                                      .text = program ? program_proto_line : NULL,
                                      .category = program ? program_proto_category : NULL,
                                      .self = program };
    int rc = xspace_write(t->xspace, r, &x, t->xplane_out.file, err);
    program_proto_free(program);
    proto_free(&proto);
    free(name);
    free(own);
    return rc;
}

int timeline_close(struct timeline *t, bool ran, const struct run_result *r, struct err *err)
{
    int rc = 0;

    if (ran && t->wave)
        rc = wave_check(t->wave, err);
    if (ran && t->trace && rc == 0)
        rc = perfetto_check(t->trace, err);
    if (ran && t->xspace && rc == 0)
        rc = write_xplane(t, r, err);
    if (ran && t->lanes && rc == 0)
        html_report(r, t->lanes, t->html_out.file);
    lanes_free(t->lanes);
    t->lanes = NULL;
    xspace_free(t->xspace);
    t->xspace = NULL;
    wave_free(t->wave);
    perfetto_free(t->trace);
    t->wave = NULL;
    t->trace = NULL;
    struct cli_out *outs[] = { &t->wave_out, &t->view, &t->trace_out, &t->html_out,
                               &t->xplane_out };
    for (size_t i = 0; i < sizeof outs / sizeof *outs; i++)
        if (finish_output(outs[i], ran && rc == 0, err) != 0)
            rc = -1;
    for (size_t i = 0; i < t->n_named; i++)
        if (finish_output(&t->names_out[i], ran && rc == 0, err) != 0)
            rc = -1;
    return rc;
}

void timeline_free(struct timeline *t)
{
    cli_list_free(&t->globs);
    free(t->view_path);
    for (size_t i = 0; i < t->n_named; i++)
        free(t->names_path[i]);
}
