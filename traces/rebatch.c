#include "rebatch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "gen.h"

#define SETTING                                                                                    \
    (sizeof((struct trace_header *)0)->param->key + sizeof((struct trace_header *)0)->param->value)

static const char *const batch_key[] = { "batch", "graphs" };

/* Generate with the parameters of the header, that called `key` replaced by `batch`. */
static int write_text(const struct trace_header *h, const char *key, uint64_t batch, char **text,
                      size_t *size, struct err *err)
{
    char(*set)[SETTING] = memory_zeroed(h->n_params + 1, sizeof *set);
    const char **word = memory_zeroed(h->n_params + 1, sizeof *word);
    struct memory_text t;
    size_t n = 0;

    for (uint32_t i = 0; i < h->n_params; i++)
        if (!key || strcmp(h->param[i].key, key) != 0)
            snprintf(set[n++], sizeof set[0], "%s=%s", h->param[i].key, h->param[i].value);
    if (key)
        snprintf(set[n++], sizeof set[0], "%s=%" PRIu64, key, batch);
    for (size_t i = 0; i < n; i++)
        word[i] = set[i];
    memory_text_begin(&t);
    int rc = gen_write(h->workload, word, n, t.out, err);
    *text = memory_text_end(&t);
    *size = t.size;
    if (rc != 0) {
        free(*text);
        *text = NULL;
    }
    free(word);
    free(set);
    return rc;
}

/* 1 if the trace is what its generator writes, 0 if not; reads `t` to its end. */
static int is_generated(struct trace *t, struct err *err)
{
    struct trace_item item = { .kind = TRACE_ITEM_HEADER };
    struct err ignored;
    char *text;
    size_t size;

    while (item.kind != TRACE_ITEM_END)
        if (trace_next(t, &item, err) != 0)
            return -1;
    if (write_text(trace_head(t), NULL, 0, &text, &size, &ignored) != 0)
        return 0;
    bool same = XXH64(text, size, 0) == trace_checksum(t);
    free(text);
    return same;
}

int rebatch_find(struct trace *t, struct rebatch *b, struct err *err)
{
    const struct trace_header *h = trace_head(t);
    const struct gen_workload *w = gen_find(h->workload);
    size_t i = 0, k = 0;

    if (h->program.given)
        return err_set(err, ERR_FIT,
                       "%s: a compiled program has the batch that it was compiled for: compile it "
                       "for several (scripts/compile FILE batch=N --topology SLICE) and name them "
                       "all, of which the largest that fits is taken",
                       trace_file(t));
    int same = w ? is_generated(t, err) : 0;
    if (same < 0)
        return -1;
    if (!same)
        return err_set(err, ERR_FIT,
                       "%s: its batch is no parameter of a generator%s: name one trace, or one "
                       "compiled program, for each batch, of which the largest that fits is taken",
                       trace_file(t), w ? ", as it was changed since it was generated" : "");
    for (; k < sizeof batch_key / sizeof *batch_key; k++)
        if ((i = gen_param_index(w, batch_key[k])) < w->n_params)
            break;
    if (k == sizeof batch_key / sizeof *batch_key)
        return err_set(err, ERR_FIT, "%s: %s has no batch", trace_file(t), w->name);
    const struct gen_param *p = &w->params[i];
    *b = (struct rebatch){ p->key, p->def, p->min ? p->min : 1, p->max };
    for (uint32_t j = 0; j < h->n_params; j++)
        if (strcmp(h->param[j].key, p->key) == 0)
            b->value = strtoull(h->param[j].value, NULL, 10);
    if (b->value < b->least)
        b->value = b->least;
    return 0;
}

int rebatch_write(const struct trace_header *h, const struct rebatch *b, uint64_t batch,
                  char **text, size_t *size, struct err *err)
{
    return write_text(h, b->key, batch, text, size, err);
}
