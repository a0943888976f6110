#include "site_folder.h"
#include "base/plain.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

char site_folder[40];

void site_folder_make(void)
{
    strcpy(site_folder, "/tmp/profile_set.XXXXXX");
    cr_assert_not_null(mkdtemp(site_folder));
}

void site_folder_remove(void)
{
    char *command = memory_format("rm -r %s", site_folder);

    cr_assert_eq(system(command), 0);
    free(command);
}

FILE *site_folder_create(const char *below)
{
    char *path = memory_format("%s/%s", site_folder, below);

    for (char *slash = path + strlen(site_folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *out = fopen(path, "wb");
    cr_assert_not_null(out, "%s", path);
    free(path);
    return out;
}

void site_folder_write(const char *below, const char *text)
{
    FILE *out = site_folder_create(below);

    fputs(text, out);
    cr_assert_eq(fclose(out), 0);
}

void site_folder_copy(const char *below, const char *from)
{
    char bytes[65536];
    FILE *in = fopen(from, "rb"), *out = site_folder_create(below);
    size_t n;

    cr_assert_not_null(in, "%s", from);
    while ((n = fread(bytes, 1, sizeof bytes, in)) > 0)
        fwrite(bytes, 1, n, out);
    fclose(in);
    cr_assert_eq(fclose(out), 0);
}

void site_folder_profile(const char *below, site_folder_error *error)
{
    const struct profiled_request q = { .run = { .trace = SITE_FOLDER_PROGRAM,
                                                 .machine = "tpu-v3-8" } };
    unsigned n[PROFILED_N_CLASSES] = { 0 };
    FILE *out = site_folder_create(below);
    struct profiled p;
    struct err err;

    cr_assert_eq(profiled_make(&p, &q, &err), 0, "%s", err.msg);
    for (size_t i = 0; i < p.n_kernels; i++) {
        const struct profiled_kernel *k = &p.kernel[i];
        double wrong = error ? error(k->class, n[k->class]++) : 0;
        if (mpq_sgn(k->predicted) > 0)
            plain_print(out, "%s,%.6f,%d\n", k->name, 1e6 * mpq_get_d(k->predicted) / (1 + wrong),
                        (int)k->count);
    }
    cr_assert_eq(fclose(out), 0);
    profiled_free(&p);
}

void site_folder_compare(struct profile_set *s, const char *machine, unsigned jobs)
{
    const struct profile_set_request q = { .folder = site_folder,
                                           .machine = machine,
                                           .jobs = jobs };
    struct err err;

    cr_assert_eq(profile_set_run(s, &q, &err), 0, "%s", err.msg);
}

const struct profile_set_pair *site_folder_pair(const struct profile_set *s, const char *name)
{
    for (size_t i = 0; i < s->n_pairs; i++)
        if (strcmp(s->pair[i].name, name) == 0)
            return &s->pair[i];
    cr_assert(false, "no pair %s", name);
    return NULL;
}
