/* The parts of a channel that influence its future, written down. */
#include "hw/hbm/hbm_state.h"

#include <stdlib.h>

#include "base/memory.h"

static void put_number(struct hbm_state *s, uint64_t v, unsigned bytes)
{
    if (s->n + bytes > s->room)
        MEMORY_GROW(s->bytes, (uint32_t)s->n + 4096, s->room);
    for (unsigned i = 0; i < bytes; i++)
        s->bytes[s->n++] = (uint8_t)(v >> 8 * i);
}

struct scene {
    struct hbm_state *s;
    const struct hbm_channel *c;
    uint64_t now;
    uint32_t base; /* row from which rows are counted */
};

/* A time in the past has no influence: all of them are written as 0. */
static void put_time(const struct scene *v, uint64_t when)
{
    put_number(v->s, when > v->now ? when - v->now : 0, 8);
}

/* Its row, its direction, its age in requests and in cycles. */
static void put_entry(const struct scene *v, const struct hbm_entry *e, uint32_t next_seq)
{
    put_number(v->s, e->row - v->base, 4);
    put_number(v->s, next_seq - e->seq, 4);
    put_number(v->s, e->write, 1);
    put_number(v->s, v->now - e->since, 8);
}

static void put_bank(const struct scene *v, uint32_t b)
{
    const struct hbm_channel *c = v->c;
    const struct hbm_bank *k = &c->bank[b];
    uint32_t hits = c->t->row_hits;

    put_time(v, c->act_ok[b]);
    put_time(v, c->pre_ok[b]);
    put_time(v, k->ok[0]);
    put_time(v, k->ok[1]);
    if (c->open >> b & 1) {
        put_number(v->s, k->row - v->base, 4);
        put_number(v->s, k->served < hits ? k->served : hits, 4);
        put_number(v->s, k->served > 0, 1); /* whether the next access is a hit, for the counters */
    }
    for (int d = 0; d < 2; d++) {
        put_number(v->s, k->line[d].n, 2);
        for (uint16_t i = k->line[d].head; i != HBM_NIL; i = c->entry[i].next)
            put_entry(v, &c->entry[i], c->seq);
        for (uint16_t i = k->queue[d].head; i != HBM_NIL; i = c->entry[i].next)
            put_entry(v, &c->entry[i], c->arrivals);
        put_number(v->s, HBM_NIL, 2);
    }
}

static void put_channel(const struct scene *v)
{
    const struct hbm_channel *c = v->c;

    for (int d = 0; d < 2; d++) {
        put_number(v->s, c->fresh[d], 8);
        put_number(v->s, c->n[d], 4);
        put_number(v->s, (uint32_t)c->last[d], 4);
    }
    put_number(v->s, c->open, 8);
    put_number(v->s, c->frozen, 8);
    put_time(v, c->row_bus);
    put_time(v, c->fed_at);
    put_time(v, c->refresh_at);
    put_number(v->s, c->writing, 1);
    put_number(v->s, c->drain, 4);
    put_number(v->s, c->grace, 4);
    put_number(v->s, c->turn, 4);
    put_number(v->s, c->owed, 4);
    put_number(v->s, c->owed ? v->now - c->owed_since : 0, 8);
    put_number(v->s, c->refresh_bank, 4);
    for (uint32_t p = 0; p < c->t->pcs; p++) {
        put_time(v, c->pc[p].ok[0]);
        put_time(v, c->pc[p].ok[1]);
        put_time(v, c->pc_act_ok[p]);
        for (unsigned i = 0; i < 4; i++)
            put_time(v, c->faw[p][(c->faw_at[p] + i) % 4]);
    }
    for (uint32_t g = 0; g < c->t->groups; g++) {
        put_time(v, c->group[g].ok[0]);
        put_time(v, c->group[g].ok[1]);
    }
    for (uint32_t b = 0; b < c->t->banks; b++)
        put_bank(v, b);
}

static uint32_t base_row_of_run(const struct hbm_run *r)
{
    return (uint32_t)(r->walk.periods * r->walk.w->row_step);
}

void hbm_state_take(struct hbm_state *s, const struct hbm_run *r, uint64_t t)
{
    s->n = 0;
    put_number(s, r->walk.at, 8);
    for (uint32_t c = 0; c < r->n; c++) {
        struct scene v = { s, &r->channel[c], t, base_row_of_run(r) };
        put_channel(&v);
        for (uint32_t d = 0; r->seeker && d < 2; d++) {
            for (uint16_t i = r->seekers[c * 2 + d].head; i != HBM_NIL; i = r->seeker[i].next) {
                put_number(s, r->seeker[i].access.row - v.base, 4);
                put_number(s, r->seeker[i].access.bank, 1);
            }
            put_number(s, HBM_NIL, 2);
        }
    }
}

void hbm_state_free(struct hbm_state *s)
{
    free(s->bytes);
    *s = (struct hbm_state){ 0 };
}

static void shift_list(struct hbm_channel *c, uint16_t first, uint32_t rows)
{
    for (uint16_t i = first; i != HBM_NIL; i = c->entry[i].next)
        c->entry[i].row += rows;
}

void hbm_state_shift(struct hbm_run *r, uint32_t rows)
{
    for (uint32_t i = 0; i < r->n; i++) {
        struct hbm_channel *c = &r->channel[i];
        for (uint32_t b = 0; b < c->t->banks; b++) {
            c->bank[b].row += rows;
            for (int d = 0; d < 2; d++) {
                shift_list(c, c->bank[b].line[d].head, rows);
                shift_list(c, c->bank[b].queue[d].head, rows);
            }
        }
        for (uint32_t d = 0; r->seeker && d < 2; d++)
            for (uint16_t j = r->seekers[i * 2 + d].head; j != HBM_NIL; j = r->seeker[j].next)
                r->seeker[j].access.row += rows;
    }
}
