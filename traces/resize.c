#include "resize.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/arith.h"
#include "base/memory.h"
#include "gen.h"

#define CORES "cores"
#define HOST_CORES "host_cores"
#define DEVICES "devices" /* auto, remote or local */

/* Values of all parameters, as far as the generator accepts those of the header; false: some are
 * not its own. */
static bool read_values(const struct gen_workload *w, const struct trace_header *h, uint64_t *value)
{
    bool all = true;
    struct err ignored;
    char set[sizeof h->param->key + sizeof h->param->value];

    BUG_ON(w->n_params > GEN_MAX_PARAMS);
    for (size_t i = 0; i < w->n_params; i++)
        value[i] = w->params[i].def;
    for (uint32_t i = 0; i < h->n_params; i++) {
        snprintf(set, sizeof set, "%s=%s", h->param[i].key, h->param[i].value);
        all &= gen_set(w, set, value, &ignored) == 0;
    }
    return all;
}

/* The generator that wrote the trace, if its step depends on the size of the slice; else NULL. */
static const struct gen_workload *find_generator(const struct trace_header *h, uint64_t *value)
{
    const struct gen_workload *w = gen_find(h->workload);

    if (!w || !w->is_sized || h->cores || h->shared > 1 || h->stages > 1)
        return NULL;
    read_values(w, h, value);
    for (uint32_t i = 0; i < h->n_params; i++)
        if (strcmp(h->param[i].key, CORES) == 0)
            return w->is_sized(value) ? w : NULL;
    return NULL;
}

uint64_t resize_cores(const struct trace_header *h)
{
    uint64_t value[GEN_MAX_PARAMS];
    const struct gen_workload *w = find_generator(h, value);

    return w ? value[gen_param_index(w, CORES)] : 0;
}

/* Set the size; true if it changes.  Hosts are counted by their cores, which differ between
 * generations; that changes only if the number of hosts would be wrong. */
static bool set_size(const struct gen_workload *w, const struct resize_slice *slice,
                     uint64_t *value)
{
    uint64_t *cores = &value[gen_param_index(w, CORES)], was = *cores;
    size_t i = gen_param_index(w, HOST_CORES);

    *cores = slice->cores;
    if (i == w->n_params || arith_ceil_div(slice->cores, value[i]) == slice->hosts)
        return was != slice->cores;
    value[i] = arith_ceil_div(slice->cores, slice->hosts);
    return true;
}

/* Say that devices are in the machine that the program runs on, where the trace leaves it to the
 * machine; true if that changes. */
static bool set_place(const struct gen_workload *w, const struct resize_slice *slice,
                      uint64_t *value)
{
    size_t i = gen_param_index(w, DEVICES);
    struct err ignored;

    return slice->local && i < w->n_params && value[i] == w->params[i].def &&
           gen_set(w, DEVICES "=local", value, &ignored) == 0;
}

/* Print "key=value" of each parameter that is not at its default, with a space before it. */
static void print_settings(const struct gen_workload *w, const uint64_t *value, FILE *out)
{
    for (size_t i = 0; i < w->n_params; i++) {
        const struct gen_param *p = &w->params[i];

        if (value[i] == p->def && strcmp(p->key, CORES) != 0)
            continue;
        fprintf(out, " %s=", p->key);
        if (p->choice)
            fputs(p->choice[value[i]], out);
        else
            fprintf(out, "%" PRIu64, value[i]);
    }
}

static const char *plural_of(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Say what writes the trace for this slice. */
static int fail_edited(const struct trace *t, const struct gen_workload *w, const uint64_t *value,
                       const struct resize_slice *slice, uint64_t from, struct err *err)
{
    struct memory_text settings;

    memory_text_begin(&settings);
    print_settings(w, value, settings.out);
    char *text = memory_text_end(&settings);
    err_set(err, ERR_FIT,
            "%s: its step is for %" PRIu64 " core%s, %s has %" PRIu64
            ", and it was changed since it was generated: write it for this slice, cyclotron trace "
            "gen %s%s | cyclotron replay - -m %s, or take its param lines out to replay it as it "
            "is",
            trace_file(t), from, plural_of(from), slice->machine, slice->cores, w->name, text,
            slice->machine);
    free(text);
    return -1;
}

/* Generate with these values into a new string. */
static int write_again(const struct gen_workload *w, const uint64_t *value, struct resize *r,
                       struct err *err)
{
    struct memory_text text;

    memory_text_begin(&text);
    int rc = w->check ? w->check(value, err) : 0;
    if (rc == 0)
        w->write(value, text.out);
    r->text = memory_text_end(&text);
    r->size = text.size;
    if (rc == 0)
        return 0;
    free(r->text);
    r->text = NULL;
    return rc;
}

/* Read the rest of the trace; 1 if its text is what the generator writes with `value`. */
static int is_untouched(struct trace *t, const struct gen_workload *w, const uint64_t *value,
                        struct err *err)
{
    struct trace_item item = { .kind = TRACE_ITEM_HEADER };
    struct resize again;
    struct err ignored;

    while (item.kind != TRACE_ITEM_END)
        if (trace_next(t, &item, err) != 0)
            return -1;
    if (write_again(w, value, &again, &ignored) != 0)
        return 0;
    bool same = XXH64(again.text, again.size, 0) == trace_checksum(t);
    free(again.text);
    return same;
}

int resize_trace(struct trace *t, const struct resize_slice *slice, struct resize *r,
                 struct err *err)
{
    const struct trace_header *h = trace_head(t);
    uint64_t was[GEN_MAX_PARAMS], value[GEN_MAX_PARAMS];
    const struct gen_workload *w = find_generator(h, was);

    *r = (struct resize){ 0 };
    if (!w)
        return 0;
    r->from = was[gen_param_index(w, CORES)];
    bool all = read_values(w, h, value);
    bool resized = set_size(w, slice, value);
    r->local = set_place(w, slice, value);
    if (!resized && !r->local)
        return 0;
    int same = is_untouched(t, w, was, err);
    if (same < 0)
        return -1;
    if ((!all || !same) && !resized) { /* nobody asked for another one */
        r->local = false;
        return 0;
    }
    if (!all || !same)
        return fail_edited(t, w, value, slice, r->from, err);
    for (size_t i = 0; i < w->n_params; i++)
        if (value[i] < w->params[i].min || value[i] > w->params[i].max)
            return err_set(err, ERR_FIT,
                           "%s: its step is for %" PRIu64
                           " core%s, and cannot be derived again: %s: "
                           "%s = %" PRIu64 ": outside [%" PRIu64 ", %" PRIu64 "]",
                           trace_file(t), r->from, plural_of(r->from), w->name, w->params[i].key,
                           value[i], w->params[i].min, w->params[i].max);
    if (write_again(w, value, r, err) != 0) {
        err->code = ERR_FIT;
        return err_at(err, "%s: its step is for %" PRIu64 " core%s, and cannot be derived again",
                      trace_file(t), r->from, plural_of(r->from));
    }
    r->to = slice->cores;
    return 0;
}
