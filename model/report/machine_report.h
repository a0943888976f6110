/* machine_report.h - a machine as a file that says what its words mean. */
#ifndef REPORT_MACHINE_REPORT_H
#define REPORT_MACHINE_REPORT_H

#include <stdio.h>

struct machine_spec;

/* Print a machine as an .ini with every value and its source.  Comments above it say how many
 * TensorCores, cores, devices, chips and hosts it has and what these are in its generation, what an
 * hour costs, or that nobody lists a price, and how large its die is by the proxy of sweeps. */
void report_machine_text(const struct machine_spec *m, FILE *out);

#endif
