/* Mutexes (6.27) and semaphores (6.29): both notify immediately, so that who waits tries again in
 * the same phase.  Who of several wins is left open; then the log has no names. */
#include "model.h"

const struct model sync_models[] = {
    /* 6.27.4: a try at a locked mutex fails; SystemC 2.3.4 lets its owner in again. */
    { .name = "a_mutex_is_had_once",
      .text =
          "mutex m\n"
          "thread A: lock m; say 1; trylock m; say 2 ok=$ok; unlock m; trylock m; say 3 ok=$ok\n",
      .log = "0/0 A 1\n"
             "0/0 A 2 ok=0\n"
             "0/0 A 3 ok=1\n",
      .systemc = "0/0 A 1\n"
                 "0/0 A 2 ok=1\n"
                 "0/0 A 3 ok=1\n" },
    { .name = "unlock_wakes_in_the_same_phase",
      .text = "mutex m\n"
              "thread A: lock m; wait 10; say; unlock m\n"
              "thread B: wait 5; lock m; say\n",
      .log = "10/2 A\n"
             "10/2 B\n" },
    /* B is woken at 5 and finds it locked. */
    { .name = "who_unlocks_may_lock_again_first",
      .text = "mutex m\n"
              "thread A: lock m; wait 5; unlock m; lock m; say; wait 5; unlock m\n"
              "thread B: wait 1; lock m; say\n",
      .log = "5/2 A\n"
             "10/3 B\n" },
    { .name = "one_of_two_gets_it",
      .text = "mutex m\n"
              "thread A: lock m; wait 3; unlock m\n"
              "thread B: wait 1; lock m; note locked; wait 5; unlock m\n"
              "thread C: wait 1; lock m; note locked; wait 5; unlock m\n",
      .log = "3/2 locked\n"
             "8/3 locked\n" },
    { .name = "one_of_three_gets_it",
      .text = "mutex m\n"
              "thread B: lock m; note locked; wait 5; unlock m\n"
              "thread C: lock m; note locked; wait 5; unlock m\n"
              "thread D: lock m; note locked; wait 5; unlock m\n",
      .log = "0/0 locked\n"
             "5/1 locked\n"
             "10/2 locked\n" },
    { .name = "a_method_can_try",
      .text = "mutex m\n"
              "event e\n"
              "later method B on e: trylock m; say ok=$ok\n"
              "thread A: lock m; notify e; wait 1; unlock m; notify e\n",
      .log = "0/0 B ok=0\n"
             "1/1 B ok=1\n" },
    { .name = "a_lock_ignores_the_static_list",
      .text = "mutex m\n"
              "event e\n"
              "thread B on e: wait 1; lock m; say; wait; say\n"
              "thread A: lock m; wait 2; notify e; wait 1; unlock m; wait 1; notify e\n",
      .log = "3/3 B\n"
             "4/4 B\n" },
    { .name = "a_semaphore_counts_down",
      .text = "semaphore k=2\n"
              "thread A: take k; take k; say 1 k=$k; trytake k; say 2 ok=$ok; post k; say 3 k=$k; "
              "trytake k; say 4 ok=$ok\n",
      .log = "0/0 A 1 k=0\n"
             "0/0 A 2 ok=0\n"
             "0/0 A 3 k=1\n"
             "0/0 A 4 ok=1\n" },
    /* B runs after A, which still sees its post. */
    { .name = "post_wakes_in_the_same_phase",
      .text = "semaphore k=0\n"
              "thread B: take k; say k=$k\n"
              "thread A: wait 3; post k; say k=$k\n",
      .log = "3/1 A k=1\n"
             "3/1 B k=0\n" },
    { .name = "as_many_pass_as_there_are",
      .text = "semaphore k=2\n"
              "thread B: take k; note in; wait 5; post k\n"
              "thread C: take k; note in; wait 5; post k\n"
              "thread D: take k; note in; wait 5; post k\n",
      .log = "0/0 in\n"
             "0/0 in\n"
             "5/1 in\n" },
    { .name = "a_post_lets_one_in",
      .text = "semaphore k=0\n"
              "thread B: take k; note in\n"
              "thread C: take k; note in\n"
              "thread A: wait 3; post k; wait 3; post k\n",
      .log = "3/1 in\n"
             "6/2 in\n" },
    { .name = "two_posts_let_two_in",
      .text = "semaphore k=0\n"
              "thread B: take k; note in\n"
              "thread C: take k; note in\n"
              "thread A: wait 3; post k; post k\n",
      .log = "3/1 in\n"
             "3/1 in\n" },
    { .name = "who_posts_may_take_again_first",
      .text = "semaphore k=0\n"
              "thread B: take k; say\n"
              "thread A: wait 3; post k; take k; say; wait 3; post k\n",
      .log = "3/1 A\n"
             "6/2 B\n" },
    { .name = "a_post_from_outside",
      .text = "semaphore k=0\n"
              "thread B: take k; say\n"
              "thread D: wait 5\n"
              "main: run 5; post k; run\n",
      .log = "5/2 B\n" },
    { .name = NULL }
};
