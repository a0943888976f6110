/* op_report.h - one operation on one machine, written for people and for programs. */
#ifndef REPORT_OP_REPORT_H
#define REPORT_OP_REPORT_H

#include <stdio.h>

#include "kernels/cap.h"
#include "run/result.h"
#include "task/task.h"

/* `r` is of op_run: its trace is the operation.  One screen; one JSON object and a newline. */
void report_op_text(const struct run_result *r, FILE *out);
void report_op_json(const struct run_result *r, FILE *out);

/* The loop nest of each task of the program: what a grid step reads, computes and writes.  `name`
 * is what they were lowered from. */
void report_tasks(const char *name, const struct task_program *p, const struct cap *cap, FILE *out);

#endif
