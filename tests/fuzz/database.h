/* database.h - a small database of a sweep, and everything a command reads of one. */
#ifndef TESTS_FUZZ_DATABASE_H
#define TESTS_FUZZ_DATABASE_H

#include <stdbool.h>

#include "base/err.h"

/* Make one of two points, both done, at `path`, in one file. */
void database_make(const char *path);

/* Read it as status, report and export do.  False: it was refused, with `err`. */
bool database_read(const char *path, struct err *err);

#endif
