/* hlo_frames.h - the tables FileNames, FunctionNames, FileLocations and StackFrames of a module. */
#ifndef HLO_FRAMES_H
#define HLO_FRAMES_H

#include "hlo/hlo_lex.h"
#include "hlo/hlo_module.h"

struct hlo_frame_entry { /* a file name, a location or a frame */
    uint64_t id;
    struct hlo_text value; /* "src/a.py" or {file_name_id=1 line=59 ...} */
};

/* One of these tables.  Ids are 1, 2, ... as a rule, but need not be. */
struct hlo_frame_table {
    struct hlo_frame_entry *entry;
    uint32_t n, cap;
};

/* All four of a module. */
struct hlo_frames {
    struct hlo_frame_table files, functions, locations, frames;
};

/* If one of the four words comes next and a table follows it, read the table: 1.  Else 0, or -1. */
int hlo_frames_read(struct hlo_lex *x, struct hlo_frames *f);
/* File, as written in quotes, and line of frame `id`; false if the tables do not know it. */
bool hlo_frames_find(const struct hlo_frames *f, uint64_t id, struct hlo_text *file,
                     uint32_t *line);
void hlo_frames_free(struct hlo_frames *f);

#endif
