#include "machine/cells.h"

#include <stdlib.h>

#include "base/memory.h"

enum { HEAVY = 16 }; /* activations of a span that are worth several threads */

/* --- building ------------------------------------------------------------------------------- */

bool cells_can(const struct machine_spec *spec, const struct task_program *program)
{
    return spec->dcn.slices == 1 && spec_hosts(spec) > 1 && spec_links(spec).latency > 0 &&
           !task_needs_client(program);
}

/* A link of a cell puts a chunk on the wire to another. */
static void collect_mail(void *self, const struct net_chunk *c, des_time due)
{
    struct cell_gate *g = self;
    struct cell *from = g->from;

    MEMORY_GROW(from->mail, from->n_mail + 1, from->mail_room);
    from->mail[from->n_mail++] = (struct cell_mail){ g, *c, due };
}

/* The cell that has a chip. */
static struct cell *cell_of_chip(struct cells *c, uint32_t chip)
{
    uint32_t i = 0;

    while (chip - c->at[i].slice.first_chip >= c->at[i].slice.chips)
        i++;
    return &c->at[i];
}

/* The border of `to` at which chunks come in that leave `chip` by `port`. */
static struct slice_border *opposite_border(struct cell *to, uint32_t chip, uint32_t port)
{
    struct slice_border *b = to->slice.border;

    while (b->chip != chip || b->port != port)
        b++;
    return b;
}

static void open_gates(struct cells *c, struct cell *from)
{
    struct slice *s = &from->slice;

    from->gate = memory_zeroed(s->n_borders, sizeof *from->gate);
    for (uint32_t i = 0; i < s->n_borders; i++) {
        const struct slice_border *b = &s->border[i];
        uint32_t chip = slice_neighbour(s, b->chip, b->port);
        struct cell *to = cell_of_chip(c, chip);
        struct link *l = &s->link[(b->chip - s->first_chip) * MESH_PORTS + b->port];
        uint32_t at = mesh_arrival(&s->mesh, b->chip % s->chips_of_slice, b->port);
        from->gate[i] = (struct cell_gate){ from, to, &opposite_border(to, chip, at)->in };
        l->hand = collect_mail;
        l->hand_self = &from->gate[i];
    }
}

void cells_build(struct cells *c, const struct machine_spec *spec, bool exact,
                 enum images_part part, uint32_t n, unsigned threads,
                 void (*attach)(void *self, struct des *sim), void *self)
{
    uint32_t hosts = spec_hosts(spec);

    n = n > hosts ? hosts : n;
    *c = (struct cells){ .n = n, .latency = spec_links(spec).latency };
    c->at = memory_zeroed(n, sizeof *c->at);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = (uint32_t)((uint64_t)i * hosts / n),
                 end = (uint32_t)(((uint64_t)i + 1) * hosts / n);
        struct slice_range range = { first, n > 1 ? end - first : 0 };
        slice_build(&c->at[i].slice, spec, exact, part, range);
        if (attach)
            attach(self, c->at[i].slice.sim);
    }
    for (uint32_t i = 0; i < n; i++) {
        open_gates(c, &c->at[i]);
        slice_start(&c->at[i].slice);
    }
    if (n > 1)
        c->crew = crew_new(threads < n ? threads : n);
}

void cells_free(struct cells *c)
{
    crew_free(c->crew);
    for (uint32_t i = 0; i < c->n; i++) {
        slice_free(&c->at[i].slice);
        free(c->at[i].gate);
        free(c->at[i].mail);
    }
    free(c->at);
}

des_time cells_now(const struct cells *c)
{
    return des_now(c->at[0].slice.sim);
}

uint64_t cells_events(const struct cells *c)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < c->n; i++)
        n += des_activations(c->at[i].slice.sim);
    return n;
}

/* --- how far a cell is silent ---------------------------------------------------------------- */

/* True if nothing is under way that puts a chunk on a wire of its own accord. */
static bool is_network_idle(const struct slice *s)
{
    for (uint32_t i = 0; i < s->chips; i++) {
        if (!ici_quiet(&s->chip[i].ici, s->sim))
            return false;
        for (uint32_t port = 0; port < MESH_PORTS; port++)
            if (s->chip[i].ici.linked[port] && !link_quiet(&s->link[i * MESH_PORTS + port], s->sim))
                return false;
    }
    return true;
}

/* The time before which a cell puts nothing on a wire: a chunk from another cell may have to go on
 * when it comes in, and no core calls earlier than its program lets it. */
static des_time find_silence(const struct cell *c)
{
    const struct slice *s = &c->slice;
    des_time silent = DES_NEVER, least = DES_NEVER;

    if (c->next == DES_NEVER)
        return DES_NEVER;
    if (!is_network_idle(s))
        return c->next;
    for (uint32_t i = 0; i < s->n_borders; i++) {
        des_time due = flight_next(&s->border[i].in.flight);
        silent = due < silent ? due : silent;
    }
    for (uint32_t i = 0; i < s->cores && least; i++) {
        des_time ahead = sequencer_lookahead(s->core[i].sequencer);
        least = ahead < least ? ahead : least;
    }
    des_time call = least < DES_NEVER - c->next ? c->next + least : DES_NEVER;
    return call < silent ? call : silent;
}

/* --- spans -------------------------------------------------------------------------------- */

static void run_cell(void *self, uint32_t i)
{
    struct cells *all = self;
    struct cell *c = &all->at[i];
    bool was_idle = c->slice.launcher.idle;
    des_time end = was_idle && all->hold < all->end ? all->hold : all->end;

    if (c->next >= end)
        return;
    des_run(c->slice.sim, end - 1);
    if (!was_idle && c->slice.launcher.idle)
        c->finished = des_now(c->slice.sim);
    c->next = des_next_activity(c->slice.sim);
    if (c->silent <= c->next)
        c->silent = find_silence(c);
}

/* Give the chunks of a span to the cells that they are for. */
static void exchange_mail(struct cells *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        struct cell *from = &c->at[i];
        for (uint32_t k = 0; k < from->n_mail; k++) {
            const struct cell_mail *m = &from->mail[k];
            struct cell *to = m->gate->to;
            BUG_ON(m->due < c->end);
            border_in_give(m->gate->in, to->slice.sim, &m->chunk, m->due);
            to->next = m->due < to->next ? m->due : to->next;
            to->silent = m->due < to->silent ? m->due : to->silent;
        }
        from->n_mail = 0;
    }
}

static des_time add_time(des_time t, des_time more)
{
    return t < DES_NEVER - more ? t + more : DES_NEVER;
}

/* Choose the next span.  False: the step is over, and each cell has come to its end, or nothing
 * is left to do before `limit`. */
static bool choose_span(struct cells *c, des_time limit)
{
    des_time next = DES_NEVER, running = DES_NEVER, end = DES_NEVER, last = 0;
    bool over = true;

    for (uint32_t i = 0; i < c->n; i++) {
        const struct cell *a = &c->at[i];
        des_time silent = a->silent > a->next ? a->silent : a->next;
        des_time chunk = add_time(silent, c->latency);
        end = chunk < end ? chunk : end;
        next = a->next < next ? a->next : next;
        if (a->slice.launcher.idle) {
            last = a->finished > last ? a->finished : last;
        } else {
            running = a->next < running ? a->next : running;
            over = false;
        }
    }
    c->hold = over ? last + 1 : running;
    c->end = end > limit ? limit + 1 : end;
    return over ? next <= last : next <= limit;
}

/* The step is over in all cells, some of which have come to an earlier time: let all of them have
 * the time of the last. */
static void meet_cells(struct cells *c)
{
    des_time last = 0;

    for (uint32_t i = 0; i < c->n; i++)
        last = c->at[i].finished > last ? c->at[i].finished : last;
    for (uint32_t i = 0; i < c->n; i++)
        launcher_meet(&c->at[i].slice.launcher, c->at[i].slice.sim, last);
}

static void begin_spans(struct cells *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        c->at[i].next = des_next_activity(c->at[i].slice.sim);
        c->at[i].silent = 0;
    }
}

bool cells_over(const struct cells *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (!c->at[i].slice.launcher.idle)
            return false;
    return true;
}

bool cells_run(struct cells *c, des_time limit, bool (*tell)(void *self, uint64_t events),
               void *self)
{
    uint64_t before = cells_events(c);

    begin_spans(c);
    while (choose_span(c, limit)) {
        if (c->heavy)
            crew_run(c->crew, run_cell, c, c->n);
        else
            for (uint32_t i = 0; i < c->n; i++)
                run_cell(c, i);
        exchange_mail(c);
        uint64_t events = cells_events(c);
        c->heavy = events - before >= HEAVY;
        if (tell && tell(self, events - before))
            return false;
        before = events;
    }
    if (!cells_over(c)) {
        for (uint32_t i = 0; i < c->n; i++)
            if (c->at[i].next != DES_NEVER)
                return false;
        return true;
    }
    meet_cells(c);
    return false;
}
