/* vcd.h - waves: a value change dump of a simulation (VCD, IEEE 1364 clause 18).
 *
 *     struct des_vcd *waves = des_vcd_open(sim, "run.vcd", &err);
 *     des_vcd_add(waves, clock, 1);
 *     des_vcd_add(waves, total, 16);
 *     ... des_elaborate, des_run ...
 *     if (des_vcd_close(waves, &err) != 0)
 *
 * The time unit is 1 fs.  Scopes follow the module tree.  Each time stamp has the last value of
 * every variable that changed at that time; values between the deltas of one time are not recorded.
 * Memory grows with the number of variables, not with the length of the run.  Clocks of one
 * frequency share an identifier code.  Their edges are computed from the frequency, so a dumped
 * clock does not have to run. */
#ifndef DES_VCD_H
#define DES_VCD_H

#include "des/des.h"

struct des_vcd;

/* Begin a dump of `sim` into a file, before des_elaborate.  Definitions are written at the end of
 * elaboration, initial values at the start of the simulation.  Returns NULL and ERR_IO if the file
 * cannot be opened; des_vcd_add and des_vcd_close accept NULL and do nothing. */
struct des_vcd *des_vcd_open(struct des *sim, const char *path, struct err *err);

/* Begin a dump into a sink of the caller.  `write` returns 0 or an errno; after an error nothing
 * more is recorded. */
struct des_vcd_sink {
    int (*write)(void *self, const char *bytes, size_t n);
    void *self;
};
struct des_vcd *des_vcd_new(struct des *sim, const struct des_vcd_sink *sink);

/* Record nothing until des_vcd_window sets a window.  Call it before the start of the simulation.
 */
void des_vcd_later(struct des_vcd *vcd);
/* Record from `from`, or from now if that is later, up to and including `to`.  Times in the dump
 * are relative to `zero` <= `from`.  Call it once, between two runs. */
void des_vcd_window(struct des_vcd *vcd, des_time zero, des_time from, des_time to);

/* Record `x`.  Call it before the end of elaboration.  A signal is recorded as its `bits` lowest
 * bits, 1 to 64; a value that fits so many bits neither unsigned nor signed is recorded as x.  For
 * other objects `bits` has no meaning: a FIFO is its number of items, an event the times at which
 * it is notified, a clock one bit, a probe as many bits as its kind needs.  A probe of texts is its
 * number, and a second variable NAME_text with the ASCII codes.  Other objects and numbers of bits
 * are misuse.  In names, characters other than letters, digits and _ become _; a name that is taken
 * in its scope gets a number. */
#define des_vcd_add(vcd, x, bits) des_vcd_add_object(vcd, DES_OBJECT(x), bits)
void des_vcd_add_object(struct des_vcd *vcd, struct des_object x, unsigned bits);

/* Record the ASCII codes of a probe of texts alone. */
void des_vcd_add_text(struct des_vcd *vcd, struct des_probe p);

/* The declared variables, in the order of the file; call it after elaboration. */
struct des_vcd_var {
    struct des_object object;
    const char *scope, *name; /* "chip0.core0", "state": as they stand in the file */
    unsigned bits;
    bool text; /* the ASCII codes of a probe of texts */
};
void des_vcd_each(const struct des_vcd *vcd,
                  void (*visit)(void *self, const struct des_vcd_var *var), void *self);

/* Value changes written so far, with initial values and clock edges; the time of the last one. */
uint64_t des_vcd_changes(const struct des_vcd *vcd);
des_time des_vcd_reached(const struct des_vcd *vcd);
/* Bytes that the clock edges of `span` fs take in the file: a lower bound of its size. */
uint64_t des_vcd_clock_bytes(const struct des_vcd *vcd, des_time span);

/* End recording at the current time.  The simulation may go on, or be freed. */
void des_vcd_stop(struct des_vcd *vcd);

/* End recording at the current time, unless it is stopped, write the rest and free the dump.  The
 * simulation may be freed afterwards, but not run.  Errors: ERR_IO if any byte could not be
 * written: the file is then incomplete. */
int des_vcd_close(struct des_vcd *vcd, struct err *err);

#endif
