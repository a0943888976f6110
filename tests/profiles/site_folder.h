/* site_folder.h - a folder of programs and profiles of them, for tests. */
#ifndef TESTS_SITE_FOLDER_H
#define TESTS_SITE_FOLDER_H

#include <stdio.h>

#include "study/validate/profile_set.h"

#define SITE_FOLDER_PROGRAM                                                                        \
    "tests/cli/programs/layers.tpu-v3-8.hlo" /* 10 MXU, 4 vector, 1 collective */
#define SITE_FOLDER_CAPTURE "tests/profiles/v6e_host_offload.xplane.pb.zst"

extern char site_folder[]; /* the path of the one there is */

void site_folder_make(void);
void site_folder_remove(void);

/* A file below the folder, with the folders on its way: to be written, with a text, as a copy. */
FILE *site_folder_create(const char *below);
void site_folder_write(const char *below, const char *text);
void site_folder_copy(const char *below, const char *from);

/* The i-th kernel of its class is predicted with this error. */
typedef double site_folder_error(enum profiled_class class, unsigned i);

/* A profile of the program: its prediction on a TPU v3-8, divided by 1 + error; NULL: as it is. */
void site_folder_profile(const char *below, site_folder_error *error);

/* Compare all pairs; the pair of that name. */
void site_folder_compare(struct profile_set *s, const char *machine, unsigned jobs);
const struct profile_set_pair *site_folder_pair(const struct profile_set *s, const char *name);

#endif
