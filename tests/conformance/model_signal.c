/* Signals (6.4): a write shows after the update phase (4.2.1.3), a change is notified a delta
 * later. */
#include "model.h"

const struct model signal_models[] = {
    { .name = "a_process_does_not_see_its_own_write",
      .text = "signal s\n"
              "thread A: write s 1; say s=$s; wait 0; say s=$s\n",
      .log = "0/0 A s=0\n"
             "0/1 A s=1\n" },
    /* Whoever runs first. */
    { .name = "nobody_sees_a_write_of_this_phase",
      .text = "signal s\n"
              "thread B: say s=$s\n"
              "thread A: write s 1\n"
              "thread C: say s=$s\n",
      .log = "0/0 B s=0\n"
             "0/0 C s=0\n" },
    { .name = "who_is_woken_in_this_phase_sees_the_old_value",
      .text = "signal s\n"
              "event e\n"
              "later method B on e: say s=$s\n"
              "thread A: write s 1; notify e\n",
      .log = "0/0 B s=0\n" },
    { .name = "a_change_wakes_in_the_next_delta",
      .text = "signal s\n"
              "later method B on s: say s=$s\n"
              "thread A: write s 7\n",
      .log = "0/1 B s=7\n" },
    { .name = "the_same_value_is_no_change",
      .text = "signal s=3\n"
              "later method B on s: say\n"
              "thread A: write s 3; wait 5; say\n",
      .log = "5/1 A\n" },
    { .name = "an_initial_value_is_no_change",
      .text = "signal s=5\n"
              "later method B on s: say\n"
              "thread A: say s=$s\n",
      .log = "0/0 A s=5\n" },
    { .name = "the_last_write_wins",
      .text = "signal s\n"
              "later method B on s: say s=$s\n"
              "thread A: write s 1; write s 2\n",
      .log = "0/1 B s=2\n" },
    { .name = "there_and_back_is_no_change",
      .text = "signal s=1\n"
              "later method B on s: say\n"
              "thread A: write s 2; write s 1; wait 5; say s=$s\n",
      .log = "5/1 A s=1\n" },
    /* At 0/1 A writes 0 again while B still sees 1. */
    { .name = "there_and_back_in_two_deltas",
      .text = "signal s\n"
              "later method B on s: say s=$s\n"
              "thread A: write s 1; wait 0; write s 0\n",
      .log = "0/1 B s=1\n"
             "0/2 B s=0\n" },
    { .name = "two_signals_swap",
      .text = "signal s=1 t=2\n"
              "event e\n"
              "later method A on e: write s $t\n"
              "later method B on e: write t $s\n"
              "thread D: notify e 5; wait 6; say s=$s t=$t\n",
      .log = "6/2 D s=2 t=1\n" },
    { .name = "a_chain_takes_a_delta_a_link",
      .text = "signal s t u\n"
              "later method A on s: write t $s\n"
              "later method B on t: write u $t\n"
              "later method C on u: say u=$u\n"
              "thread D: write s 9\n",
      .log = "0/3 C u=9\n" },
    { .name = "a_shift_register_moves_one_place",
      .text = "signal s t u\n"
              "event e\n"
              "later method A on e: write t $s\n"
              "later method B on e: write u $t\n"
              "thread D: write s 1; wait 1; notify e; wait 1; say $s $t $u; notify e; wait 1; say "
              "$s $t $u\n",
      .log = "2/2 D 1 1 0\n"
             "3/3 D 1 1 1\n" },
    { .name = "two_changes_in_one_delta_wake_once",
      .text = "signal s t\n"
              "later method B on s t: say s=$s t=$t\n"
              "thread A: write s 1; write t 2\n",
      .log = "0/1 B s=1 t=2\n" },
    { .name = "wait_for_a_change_or_time",
      .text = "signal s\n"
              "thread B: wait s 5; say timed=$timed s=$s; wait s 5; say timed=$timed s=$s\n"
              "thread A: wait 2; write s 1\n",
      .log = "2/2 B timed=0 s=1\n"
             "7/3 B timed=1 s=1\n" },
    /* 6.4.3: one writer is the rule. */
    { .name = "a_second_writer_is_an_error",
      .text = "signal s\n"
              "thread A: say; write s 1\n"
              "thread B: wait 1; write s 2; say never\n",
      .log = "0/0 A\n"
             "aborted\n" },
    /* Between two runs: the update phase comes first, and its delta cycle runs no process. */
    { .name = "a_write_from_outside",
      .text = "signal s\n"
              "later method B on s: say s=$s\n"
              "thread A: wait 5; say\n"
              "main: run 5; write s 7; run\n",
      .log = "5/1 A\n"
             "5/2 B s=7\n" },
    { .name = "who_writes_from_outside_is_no_writer",
      .text = "signal s\n"
              "later method B on s: say s=$s\n"
              "thread A: wait 5; write s 1\n"
              "thread D: wait 2\n"
              "main: run 2; write s 7; run\n",
      .log = "2/2 B s=7\n"
             "5/4 B s=1\n" },
    /* 4.2.1.1: initialisation updates first and ends with a delta notification phase, before the
     * first evaluation. */
    { .name = "a_write_at_the_start_of_simulation",
      .text = "signal s\n"
              "later method B on s: say s=$s\n"
              "thread A: say s=$s\n"
              "start X: write s 5\n",
      .log = "0/0 A s=5\n"
             "0/0 B s=5\n" },
    /* 5.12: through the port of the module around. */
    { .name = "a_port_leads_to_its_signal",
      .text = "signal s\n"
              "port p s\n"
              "later method B on p: say p=$p\n"
              "thread A: write s 4\n",
      .log = "0/1 B p=4\n" },
    /* 5.12.4: found at the end of elaboration. */
    { .name = "an_unbound_port_is_an_error",
      .text = "unbound p\n"
              "thread A: say never\n",
      .log = "0/0 unbound\n" },
    { .name = NULL }
};
