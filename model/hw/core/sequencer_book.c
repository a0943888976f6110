#include "hw/core/sequencer.h"

/* What is booked to operations and causes, and what is counted. */

#define P(...) PARAM_DESC(struct sequencer_params, __VA_ARGS__)
static const struct param_desc params[] = { SEQUENCER_PARAMS(P) };
const struct param_table sequencer_param_table = { "core", params, sizeof params / sizeof *params,
                                                   sizeof(struct sequencer_params) };
#undef P
#define C(...) STAT_COUNTER(struct sequencer_stats, __VA_ARGS__)
#define R(...)
static const struct stat_desc stats[] = { SEQUENCER_STATS(C, R) };
const struct stat_table sequencer_stat_table = { "core", stats, sizeof stats / sizeof *stats,
                                                 sizeof(struct sequencer_stats) };

void sequencer_count(struct sequencer *s, uint64_t tick)
{
    s->book[s->row].ticks += tick - s->tick;
    s->idle += (tick - s->tick) * s->mxus_idle;
    s->tick = tick;
}

void sequencer_book(struct sequencer *s, des_time until, enum cause cause)
{
    struct sequencer_book *b = &s->book[s->row];
    uint64_t cycle = des_edge_index(until, s->par.clock);

    sequencer_count(s, s->units.mxu_hz == s->par.clock ? cycle
                                                       : des_edge_index(until, s->units.mxu_hz));
    b->cycles += cycle - s->cycle;
    s->st.faster += (cycle - s->cycle) * s->more_rows;
    b->time[cause] += until - s->since;
    b->idle[cause] += s->idle;
    s->cycle = cycle;
    s->since = until;
    s->idle = 0;
}

void sequencer_book_until(struct sequencer *s, des_time until, enum cause cause)
{
    if (until > s->since)
        sequencer_book(s, until, cause);
}

void sequencer_book_far(struct sequencer *s, const struct net_reply *r, des_time now)
{
    if (r->back == r->away)
        return;
    sequencer_book_until(s, r->ready, CAUSE_SYNC);
    sequencer_book_until(s, r->away, CAUSE_ICI);
    sequencer_book_until(s, r->back, CAUSE_DCN);
    sequencer_book_until(s, now, CAUSE_ICI);
}

void sequencer_close(struct sequencer *s, struct des *sim)
{
    sequencer_book(s, des_now(sim), s->program->stages > 1 ? CAUSE_BUBBLE : CAUSE_SYNC);
}

void sequencer_load(struct sequencer *s, const struct task_program *program,
                    struct sequencer_book *rows, uint64_t *sent_at)
{
    s->program = program;
    s->book = rows;
    s->sent_at = sent_at;
}

void sequencer_stage(struct sequencer *s, uint32_t stage, struct sequencer_arrival *came)
{
    s->stage = stage;
    s->came = came;
}
