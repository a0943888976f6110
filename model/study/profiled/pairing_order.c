/* Kernels of a GPU that no name or shape pairs: by the names that XLA gives kernels, and by order.
 *
 * XLA:GPU calls the kernel of gemm_fusion_dot.18 gemm_fusion_dot_18; fusions that compute the same
 * share the kernel of the first of them, and kernels of libraries have names of their own.  Between
 * two pairs that are sure, products go with kernels of libraries that multiply, the others with the
 * others, in their order. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "study/profiled/pairing.h"

struct plain_name {
    char *text;
    uint32_t index;
};

/* The name of a kernel: without the node behind it, with _ for what is neither letter nor digit. */
static char *copy_plain(const char *name)
{
    char *text = memory_copy_part(name, strcspn(name, " "));

    for (char *c = text; *c; c++)
        if (!plain_is_word(*c))
            *c = '_';
    return text;
}

static int compare_plain(const void *a, const void *b)
{
    const struct plain_name *x = a, *y = b;
    int order = strcmp(x->text, y->text);

    return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

static struct plain_name *sort_names(const struct pairing_item *item, size_t n, const bool *taken,
                                     size_t *found)
{
    struct plain_name *name = memory_zeroed(n, sizeof *name);

    *found = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!taken[i])
            name[(*found)++] = (struct plain_name){ copy_plain(item[i].name), i };
    qsort(name, *found, sizeof *name, compare_plain);
    return name;
}

static void free_names(struct plain_name *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(name[i].text);
    free(name);
}

struct sides {
    struct pairing_partner *partner;
    const struct pairing_item *a, *b;
    size_t n_a, n_b;
    bool *taken_a, *taken_b;
};

static void join_items(struct sides *s, uint32_t i, uint32_t k, enum pairing_how how)
{
    s->partner[i] = (struct pairing_partner){ k, how };
    s->taken_a[i] = s->taken_b[k] = true;
}

static void pair_names(struct sides *s)
{
    size_t n_a, n_b;
    struct plain_name *a = sort_names(s->a, s->n_a, s->taken_a, &n_a);
    struct plain_name *b = sort_names(s->b, s->n_b, s->taken_b, &n_b);

    for (size_t i = 0, k = 0; i < n_a && k < n_b;) {
        int order = strcmp(a[i].text, b[k].text);
        if (order == 0)
            join_items(s, a[i].index, b[k].index, PAIRING_NAME);
        i += order <= 0;
        k += order >= 0;
    }
    free_names(a, n_a);
    free_names(b, n_b);
}

/* --- order ---------------------------------------------------------------------------------- */

static bool multiplies_kernel(const char *name)
{
    return strstr(name, "gemm") || strstr(name, "cutlass") || strstr(name, "conv") ||
           strstr(name, "cudnn") || strstr(name, "wgrad") || strstr(name, "dgrad");
}

static bool multiplies_item(const struct pairing_item *item)
{
    return strstr(item->name, "gemm") || strstr(item->name, "custom-call") ||
           strstr(item->name, "dot") || (item->head && strstr(item->head, "custom-call"));
}

/* Items [i, end_i) and [k, end_k) lie between two pairs: those of one kind go together in order. */
static void pair_between(struct sides *s, size_t i, size_t end_i, size_t k, size_t end_k,
                         bool products)
{
    while (i < end_i && k < end_k) {
        if (s->taken_a[i] || multiplies_item(&s->a[i]) != products)
            i++;
        else if (s->taken_b[k] || multiplies_kernel(s->b[k].name) != products)
            k++;
        else
            join_items(s, (uint32_t)i++, (uint32_t)k++, PAIRING_SHAPE);
    }
}

/* Go through both sides from one sure pair to the next; pairs that cross others are none of them.
 */
static void pair_gaps(struct sides *s)
{
    size_t from_i = 0, from_k = 0;

    for (size_t i = 0; i <= s->n_a; i++) {
        bool sure = i < s->n_a && s->taken_a[i] && s->partner[i].how == PAIRING_NAME &&
                    s->partner[i].other >= from_k;
        if (!sure && i < s->n_a)
            continue;
        size_t k = i < s->n_a ? s->partner[i].other : s->n_b;
        pair_between(s, from_i, i, from_k, k, true);
        pair_between(s, from_i, i, from_k, k, false);
        from_i = i + 1;
        from_k = k + 1;
    }
    pair_between(s, 0, s->n_a, 0, s->n_b, true);
    pair_between(s, 0, s->n_a, 0, s->n_b, false);
}

void pairing_order(struct pairing_partner *partner, const struct pairing_item *a, size_t n_a,
                   const struct pairing_item *b, size_t n_b)
{
    struct sides s = { partner, a, b, n_a, n_b, NULL, NULL };

    s.taken_a = memory_zeroed(n_a, sizeof *s.taken_a);
    s.taken_b = memory_zeroed(n_b, sizeof *s.taken_b);
    for (size_t i = 0; i < n_a; i++)
        if (partner[i].how != PAIRING_NONE)
            s.taken_a[i] = s.taken_b[partner[i].other] = true;
    pair_names(&s);
    pair_gaps(&s);
    free(s.taken_a);
    free(s.taken_b);
}
