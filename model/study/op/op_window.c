#include "study/op/op_window.h"

#include <inttypes.h>

int op_window_read(struct trace_window *w, const struct op_value *window, const uint64_t *size,
                   uint32_t rank, struct err *err)
{
    *w = (struct trace_window){ .rank = rank, .stride = { 1, 1, 1 }, .dilate = { 1, 1, 1 } };
    if (window->given && window->window.rank != 0) {
        if (window->window.rank != rank)
            return err_set(err, ERR_FORMAT,
                           "window = %s: %" PRIu32 " dimensions, expected %" PRIu32
                           ", the positions of the image",
                           window->text, window->window.rank, rank);
        *w = window->window;
    }
    for (uint32_t i = 0; i < rank; i++) {
        if (size && w->size[i] != 0 && w->size[i] != size[i])
            return err_set(err, ERR_FORMAT,
                           "window = %s: the filter has size %" PRIu64 " in dimension %" PRIu32,
                           window->text, size[i], i);
        if (size)
            w->size[i] = size[i];
        if (w->size[i] == 0)
            return err_set(err, ERR_FORMAT,
                           "window = %s: expected a size, such as window=3x3,stride=2x2",
                           window->text);
        if (w->size[i] > UINT32_MAX)
            return err_set(err, ERR_RANGE, "a window of %" PRIu64 ": outside [1, %" PRIu32 "]",
                           w->size[i], UINT32_MAX);
    }
    return 0;
}

/* Positions from the first to the last element under the window, in dimension `i`. */
static uint64_t window_reach(const struct trace_window *w, uint32_t i)
{
    return w->dilate[i] * (w->size[i] - 1) + 1;
}

int op_window_positions(const struct trace_window *w, const uint64_t *in, uint64_t *out,
                        struct err *err)
{
    for (uint32_t i = 0; i < w->rank; i++) {
        int64_t padded = (int64_t)in[i] + w->pad_lo[i] + w->pad_hi[i];
        if (padded < 0 || (uint64_t)padded < window_reach(w, i))
            return err_set(err, ERR_RANGE,
                           "a window over %" PRIu64 " positions does not fit the %" PRId64
                           " of dimension %" PRIu32 ", padding included",
                           window_reach(w, i), padded, i + 2);
        out[i] = ((uint64_t)padded - window_reach(w, i)) / w->stride[i] + 1;
    }
    return 0;
}

int op_window_image(const struct trace_window *w, const uint64_t *in, uint64_t *out,
                    struct err *err)
{
    for (uint32_t i = 0; i < w->rank; i++) {
        uint64_t whole;
        if (__builtin_mul_overflow(in[i] - 1, w->stride[i], &whole) ||
            __builtin_add_overflow(whole, window_reach(w, i), &whole) || whole > OP_MOST / 2)
            return err_set(err, ERR_RANGE, "a result of more than 2^62 positions");
        int64_t left = (int64_t)whole - w->pad_lo[i] - w->pad_hi[i];
        if (left < 1)
            return err_set(err, ERR_RANGE,
                           "padding removes all %" PRIu64 " positions of dimension %" PRIu32, whole,
                           i + 2);
        out[i] = (uint64_t)left;
    }
    return 0;
}

int op_window_check_image(const struct op_value *v, const char *key, struct err *err)
{
    if (v->rank >= 3 && v->rank <= 5)
        return 0;
    return err_set(err, ERR_FORMAT,
                   "%s = %s: %" PRIu32
                   " dimensions, expected batch x channels x 1 to 3 of positions",
                   key, v->text, v->rank);
}
