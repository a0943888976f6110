#include "kernels/common/top_k.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

#define LONGEST 10 /* digits of a width */

#define P(...) PARAM_DESC(struct top_k_width, __VA_ARGS__)
static const struct param_desc width_rows[] = { TOP_K_WIDTH_PARAMS(P) };
#undef P
static const struct param_table width_table = { "width", width_rows,
                                                sizeof width_rows / sizeof *width_rows,
                                                sizeof(struct top_k_width), NULL };

static bool is_width(const char *name)
{
    return plain_is_digit(*name);
}

static int name_width(void *line, struct err *err)
{
    struct top_k_width *w = line;
    size_t n = strspn(w->name.text, "0123456789");

    w->keys = n <= LONGEST ? strtoull(w->name.text, NULL, 10) : 0;
    return w->keys && w->name.text[n] == '\0'
               ? 0
               : err_set(err, ERR_FORMAT,
                         "'%.40s' is no parameter and no width; expected a number of keys, such as "
                         "4096",
                         w->name.text);
}

static const struct param_list widths = { .columns = &width_table,
                                          .pattern = "N",
                                          .doc = "rows of N keys",
                                          .number = offsetof(struct top_k_params, n),
                                          .lines = offsetof(struct top_k_params, width),
                                          .most = TOP_K_MOST_WIDTHS,
                                          .like = is_width,
                                          .name = name_width };

#define P(...) PARAM_DESC(struct top_k_params, __VA_ARGS__)
static const struct param_desc rows[] = { TOP_K_PARAMS(P) };
#undef P
const struct param_table top_k_param_table = { "top_k", rows, sizeof rows / sizeof *rows,
                                               sizeof(struct top_k_params), &widths };

/* The widths next below and above that many keys; NULL: none. */
static void find_neighbours(const struct top_k_params *p, uint64_t keys,
                            const struct top_k_width **below, const struct top_k_width **above)
{
    *below = *above = NULL;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct top_k_width *w = &p->width[i];
        if (w->keys <= keys && (!*below || w->keys > (*below)->keys))
            *below = w;
        if (w->keys > keys && (!*above || w->keys < (*above)->keys))
            *above = w;
    }
}

static uint64_t find_limit(const struct top_k_params *p, uint64_t keys, bool cut)
{
    const struct top_k_width *a, *b;

    find_neighbours(p, keys, &a, &b);
    if (!a)
        return 0;
    uint64_t from = cut && a->whole ? a->whole : a->most;
    if (!b)
        return from;
    uint64_t to = cut && b->whole ? b->whole : b->most;
    double share = (double)(keys - a->keys) / (double)(b->keys - a->keys);
    return (uint64_t)((double)from + share * ((double)to - (double)from));
}

enum top_k_way top_k_choose(const struct top_k_params *p, uint64_t keys, uint64_t k)
{
    bool cut = keys / p->pieces >= k;

    if (k <= find_limit(p, keys, cut))
        return TOP_K_KERNEL;
    return cut ? TOP_K_PIECES : TOP_K_SORT;
}
