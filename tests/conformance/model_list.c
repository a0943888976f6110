/* Waiting for a list of events (5.8, 5.2.18): for any of them, or for all of them. */
#include "model.h"

const struct model list_models[] = {
    { .name = "any_is_content_with_the_first",
      .text = "event e f g\n"
              "any l e f\n"
              "thread B: wait l; say; wait g; say\n"
              "thread A: wait 2; notify e; wait 2; notify f; wait 2; notify g\n",
      .log = "2/1 B\n"
             "6/3 B\n" },
    { .name = "any_of_two_in_one_delta_wakes_once",
      .text = "event e f\n"
              "any l e f\n"
              "thread B: wait l; say; again\n"
              "thread A: notify e delta; notify f delta\n",
      .log = "0/1 B\n" },
    { .name = "all_takes_any_order",
      .text = "event e f\n"
              "all l e f\n"
              "thread B: wait l; say; again 1\n"
              "thread A: wait 1; notify e; wait 1; notify f; wait 1; notify f; wait 1; notify e\n",
      .log = "2/2 B\n"
             "4/4 B\n" },
    { .name = "all_counts_an_event_once",
      .text = "event e f\n"
              "all l e f\n"
              "thread B: wait l; say\n"
              "thread A: wait 1; notify e; wait 1; notify e; wait 1; notify f\n",
      .log = "3/3 B\n" },
    { .name = "all_in_one_delta",
      .text = "event e f\n"
              "all l e f\n"
              "thread B: wait l; say\n"
              "thread A: notify e delta; notify f delta\n",
      .log = "0/1 B\n" },
    { .name = "all_in_one_phase",
      .text = "event e f\n"
              "all l e f\n"
              "thread B: wait l; say\n"
              "thread A: wait 1; notify e; notify f\n",
      .log = "1/1 B\n" },
    /* f immediately, e in the delta after it. */
    { .name = "all_in_two_kinds",
      .text = "event e f\n"
              "all l e f\n"
              "thread B: wait l; say\n"
              "thread A: wait 1; notify e delta; notify f\n",
      .log = "1/2 B\n" },
    /* e at 1 came before B waited. */
    { .name = "all_begins_with_the_wait",
      .text = "event e f\n"
              "all l e f\n"
              "thread B: wait 2; wait l; say\n"
              "thread A: wait 1; notify e; wait 2; notify f; wait 2; notify e\n",
      .log = "5/4 B\n" },
    /* The time-out at 5 forgets e at 2. */
    { .name = "all_or_time",
      .text = "event e f\n"
              "all l e f\n"
              "thread B: wait l 5; say timed=$timed; wait l 10; say timed=$timed\n"
              "thread A: wait 2; notify e; wait 5; notify f; wait 2; notify e\n",
      .log = "5/2 B timed=1\n"
             "9/4 B timed=0\n" },
    /* Nothing comes at 10: f took the time-out away. */
    { .name = "any_or_time",
      .text = "event e f g\n"
              "any l e f\n"
              "thread B: wait l 5; say timed=$timed; wait l 5; say timed=$timed; wait g; say\n"
              "thread A: wait 7; notify f; wait 6; notify g\n",
      .log = "5/1 B timed=1\n"
             "7/2 B timed=0\n"
             "13/3 B\n" },
    { .name = "all_and_the_time_out_at_one_moment",
      .text = "event e f\n"
              "all l e f\n"
              "thread B: notify e 1; notify f 2; wait l 2; say; wait f 9; say timed=$timed\n"
              "thread A: wait 4; notify f\n",
      .log = "2/1 B\n"
             "4/2 B timed=0\n" },
    { .name = "any_and_the_time_out_at_one_moment",
      .text = "event e f\n"
              "any l e f\n"
              "thread B: notify e 2; notify f 2; wait l 2; say; wait l 9; say timed=$timed\n"
              "thread A: wait 4; notify f\n",
      .log = "2/1 B\n"
             "4/2 B timed=0\n" },
    /* Each counts from its own wait on. */
    { .name = "two_processes_wait_for_one_list",
      .text = "event e f\n"
              "all l e f\n"
              "thread B: wait l; say\n"
              "thread C: wait 5; wait l; say\n"
              "thread A: wait 3; notify e; wait 3; notify f; wait 3; notify e\n",
      .log = "6/3 B\n"
             "9/4 C\n" },
    { .name = "all_of_three",
      .text = "event e f g\n"
              "all l e f g\n"
              "thread B: wait l; say\n"
              "thread A: wait 1; notify g; notify e; wait 1; notify g; wait 1; notify f\n",
      .log = "3/3 B\n" },
    { .name = "lists_of_one",
      .text = "event e\n"
              "any l e\n"
              "all k e\n"
              "thread B: wait l; say\n"
              "thread C: wait k; say\n"
              "thread A: wait 1; notify e\n",
      .log = "1/1 B\n"
             "1/1 C\n" },
    /* g at 1 is hidden by the list l, e at 3 is not enough for k, g at 8 is static again. */
    { .name = "next_list",
      .text = "event e f g\n"
              "any l e f\n"
              "all k e f\n"
              "method B on g: say; next l / say; next k 5 / say timed=$timed / say static\n"
              "thread A: wait 1; notify g; wait 1; notify f; wait 1; notify e; wait 5; notify g\n",
      .log = "0/0 B\n"
             "2/2 B\n"
             "7/4 B timed=1\n"
             "8/5 B static\n" },
    { .name = "next_list_in_time",
      .text = "event e f\n"
              "all k e f\n"
              "method B: say; next k 5 / say timed=$timed\n"
              "thread A: wait 1; notify e; notify f\n",
      .log = "0/0 B\n"
             "1/1 B timed=0\n" },
    /* s and e come in the delta at 0 and make nobody runnable; t changes in the delta after 3. */
    { .name = "a_list_of_what_others_notify",
      .text = "event e\n"
              "signal s t\n"
              "thread C: wait 3; write t 1\n"
              "all l s e t\n"
              "thread B: wait l; say\n"
              "thread A: write s 1; notify e delta\n",
      .log = "3/2 B\n" },
    { .name = "a_list_misses_what_its_process_notifies",
      .text = "event e f\n"
              "any l e f\n"
              "thread A: notify e; wait l 5; say timed=$timed\n",
      .log = "5/1 A timed=1\n" },
    { .name = "a_list_hides_the_static_list",
      .text = "event e f g\n"
              "any l e f\n"
              "thread B on g: wait l; say; wait; say\n"
              "thread A: wait 1; notify g; wait 1; notify e; wait 1; notify g\n",
      .log = "2/2 B\n"
             "3/3 B\n" },
    /* e wakes B and C; then C waits for the list anew. */
    { .name = "an_event_alone_and_in_a_list",
      .text = "event e f\n"
              "any l e f\n"
              "thread B: wait e; say\n"
              "thread C: wait l; say; again\n"
              "thread A: wait 1; notify e; wait 1; notify f\n",
      .log = "1/1 B\n"
             "1/1 C\n"
             "2/2 C\n" },
    { .name = NULL }
};
