/* FIFOs (6.23): what is written can be read, and room that was made be used, a delta later. */
#include "model.h"

const struct model fifo_models[] = {
    { .name = "an_item_is_seen_a_delta_later",
      .text = "fifo q=2\n"
              "thread A: put q 7; say 1 ok=$ok q=$q; get q; say 2 ok=$ok; wait 0; say q=$q; get q; "
              "say ok=$ok item=$item\n",
      .log = "0/0 A 1 ok=1 q=0\n"
             "0/0 A 2 ok=0\n"
             "0/1 A ok=1 item=7\n"
             "0/1 A q=1\n" },
    /* At 0/1 one item is taken, but its place is not free yet. */
    { .name = "room_can_be_used_a_delta_later",
      .text = "fifo q=2\n"
              "thread A: put q 1; put q 2; put q 3; say ok=$ok; wait 0; get q; put q 4; say ok=$ok "
              "q=$q; wait 0; put q 5; say ok=$ok q=$q\n",
      .log = "0/0 A ok=0\n"
             "0/1 A ok=0 q=1\n"
             "0/2 A ok=1 q=1\n" },
    { .name = "items_come_in_their_order",
      .text = "fifo q=3\n"
              "thread A: put q 8; put q 7; put q 9; wait 0; get q; say 1 $item; get q; say 2 "
              "$item; get q; say 3 $item\n",
      .log = "0/1 A 1 8\n"
             "0/1 A 2 7\n"
             "0/1 A 3 9\n" },
    { .name = "written_is_notified_once_a_delta",
      .text = "fifo q=2\n"
              "later method B on q.written: get q; say $item of $q more\n"
              "thread A: put q 5; put q 6\n",
      .log = "0/1 B 5 of 1 more\n" },
    { .name = "written_is_notified_in_each_delta",
      .text = "fifo q=2\n"
              "later method B on q.written: get q; say $item\n"
              "thread A: put q 5; wait 0; put q 6\n",
      .log = "0/1 B 5\n"
             "0/2 B 6\n" },
    { .name = "read_is_notified_a_delta_later",
      .text = "fifo q=2\n"
              "later method B on q.read: say q=$q\n"
              "thread A: put q 1; wait 0; get q; say q=$q\n",
      .log = "0/1 A q=0\n"
             "0/2 B q=0\n" },
    { .name = "what_failed_is_not_notified",
      .text = "fifo q=1\n"
              "later method B on q.written: say\n"
              "later method C on q.read: say\n"
              "thread A: get q; wait 1; put q 1; wait 1; put q 2; say ok=$ok\n",
      .log = "1/2 B\n"
             "2/3 A ok=0\n" },
    { .name = "written_and_read_in_one_delta",
      .text = "fifo q=2\n"
              "later method B on q.written: say\n"
              "later method C on q.read: say\n"
              "thread A: put q 1; wait 0; get q; put q 2\n",
      .log = "0/1 B\n"
             "0/2 B\n"
             "0/2 C\n" },
    /* C takes an item every 10; P needs the delta after it. */
    { .name = "a_producer_blocks_while_it_is_full",
      .text = "fifo q=2\n"
              "thread P: push q 1; say 1; push q 2; say 2; push q 3; say 3; push q 4; say 4; push "
              "q 5; say 5\n"
              "thread C: pop q; say $item; wait 10; again\n",
      .log = "0/0 P 1\n"
             "0/0 P 2\n"
             "0/1 C 1\n"
             "0/2 P 3\n"
             "10/3 C 2\n"
             "10/4 P 4\n"
             "20/5 C 3\n"
             "20/6 P 5\n"
             "30/7 C 4\n"
             "40/8 C 5\n" },
    { .name = "a_consumer_blocks_while_it_is_empty",
      .text = "fifo q=2\n"
              "thread C: pop q; say $item; again\n"
              "thread A: wait 3; put q 1; put q 2; wait 3; put q 3\n",
      .log = "3/2 C 1\n"
             "3/2 C 2\n"
             "6/4 C 3\n" },
    { .name = "one_place_passes_an_item_every_other_delta",
      .text = "fifo q=1\n"
              "thread P: push q 1; say 1; push q 2; say 2; push q 3; say 3\n"
              "thread C: pop q; say $item; again\n",
      .log = "0/0 P 1\n"
             "0/1 C 1\n"
             "0/2 P 2\n"
             "0/3 C 2\n"
             "0/4 P 3\n"
             "0/5 C 3\n" },
    { .name = "the_count_falls_at_once_and_rises_later",
      .text = "fifo q=3\n"
              "thread A: put q 1; put q 2; wait 0; say 1 q=$q; get q; say 2 q=$q; put q 3; say 3 "
              "q=$q; wait 0; say q=$q\n",
      .log = "0/1 A 1 q=2\n"
             "0/1 A 2 q=1\n"
             "0/1 A 3 q=1\n"
             "0/2 A q=2\n" },
    { .name = "who_blocks_ignores_its_static_list",
      .text = "fifo q=1\n"
              "event e\n"
              "thread C on e: pop q; say; wait; say\n"
              "thread A: wait 1; notify e; wait 1; put q 1; wait 1; notify e\n",
      .log = "2/3 C\n"
             "3/4 C\n" },
    { .name = "an_event_of_a_fifo_has_a_time_out_too",
      .text = "fifo q=1\n"
              "thread C: wait q.written 5; say timed=$timed; wait q.read 5; say timed=$timed\n"
              "thread A: wait 2; put q 1\n",
      .log = "2/2 C timed=0\n"
             "7/3 C timed=1\n" },
    { .name = "an_item_from_outside",
      .text = "fifo q=1\n"
              "thread C: pop q; say $item\n"
              "thread A: wait 5\n"
              "main: run 5; put q 9; run\n",
      .log = "5/2 C 9\n" },
    { .name = NULL }
};
