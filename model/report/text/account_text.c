#include "report/text/account_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/exact.h"
#include "base/text_write.h"
#include "report/text/rest.h"

#define REASONS 6 /* lines of a class */
#define NAMES 3   /* operations of a reason */
#define NAME 28   /* columns of a name */

static void add_up(mpq_t all, const struct account *a)
{
    mpq_set_ui(all, 0, 1);
    for (int c = 0; c < N_ACCOUNT; c++)
        exact_sum(all, a->seconds[c]);
}

void account_text_shares(const struct account *a, FILE *out)
{
    bool first = true;

    EXACT_Q(all);
    EXACT_Q(share);
    add_up(all, a);
    for (int c = 0; c < N_ACCOUNT && mpq_sgn(all); c++) {
        mpq_div(share, a->seconds[c], all);
        if (rest_has(share))
            continue;
        fputs(first ? "" : ", ", out);
        text_share(share, 0, out);
        fprintf(out, " %% %s", account_doc[c]);
        first = false;
    }
}

bool account_text_unknown(const struct account *a, FILE *out)
{
    if (!account_is_unknown(a))
        return false;
    fputs(": ", out);
    account_write_unknown(a, "it", out);
    return true;
}

void account_text_cell(const struct account *a, int width, FILE *out)
{
    EXACT_Q(known);
    if (account_known(known, a) && account_is_unknown(a))
        fprintf(out, "%*s", width - 1, "?");
    else
        text_share(known, width - 1, out);
    putc(a->at_least ? '>' : ' ', out);
}

/* The operations of a reason that take longest. */
static void print_names(const struct account *a, const struct account_line *reason, const mpq_t all,
                        FILE *out)
{
    int shown = 0;

    for (size_t i = 0; i < a->n_largest && shown < NAMES; i++) {
        const struct account_line *l = &a->largest[i];
        if (l->class != reason->class || strcmp(l->why, reason->why) != 0)
            continue;
        size_t n = strlen(l->what);
        fputs(shown++ ? ", " : "\n                   ", out);
        text_column(l->what, (unsigned)(n < NAME ? n : NAME), out);
        putc(' ', out);
        text_percent(l->seconds, all, 0, out);
        fputs(" %", out);
    }
}

static void print_reason(const struct account *a, const struct account_line *l, const mpq_t all,
                         FILE *out)
{
    fputs("           ", out);
    text_percent(l->seconds, all, 5, out);
    fputs(" %  ", out);
    if (l->class == ACCOUNT_ASSUMPTIONS) {
        fprintf(out, "%s %s, which is unverified", l->moved ? "moves with" : "at the pace of",
                l->why);
    } else {
        text_count(l->count, "operation", out);
        fprintf(out, " %s", l->why);
        print_names(a, l, all, out);
    }
    putc('\n', out);
}

/* The shares that are not those of the seconds above. */
static void print_left_out(const struct account *a, FILE *out)
{
    EXACT_Q(known);

    if (mpq_sgn(a->unread)) {
        fputs("           in the recording ", out);
        text_share(a->unread, 0, out);
        fputs(" % of the time is work that was not read", out);
        if (a->lost) {
            fprintf(out,
                    ";\n           %" PRIu64
                    " of its launches %s, and count%s like others on average",
                    a->lost, a->lost == 1 ? "has no kernel" : "have no kernels",
                    a->lost == 1 ? "s" : "");
        }
        putc('\n', out);
    }
    if (account_known(known, a) && account_is_unknown(a))
        fputs("           what was left out may take far longer than its share here\n", out);
}

void account_text(const struct run_result *r, FILE *out)
{
    const struct account *a = &r->account;

    EXACT_Q(all);
    fputs("  rests on ", out);
    account_text_shares(a, out);
    putc('\n', out);
    if (!account_is_open(a))
        return;
    print_left_out(a, out);
    add_up(all, a);
    for (int c = ACCOUNT_BOUNDS; c < N_ACCOUNT; c++) {
        if (c == ACCOUNT_RETILED)
            continue; /* the lines "kernels" have them */
        for (size_t i = 0, shown = 0; i < a->n_reasons && shown < REASONS; i++)
            if ((int)a->reason[i].class == c && ++shown)
                print_reason(a, &a->reason[i], all, out);
    }
}
