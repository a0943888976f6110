/* hlo_ask_window.c - see hlo_module.h: window= and dim_labels=. */
#include <string.h>

#include "hlo/hlo_module.h"

/* --- window ------------------------------------------------------------------------------- */

/* "3x3" or "1_1x0_0": `per` numbers for each dimension; -1 if there are not so many. */
static int read_list(struct hlo_text list, uint32_t per, uint32_t rank, int64_t *number)
{
    if (!list.at)
        return 0;
    return hlo_numbers(list, number, per * HLO_MAX_WINDOW) == per * rank ? 1 : -1;
}

static int fail_list(const struct hlo_module *m, const struct hlo_instruction *i, struct err *err,
                     const char *key, struct hlo_text list, uint32_t rank)
{
    return hlo_error(m, i, err, "%s=%.*s in a window of %u dimensions", key,
                     list.size > 60 ? 60 : (int)list.size, list.at, rank);
}

static void set_dim(struct hlo_window *w, uint32_t d, const char *key, const int64_t *number)
{
    if (strcmp(key, "stride") == 0)
        w->dim[d].stride = (uint64_t)number[d];
    else if (strcmp(key, "lhs_dilate") == 0)
        w->dim[d].lhs_dilate = (uint64_t)number[d];
    else if (strcmp(key, "rhs_dilate") == 0)
        w->dim[d].rhs_dilate = (uint64_t)number[d];
    else
        w->dim[d].reversed = number[d] != 0;
}

int hlo_window(const struct hlo_module *m, const struct hlo_instruction *i, struct hlo_window *w,
               struct err *err)
{
    static const char *const key[] = { "stride", "lhs_dilate", "rhs_dilate", "rhs_reversal" };
    struct hlo_text window = hlo_attribute(m, i, "window"), size = hlo_part(window, "size");
    int64_t number[2 * HLO_MAX_WINDOW];

    *w = (struct hlo_window){ 0 };
    if (!window.at)
        return 0;
    uint32_t rank = hlo_numbers(size, number, HLO_MAX_WINDOW);
    if (rank > HLO_MAX_WINDOW)
        return hlo_error(m, i, err, "a window of %u dimensions, expected at most %d", rank,
                         HLO_MAX_WINDOW);
    for (uint32_t d = 0; d < rank; d++) {
        if (number[d] < 0)
            return fail_list(m, i, err, "size", size, rank);
        w->dim[d].size = (uint64_t)number[d];
        w->dim[d].stride = w->dim[d].lhs_dilate = w->dim[d].rhs_dilate = 1;
    }
    w->rank = rank;
    for (unsigned k = 0; k < sizeof key / sizeof *key; k++) {
        struct hlo_text list = hlo_part(window, key[k]);
        int given = read_list(list, 1, rank, number);
        if (given < 0)
            return fail_list(m, i, err, key[k], list, rank);
        for (uint32_t d = 0; given > 0 && d < rank; d++) {
            if (number[d] < (k < 3))
                return fail_list(m, i, err, key[k], list, rank);
            set_dim(w, d, key[k], number);
        }
    }
    struct hlo_text pad = hlo_part(window, "pad");
    int given = read_list(pad, 2, rank, number);
    if (given < 0)
        return fail_list(m, i, err, "pad", pad, rank);
    for (uint32_t d = 0; given > 0 && d < rank; d++) {
        w->dim[d].pad_lo = number[2 * d];
        w->dim[d].pad_hi = number[2 * d + 1];
    }
    return 0;
}

/* --- dim_labels --------------------------------------------------------------------------- */

struct labels {
    uint32_t one, other; /* places of 'b' and 'f', or of 'i' and 'o' */
    uint32_t place[HLO_MAX_WINDOW];
    uint32_t rank;
};

/* `b01f`: letters `one` and `other` and the digits from 0 without gaps; '?' stands for a dimension
 * that means nothing. */
static bool read_labels(struct hlo_text t, char one, char other, struct labels *l)
{
    unsigned seen = 0;

    *l = (struct labels){ HLO_NONE, HLO_NONE, { 0 }, 0 };
    for (uint32_t k = 0; k < t.size; k++) {
        char c = t.at[k];
        if (c == one && l->one == HLO_NONE) {
            l->one = k;
        } else if (c == other && l->other == HLO_NONE) {
            l->other = k;
        } else if (c >= '0' && c <= '9' && !(seen >> (c - '0') & 1)) {
            l->place[c - '0'] = k;
            seen |= 1u << (c - '0');
            l->rank++;
        } else if (c != '?') {
            return false;
        }
    }
    return l->one != HLO_NONE && l->other != HLO_NONE && (seen & (seen + 1)) == 0;
}

/* Cut `t` before the first `c`; false if it is not there. */
static bool cut_text(struct hlo_text *t, char c, struct hlo_text *before)
{
    const char *at = memchr(t->at, c, t->size);

    if (!at)
        return false;
    *before = (struct hlo_text){ t->at, (uint32_t)(at - t->at) };
    t->size -= before->size + 1;
    t->at = at + 1;
    return true;
}

int hlo_dim_labels(const struct hlo_module *m, const struct hlo_instruction *i,
                   struct hlo_dim_labels *d, struct err *err)
{
    struct hlo_text labels = hlo_attribute(m, i, "dim_labels"), rest = labels, in, kernel;
    struct labels a, b, c;

    *d = (struct hlo_dim_labels){ 0 };
    if (!labels.at)
        return hlo_error(m, i, err, "%.*s without dim_labels=", (int)i->opcode_text.size,
                         i->opcode_text.at);
    if (!cut_text(&rest, '_', &in) || !cut_text(&rest, '-', &kernel) || rest.size == 0 ||
        *rest.at++ != '>' || (rest.size--, !read_labels(in, 'b', 'f', &a)) ||
        !read_labels(kernel, 'i', 'o', &b) || !read_labels(rest, 'b', 'f', &c) ||
        a.rank != b.rank || a.rank != c.rank)
        return hlo_error(m, i, err, "dim_labels=%.*s, expected such as b01f_01io->b01f",
                         labels.size > 60 ? 60 : (int)labels.size, labels.at);
    d->rank = a.rank;
    d->input_batch = a.one;
    d->input_feature = a.other;
    d->kernel_input = b.one;
    d->kernel_output = b.other;
    d->output_batch = c.one;
    d->output_feature = c.other;
    memcpy(d->input, a.place, sizeof d->input);
    memcpy(d->kernel, b.place, sizeof d->kernel);
    memcpy(d->output, c.place, sizeof d->output);
    return 0;
}
