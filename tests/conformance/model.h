/* model.h - small models of event-driven simulation, each with the log that the standard
 * prescribes.
 *
 * A model is a text, so that one text runs on our kernel (kernel.c) and on SystemC
 * (tests/bench/systemc/systemc_conformance.cpp).  Its log is a literal, derived by hand from IEEE
 * 1666-2011; the numbers in the comments of the models are clauses of it.  A line of a log reads
 *     TIME/DELTA NAME TEXT      "5/2 B got=1": process B at 5 fs, two delta cycles before this one
 * The standard leaves the order of processes within an evaluation phase open, so the lines of one
 * phase are sorted, except those of `main` and of callbacks, which come where they come.
 *
 * Declarations, one a line:
 *     event e f ...                signal s[=VALUE] ...         fifo q=CAPACITY ...
 *     mutex m ...                  semaphore k=VALUE ...        clock c=PERIOD ...
 *     any l e f ...                all l e f ...                lists to wait for: or, and
 *     channel u e                  a channel of the user's own: each update counts and notifies e
 *     port p s                     reads signal s through two ports, one in a module in a module
 *     unbound p                    a port that nobody bound
 *     no deltas                    the log leaves out DELTA
 *     [later] thread A [on x y ...]: STATEMENTS              (later: do not initialise)
 *     [later] method A [on x y ...]: STATEMENTS [/ STATEMENTS ...]
 *         a method runs the statements up to the slash at its first activation, then those up to
 *         the next; the last ones at all further activations
 *     before|elaborated|start|end A: STATEMENTS              callback of a module A
 *     main: STATEMENTS             what is outside of the simulation; "run" if it is not there
 * An event is e, s (changed), c or c.pos, c.neg, q.written, q.read, A.done.
 *
 * Statements, separated by semicolons; VALUE is a number or the value of $x:
 *     say TEXT    log; $x in it is the value of a signal or a semaphore, the number of items that a
 *                 FIFO shows, 1 when a process is done, the updates of a channel; $ok is 1 if the
 *                 last put, get, trylock or trytake worked, $item what came out of a FIFO last,
 *                 $timed 1 if this process was woken by a time-out; $left 1 if `run` left
 * something, $next the time of the next activity note TEXT   the same without the name notify e |
 * notify e delta | notify e TIME | cancel e wait | wait TIME | wait e | wait e TIME | wait l | wait
 * l TIME       for threads next ...    the same for methods write s VALUE    put q VALUE    get q
 * push q VALUE    pop q       push and pop block lock m    trylock m    unlock m    take k trytake
 * k    post k     lock and take block request u      suspend A    resume A    kill A      pause
 * stop again | again N    from the start, for ever or N times (threads) run | run TIME | step |
 * finish    (main); `run TIME` includes what happens at TIME */
#ifndef CONFORMANCE_MODEL_H
#define CONFORMANCE_MODEL_H

#include <stddef.h>

struct model {
    const char *name;
    const char *text;
    const char *log;
    const char *systemc; /* where we differ from the standard on purpose: its log; else NULL */
};

extern const struct model notify_models[], override_models[], wait_models[], list_models[],
    signal_models[], fifo_models[], sync_models[], clock_models[], control_models[], run_models[];

/* The i-th model of all, NULL after the last. */
const struct model *model_at(size_t i);

struct log;
struct script;
/* Run `play` on the text of `m` in a process of its own and return the log, to be freed; its last
 * line is "aborted" if the process was. */
char *model_play(const struct model *m, void (*play)(const struct script *s, struct log *log));
/* Print what `play` logs for the model called `name`; "all" is all of them, "-" the text on stdin,
 * "random=N" N models at random.  Of a model where we differ only this is printed, if the log is
 * the `own` one (0: ours, 1: SystemC's). */
void model_print(const char *name, int own, void (*play)(const struct script *s, struct log *log));

#endif
