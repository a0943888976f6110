/* The three kinds of notification (5.10.6) and the phases they lead to (4.2.1). */
#include "model.h"

const struct model notify_models[] = {
    /* 4.2.1.2: what an immediate notification makes runnable runs in this evaluation phase. */
    { .name = "immediate_runs_in_the_same_phase",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: say; notify e; say after\n",
      .log = "0/0 A\n"
             "0/0 A after\n"
             "0/0 B\n" },
    /* 4.2.1.4 */
    { .name = "delta_runs_in_the_next_phase",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e delta; say\n",
      .log = "0/0 A\n"
             "0/1 B\n" },
    /* 4.2.1.5 */
    { .name = "timed_runs_at_its_time",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 5; say\n",
      .log = "0/0 A\n"
             "5/1 B\n" },
    /* 5.10.6: a time of zero is a delta notification. */
    { .name = "a_delay_of_zero_is_a_delta",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 0; say\n",
      .log = "0/0 A\n"
             "0/1 B\n" },
    { .name = "two_times_come_in_their_order",
      .text = "event e f\n"
              "later method B on e: say\n"
              "later method C on f: say\n"
              "thread A: notify e 7; notify f 3\n",
      .log = "3/1 C\n"
             "7/2 B\n" },
    /* 4.5.5: only delta cycles in which a process ran count.  The notification of e wakes nobody.
     */
    { .name = "a_delta_without_processes_is_not_counted",
      .text = "event e\n"
              "thread A: notify e delta; wait 10; say\n",
      .log = "10/1 A\n" },
    /* 4.3.4.2: without anything left, time stays where the last notification was. */
    { .name = "a_time_without_processes_is_passed",
      .text = "event e\n"
              "thread A: notify e 50\n"
              "main: run; say\n",
      .log = "50/1 main\n" },
    /* 5.10.1: B does not wait for e yet when A notifies it first. */
    { .name = "a_notification_is_not_remembered",
      .text = "event e\n"
              "thread A: notify e; wait 5; notify e\n"
              "thread B: wait 2; wait e; say\n",
      .log = "5/2 B\n" },
    { .name = "all_who_wait_run",
      .text = "event e\n"
              "later method B on e: say\n"
              "later thread C on e: say\n"
              "thread D: wait e; say\n"
              "thread A: wait 1; notify e\n",
      .log = "1/1 B\n"
             "1/1 C\n"
             "1/1 D\n" },
    /* f is notified first, but as a delta it comes after all that is immediate. */
    { .name = "an_immediate_chain_stays_in_the_phase",
      .text = "event e f g\n"
              "later method B on e: say; notify g\n"
              "later method C on g: say\n"
              "later method D on f: say\n"
              "thread A: notify f delta; notify e\n",
      .log = "0/0 B\n"
             "0/0 C\n"
             "0/1 D\n" },
    /* 4.2.1.2: B has run in this phase, and waits again when C notifies it. */
    { .name = "who_ran_already_runs_again",
      .text = "event e f\n"
              "later method B on e: say; notify f / say again\n"
              "later method C on f: say; notify e\n"
              "thread A: notify e\n",
      .log = "0/0 B\n"
             "0/0 B again\n"
             "0/0 C\n" },
    /* B is runnable from the first notification on; the second finds it so. */
    { .name = "who_is_still_to_run_runs_once",
      .text = "event e f\n"
              "later method B on e f: say\n"
              "thread A: notify e; notify f\n",
      .log = "0/0 B\n" },
    { .name = "events_of_one_moment_run_a_process_once",
      .text = "event e f g h\n"
              "later method B on e f g h: say\n"
              "thread A: notify e delta; notify f delta; notify g 5; notify h 5\n",
      .log = "0/1 B\n"
             "5/2 B\n" },
    /* 5.10.6: a process does not become runnable by an immediate notification of its own; B does.
     */
    { .name = "a_method_does_not_wake_itself",
      .text = "event e\n"
              "later method B on e: say\n"
              "method A on e: say; notify e\n",
      .log = "0/0 A\n"
             "0/0 B\n" },
    { .name = "a_thread_does_not_wake_itself",
      .text = "event e\n"
              "thread A on e: say; notify e; wait; say never\n",
      .log = "0/0 A\n" },
    { .name = "a_method_wakes_itself_a_delta_later",
      .text = "event e\n"
              "method A on e: say; notify e delta / say again\n",
      .log = "0/0 A\n"
             "0/1 A again\n" },
    { .name = "a_thread_waits_for_its_own_delta",
      .text = "event e\n"
              "thread A: notify e delta; wait e; say\n",
      .log = "0/1 A\n" },
    { .name = "a_thread_misses_its_own_immediate",
      .text = "event e\n"
              "thread A: notify e; wait e 10; say timed=$timed\n",
      .log = "10/1 A timed=1\n" },
    { .name = "notifications_of_two_times_meet",
      .text = "event e f\n"
              "later method C on e: say\n"
              "later method D on f: say\n"
              "thread A: notify e 10\n"
              "thread B: wait 4; notify f 6\n",
      .log = "10/2 C\n"
             "10/2 D\n" },
    { .name = "an_event_can_repeat",
      .text = "event e\n"
              "method A on e: say; notify e 10\n"
              "main: run 35\n",
      .log = "0/0 A\n"
             "10/1 A\n"
             "20/2 A\n"
             "30/3 A\n" },
    /* e is due 5 after time 0, however many deltas passed. */
    { .name = "deltas_take_no_time",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: wait 0; wait 0; notify e 5; say\n",
      .log = "0/2 A\n"
             "5/3 B\n" },
    { .name = NULL }
};
