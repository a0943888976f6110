/* Output files that appear whole or not at all (cli.h): written without a name, or with a temporary
 * one, and named when all is written. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/options/cli.h"

/* The reader of a pipe went away, as `| head` does: the program ends with an error, silently. */
static bool is_reader_gone(FILE *file)
{
    struct pollfd p = { .fd = file ? fileno(file) : -1, .events = POLLOUT };

    return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

/* `number` 0: the reason is lost, an earlier write failed */
static int fail_output(struct cli_out *o, int number, struct err *err)
{
    err_set(err, ERR_IO, "%s: cannot write%s%s", o->path ? o->path : "standard output",
            number ? ": " : "", number ? strerror(number) : "");
    if (number == EPIPE || is_reader_gone(o->file))
        err->msg[0] = '\0';
    cli_out_abandon(o);
    return -1;
}

/* A file in the folder of the target, so that renaming it is one step of one file system; without a
 * name where the file system can do that. */
static FILE *create_temporary(struct cli_out *o, mode_t mode)
{
    const char *slash = strrchr(o->target, '/');
    char *folder =
        slash ? memory_copy_part(o->target, (size_t)(slash - o->target) + 1) : memory_copy(".");
    int fd = open(folder, O_TMPFILE | O_WRONLY, mode);
    free(folder);
    o->unnamed = fd >= 0;
    o->temporary = o->unnamed ? memory_format("%s.%ld", o->target, (long)getpid())
                              : memory_format("%s.XXXXXX", o->target);
    if (fd < 0)
        fd = mkstemp(o->temporary);
    if (fd < 0) {
        free(o->temporary);
        o->temporary = NULL;
        return NULL;
    }
    if (fchmod(fd, mode) != 0) {
        close(fd);
        return NULL;
    }
    return fdopen(fd, "wb");
}

#define NAMES 1000

/* Give the complete file a temporary name, as rename() needs one; another where somebody has that.
 */
static int link_unnamed(struct cli_out *o)
{
    char proc[64];

    snprintf(proc, sizeof proc, "/proc/self/fd/%d", fileno(o->file));
    for (int i = 0; i < NAMES; i++) {
        if (linkat(AT_FDCWD, proc, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW) == 0) {
            o->unnamed = false;
            return 0;
        }
        if (errno != EEXIST)
            return -1;
        free(o->temporary);
        o->temporary = memory_format("%s.%ld.%d", o->target, (long)getpid(), i);
    }
    return -1;
}

/* The path that a chain of symbolic links leads to, whether it is there or not. */
static char *follow_links(const char *path)
{
    char *at = memory_copy(path), to[PATH_MAX];
    ssize_t n;

    for (int i = 0; i < 40 && (n = readlink(at, to, sizeof to - 1)) > 0; i++) {
        const char *slash = strrchr(at, '/');
        to[n] = '\0';
        char *next = to[0] == '/' || !slash
                         ? memory_copy(to)
                         : memory_format("%.*s%s", (int)(slash - at) + 1, at, to);
        free(at);
        at = next;
    }
    return at;
}

bool cli_out_same(const char *a, const char *b)
{
    bool a_std = !a || strcmp(a, "-") == 0, b_std = !b || strcmp(b, "-") == 0;
    struct stat x, y;

    if (a_std || b_std)
        return a_std && b_std;
    if (stat(a, &x) == 0 && stat(b, &y) == 0)
        return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    return strcmp(a, b) == 0;
}

/* Close the guard, which passes on what is left.  Returns 0, or -1 where a write failed. */
static int drop_guard(struct cli_out *o)
{
    FILE *guard = o->file;

    if (!o->guarded)
        return 0;
    o->file = o->guarded;
    o->guarded = NULL;
    bool bad = ferror(guard);
    return fclose(guard) != 0 || bad ? -1 : 0;
}

/* Open the file of `path`, which is none of standard output. */
static int open_file(struct cli_out *o, const char *path, struct err *err)
{
    struct stat st;

    *o = (struct cli_out){ .path = path };
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) { /* a pipe or a device stays what it is */
        o->file = fopen(path, "wb");
        return o->file ? 0 : fail_output(o, errno, err);
    }
    mode_t mask = umask(0);
    umask(mask);
    mode_t mode = 0666 & ~mask;
    o->target = realpath(path, NULL);  /* a symbolic link stays one */
    if (!o->target && errno != ENOENT) /* a circle of links, a file for a folder */
        return fail_output(o, errno, err);
    if (o->target && stat(o->target, &st) == 0) {
        if (access(o->target, W_OK) != 0)
            return fail_output(o, errno, err);
        mode = st.st_mode & 07777;
    } else {
        free(o->target);
        o->target = follow_links(path); /* one that leads nowhere stays one too */
    }
    o->file = create_temporary(o, mode);
    return o->file ? 0 : fail_output(o, errno, err);
}

int cli_out_open(struct cli_out *o, const char *path, enum cli_format format, struct err *err)
{
    bool standard = !path || strcmp(path, "-") == 0;

    *o = (struct cli_out){ .file = stdout };
    if (!standard && open_file(o, path, err) != 0)
        return -1;
    if (format == CLI_TEXT || format == CLI_MARKDOWN || (standard && isatty(STDOUT_FILENO))) {
        o->guarded = o->file;
        o->file = text_guard_open(&o->guard, o->guarded);
    }
    return 0;
}

int cli_out_close(struct cli_out *o, struct err *err)
{
    int number = 0;

    errno = 0;
    bool bad = drop_guard(o) != 0 || ferror(o->file);
    if (bad)
        number = errno;
    if (fflush(o->file) != 0 || (o->temporary && fsync(fileno(o->file)) != 0) ||
        (o->unnamed && !bad && link_unnamed(o) != 0)) {
        number = errno;
        bad = true;
    }
    if (bad)
        return fail_output(o, number, err);
    if (o->file != stdout) {
        FILE *file = o->file;
        o->file = NULL;
        if (fclose(file) != 0)
            return fail_output(o, errno, err);
    }
    if (o->temporary && rename(o->temporary, o->target) != 0)
        return fail_output(o, errno, err);
    free(o->temporary);
    free(o->target);
    o->temporary = o->target = NULL;
    return 0;
}

void cli_out_fail(struct cli_out *o, struct err *err)
{
    bool bad = drop_guard(o) != 0 || ferror(o->file);

    if (err->code == ERR_IO && bad) {
        err_at(err, "%s", o->path ? o->path : "standard output");
        if (is_reader_gone(o->file))
            err->msg[0] = '\0';
    }
    cli_out_abandon(o);
}

void cli_out_abandon(struct cli_out *o)
{
    (void)drop_guard(o);
    if (o->file && o->file != stdout)
        fclose(o->file);
    if (o->temporary && !o->unnamed)
        unlink(o->temporary);
    free(o->temporary);
    free(o->target);
    *o = (struct cli_out){ 0 };
}
