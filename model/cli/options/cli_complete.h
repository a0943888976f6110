/* cli_complete.h - words that may stand next on a command line, for the completion of shells.
 *
 * `cyclotron --complete WORD...` prints candidates for its last word, which may be empty, one a
 * line: the whole word, a tab, a few words on it.  A line that begins with a tab asks the shell for
 * files too: the endings they may have, none for all.  Candidates that end in = : or , are not the
 * end of a word.  Commands, options, KEY=VALUE and names come from the tables that help comes from.
 */
#ifndef CLI_OPTIONS_CLI_COMPLETE_H
#define CLI_OPTIONS_CLI_COMPLETE_H

#include <stdio.h>

#include "base/param.h"
#include "cli/options/cli.h"

struct cli_offer {
    FILE *out;
    const char *typed; /* the beginning of the word */
};

/* Offer `word` if it begins as typed; `doc` may be NULL. */
void cli_offer_word(struct cli_offer *o, const char *word, const char *doc);

/* Offer "key=", and once that is typed its values, "a|b|c"; NULL: none are known. */
void cli_offer_key(struct cli_offer *o, const char *key, const char *values, const char *doc);

/* cli_offer_key with `n` values in an array. */
void cli_offer_choice(struct cli_offer *o, const char *key, const char *const *value, size_t n,
                      const char *doc);

/* cli_offer_key for all rows of a table, after `head`: "" or "mxu.". */
void cli_offer_table(struct cli_offer *o, const char *head, const struct param_table *t);

/* Offer files with these endings, ".trace .zst", or all with "". */
void cli_offer_files(struct cli_offer *o, const char *endings);

/* Print the candidates for the last of `n` words after the name of the program. */
void cli_complete(const struct cli_group *program, const char *const *word, size_t n, FILE *out);

#endif
