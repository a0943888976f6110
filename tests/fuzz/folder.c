/* Files of a fuzz target, and how it fails: see fuzz.h. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

uint64_t fuzz_accepted;

static char folder[64];
static pid_t owner;

_Noreturn void fuzz_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    abort();
}

void fuzz_check_error(const struct err *err)
{
    size_t n = strnlen(err->msg, sizeof err->msg);

    if (err->code == ERR_NONE || n < 4 || n == sizeof err->msg)
        fuzz_fail(__FILE__, __LINE__, err->msg);
}

char *fuzz_string(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    FUZZ_CHECK(text);
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

void fuzz_path(char path[FUZZ_PATH], const char *name)
{
    FUZZ_CHECK(snprintf(path, FUZZ_PATH, "%s/%.48s", fuzz_folder(), name) < FUZZ_PATH);
}

void fuzz_clear(void)
{
    DIR *all = opendir(fuzz_folder());
    const struct dirent *one;
    char path[FUZZ_PATH + 256];

    FUZZ_CHECK(all);
    while ((one = readdir(all)) != NULL) {
        snprintf(path, sizeof path, "%s/%s", folder, one->d_name);
        if (strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0 && unlink(path) != 0)
            rmdir(path);
    }
    closedir(all);
}

static void remove_folder(void)
{
    if (getpid() != owner) /* a worker that was forked */
        return;
    fuzz_clear();
    rmdir(folder);
}

const char *fuzz_folder(void)
{
    struct stat st;

    if (!*folder) {
        bool shm = stat("/dev/shm", &st) == 0 && access("/dev/shm", W_OK) == 0;
        snprintf(folder, sizeof folder, "%s/fuzz.XXXXXX", shm ? "/dev/shm" : "/tmp");
        FUZZ_CHECK(mkdtemp(folder));
        owner = getpid();
        atexit(remove_folder);
    }
    return folder;
}

void fuzz_write(const char *name, const void *data, size_t size)
{
    char path[FUZZ_PATH];

    fuzz_path(path, name);
    FILE *f = fopen(path, "wb");
    FUZZ_CHECK(f && fwrite(data, 1, size, f) == size);
    fclose(f);
}
