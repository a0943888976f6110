/* expr.h - conditions over named values: "mxu.count * mxu.size <= 512 && machine != 'tpu-v2-8'".
 *
 *     or    ||        and   &&       not  !
 *     == != < <= > >=       + -      * /        (...)  min(a, b)  max(a, b)
 *
 * from weak to strong.  A number may have a unit ("600 GB/s", "86 %"); it counts in the base unit,
 * as the values do.  Text is written in quotes, single or double, and only == and != compare it.
 * An expression is unknown if its value depends on one that is. */
#ifndef SWEEP_EXPR_H
#define SWEEP_EXPR_H

#include <gmp.h>
#include <stdbool.h>

#include "base/err.h"

struct expr;

struct expr_value {
    const char *text; /* NULL: a number */
    double number;    /* NAN: unknown */
};

/* Read a condition or a formula over `names`.  Errors: ERR_FORMAT, ERR_UNKNOWN with the nearest
 * name, each with the column; ERR_RANGE when it nests too deep. */
int expr_parse(struct expr **e, const char *text, const char *const *names, unsigned n_names,
               struct err *err);
void expr_free(struct expr *e);

/* True if the expression depends on names[i]. */
bool expr_uses(const struct expr *e, unsigned i);

/* The value of the expression where value[i] is that of names[i]: a number, 1 for true, 0 for
 * false. NAN: it is unknown; so is the comparison of a text with a number. */
double expr_eval(const struct expr *e, const struct expr_value *value);

/* The double nearest to q. */
double expr_number(const mpq_t q);

#endif
