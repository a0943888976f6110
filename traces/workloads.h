/* workloads.h - every generator; gen.c has the table that the command line searches. */
#ifndef TRACES_WORKLOADS_H
#define TRACES_WORKLOADS_H

#include "gen.h"

extern const struct gen_workload gan3d_workload, exatrkx_workload, mlpf_workload, fc_workload;

#endif
