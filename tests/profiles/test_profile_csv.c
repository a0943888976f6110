/* Sums of kernels as plain CSV. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "profile/profile.h"

static struct profile *read_text(const char *text)
{
    struct profile *p;
    struct err err;

    cr_assert_eq(profile_read_memory(&p, "a.csv", text, strlen(text), &err), 0, "%s", err.msg);
    cr_assert_str_eq(p->format, "csv");
    return p;
}

static void expect_kernel(const struct profile *p, size_t i, const char *name, uint64_t count,
                          uint64_t total)
{
    cr_assert_lt(i, p->n_kernels);
    cr_expect_str_eq(p->kernel[i].name, name);
    cr_expect_eq(p->kernel[i].count, count, "%s: %" PRIu64, name, p->kernel[i].count);
    cr_expect_eq(p->kernel[i].total, total, "%s: %" PRIu64, name, p->kernel[i].total);
}

Test(profile_csv, with_a_header_and_counts)
{
    struct profile *p = read_text("name,microseconds,count\n"
                                  "fusion.1,12.5,5\r\n"
                                  "\n"
                                  "\"dot, \"\"big\"\"\",1e3,2\n"
                                  "%copy.3, 0.0000015 ,1\n"
                                  "fusion.1,7.5,3");

    cr_expect_eq(p->n_kernels, 3);
    expect_kernel(p, 0, "fusion.1", 8, 20000000);
    expect_kernel(p, 1, "dot, \"big\"", 2, 1000000000);
    expect_kernel(p, 2, "copy.3", 1, 2); /* 1.5 ps, rounded */
    cr_expect_eq(p->n_programs, 1);
    cr_expect_eq(p->program[0].total, 0);
    cr_expect_eq(p->n_devices, 0);
    profile_free(p);
}

Test(profile_csv, without_a_header)
{
    struct profile *p = read_text("\xef\xbb\xbf"
                                  "a,1\nb,0.25\n");

    cr_expect_eq(p->n_kernels, 2);
    expect_kernel(p, 0, "a", 1, 1000000);
    expect_kernel(p, 1, "b", 1, 250000);
    profile_free(p);
}

static void expect_error(const char *text, const char *message)
{
    struct profile *p;
    struct err err;

    cr_assert_eq(profile_read_memory(&p, "a.csv", text, strlen(text), &err), -1, "%s", text);
    cr_expect_str_eq(err.msg, message);
    cr_expect_null(p);
}

Test(profile_csv, mistakes_are_named_with_their_line)
{
    expect_error("name,microseconds\na,1\nb,-2\n",
                 "a.csv:3: microseconds = -2: no number in [0, 1152921504606] us");
    expect_error("name,microseconds\na,1,0\n",
                 "a.csv:2: count = 0: no whole number in [1, 1099511627776]");
    expect_error("a,1,2e12\n", "a.csv:1: count = 2e12: no whole number in [1, 1099511627776]");
    expect_error("a,1,1e12\na,1,1e12\n",
                 "a.csv:2: with this row a has more than 1099511627776 occurrences or "
                 "1152921504606 us");
    expect_error("name,microseconds\na\n",
                 "a.csv:2: 1 columns, expected name,microseconds[,count]");
    expect_error("kernel,microseconds\na,1\n",
                 "a.csv:1: columns kernel,microseconds,, expected name,microseconds[,count]");
    expect_error("name,microseconds\n\"a,1\n", "a.csv:2: a quoted cell does not end");
    expect_error("name,microseconds,\"a\nb\"\n",
                 "a.csv:1: columns name,microseconds,a?b, expected name,microseconds[,count]");
    expect_error("name,microseconds\n,1\n", "a.csv:2: a kernel without a name");
    expect_error("name,microseconds\n", "a.csv:2: no kernel in it");
}

Test(profile_csv, an_absurd_time_of_op_profile)
{
    expect_error(
        "{\"byCategory\":{\"name\":\"all\",\"metrics\":{},\"children\":[{\"name\":\"a\","
        "\"xla\":{\"category\":\"x\"},\"metrics\":{\"occurrences\":1,\"rawTime\":1e30}}]}}",
        "a.csv:1: a: rawTime = 1e+30, occurrences = 1: expected numbers in "
        "[0, 1152921504606846976] ps and [1, 1099511627776]");
}

/* A time that nothing takes is a mistake of its line, also in the first one of a file without a
 * header: 2^60 ps are 1152921.504606 s. */
Test(profile_csv, absurd_times_are_named_with_their_line)
{
    expect_error("a,1e30\n", "a.csv:1: microseconds = 1e30: no number in [0, 1152921504606] us");
    expect_error("a,-2\n", "a.csv:1: microseconds = -2: no number in [0, 1152921504606] us");
    expect_error("a,nan\n", "a.csv:1: microseconds = nan: no number in [0, 1152921504606] us");
    expect_error("a,1\nb,1152921504607\n",
                 "a.csv:2: microseconds = 1152921504607: no number in [0, 1152921504606] us");
    expect_error("a,1152921504606\na,1\n",
                 "a.csv:2: with this row a has more than 1099511627776 occurrences or "
                 "1152921504606 us");
}

Test(profile_csv, other_files_are_refused)
{
    expect_error("", "a.csv: an empty file");
    expect_error("HloModule jit_f\n",
                 "a.csv: byte 0: the text of an HLO program: it goes before the profile");
    expect_error("cyclotron-trace 1\n",
                 "a.csv: byte 0: a trace of ours: it goes before the profile");
}

/* HLO Op Stats of XProf: idle time and SparseCores are no kernels of the core; columns in any
 * order.
 */
Test(profile_csv, rows_of_hlo_stats_that_are_no_kernels)
{
    static const char text[] =
        "HLO op name,Total time (us),#Occurrences,HLO op category,TPU core type,Parent op name\n"
        "IDLE,100,1,IDLE,,\n"
        "gather.1,7,1,custom-call,SparseCore,\n"
        "gather.2,7,1,custom-call,TensorCore,gather.1\n"
        "fusion.1,\"1,234.5\",3,loop fusion,TensorCore,\n";
    struct profile *p;
    struct err err;

    cr_assert_eq(profile_read_memory(&p, "a.csv", text, strlen(text), &err), 0, "%s", err.msg);
    cr_expect_str_eq(p->format, "hlo_stats");
    cr_expect_eq(p->n_kernels, 1);
    expect_kernel(p, 0, "fusion.1", 3, 1234500000);
    profile_free(p);
    expect_error("HLO op name,Total time (us),#Occurrences\nfusion.1,x,3\n",
                 "a.csv:2: Total time (us) = x: no number in [0, 1152921504606] us");
    expect_error("HLO op name,Total time (us),#Occurrences\nfusion.1,1e30,3\n",
                 "a.csv:2: Total time (us) = 1e30: no number in [0, 1152921504606] us");
    expect_error("HLO op name,Total time (us),#Occurrences\nfusion.1,1,1e15\n",
                 "a.csv:2: #Occurrences = 1e15: no whole number in [1, 1099511627776]");
    expect_error("HLO op name,Total time (us),#Occurrences\na,1e12,3\na,1e12,3\n",
                 "a.csv:3: Total time (us) = 1e12: with this row a has more than 1099511627776 "
                 "occurrences or 1152921504606 us");
    expect_error("HLO op name,Total time (us)\nfusion.1,1\n",
                 "a.csv:1: no column \"#Occurrences\" (occurrences)");
}
