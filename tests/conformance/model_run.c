/* Elaboration (4.4), running, pausing and stopping (4.3.4, 4.5), channels of one's own (5.15).
 * Whether the delta cycle that a stop ends is counted is left open: those logs have no deltas. */
#include "model.h"

const struct model run_models[] = {
    /* 4.4.1 to 4.4.4 */
    { .name = "callbacks_come_in_four_phases",
      .text = "no deltas\n"
              "end z: say\n"
              "start y: say\n"
              "elaborated x: say\n"
              "before w: say\n"
              "thread A: say; wait 5; stop\n",
      .log = "0 w\n"
             "0 x\n"
             "0 y\n"
             "0 A\n"
             "5 z\n" },
    /* The standard leaves this order open; SystemC 2.3.4 has the same. */
    { .name = "callbacks_of_a_phase_come_in_order_of_creation",
      .text = "no deltas\n"
              "before a: say\n"
              "before b: say\n"
              "elaborated c: say\n"
              "elaborated d: say\n"
              "start f: say\n"
              "start g: say\n"
              "end h: say\n"
              "end i: say\n"
              "thread A: stop\n",
      .log = "0 a\n"
             "0 b\n"
             "0 c\n"
             "0 d\n"
             "0 f\n"
             "0 g\n"
             "0 h\n"
             "0 i\n" },
    /* 4.2.1.1: the delta is notified before the first evaluation. */
    { .name = "notifications_at_the_start_of_simulation",
      .text = "event e f\n"
              "later method B on e: say\n"
              "later method C on f: say\n"
              "thread A: say\n"
              "start x: notify e delta; notify f 3\n",
      .log = "0/0 A\n"
             "0/0 B\n"
             "3/1 C\n" },
    /* 4.4.4 */
    { .name = "without_stop_the_simulation_does_not_end",
      .text = "thread A: wait 5\n"
              "end z: say never\n"
              "main: run; say\n",
      .log = "5/2 main\n" },
    { .name = "finish_calls_back",
      .text = "thread A: wait 5\n"
              "end z: say\n"
              "main: run; say; finish\n",
      .log = "5/2 main\n"
             "5/2 z\n" },
    /* 4.3.4.2 puts the processes of that time into the next run; ours, as in `main` here, does not.
     */
    { .name = "what_happens_at_the_end_of_a_run_is_part_of_it",
      .text = "thread A: wait 10; say; wait 0; say; wait 10; say\n"
              "main: run 10; say left=$left next=$next; run\n",
      .log = "10/1 A\n"
             "10/2 A\n"
             "10/3 main left=1 next=20\n"
             "20/3 A\n" },
    { .name = "a_run_ends_before_what_is_later",
      .text = "event e\n"
              "method A on e: say; notify e 10\n"
              "main: run 9; run 10; run 19; run 21\n",
      .log = "0/0 A\n"
             "10/1 A\n"
             "20/2 A\n" },
    { .name = "a_run_ends_when_nothing_is_left",
      .text = "thread A: wait 3\n"
              "main: run; say left=$left next=$next\n",
      .log = "3/2 main left=0 next=never\n" },
    { .name = "the_next_activity_is_known",
      .text = "thread A: wait 3; wait 4\n"
              "main: run 3; say left=$left next=$next\n",
      .log = "3/2 main left=1 next=7\n" },
    /* 4.5.2: B, made runnable by the delta's notifications, runs when the simulation goes on. */
    { .name = "pause_ends_with_the_delta",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: wait 5; notify e delta; pause; say\n"
              "thread C: wait 5; say\n"
              "main: run; say left=$left next=$next; run; say left=$left\n",
      .log = "5/1 A\n"
             "5/1 C\n"
             "5/2 main left=1 next=5\n"
             "5/2 B\n"
             "5/3 main left=0\n" },
    { .name = "pause_between_times",
      .text = "thread A: wait 5; pause; wait 5; say\n"
              "main: run; say next=$next; run\n",
      .log = "5/2 main next=10\n"
             "10/2 A\n" },
    /* 4.5.3: evaluation and update are finished; nothing comes after them. */
    { .name = "stop_finishes_the_delta",
      .text = "no deltas\n"
              "signal s\n"
              "thread A: wait 5; stop; say\n"
              "thread C: wait 5; say; write s 1\n"
              "thread D: wait 6; say never\n"
              "later method E on s: say never\n"
              "main: run; say s=$s\n",
      .log = "5 A\n"
             "5 C\n"
             "5 main s=1\n" },
    { .name = "stop_of_one_process_finishes_the_delta",
      .text = "no deltas\n"
              "signal s\n"
              "thread A: wait 5; stop; write s 1\n"
              "later method E on s: say never\n"
              "main: run; say s=$s\n",
      .log = "5 main s=1\n" },
    { .name = "stop_leaves_deltas_undone",
      .text = "no deltas\n"
              "event e\n"
              "later method B on e: say never\n"
              "thread A: notify e delta; stop\n"
              "end z: say\n",
      .log = "0 z\n" },
    { .name = "stop_at_initialisation",
      .text = "no deltas\n"
              "thread A: stop\n"
              "thread B: say\n"
              "method C: say\n"
              "end z: say\n",
      .log = "0 B\n"
             "0 C\n"
             "0 z\n" },
    { .name = "stop_from_outside",
      .text = "thread A: wait 5; wait 5; say never\n"
              "end z: say\n"
              "main: run 5; stop; say\n",
      .log = "5/2 z\n"
             "5/2 main\n" },
    { .name = "a_step_takes_all_deltas_of_a_time",
      .text = "thread A: wait 3; say; wait 0; say; wait 4; say\n"
              "main: step; say; step; say; step; say left=$left; step; say left=$left\n",
      .log = "0/1 main\n"
             "3/1 A\n"
             "3/2 A\n"
             "3/3 main\n"
             "7/3 A\n"
             "7/4 main left=1\n"
             "7/4 main left=0\n" },
    /* 5.15.4: however often it is requested in one phase. */
    { .name = "an_update_is_asked_for_once",
      .text = "event e\n"
              "channel u e\n"
              "later method B on e: say u=$u\n"
              "thread A: request u; request u; say u=$u; wait 0; say u=$u\n",
      .log = "0/0 A u=0\n"
             "0/1 A u=1\n"
             "0/1 B u=1\n" },
    { .name = "an_update_comes_after_the_whole_phase",
      .text = "event e f\n"
              "channel u e\n"
              "later method B on e: say u=$u\n"
              "later method C on f: say u=$u; request u\n"
              "thread A: request u; notify f\n",
      .log = "0/0 C u=0\n"
             "0/1 B u=1\n" },
    { .name = "each_delta_has_an_update",
      .text = "event e\n"
              "channel u e\n"
              "later method B on e: say u=$u; request u / say u=$u; request u / say u=$u\n"
              "thread A: request u\n",
      .log = "0/1 B u=1\n"
             "0/2 B u=2\n"
             "0/3 B u=3\n" },
    { .name = NULL }
};
