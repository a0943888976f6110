/* Streams of a mix take turns at a channel that is walked cycle by cycle. */
#include "hw/hbm/hbm_mix.h"

#include <string.h>

#include "base/wide.h"
#include "hw/hbm/hbm_map.h"

struct stream {
    uint64_t at; /* next access, counted from the first of the channel */
    uint32_t left, span;
    bool write;
};

struct mixer {
    struct hbm_map map;
    struct stream stream[HBM_MIX_MAX];
    uint32_t n, turn, turn_left;
    uint64_t room, left, seed; /* room: accesses that fit the channel */
};

/* splitmix64 */
static uint64_t draw_number(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Draw the next place of a stream: of rows a multiple of their size, else any access. */
static void place_stream(struct mixer *x, struct stream *s, bool rows)
{
    uint64_t size = rows ? s->span : 1, places = x->room / size;

    s->at = (uint64_t)((u128)draw_number(&x->seed) * (places ? places : 1) >> 64) * size;
    s->left = s->span;
}

/* The next access of the stream whose turn it is. */
static struct hbm_place choose_place(struct mixer *x, const struct hbm_mix *mix)
{
    struct stream *s = &x->stream[x->turn];

    if (s->left == 0)
        place_stream(x, s, hbm_kind_is_rows(mix->kind[x->turn]));
    s->left--;
    return hbm_map_place(&x->map, s->at++ % x->room);
}

/* `one` describes a part of one channel: accesses are numbered within it. */
static void init_mixer(struct mixer *x, const struct dram_params *one, const struct hbm_mix *mix,
                       const struct hbm_mix_course *course)
{
    struct err err;

    BUG_ON(mix->n == 0 || mix->n > HBM_MIX_MAX || course->turn == 0 || course->span == 0);
    *x = (struct mixer){ .n = mix->n,
                         .turn_left = course->turn,
                         .left = course->skip + course->accesses,
                         .seed = course->seed,
                         .room = dram_bytes(one) / one->access };
    BUG_ON(hbm_map_init(&x->map, one, &err) != 0);
    for (uint32_t i = 0; i < mix->n; i++) {
        uint32_t kind = mix->kind[i];
        x->stream[i] =
            (struct stream){ .span = hbm_kind_is_rows(kind) ? UINT32_C(1) << (kind / 2 - 1)
                                                            : course->span,
                             .write = hbm_kind_writes(kind) };
    }
}

static uint64_t count_served(const struct hbm_channel *c)
{
    return c->st.reads + c->st.writes;
}

/* Copy what `c` has counted up to cycle `now`. */
static void copy_counters(struct hbm_mixed *seen, const struct hbm_channel *c, uint64_t now)
{
    seen->cycles = now;
    seen->st = c->st;
    memcpy(seen->bank, c->bank_st, sizeof seen->bank);
}

static void subtract_counters(uint64_t *from, const uint64_t *what, size_t n)
{
    for (size_t i = 0; i < n; i++)
        from[i] -= what[i];
}

static void pass_turn(struct mixer *x, uint32_t turn)
{
    x->left--;
    if (--x->turn_left)
        return;
    x->turn_left = turn;
    x->turn = (x->turn + 1) % x->n;
}

void hbm_mix_walk(const struct dram_params *par, const struct hbm_mix *mix,
                  const struct hbm_mix_course *course, struct hbm_mixed *out)
{
    struct dram_params one = *par;
    struct hbm_timing t;
    struct hbm_channel c;
    struct mixer x;
    struct err err;
    struct hbm_place at = { 0 };
    bool looks = false; /* the access at `at` waits for room in a queue */
    struct hbm_mixed skipped;
    uint64_t last = 0;

    memset(&skipped, 0, sizeof skipped);
    one.stacks = one.channels = 1;
    BUG_ON(hbm_timing_init(&t, &one, &err) != 0);
    init_mixer(&x, &one, mix, course);
    hbm_channel_init(&c, &t, 0);
    for (uint64_t now = 0, next; x.left || hbm_channel_waiting(&c); now = next) {
        uint64_t before = count_served(&c);
        next = hbm_channel_step(&c, now);
        if (before < course->skip && count_served(&c) >= course->skip)
            copy_counters(&skipped, &c, now);
        if (count_served(&c) > before)
            last = now;
        while (x.left) {
            bool write = x.stream[x.turn].write;
            if (!looks)
                at = choose_place(&x, mix);
            looks = !hbm_channel_room(&c, write);
            if (looks)
                break;
            if (hbm_channel_push(&c, now, at.bank, (uint32_t)at.row, write, 0))
                next = now + 1;
            pass_turn(&x, course->turn);
        }
    }
    copy_counters(out, &c, last);
    subtract_counters((uint64_t *)out, (const uint64_t *)&skipped, sizeof *out / sizeof(uint64_t));
    hbm_channel_free(&c);
}
