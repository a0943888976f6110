/* profile_set_impl.h - the parts of profile_set.h: files, pairs.ini, sums. */
#ifndef STUDY_VALIDATE_PROFILE_SET_IMPL_H
#define STUDY_VALIDATE_PROFILE_SET_IMPL_H

#include "study/validate/profile_set.h"

/* --- profile_set_find.c --------------------------------------------------------------------- */

/* A program or a profile of the folder. */
struct profile_set_file {
    char *path;  /* with the folder in front */
    char *below; /* without it */
    char *name;  /* of its pair */
    char *log;   /* of a capture: below the folder, the folder with plugins in it; else NULL */
    bool program;
    bool claimed; /* by pairs.ini */
};

struct profile_set_files {
    struct profile_set_file *file;
    size_t n;
};

/* List the files of a folder and the folders in it, sorted by name.  Hidden ones are left out.
 * Errors: ERR_IO. */
int profile_set_list(struct profile_set_files *l, const char *folder, struct err *err);
void profile_set_forget(struct profile_set_files *l);
/* Add a file, or take away file i. */
void profile_set_add(struct profile_set_files *l, const char *folder, const char *below,
                     const char *name, bool program);
void profile_set_drop(struct profile_set_files *l, size_t i);

/* Make the pairs of a folder.  Errors: of the folder and pairs.ini. */
int profile_set_find(struct profile_set *s, const char *folder, struct err *err);

/* --- profile_set_ini.c ---------------------------------------------------------------------- */

struct profile_set_said {
    char *name;
    int line;
    char *program, *profile, *machine, *module; /* NULL: not said */
    char *use;
};

struct profile_set_ini {
    char *path;
    struct profile_set_said *said;
    size_t n;
};

/* Read pairs.ini of a folder; one that is not there says nothing.  Errors: ERR_IO, ERR_FORMAT,
 * ERR_UNKNOWN, with file and line. */
int profile_set_ini_read(struct profile_set_ini *ini, const char *folder, struct err *err);
void profile_set_ini_free(struct profile_set_ini *ini);

/* --- profile_set_sum.c ---------------------------------------------------------------------- */

/* Fill in the groups and ranks, from all kernels. */
void profile_set_sum(struct profile_set *s);

#endif
