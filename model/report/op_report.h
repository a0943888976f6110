/* op_report.h - one operation on one machine, and the tasks that it is lowered to. */
#ifndef REPORT_OP_REPORT_H
#define REPORT_OP_REPORT_H

#include <stdio.h>

#include "kernels/common/cap.h"
#include "run/result/result.h"
#include "task/task.h"

/* `r` is of op_run(): its trace is the operation.  Text: one screen; JSON: one object and a
 * newline. */
void report_op_text(const struct run_result *r, FILE *out);
void report_op_json(const struct run_result *r, FILE *out);

/* The loop nest of each task of the program: what a grid step reads, computes and writes.  `name`
 * is what they were lowered from. */
void report_tasks(const char *name, const struct task_program *p, const struct cap *cap, FILE *out);

/* The row of `r`: of the one operation, or of all those that it is made of, which are one phase. */
const struct run_row *report_op_row(const struct run_result *r);

#endif
