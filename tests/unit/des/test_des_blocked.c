/* Processes that are blocked on a FIFO, beside others that wait for its events, and what else
 * becomes of them: killed, suspended, another wish. */
#include "tests/unit/des/des_actors.h"

struct scene {
    struct bench b; /* first */
    struct des_in in, other;
    struct des_out out;
    uint32_t put;         /* the next item */
    const des_time *puts; /* when items are put; ends with 0 */
    struct actor *reader; /* whom the driver kills, suspends, resumes */
    des_time kill, suspend, resume;
};

static struct scene *scene_of(struct bench *b)
{
    return (struct scene *)b;
}

/* At each whole time from 1 on: the driver does what is due. */
static void drive_scene(struct bench *b, struct actor *a)
{
    struct scene *s = scene_of(b);
    des_time now = des_now(b->sim);

    b->log[strlen(b->log) - 2 - (now > 9)] = '\0'; /* the driver is not of interest */
    for (size_t n = strlen(b->log); n && b->log[n - 1] == ' '; n--)
        b->log[n - 1] = '\0';
    for (const des_time *t = s->puts; *t; t++)
        if (*t == now)
            cr_assert(des_put(b->sim, s->out, &s->put));
    if (now && now == s->kill)
        des_kill(b->sim, s->reader->p);
    if (now && now == s->suspend)
        des_suspend(b->sim, s->reader->p);
    if (now && now == s->resume)
        des_resume(b->sim, s->reader->p);
    if (a->runs < 9)
        des_next_time(b->sim, 1);
}

/* Take all there is, then wait for more. */
static void read_all(struct bench *b, struct actor *a)
{
    uint32_t item;

    (void)a;
    while (des_get_or_wait(b->sim, scene_of(b)->in, &item))
        note_run(b, '+');
}

static void hear_written(struct bench *b, struct actor *a)
{
    (void)a;
    des_next_event(b->sim, des_data_written(b->sim, scene_of(b)->in));
}

static void read_or_sleep(struct bench *b, struct actor *a)
{
    uint32_t item;

    if (a->runs == 1 && !des_get_or_wait(b->sim, scene_of(b)->in, &item))
        des_next_time(b->sim, 5);
}

static void read_either(struct bench *b, struct actor *a)
{
    uint32_t item;

    (void)a;
    if (!des_get_or_wait(b->sim, scene_of(b)->other, &item))
        (void)des_get_or_wait(b->sim, scene_of(b)->in, &item);
}

static void set_up_fifo(struct scene *s, const des_time *puts)
{
    *s = (struct scene){ .puts = puts };
    set_up_scene(&s->b);
    struct des *sim = s->b.sim;
    struct des_fifo f = des_fifo_new(sim, s->b.top, "items", sizeof(uint32_t), 4);
    struct des_fifo g = des_fifo_new(sim, s->b.top, "none", sizeof(uint32_t), 4);

    s->in = des_in_new(sim, s->b.top, "in", sizeof(uint32_t));
    s->other = des_in_new(sim, s->b.top, "other", sizeof(uint32_t));
    s->out = des_out_new(sim, s->b.top, "out", sizeof(uint32_t));
    des_bind(sim, s->in, f);
    des_bind(sim, s->out, f);
    des_bind(sim, s->other, g);
}

static const des_time at_2_and_4[] = { 2, 4, 0 };

Test(des_blocked, one_that_is_blocked_runs_before_one_that_waited_for_the_event_later)
{
    struct scene s;

    set_up_fifo(&s, at_2_and_4);
    add_actor(&s.b, 'r', read_all);
    add_actor(&s.b, 'w', hear_written);
    add_actor(&s.b, 'd', drive_scene);
    run_all(&s.b);
    expect_log(&s.b, "r0 w0 r2 +2 w2 r4 +4 w4");
}

Test(des_blocked, one_that_waited_for_the_event_first_runs_first)
{
    struct scene s;

    set_up_fifo(&s, at_2_and_4);
    add_actor(&s.b, 'w', hear_written);
    add_actor(&s.b, 'r', read_all);
    add_actor(&s.b, 'd', drive_scene);
    run_all(&s.b);
    expect_log(&s.b, "w0 r0 w2 r2 +2 w4 r4 +4");
}

Test(des_blocked, two_readers_both_look_and_the_first_one_takes)
{
    struct scene s;

    set_up_fifo(&s, at_2_and_4);
    s.reader = add_actor(&s.b, 'a', read_all);
    add_actor(&s.b, 'b', read_all);
    add_actor(&s.b, 'd', drive_scene);
    s.kill = 3;
    run_all(&s.b);
    expect_log(&s.b, "a0 b0 a2 +2 b2 b4 +4");
}

Test(des_blocked, a_reader_that_is_killed_takes_nothing_and_leaves_its_place)
{
    static const des_time puts[] = { 2, 4, 6, 0 };
    struct scene s;

    set_up_fifo(&s, puts);
    s.reader = add_actor(&s.b, 'a', read_all);
    add_listener(&s.b, 'b', s.b.e, read_all);
    add_actor(&s.b, 'd', drive_scene);
    s.kill = 1;
    elaborate_scene(&s.b);
    des_notify_after(s.b.sim, s.b.e, 3);
    cr_assert_not(des_run(s.b.sim, 100));
    cr_assert(des_done(s.b.sim, s.reader->p));
    expect_log(&s.b, "a0 b3 +3 b4 +4 b6 +6");
}

Test(des_blocked, a_suspended_reader_takes_when_it_is_resumed)
{
    struct scene s;

    set_up_fifo(&s, at_2_and_4);
    s.reader = add_actor(&s.b, 'a', read_all);
    add_actor(&s.b, 'd', drive_scene);
    s.suspend = 1;
    s.resume = 3;
    run_all(&s.b);
    expect_log(&s.b, "a0 a3 +3 a4 +4");
}

Test(des_blocked, a_later_wish_takes_the_place_of_the_block)
{
    struct scene s;

    set_up_fifo(&s, at_2_and_4);
    add_actor(&s.b, 's', read_or_sleep);
    add_actor(&s.b, 'e', read_either);
    add_actor(&s.b, 'd', drive_scene);
    run_all(&s.b);
    expect_log(&s.b, "s0 e0 e2 s5");
}
