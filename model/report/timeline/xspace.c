#include "report/timeline/xspace.h"

#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/proto.h"
#include "report/timeline/select.h"

#define FS_PER_PS 1000
#define PROGRAM 1 /* its id */

enum line { STEPS, MODULES, OPS, ASYNC, N_LINES };
static const char *const line_name[N_LINES] = { "Steps", "XLA Modules", "XLA Ops",
                                                "Async XLA Ops" };

struct span {
    des_time begin, length;
    uint32_t value; /* a text, or the number of a step */
    uint8_t line;
};

struct shown { /* a probe, and what it shows */
    struct xspace *x;
    uint32_t id;
    uint8_t line;
    uint64_t value;
    des_time since;
};

struct xspace {
    struct shown *shown;
    uint32_t n_shown, module; /* of the first core */
    struct span *span;
    uint32_t n_spans, cap_spans;
    char **text;
    uint32_t n_texts;
    des_time zero;
    bool measured, over, full;
};

/* --- recording ------------------------------------------------------------------------------- */

static void end_span(struct shown *s, des_time now)
{
    struct xspace *x = s->x;

    if (!s->value || now <= s->since || x->full)
        return;
    if (x->n_spans == XSPACE_MOST) {
        x->full = true;
        return;
    }
    MEMORY_GROW(x->span, x->n_spans + 1, x->cap_spans);
    x->span[x->n_spans++] =
        (struct span){ s->since - x->zero, now - s->since, (uint32_t)s->value, s->line };
}

static void see_value(struct des *sim, void *self, uint32_t tag, uint64_t value)
{
    struct xspace *x = self;
    struct shown *s = &x->shown[tag];

    if (x->measured && !x->over)
        end_span(s, des_now(sim));
    s->value = value;
    s->since = des_now(sim);
}

/* Take the rows with a track of the module that has the first of them. */
static void add_probe(struct des *sim, void *self, struct des_object object, bool text)
{
    struct xspace *x = self;

    if (object.kind != DES_PROBE || text)
        return;
    const struct des_probe_row *row = des_probe_row(sim, (struct des_probe){ object.id });
    uint32_t module = des_module_of(sim, object).id;
    int line = 0;
    while (line < N_LINES && (!row->track || strcmp(line_name[line], row->track) != 0))
        line++;
    if (line == N_LINES || (x->n_shown && module != x->module))
        return;
    x->module = module;
    MEMORY_ADD(x->shown, x->n_shown);
    x->shown[x->n_shown] = (struct shown){ .x = x, .id = object.id, .line = (uint8_t)line };
    des_watch_object(sim, object, see_value, x, x->n_shown++);
}

static int attach_tracks(void *self, struct des *sim, struct err *err)
{
    struct timeline_choice all = { .lenient = true, .to = DES_NEVER };

    return timeline_each(&all, sim, add_probe, self, err);
}

static int begin_tracks(void *self, struct des *sim, uint64_t step_fs, uint64_t steps,
                        struct err *err)
{
    struct xspace *x = self;

    (void)step_fs, (void)steps, (void)err;
    x->zero = des_now(sim);
    x->measured = true;
    x->n_texts = des_texts_count(sim);
    x->text = memory_zeroed((size_t)x->n_texts + 1, sizeof *x->text);
    for (uint32_t i = 0; i < x->n_texts; i++)
        x->text[i] = memory_copy(des_text(sim, i));
    for (uint32_t i = 0; i < x->n_shown; i++) {
        struct des_object o = { DES_PROBE, x->shown[i].id };
        x->shown[i].value = des_watched_value(sim, o);
        x->shown[i].since = x->zero;
    }
    return 0;
}

static void end_tracks(void *self, struct des *sim)
{
    struct xspace *x = self;

    for (uint32_t i = 0; i < x->n_shown && x->measured && !x->over; i++)
        end_span(&x->shown[i], des_now(sim));
    x->over = true;
}

struct xspace *xspace_new(void)
{
    return memory_zeroed(1, sizeof(struct xspace));
}

struct run_observer xspace_observer(struct xspace *x)
{
    return (struct run_observer){ x, attach_tracks, begin_tracks, end_tracks, .one_chip = true };
}

void xspace_free(struct xspace *x)
{
    if (!x)
        return;
    for (uint32_t i = 0; i < x->n_texts; i++)
        free(x->text[i]);
    free(x->text);
    free(x->span);
    free(x->shown);
    free(x);
}

/* --- names ----------------------------------------------------------------------------------- */

enum stat {
    CATEGORY = 1,
    SCOPE,
    SOURCE,
    FLOPS,
    MODEL_FLOPS,
    BYTES,
    RAW_BYTES,
    PROGRAM_ID,
    SYMBOL_ID,
    RUN_ID,
    DEVICE_TYPE,
    PEAK_FLOPS,
    PEAK_HBM,
    MEGACORE,
    HLO,
    ACCESSES,
    N_STATS
};
static const char *const stat_name[N_STATS] = {
    [CATEGORY] = "hlo_category",
    [SCOPE] = "tf_op",
    [SOURCE] = "source",
    [FLOPS] = "flops",
    [MODEL_FLOPS] = "model_flops",
    [BYTES] = "bytes_accessed",
    [RAW_BYTES] = "raw_bytes_accessed",
    [PROGRAM_ID] = "program_id",
    [SYMBOL_ID] = "symbol_id",
    [RUN_ID] = "run_id",
    [DEVICE_TYPE] = "device_type_string",
    [PEAK_FLOPS] = "peak_teraflops_per_second",
    [PEAK_HBM] = "peak_hbm_bw_gigabytes_per_second",
    [MEGACORE] = "has_megacore",
    [HLO] = "Hlo Proto",
    [ACCESSES] = "memory_access_breakdown",
};

enum { PLANE_ID = 1, PLANE_NAME, PLANE_LINE, PLANE_EVENTS, PLANE_STAT_NAMES, PLANE_STATS };
enum { LINE_ID = 1, LINE_NAME = 2, LINE_EVENT = 4 };
enum { EVENT_META = 1, EVENT_OFFSET, EVENT_LENGTH, EVENT_STATS };
enum { META_ID = 1, META_NAME = 2, META_SHOWN = 4, META_STATS = 5 };
enum { STAT_ID = 1, STAT_DOUBLE, STAT_UINT, STAT_INT, STAT_TEXT, STAT_BYTES };

static void put_number(struct proto *p, uint32_t field, enum stat s, uint64_t value)
{
    proto_begin(p, field);
    proto_uint(p, STAT_ID, s);
    proto_uint(p, STAT_UINT, value);
    proto_end(p);
}

static void put_real(struct proto *p, uint32_t field, enum stat s, double value)
{
    proto_begin(p, field);
    proto_uint(p, STAT_ID, s);
    proto_double(p, STAT_DOUBLE, value);
    proto_end(p);
}

static void put_string(struct proto *p, uint32_t field, enum stat s, const char *text)
{
    proto_begin(p, field);
    proto_uint(p, STAT_ID, s);
    proto_text(p, STAT_TEXT, text);
    proto_end(p);
}

static void put_stat_names(struct proto *p)
{
    for (uint64_t i = 1; i < N_STATS; i++) {
        proto_begin(p, PLANE_STAT_NAMES);
        proto_uint(p, 1, i);
        proto_begin(p, 2);
        proto_uint(p, 1, i);
        proto_text(p, 2, stat_name[i]);
        proto_end(p);
        proto_end(p);
    }
}

/* An entry of the metadata of events; the caller adds statistics and calls end_meta. */
static void begin_meta(struct proto *p, uint64_t id, const char *name, const char *shown)
{
    proto_begin(p, PLANE_EVENTS);
    proto_uint(p, 1, id);
    proto_begin(p, 2);
    proto_uint(p, META_ID, id);
    proto_text(p, META_NAME, name);
    if (shown)
        proto_text(p, META_SHOWN, shown);
}

static void end_meta(struct proto *p)
{
    proto_end(p);
    proto_end(p);
}

/* --- the device ------------------------------------------------------------------------------ */

/* Rows of a result by name; of equal names the first. */
struct named {
    const char *name;
    const struct run_row *row;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static struct named *sort_rows(const struct run_result *r)
{
    struct named *list = memory_zeroed(r->n_ops + 1, sizeof *list);

    for (size_t i = 0; i < r->n_ops; i++)
        list[i] = (struct named){ r->ops[i].name, &r->ops[i] };
    qsort(list, r->n_ops, sizeof *list, compare_named);
    return list;
}

static const struct run_row *find_row(const struct named *list, size_t n, const char *name)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(list[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && strcmp(list[low].name, name) == 0 ? list[low].row : NULL;
}

/* All bytes as reads of HBM: which are writes nobody asks. */
static void put_accesses(struct proto *p, uint64_t bytes)
{
    proto_begin(p, META_STATS);
    proto_uint(p, STAT_ID, ACCESSES);
    proto_begin(p, STAT_BYTES);
    proto_begin(p, 1);
    proto_uint(p, 1, 1);
    proto_uint(p, 2, 1);
    proto_uint(p, 3, bytes);
    proto_end(p);
    proto_end(p);
    proto_end(p);
}

/* FLOPs and bytes of one execution. */
static void put_row(struct proto *p, const struct run_row *w, const char *category, uint64_t symbol)
{
    uint64_t times = w->count ? w->count : 1;

    put_string(p, META_STATS, CATEGORY, category ? category : w->kind);
    put_number(p, META_STATS, PROGRAM_ID, PROGRAM);
    put_number(p, META_STATS, SYMBOL_ID, symbol);
    put_number(p, META_STATS, FLOPS, (uint64_t)mpz_get_d(w->flops) / times);
    put_number(p, META_STATS, MODEL_FLOPS, (uint64_t)mpz_get_d(w->flops) / times);
    put_number(p, META_STATS, BYTES, (uint64_t)mpz_get_d(w->hbm_bytes) / times);
    put_number(p, META_STATS, RAW_BYTES, (uint64_t)mpz_get_d(w->hbm_bytes) / times);
    put_accesses(p, (uint64_t)mpz_get_d(w->hbm_bytes) / times);
    if (*w->scope || *w->phase)
        put_string(p, META_STATS, SCOPE, *w->scope ? w->scope : w->phase);
    if (*w->source)
        put_string(p, META_STATS, SOURCE, w->source);
}

/* The names of all that the lines show: texts by their number, then the steps. */
static void put_names(struct proto *p, const struct xspace *x, const struct run_result *r,
                      const struct xspace_program *program)
{
    bool *used = memory_zeroed((size_t)x->n_texts + 1, sizeof *used);
    bool *modules = memory_zeroed((size_t)x->n_texts + 1, sizeof *modules);
    struct named *rows = sort_rows(r);

    for (uint32_t i = 0; i < x->n_spans; i++)
        if (x->span[i].line != STEPS && x->span[i].value < x->n_texts) {
            used[x->span[i].value] = true;
            modules[x->span[i].value] |= x->span[i].line == MODULES;
        }
    for (uint32_t i = 0; i < x->n_texts; i++) {
        if (!used[i])
            continue;
        const char *name = modules[i] && program && program->name ? program->name : x->text[i];
        const struct run_row *w = modules[i] ? NULL : find_row(rows, r->n_ops, name);
        bool known = w && program && program->text;
        char *text = known ? program->text(program->self, name) : NULL;
        const char *category = known ? program->category(program->self, name) : NULL;
        char *shown = modules[i] ? memory_format("%s(%d)", name, PROGRAM)
                                 : memory_copy_part(name, text ? strcspn(name, ":") : strlen(name));
        begin_meta(p, i, text ? text : shown, text ? shown : NULL);
        if (w)
            put_row(p, w, category, i);
        end_meta(p);
        free(shown);
        free(text);
    }
    free(rows);
    free(modules);
    free(used);
}

static void put_lines(struct proto *p, const struct xspace *x, uint64_t first_step)
{
    for (uint64_t k = 0; k < N_LINES; k++) {
        proto_begin(p, PLANE_LINE);
        proto_uint(p, LINE_ID, k + 1);
        proto_text(p, LINE_NAME, line_name[k]);
        for (uint32_t i = 0; i < x->n_spans; i++) {
            const struct span *s = &x->span[i];
            if (s->line != k)
                continue;
            proto_begin(p, LINE_EVENT);
            proto_uint(p, EVENT_META, k == STEPS ? first_step + s->value : s->value);
            proto_uint(p, EVENT_OFFSET, s->begin / FS_PER_PS);
            proto_uint(p, EVENT_LENGTH, s->length / FS_PER_PS);
            if (k == MODULES)
                put_number(p, EVENT_STATS, RUN_ID, s->begin / FS_PER_PS + 1);
            proto_end(p);
        }
        proto_end(p);
    }
}

static void put_steps(struct proto *p, const struct xspace *x, uint64_t first_step)
{
    char number[24];

    for (uint32_t i = 0; i < x->n_spans; i++)
        if (x->span[i].line == STEPS) {
            snprintf(number, sizeof number, "%u", (unsigned)x->span[i].value);
            begin_meta(p, first_step + x->span[i].value, number, NULL);
            end_meta(p);
        }
}

/* "TPU v6 Lite", as profilers call the device. */
static const char *find_type(const struct run_result *r)
{
    static const struct {
        const char *machine, *type;
    } types[] = {
        { "tpu-v2", "TPU v2" },       { "tpu-v3", "TPU v3" },  { "tpu-v4", "TPU v4" },
        { "tpu-v5e", "TPU v5 Lite" }, { "tpu-v5p", "TPU v5" }, { "tpu-v6e", "TPU v6 Lite" },
        { "tpu-v7", "TPU7x" },        { "tpu-v8i", "TPU8i" },  { "tpu-v8t", "TPU8t" },
    };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t n = strlen(types[i].machine);
        if (strncmp(r->machine, types[i].machine, n) == 0 && r->machine[n] == '-')
            return types[i].type;
    }
    return r->machine;
}

static void put_device(struct proto *p, const struct xspace *x, const struct run_result *r,
                       const struct xspace_program *program)
{
    char name[32];

    snprintf(name, sizeof name, "/device:%s:0", r->chip);
    proto_begin(p, 1);
    proto_uint(p, PLANE_ID, 1);
    proto_text(p, PLANE_NAME, name);
    put_lines(p, x, x->n_texts);
    put_names(p, x, r, program);
    put_steps(p, x, x->n_texts);
    put_stat_names(p);
    put_string(p, PLANE_STATS, DEVICE_TYPE, find_type(r));
    put_real(p, PLANE_STATS, PEAK_FLOPS, mpq_get_d(r->peak_flops) / 1e12);
    put_real(p, PLANE_STATS, PEAK_HBM, mpq_get_d(r->hbm_bytes_per_second) / 1e9);
    put_number(p, PLANE_STATS, MEGACORE, r->tensor_cores > r->cores);
    proto_end(p);
}

static void put_program(struct proto *p, const struct xspace_program *program)
{
    char *name = memory_format("%s(%d)", program->name, PROGRAM);

    proto_begin(p, 1);
    proto_uint(p, PLANE_ID, 2);
    proto_text(p, PLANE_NAME, "/host:metadata");
    begin_meta(p, PROGRAM, name, NULL);
    proto_begin(p, META_STATS);
    proto_uint(p, STAT_ID, HLO);
    proto_bytes(p, STAT_BYTES, program->proto, program->size);
    proto_end(p);
    end_meta(p);
    put_stat_names(p);
    proto_end(p);
    free(name);
}

int xspace_write(const struct xspace *x, const struct run_result *r,
                 const struct xspace_program *program, FILE *out, struct err *err)
{
    struct proto p = { 0 };

    if (x->full)
        return err_set(err, ERR_RANGE, "more than %u operations in the steps measured",
                       (unsigned)XSPACE_MOST);
    put_device(&p, x, r, program);
    if (program && program->proto)
        put_program(&p, program);
    proto_text(&p, 4, "cyclotron"); /* a host */
    size_t n = fwrite(p.bytes, 1, p.n, out);
    int rc = n == p.n ? 0 : err_set(err, ERR_IO, "cannot write");
    proto_free(&p);
    return rc;
}
