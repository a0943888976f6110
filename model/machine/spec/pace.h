/* pace.h - the values of a machine that set the pace of each cause for which a core waits. */
#ifndef MACHINE_SPEC_PACE_H
#define MACHINE_SPEC_PACE_H

#include "machine/spec/spec.h"
#include "task/cause.h"

#define PACE_NAME 40 /* bytes of "section.key" */

/* True if a value of the machine has no source. */
bool pace_is_unverified(const struct machine_spec *m, const char *section, const char *key);

/* The unverified value of each cause, "hbm.efficiency"; "" where all that set its pace have a
 * source.  Of several the one that matters most.  O(values of a machine). */
void pace_unverified(const struct machine_spec *m, char name[N_CAUSES][PACE_NAME]);

#endif
