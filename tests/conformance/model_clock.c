/* Clocks (6.7).  In SystemC an edge is an activation and an update of the clock's own before its
 * event, in ours the event alone; so these logs have no deltas, but for one that shows it. */
#include "model.h"

const struct model clock_models[] = {
    { .name = "the_first_edge_is_at_zero",
      .text = "no deltas\n"
              "clock c=10\n"
              "later method B on c: say\n"
              "main: run 35\n",
      .log = "0 B\n"
             "10 B\n"
             "20 B\n"
             "30 B\n" },
    /* B runs at initialisation, and at the edge. */
    { .name = "the_first_edge_comes_after_initialisation",
      .text = "no deltas\n"
              "clock c=10\n"
              "method B on c: say\n"
              "main: run 15\n",
      .log = "0 B\n"
             "0 B\n"
             "10 B\n" },
    { .name = "edges_take_turns",
      .text = "no deltas\n"
              "clock c=10\n"
              "later method P on c.pos: say\n"
              "later method N on c.neg: say\n"
              "main: run 20\n",
      .log = "0 P\n"
             "5 N\n"
             "10 P\n"
             "15 N\n"
             "20 P\n" },
    { .name = "two_clocks_share_edges",
      .text = "no deltas\n"
              "clock c=10 d=20\n"
              "later method C on c: say\n"
              "later method D on d: say\n"
              "main: run 40\n",
      .log = "0 C\n"
             "0 D\n"
             "10 C\n"
             "20 C\n"
             "20 D\n"
             "30 C\n"
             "40 C\n"
             "40 D\n" },
    { .name = "a_falling_edge_meets_a_rising_one",
      .text = "no deltas\n"
              "clock c=20 d=10\n"
              "later method N on c.neg: say\n"
              "later method D on d: say\n"
              "main: run 30\n",
      .log = "0 D\n"
             "10 D\n"
             "10 N\n"
             "20 D\n"
             "30 D\n"
             "30 N\n" },
    /* 0: s and t swap.  10: s takes t again. */
    { .name = "at_a_shared_edge_both_see_the_old_values",
      .text = "no deltas\n"
              "clock c=10 d=20\n"
              "signal s=1 t=2\n"
              "later method C on c: write s $t\n"
              "later method D on d: write t $s\n"
              "thread E: wait 5; say s=$s t=$t; wait 10; say s=$s t=$t\n"
              "main: run 16\n",
      .log = "5 E s=2 t=1\n"
             "15 E s=1 t=1\n" },
    { .name = "registers_move_one_place_an_edge",
      .text = "no deltas\n"
              "clock c=10\n"
              "signal s t u\n"
              "later method A on c: write t $s\n"
              "later method B on c: write u $t\n"
              "thread D: wait 1; write s 5; wait 10; say t=$t u=$u; wait 10; say t=$t u=$u\n"
              "main: run 25\n",
      .log = "11 D t=5 u=0\n"
             "21 D t=5 u=5\n" },
    { .name = "a_thread_waits_for_edges",
      .text = "no deltas\n"
              "clock c=10\n"
              "thread B: wait c; say; wait c; say; wait c.neg; say; wait c; say\n"
              "main: run 30\n",
      .log = "0 B\n"
             "10 B\n"
             "15 B\n"
             "20 B\n" },
    { .name = "a_thread_waits_between_edges",
      .text = "no deltas\n"
              "clock c=10\n"
              "thread B: wait 12; wait c; say; wait 3; wait c; say; wait 6; wait c.neg; say\n"
              "main: run 60\n",
      .log = "20 B\n"
             "30 B\n"
             "45 B\n" },
    { .name = "a_thread_is_sensitive_to_a_clock",
      .text = "no deltas\n"
              "clock c=10\n"
              "thread B on c: say; wait; say; wait; say\n"
              "main: run 30\n",
      .log = "0 B\n"
             "0 B\n"
             "10 B\n" },
    { .name = "wait_for_an_edge_or_time",
      .text = "no deltas\n"
              "clock c=10\n"
              "thread B: wait 1; wait c 5; say timed=$timed; wait c 5; say timed=$timed\n"
              "main: run 30\n",
      .log = "6 B timed=1\n"
             "10 B timed=0\n" },
    { .name = "an_edge_in_a_list",
      .text = "no deltas\n"
              "clock c=10\n"
              "event e\n"
              "any l c.neg e\n"
              "thread B: wait l; say; again\n"
              "thread A: wait 7; notify e\n"
              "main: run 12\n",
      .log = "5 B\n"
             "7 B\n" },
    /* The edges at 0 and 10 count once. */
    { .name = "edges_and_events_in_one_list",
      .text = "no deltas\n"
              "clock c=10\n"
              "event e\n"
              "all l c e\n"
              "thread B: wait l; say\n"
              "thread A: wait 12; notify e\n"
              "main: run 30\n",
      .log = "12 B\n" },
    { .name = "clocks_of_three_periods",
      .text = "no deltas\n"
              "clock c=4 d=10 f=8\n"
              "later method C on c: say\n"
              "later method D on d: say\n"
              "later method F on f: say\n"
              "main: run 20\n",
      .log = "0 C\n"
             "0 D\n"
             "0 F\n"
             "4 C\n"
             "8 C\n"
             "8 F\n"
             "10 D\n"
             "12 C\n"
             "16 C\n"
             "16 F\n"
             "20 C\n"
             "20 D\n" },
    /* SystemC notifies the edge a delta after its time began, so B still gets it.  Ours notifies it
     * at once: what is due at the time of an edge does not depend on deltas. */
    { .name = "who_waits_at_an_edge_gets_the_next",
      .text = "no deltas\n"
              "clock c=10\n"
              "thread B: wait 10; wait c; say\n"
              "main: run 25\n",
      .log = "20 B\n",
      .systemc = "10 B\n" },
    { .name = "who_waits_at_an_edge_gets_the_next_of_a_running_clock",
      .text = "no deltas\n"
              "clock c=10\n"
              "later method D on c: next\n"
              "thread B: wait 10; wait c; say\n"
              "main: run 25\n",
      .log = "20 B\n",
      .systemc = "10 B\n" },
    /* There the edge at 0 is prepared at initialisation; those at 5 and 10 take a delta each. */
    { .name = "an_edge_costs_no_delta_of_its_own",
      .text = "clock c=10\n"
              "later method B on c: say\n"
              "thread A: say\n"
              "main: run 10\n",
      .log = "0/0 A\n"
             "0/1 B\n"
             "10/2 B\n",
      .systemc = "0/0 A\n"
                 "0/1 B\n"
                 "10/4 B\n" },
    /* In SystemC a clock goes on for ever. */
    { .name = "a_clock_nobody_waits_for_is_no_activity",
      .text = "no deltas\n"
              "clock c=10\n"
              "thread A: wait c; say\n"
              "thread D: wait 25\n"
              "main: run 25; say left=$left\n",
      .log = "0 A\n"
             "25 main left=0\n",
      .systemc = "0 A\n"
                 "25 main left=1\n" },
    { .name = NULL }
};
