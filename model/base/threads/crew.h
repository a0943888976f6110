/* crew.h - a crew of threads that does short rounds of work, again and again.
 *
 * The calling thread works too, and does what no other has taken; so a round ends even if the
 * system gives the others no time.  Threads that find nothing to do look for work for some
 * microseconds, then sleep.  Pieces of a round do not depend on each other, so results depend
 * neither on the number of threads nor on who did what. */
#ifndef BASE_THREADS_CREW_H
#define BASE_THREADS_CREW_H

#include <stdint.h>

struct crew;
/* Do piece 0, 1, ... of a round. */
typedef void crew_work(void *self, uint32_t piece);

/* A crew of `threads`, the calling one included; fewer if the system gives no more.  It is used by
 * the thread that made it. */
struct crew *crew_new(unsigned threads);
void crew_free(struct crew *c);

/* Do `n` pieces of work; returns when all are done.  What was written before is seen by all, and
 * what they wrote is seen after. */
void crew_run(struct crew *c, crew_work *work, void *self, uint32_t n);

#endif
