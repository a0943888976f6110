/* err.h - errors as values: one sentence about what is wrong with the user's input.
 *
 * A function that can fail on outside input takes a `struct err *` last.  It returns 0, or -1 with
 * the error filled in.  The callee detects and describes the error, the caller decides what to do;
 * only the command line prints and exits.  A broken invariant is a bug of ours, not an error:
 * BUG_ON. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum err_code {
    ERR_NONE,
    ERR_IO,      /* the operating system refused */
    ERR_FORMAT,  /* the bytes do not parse */
    ERR_UNKNOWN, /* a name nobody declared */
    ERR_RANGE,   /* parsed, but outside the declared range */
    ERR_UNIT,    /* parsed, but without a unit or in one of another dimension */
    ERR_FIT,     /* valid, but this machine cannot run it */
    ERR_STOPPED, /* nothing is wrong: the caller asked for an end (run_request.stop) */
};

struct err {
    enum err_code code;
    /* one line without a newline: "tpu-v2.ini:14: mxu.rows = 4: outside [8, 1024] PE" */
    char msg[512];
};

/* Fill `e` and return -1: a function fails by `return err_set(...)`.  A long message is cut. ERR_IO
 * for want of memory (errno) ends the program as memory.h says. */
int err_set(struct err *e, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Put "where: " in front of the message of `e` and return -1.  Each caller adds the place that it
 * knows: file, line, key.  A message that grows too long is cut at its end. */
int err_at(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#ifdef __clang_analyzer__ /* which knows what a function returns only where it sees its body */
#define err_set(...) (err_set(__VA_ARGS__), -1)
#define err_at(...) (err_at(__VA_ARGS__), -1)
#endif

/* The name in `names` closest to `name` by edit distance, or NULL if the distance of each is more
 * than a third of the letters of `name`, plus one.  The first of equals wins.
 * O(count * length^2). */
const char *err_nearest(const char *name, const char *const *names, unsigned count);

/* Print "BUG file:line: expr" to stderr and abort; the command line then exits with status 70. */
_Noreturn void bug(const char *file, int line, const char *expr);
#define BUG_ON(cond) ((cond) ? bug(__FILE__, __LINE__, #cond) : (void)0)

#endif
