/* hlo_stats.h - the table "HLO Op Stats" of XProf, as JSON or CSV.
 *
 * It holds sums per instruction; programs have ids and no names.  FLOPs and bytes are computed from
 * its rates.  Columns are found by their names, whatever their order. */
#ifndef PROFILE_HLO_STATS_H
#define PROFILE_HLO_STATS_H

#include "profile/profile_build.h"
#include "profile/source/profile_source.h"

/* True if a file begins like one of these: profile_reader.knows. */
bool hlo_stats_json_knows(const unsigned char *head, size_t n);
bool hlo_stats_csv_knows(const unsigned char *head, size_t n);
/* Read the profile, as profile_reader.read says. */
int hlo_stats_json_read(struct profile_build *b, struct profile_source *s, struct err *err);
int hlo_stats_csv_read(struct profile_build *b, struct profile_source *s, struct err *err);

#endif
