/* Notifications of an event that has one pending (5.10.8), and cancelling (5.10.6).  Nine pairs of
 * kinds: one notification is pending at most, and the earlier wins; an immediate one is never
 * pending. */
#include "model.h"

const struct model override_models[] = {
    { .name = "immediate_then_immediate",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e; notify e\n",
      .log = "0/0 B\n" },
    { .name = "immediate_then_delta",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e; notify e delta\n",
      .log = "0/0 B\n"
             "0/1 B\n" },
    { .name = "immediate_then_timed",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e; notify e 5\n",
      .log = "0/0 B\n"
             "5/1 B\n" },
    { .name = "delta_then_immediate",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e delta; notify e\n",
      .log = "0/0 B\n" },
    { .name = "delta_then_delta",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e delta; notify e delta\n",
      .log = "0/1 B\n" },
    { .name = "delta_then_timed",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e delta; notify e 5\n",
      .log = "0/1 B\n" },
    { .name = "timed_then_immediate",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 5; notify e\n",
      .log = "0/0 B\n" },
    { .name = "timed_then_delta",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 5; notify e delta\n",
      .log = "0/1 B\n" },
    { .name = "timed_then_sooner",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 7; notify e 3\n",
      .log = "3/1 B\n" },
    { .name = "timed_then_later",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 3; notify e 7\n",
      .log = "3/1 B\n" },
    { .name = "timed_then_same",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 3; notify e 3\n",
      .log = "3/1 B\n" },
    { .name = "the_soonest_of_three",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 9; notify e 3; notify e 6\n",
      .log = "3/1 B\n" },
    /* 3 + 1 is before 5. */
    { .name = "sooner_from_another_time",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 5\n"
              "thread C: wait 3; notify e 1\n",
      .log = "4/2 B\n" },
    /* 3 + 4 is after 5. */
    { .name = "later_from_another_time",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 5\n"
              "thread C: wait 3; notify e 4\n",
      .log = "5/2 B\n" },
    { .name = "the_same_time_from_another_time",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 5\n"
              "thread C: wait 3; notify e 2\n",
      .log = "5/2 B\n" },
    { .name = "delta_over_a_time_to_come",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 5\n"
              "thread C: wait 3; notify e delta\n",
      .log = "3/2 B\n" },
    { .name = "immediate_over_a_time_to_come",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 5\n"
              "thread C: wait 3; notify e\n",
      .log = "3/1 B\n" },
    /* A dropped notification does not count later: the second notification for 5 is a new one. */
    { .name = "nothing_pends_after_the_event",
      .text = "event e\n"
              "thread A: notify e delta; notify e 5; wait e; say; notify e 5; wait e; say\n",
      .log = "0/1 A\n"
             "5/2 A\n" },
    { .name = "cancel_delta",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e delta; cancel e; wait 9; say\n",
      .log = "9/1 A\n" },
    { .name = "cancel_timed",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 5; cancel e; wait 9; say\n",
      .log = "9/1 A\n" },
    { .name = "cancel_cannot_take_back_immediate",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e; cancel e\n",
      .log = "0/0 B\n" },
    { .name = "cancel_nothing",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: cancel e; notify e 2; wait e; cancel e; say\n",
      .log = "2/1 A\n"
             "2/1 B\n" },
    { .name = "cancel_then_notify_later",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 5; cancel e; notify e 8\n",
      .log = "8/1 B\n" },
    { .name = "cancel_by_another",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 10\n"
              "thread C: wait 5; cancel e; wait 10; say\n",
      .log = "15/2 C\n" },
    /* The delta replaced the timed one for good. */
    { .name = "cancel_brings_nothing_back",
      .text = "event e\n"
              "later method B on e: say\n"
              "thread A: notify e 5; notify e delta; cancel e; wait 9; say\n",
      .log = "9/1 A\n" },
    { .name = NULL }
};
