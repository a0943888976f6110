/* bytes.c - see bytes.h. */
#include "trace/file/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse_file(const char *name, int why, struct err *err)
{
    return err_set(err, ERR_IO, "%.200s: %s", name, strerror(why));
}

/* True if this may be the beginning of a container, of trace text or of a program of XLA. */
static bool is_plausible(const char *buf, size_t n)
{
    static const char zstd[4] = { 0x28, (char)0xb5, 0x2f, (char)0xfd };
    static const char *const text[] = { "cyclotron-trace", "HloModule", "\"schemaVersion\"" };

    if (n >= sizeof zstd && memcmp(buf, zstd, sizeof zstd) == 0)
        return true;
    if (n >= 2 && buf[0] == 0x1f && (unsigned char)buf[1] == 0x8b) /* gzip */
        return true;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (memmem(buf, n, text[i], strlen(text[i])))
            return true;
    return false;
}

/* Copy a stream that cannot seek to a temporary file. */
static int spool_stream(struct bytes *b, FILE *in, struct err *err)
{
    char buf[1 << 16];
    size_t n;

    b->file = tmpfile();
    if (!b->file)
        return refuse_file(b->name, errno, err);
    while ((n = fread(buf, 1, sizeof buf, in)) > 0) {
        if (fwrite(buf, 1, n, b->file) != n)
            return refuse_file(b->name, errno, err);
        b->size += n;
        /* stop if it cannot be a trace: an endless stream would fill the disk */
        if (b->size == n && !is_plausible(buf, n))
            break;
    }
    if (ferror(in) || fflush(b->file) != 0)
        return refuse_file(b->name, errno, err);
    return 0;
}

/* Take the bytes of `in`, which b->file is already unless it is `borrowed`. */
static int open_stream(struct bytes *b, FILE *in, bool borrowed, struct err *err)
{
    struct stat st;

    if (fstat(fileno(in), &st) != 0)
        return refuse_file(b->name, errno, err);
    if (S_ISDIR(st.st_mode))
        return refuse_file(b->name, EISDIR, err);
    /* standard input may be a file that another program has read in part: copy the rest */
    if (!S_ISREG(st.st_mode) || borrowed) {
        int rc = spool_stream(b, in, err);
        if (!borrowed)
            fclose(in);
        return rc;
    }
    b->size = (uint64_t)st.st_size;
    return 0;
}

int bytes_open(struct bytes *b, const char *path, struct err *err)
{
    bool standard = strcmp(path, "-") == 0;

    *b = (struct bytes){ .name = standard ? "<stdin>" : path };
    b->file = standard ? NULL : fopen(path, "rb");
    if (!standard && !b->file)
        return refuse_file(b->name, errno, err);
    int rc = open_stream(b, standard ? stdin : b->file, standard, err);
    if (rc != 0)
        bytes_close(b);
    return rc;
}

void bytes_memory(struct bytes *b, const char *name, const void *data, size_t size)
{
    *b = (struct bytes){ .mem = data, .size = size, .name = name };
}

void bytes_close(struct bytes *b)
{
    if (b->file)
        fclose(b->file);
    free(b->own);
    b->file = NULL;
    b->own = NULL;
}

int bytes_at(const struct bytes *b, uint64_t at, void *buf, size_t n, struct err *err)
{
    BUG_ON(at > b->size || n > b->size - at);
    if (!b->file) {
        if (n > 0)
            memcpy(buf, b->mem + at, n);
        return 0;
    }
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(fileno(b->file), (char *)buf + done, n - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refuse_file(b->name, errno, err);
        if (got == 0)
            return err_set(err, ERR_IO, "%.200s: became shorter while it was read", b->name);
        done += (size_t)got;
    }
    return 0;
}
