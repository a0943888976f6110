/* vcd.h - waves: a value change dump (IEEE 1364, clause 18) of what happens in a simulation.
 *
 *     struct des_vcd *waves = des_vcd_open(sim, "run.vcd", &err);
 *     des_vcd_add(waves, clock, 1);
 *     des_vcd_add(waves, total, 16);
 *     ... des_elaborate, des_run ...
 *     if (des_vcd_close(waves, &err) != 0)
 *
 * One time unit is 1 fs, scopes follow the module tree, and each time stamp holds the last value of
 * what changed at that time: what came and went within the deltas of one time is not recorded.  Of
 * memory, a dump needs what it watches, however long the run.  Clocks of one frequency share an
 * identifier code; they are written from their frequency, so that to dump a clock does not make it
 * run. */
#ifndef DES_VCD_H
#define DES_VCD_H

#include "des/des.h"

struct des_vcd;

/* Begin a dump of `sim`, before des_elaborate.  The definitions are written at the end of
 * elaboration, the first values at the start of simulation.  If the file cannot be written: NULL
 * and ERR_IO.  To the other calls NULL is a dump that nobody wants. */
struct des_vcd *des_vcd_open(struct des *sim, const char *path, struct err *err);

/* The same into what the caller provides: write returns 0 or an errno, after which nothing more is
 * recorded. */
struct des_vcd_sink {
    int (*write)(void *self, const char *bytes, size_t n);
    void *self;
};
struct des_vcd *des_vcd_new(struct des *sim, const struct des_vcd_sink *sink);

/* Record nothing before des_vcd_window has said when; before the start of simulation. */
void des_vcd_later(struct des_vcd *vcd);
/* Record from `from`, or from now if that is later, up to and with `to`; times in the dump are less
 * `zero`, which is not after `from`.  Once, between two runs. */
void des_vcd_window(struct des_vcd *vcd, des_time zero, des_time from, des_time to);

/* Record `x`, before the end of elaboration: a signal as its `bits` lower bits (1 to 64; x where
 * its value fits them neither without nor with a sign); a FIFO as the number of items in it, an
 * event as the times at which it fires, a clock as a bit, a probe in as many bits as its kind
 * takes, whatever `bits` says.  A text is its number, and beside it NAME_text, its ASCII codes.
 * Another kind of object or number of bits is misuse.  In names, what is not a letter, a digit or _
 * becomes _, and a name that its scope has already gets a number. */
#define des_vcd_add(vcd, x, bits) des_vcd_add_object(vcd, DES_OBJECT(x), bits)
void des_vcd_add_object(struct des_vcd *vcd, struct des_object x, unsigned bits);

/* What was declared, in the order of the file, after elaboration. */
struct des_vcd_var {
    struct des_object object;
    const char *scope, *name; /* "chip0.core0", "state": as a reader finds them */
    unsigned bits;
    bool text; /* ASCII codes */
};
void des_vcd_each(const struct des_vcd *vcd,
                  void (*visit)(void *self, const struct des_vcd_var *var), void *self);

/* Value changes written so far, first values and edges of clocks included; the time of the last. */
uint64_t des_vcd_changes(const struct des_vcd *vcd);
des_time des_vcd_reached(const struct des_vcd *vcd);
/* Bytes that the clocks alone take in so long a window: a lower bound of what it takes in all. */
uint64_t des_vcd_clock_bytes(const struct des_vcd *vcd, des_time span);

/* Record no more: the dump ends at the time it is.  The simulation may be run after it, or freed.
 */
void des_vcd_stop(struct des_vcd *vcd);

/* End the dump at the time it is, unless it has been stopped, and free it; the simulation may be
 * freed after it, but not run.  ERR_IO if anything could not be written, now or earlier: the file
 * is not complete then. */
int des_vcd_close(struct des_vcd *vcd, struct err *err);

#endif
