/* The files of a database: its lock, the log beside it, and reading where nothing can be written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "sweep/store_impl.h"

#define BUSY_MS 60000
#define LOCK_TRIES 10
#define LOCK_BYTE 0x3fffffff /* below those that SQLite locks */

/* A file system without locks, as NFS without its daemon, says so at once; SQLite would wait for
 * somebody to unlock. */
static int refuse_lock(const struct store *s, struct err *err)
{
    return err_set(err, ERR_IO, "%s: cannot lock it: %s: copy it to a local disk", s->path,
                   strerror(errno));
}

/* Opens it; *made: it was not there. */
static int open_to_lock(const char *path, bool *made)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    *made = fd >= 0;
    return fd >= 0 ? fd : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
}

/* Two processes that add to one database would do the same work twice.  The lock belongs to the
 * open file, as SQLite drops all that the process has when it unlocks. */
int store_lock(struct store *s, struct err *err)
{
    static const struct timespec pause = { 0, 50000000 };
    struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_BYTE, .l_len = 1 };
    bool made;

    s->lock = open_to_lock(s->path, &made);
    if (s->lock < 0)
        return err_set(err, ERR_IO, "%s: %s", s->path, strerror(errno));
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (fcntl(s->lock, F_OFD_SETLK, &l) == 0)
            return 0;
        if (errno != EAGAIN && errno != EACCES) {
            refuse_lock(s, err);
            if (made)
                unlink(s->path);
            return -1;
        }
        nanosleep(&pause,
                  NULL); /* workers of a sweep that was killed just now may still be there */
    }
    return err_set(err, ERR_FIT, "%s: another process is adding to it", s->path);
}

void store_forget(struct store *s)
{
    close(s->lock);
}

int store_open_file(struct store *s, const char *name, int flags, struct err *err)
{
    if (sqlite3_open_v2(name, &s->db, flags, NULL) != SQLITE_OK)
        return store_failed(s, err);
    sqlite3_busy_timeout(s->db, BUSY_MS);
    return store_trust_nothing(s, err);
}

/* A database that is finished is one file, which a folder that cannot be written holds as well.
 * While somebody reads, it stays as it is: the next one who adds, or merges, ends that. */
void store_leave_log(struct store *s)
{
    sqlite3_busy_timeout(s->db, 1000);
    sqlite3_exec(s->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
}

/* The name of a file as a URI of SQLite that says that nothing changes it. */
static char *name_unchanging(const char *path)
{
    struct memory_text t;

    memory_text_begin(&t);
    fputs("file:", t.out);
    for (; *path; path++)
        if (strchr("?#%", *path))
            fprintf(t.out, "%%%02x", (unsigned char)*path);
        else
            putc(*path, t.out);
    fputs("?immutable=1", t.out);
    return memory_text_end(&t);
}

/* True if all results are in the file itself, none in a log beside it. */
static bool is_whole(const char *path)
{
    struct stat st;
    char *log = memory_format("%s-wal", path);
    bool whole = stat(log, &st) != 0 || st.st_size == 0;

    free(log);
    return whole;
}

static int check_locks(struct store *s, struct err *err)
{
    struct flock l = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = LOCK_BYTE, .l_len = 1 };

    s->checked = open(s->path, O_RDONLY | O_CLOEXEC);
    return s->checked >= 0 && fcntl(s->checked, F_OFD_GETLK, &l) != 0 ? refuse_lock(s, err) : 0;
}

#define BEGIN_TO_READ "PRAGMA query_only = 1; BEGIN; SELECT 1 FROM sqlite_master"

/* Begin the one transaction of a reader, as another process may add.  A database whose writer was
 * killed keeps a log, for which SQLite wants to make a file beside it; where that cannot be
 * written, one without a log is read as it stands. */
int store_begin_reading(struct store *s, struct err *err)
{
    if (check_locks(s, err) != 0)
        return -1;
    int rc = store_open_file(s, s->path, SQLITE_OPEN_READONLY, err);
    if (rc == 0 && store_execute(s, BEGIN_TO_READ, err) == 0)
        return 0;
    int why = sqlite3_errcode(s->db);
    if ((why != SQLITE_CANTOPEN && why != SQLITE_READONLY) || access(s->path, R_OK) != 0)
        return -1;
    if (!is_whole(s->path))
        return err_set(
            err, ERR_IO,
            "%s: it was not closed, and its folder cannot be written: copy it to another "
            "together with the -wal file beside it",
            s->path);
    char *name = name_unchanging(s->path);
    sqlite3_close(s->db);
    rc = store_open_file(s, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
    free(name);
    return rc == 0 ? store_execute(s, BEGIN_TO_READ, err) : -1;
}
