/* Reasons for a process to run: initialisation (4.2.1.1), static sensitivity (5.2.14),
 * dont_initialize (5.2.15), next_trigger (5.2.17) and wait (5.2.18). */
#include "model.h"

const struct model wait_models[] = {
    { .name = "initialisation_runs_who_did_not_decline",
      .text = "event e\n"
              "thread A: say\n"
              "method B: say\n"
              "later thread C: say\n"
              "later method D: say\n"
              "later thread E on e: say\n",
      .log = "0/0 A\n"
             "0/0 B\n" },
    { .name = "a_later_thread_begins_with_its_first_event",
      .text = "event e\n"
              "later thread B on e: say; wait; say again\n"
              "thread A: wait 5; notify e; wait 4; notify e\n",
      .log = "5/1 B\n"
             "9/2 B again\n" },
    { .name = "static_sensitivity_to_two_events",
      .text = "event e f\n"
              "thread B on e f: wait; say; again\n"
              "thread A: wait 1; notify e; wait 1; notify f\n",
      .log = "1/1 B\n"
             "2/2 B\n" },
    /* 4.2.1.2, 5.2.18: e at 10 finds B waiting for f. */
    { .name = "a_dynamic_wait_hides_the_static_list",
      .text = "event e f\n"
              "thread B on e: wait; say e; wait f; say f; wait; say e\n"
              "thread A: wait 5; notify e; wait 5; notify e; wait 5; notify f; wait 5; notify e\n",
      .log = "5/1 B e\n"
             "15/3 B f\n"
             "20/4 B e\n" },
    { .name = "wait_for_time",
      .text = "thread A: say; wait 5; say; wait 7; say\n",
      .log = "0/0 A\n"
             "5/1 A\n"
             "12/2 A\n" },
    /* A time of zero is a delta. */
    { .name = "wait_for_no_time",
      .text = "thread A: say; wait 0; say; wait 0; say\n",
      .log = "0/0 A\n"
             "0/1 A\n"
             "0/2 A\n" },
    /* Nothing of the time-out is left at 10. */
    { .name = "the_event_comes_before_the_time_out",
      .text = "event e\n"
              "thread B on e: wait e 10; say timed=$timed; wait; say\n"
              "thread A: wait 4; notify e; wait 16; notify e\n",
      .log = "4/1 B timed=0\n"
             "20/2 B\n" },
    /* B does not wait for e any more at 15. */
    { .name = "the_time_out_comes_before_the_event",
      .text = "event e f\n"
              "thread B: wait e 10; say timed=$timed; wait f; say\n"
              "thread A: wait 15; notify e; wait 5; notify f\n",
      .log = "10/1 B timed=1\n"
             "20/3 B\n" },
    { .name = "a_time_out_is_told_once",
      .text = "event e f\n"
              "thread B: wait e 3; say timed=$timed; wait f; say timed=$timed\n"
              "thread A: wait 5; notify f\n",
      .log = "3/1 B timed=1\n"
             "5/2 B timed=0\n" },
    { .name = "a_time_out_of_nothing",
      .text = "event e\n"
              "thread B: wait e 0; say timed=$timed\n",
      .log = "0/1 B timed=1\n" },
    /* Either of the two may count; B runs once, and its next wait is whole. */
    { .name = "the_event_and_the_time_out_at_one_moment",
      .text = "event e\n"
              "thread B: notify e 2; wait e 2; say; wait e 9; say timed=$timed\n"
              "thread A: wait 4; notify e\n",
      .log = "2/1 B\n"
             "4/2 B timed=0\n" },
    { .name = "a_delta_comes_before_a_time_out",
      .text = "event e\n"
              "thread B: wait e 5; say timed=$timed\n"
              "thread A: notify e delta\n",
      .log = "0/1 B timed=0\n" },
    /* There was no event that it could be told from. */
    { .name = "a_time_alone_is_no_time_out",
      .text = "thread A: wait 5; say timed=$timed\n",
      .log = "5/1 A timed=0\n" },
    { .name = "next_time",
      .text = "method A: say; next 5 / say; next 7 / say\n",
      .log = "0/0 A\n"
             "5/1 A\n"
             "12/2 A\n" },
    { .name = "next_no_time",
      .text = "method A: say; next 0 / say\n",
      .log = "0/0 A\n"
             "0/1 A\n" },
    /* 5.2.17: e at 5 is hidden; after f the static list counts again. */
    { .name = "next_event_holds_once",
      .text = "event e f\n"
              "method B on e: say; next f / say f / say e\n"
              "thread A: wait 5; notify e; wait 5; notify f; wait 5; notify e\n",
      .log = "0/0 B\n"
             "10/2 B f\n"
             "15/3 B e\n" },
    /* The time-out of 10 is gone with f at 8. */
    { .name = "next_event_or_time",
      .text = "event e f\n"
              "method B on e: say; next f 5 / say timed=$timed; next f 5 / say timed=$timed / say\n"
              "thread A: wait 8; notify f; wait 4; notify e\n",
      .log = "0/0 B\n"
             "5/1 B timed=1\n"
             "8/2 B timed=0\n"
             "12/3 B\n" },
    { .name = "next_event_and_time_at_one_moment",
      .text = "event e\n"
              "method B: notify e 2; next e 2 / say / say again\n",
      .log = "2/1 B\n" },
    { .name = "next_delta_and_no_time_at_one_moment",
      .text = "event e\n"
              "method B: notify e delta; next e 0 / say / say again\n",
      .log = "0/1 B\n" },
    { .name = "the_last_next_holds",
      .text = "event e f\n"
              "method B on e: say; next 5; next f / say\n"
              "thread A: wait 3; notify e; wait 5; notify f\n",
      .log = "0/0 B\n"
             "8/2 B\n" },
    { .name = "next_takes_back_to_static",
      .text = "event e f\n"
              "method B on e: say; next 5; next f 7; next / say\n"
              "thread A: wait 3; notify e; wait 10; say\n",
      .log = "0/0 B\n"
             "3/1 B\n"
             "13/2 A\n" },
    { .name = "next_in_a_later_method",
      .text = "event e\n"
              "later method B on e: say; next 4 / say\n"
              "thread A: wait 1; notify e\n",
      .log = "1/1 B\n"
             "5/2 B\n" },
    /* C has ended when e comes. */
    { .name = "without_sensitivity_a_process_runs_once",
      .text = "event e\n"
              "method B: say\n"
              "thread C on e: say\n"
              "thread A: wait 1; notify e\n",
      .log = "0/0 B\n"
             "0/0 C\n" },
    { .name = "a_thread_waits_again_for_the_next_delta",
      .text = "event e\n"
              "thread B: wait e; say; wait e; say\n"
              "thread A: wait 1; notify e; wait 0; notify e\n",
      .log = "1/1 B\n"
             "1/2 B\n" },
    /* D runs after B waits again, and before the phase is over. */
    { .name = "a_thread_is_woken_twice_in_a_phase",
      .text = "event e f\n"
              "thread B: wait e; say; notify f; wait e; say again\n"
              "later method D on f: notify e\n"
              "thread A: wait 1; notify e\n",
      .log = "1/1 B\n"
             "1/1 B again\n" },
    { .name = NULL }
};
