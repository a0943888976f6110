/* Control of processes: suspend and resume (5.6.6.1), kill (5.6.6.3), terminated_event (5.6.5).
 * A thread that kills itself ends there; in C it has to return, and the players of the models do.
 */
#include "model.h"

const struct model control_models[] = {
    /* 5.6.6.1: in the same evaluation phase. */
    { .name = "who_was_triggered_runs_when_resumed",
      .text = "event e\n"
              "thread B: wait e; say\n"
              "thread A: wait 5; suspend B; wait 5; notify e; wait 5; say; resume B\n",
      .log = "15/3 A\n"
             "15/3 B\n" },
    { .name = "who_was_not_triggered_goes_on_waiting",
      .text = "event e\n"
              "thread B: wait e; say\n"
              "thread A: wait 5; suspend B; wait 5; resume B; wait 5; notify e\n",
      .log = "15/3 B\n" },
    { .name = "resumed_and_triggered",
      .text = "event e\n"
              "thread B: wait e; say; wait e; say\n"
              "thread A: wait 5; suspend B; wait 5; resume B; notify e\n",
      .log = "10/2 B\n" },
    { .name = "triggered_often_runs_once",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: wait 5; suspend B; wait 1; notify e; wait 1; notify e; wait 1; resume B\n",
      .log = "8/4 B\n" },
    /* 10 passes without a process to run. */
    { .name = "time_passes_while_suspended",
      .text = "thread B: wait 10; say\n"
              "thread A: wait 5; suspend B; wait 10; resume B\n",
      .log = "15/2 B\n" },
    { .name = "resumed_before_its_time",
      .text = "thread B: wait 10; say\n"
              "thread A: wait 5; suspend B; wait 2; resume B\n",
      .log = "10/3 B\n" },
    /* It had to run in this phase, and runs when it is resumed. */
    { .name = "suspended_when_runnable",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e; suspend B; wait 5; say; resume B\n",
      .log = "5/1 A\n"
             "5/1 B\n" },
    { .name = "suspended_and_resumed_when_runnable",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e; suspend B; resume B\n",
      .log = "0/0 B\n" },
    { .name = "a_thread_suspends_itself",
      .text = "thread B: say; suspend B; say again\n"
              "thread A: wait 5; resume B\n",
      .log = "0/0 B\n"
             "5/1 B again\n" },
    { .name = "a_thread_that_suspended_itself_ignores_its_events",
      .text = "event e\n"
              "thread B on e: say; suspend B; say again; wait; say e\n"
              "thread A: wait 1; notify e; wait 4; resume B; wait 5; notify e\n",
      .log = "0/0 B\n"
             "5/2 B again\n"
             "10/3 B e\n" },
    /* It runs to its end first; e at 2 is kept until it is resumed. */
    { .name = "a_method_suspends_itself",
      .text = "event e\n"
              "later method B on e: suspend B; say\n"
              "thread A: wait 1; notify e; wait 1; notify e; wait 1; resume B\n",
      .log = "1/1 B\n"
             "3/3 B\n" },
    { .name = "suspensions_do_not_add_up",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: resume B; suspend B; suspend B; wait 1; notify e; wait 1; resume B; "
              "resume B\n",
      .log = "2/2 B\n" },
    /* e at 2 counts. */
    { .name = "all_goes_on_while_suspended",
      .text = "event e f\n"
              "all l e f\n"
              "thread B: wait l; say\n"
              "thread A: wait 1; suspend B; wait 1; notify e; wait 1; resume B; wait 1; notify f\n",
      .log = "4/4 B\n" },
    { .name = "the_event_comes_while_suspended",
      .text = "event e\n"
              "thread B: wait e 10; say timed=$timed\n"
              "thread A: wait 1; suspend B; wait 1; notify e; wait 18; resume B\n",
      .log = "20/3 B timed=0\n" },
    { .name = "the_time_out_comes_while_suspended",
      .text = "event e\n"
              "thread B: wait e 10; say timed=$timed\n"
              "thread A: wait 1; suspend B; wait 14; notify e; wait 5; resume B\n",
      .log = "20/3 B timed=1\n" },
    { .name = "a_change_comes_while_suspended",
      .text = "signal s\n"
              "later method B on s: say s=$s\n"
              "thread A: suspend B; write s 1; wait 1; write s 2; wait 1; resume B\n",
      .log = "2/2 B s=2\n" },
    { .name = "suspended_from_outside",
      .text = "thread B: wait 10; say\n"
              "thread D: wait 5; wait 10\n"
              "main: run 5; suspend B; run 15; resume B; run\n",
      .log = "15/3 B\n" },
    { .name = "a_killed_process_never_runs",
      .text = "event e\n"
              "thread B: wait e; say never\n"
              "thread A: wait 1; kill B; say done=$B; wait 1; notify e; wait 1; say\n",
      .log = "1/1 A done=1\n"
             "3/3 A\n" },
    { .name = "killed_when_runnable",
      .text = "event e\n"
              "later method B on e: say never\n"
              "thread A: notify e; kill B; wait 1; say\n",
      .log = "1/1 A\n" },
    /* SystemC 2.3.4 still runs it to its first wait. */
    { .name = "killed_before_it_began",
      .text = "event e\n"
              "later thread B on e: say never\n"
              "thread A: notify e; kill B; wait 1; say done=$B\n",
      .log = "1/1 A done=1\n",
      .systemc = "0/0 B never\n"
                 "1/1 A done=1\n" },
    { .name = "a_thread_kills_itself",
      .text = "thread B: say; kill B; say never\n"
              "thread A: wait 1; say done=$B\n",
      .log = "0/0 B\n"
             "1/1 A done=1\n" },
    { .name = "a_method_kills_itself",
      .text = "event e\n"
              "later method B on e: say; kill B\n"
              "thread A: notify e; wait 1; notify e; say done=$B\n",
      .log = "0/0 B\n"
             "1/1 A done=1\n" },
    /* 5.6.5 leaves open how it is notified: in ours in the next delta, in SystemC 2.3.4
       immediately. */
    { .name = "the_end_of_a_thread_is_an_event",
      .text = "thread B: wait 3\n"
              "later method C on B.done: say done=$B\n",
      .log = "3/2 C done=1\n",
      .systemc = "3/1 C done=1\n" },
    { .name = "the_end_by_kill_is_an_event",
      .text = "thread B: wait 9\n"
              "later method C on B.done: say done=$B\n"
              "thread A: wait 3; kill B\n",
      .log = "3/2 C done=1\n",
      .systemc = "3/1 C done=1\n" },
    { .name = "the_end_by_its_own_hand_is_an_event",
      .text = "thread B: wait 3; kill B\n"
              "thread C: wait B.done; say done=$B\n",
      .log = "3/2 C done=1\n",
      .systemc = "3/1 C done=1\n" },
    { .name = "the_end_of_a_method_is_an_event",
      .text = "method B: say; kill B\n"
              "later method C on B.done: say done=$B\n",
      .log = "0/0 B\n"
             "0/1 C done=1\n",
      .systemc = "0/0 B\n"
                 "0/0 C done=1\n" },
    { .name = "killed_while_suspended",
      .text = "event e\n"
              "thread B: wait e; say never\n"
              "thread A: wait 1; suspend B; notify e; kill B; resume B; wait 1; say done=$B\n",
      .log = "2/2 A done=1\n" },
    /* Its event comes once. */
    { .name = "what_is_dead_stays_dead",
      .text = "thread B: wait 9\n"
              "later method C on B.done: say\n"
              "thread A: wait 1; kill B; kill B; resume B; suspend B; say done=$B; wait 1; kill B; "
              "resume B\n",
      .log = "1/1 A done=1\n"
             "1/2 C\n",
      .systemc = "1/1 A done=1\n"
                 "1/1 C\n" },
    { .name = "a_killed_process_has_written",
      .text = "signal s\n"
              "later method C on s: say s=$s\n"
              "thread B: write s 1; kill B\n",
      .log = "0/1 C s=1\n" },
    { .name = "a_killed_owner_keeps_the_mutex",
      .text = "mutex m\n"
              "thread B: lock m; wait 9\n"
              "thread A: wait 1; kill B; trylock m; say ok=$ok\n",
      .log = "1/1 A ok=0\n" },
    { .name = "a_killed_waiter_gets_nothing",
      .text = "mutex m\n"
              "thread A: lock m; wait 2; kill B; unlock m; trylock m; say ok=$ok\n"
              "thread B: wait 1; lock m; say never\n",
      .log = "2/2 A ok=1\n" },
    { .name = NULL }
};
