/* fuzz.h - what all fuzz targets share.
 *
 * A target is a file fuzz_NAME.c with LLVMFuzzerTestOneInput: it reads bytes as the program would
 * and aborts where an answer cannot be.  It runs under libFuzzer, and with any compiler under
 * driver.c.  A target may have LLVMFuzzerCustomMutator, which both use. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

/* Inputs that were read to their end rather than refused, in this process. */
extern uint64_t fuzz_accepted;

/* Abort, with a line that says why, unless `good`: the input is a finding. */
#define FUZZ_CHECK(good) ((good) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #good))
_Noreturn void fuzz_fail(const char *file, int line, const char *what);

/* Count an import as read and let the reader of traces sum its text, which must be a trace;
 * `foreign`: operations may be of unknown kind, and the reader may refuse it.  Sums may be too
 * large.  A small one is replayed. */
void fuzz_read_import(const char *text, size_t size, bool foreign);

struct run_result;

/* Check the account of a result: its classes add up to the step, its reasons to their classes. */
void fuzz_check_account(const struct run_result *r);

/* An error has a code and a message of some words. */
void fuzz_check_error(const struct err *err);

/* The input as a string, to be freed; what follows a NUL is left out. */
char *fuzz_string(const uint8_t *data, size_t size);

/* --- files: in a folder of this process, in memory where there is /dev/shm -------------------- */

/* Its path; it is made at the first call and removed with all that is in it at exit. */
const char *fuzz_folder(void);
/* Path of a file in it, in a buffer of the caller. */
#define FUZZ_PATH 128
void fuzz_path(char path[FUZZ_PATH], const char *name);
void fuzz_write(const char *name, const void *data, size_t size);
/* Delete what is in the folder. */
void fuzz_clear(void);

/* --- mutation --------------------------------------------------------------------------------- */

/* splitmix64 below n, n >= 1 */
uint64_t fuzz_draw(uint64_t *state, uint64_t n);

/* Change text line by line and word by word: a line dropped, doubled, swapped with another; a
 * number, a name or a word replaced by another of the text or of `word`; a name given another
 * number; a byte.  One to four changes.  Returns the new size, at most `room`. */
size_t fuzz_mutate_text(uint8_t *data, size_t size, size_t room, uint64_t seed,
                        const char *const *word, size_t n_words);

#endif
