/* Machines that a compiled program runs on. */
#include <criterion/criterion.h>
#include <string.h>

#include "machine/spec/sizes.h"
#include "machine/spec/spec.h"
#include "run/job/program.h"

static struct trace_header make_header(const char *machine, uint64_t cores)
{
    struct trace_header h = { 0 };

    h.program.given = true;
    h.program.cores = cores;
    snprintf(h.program.machine, sizeof h.program.machine, "%s", machine);
    snprintf(h.program.topology, sizeof h.program.topology, "v3:2x2");
    return h;
}

static int check_machine(const struct trace_header *h, const char *machine, bool retile,
                         struct err *err)
{
    struct machine_spec *spec;

    cr_assert_eq(spec_load(&spec, machine, NULL, 0, err), 0, "%s", err->msg);
    int rc = program_check(h, spec, retile, "p.hlo", err);
    spec_free(spec);
    return rc;
}

Test(program, runs_on_its_machine)
{
    struct trace_header h = make_header("tpu-v3-8", 8), written = { 0 };
    struct err err;

    cr_assert_eq(check_machine(&h, "tpu-v3-8", false, &err), 0, "%s", err.msg);
    cr_assert_eq(check_machine(&written, "tpu-v4-8", false, &err), 0,
                 "a trace runs on any machine");
}

Test(program, another_generation_is_refused_without_retile)
{
    struct trace_header h = make_header("tpu-v3-8", 8);
    struct err err;

    cr_assert_eq(check_machine(&h, "tpu-v2-8", false, &err), -1);
    cr_assert_eq(err.code, ERR_FIT);
    cr_assert_str_eq(
        err.msg, "p.hlo: compiled for tpu-v3-8 (v3:2x2), not for tpu-v2-8: compile it again, "
                 "`scripts/compile FILE --topology v2:2x2`; or --retile lets the simulator cut its "
                 "kernels for this machine");
    cr_assert_eq(check_machine(&h, "tpu-v2-8", true, &err), 0, "%s", err.msg);
}

/* A kernel for a TPU has no form on a GPU. */
Test(program, one_for_tpus_is_not_cut_for_gpus)
{
    struct trace_header h = make_header("tpu-v3-8", 4);
    struct err err;

    cr_assert_eq(check_machine(&h, "a100x4", false, &err), -1);
    cr_assert_str_eq(err.msg,
                     "p.hlo: compiled for tpu-v3-8 (v3:2x2), not for a100x4, which --retile does "
                     "not change; compile it again: `scripts/compile FILE --topology a100x4`");
}

Test(program, another_number_of_cores_is_refused)
{
    struct trace_header h = make_header("tpu-v3-8", 8);
    struct err err;

    cr_assert_eq(check_machine(&h, "tpu-v3-32", true, &err), -1);
    cr_assert_str_eq(err.msg,
                     "p.hlo: compiled for 8 devices (v3:2x2), tpu-v3-32 has 32: the compiler has "
                     "divided its work, which --retile does not change; compile it again: "
                     "`scripts/compile FILE --topology v3:4x4`");
    cr_assert_eq(check_machine(&h, "tpu-v4-32", false, &err), -1);
    cr_assert_null(strstr(err.msg, "or --retile"), "it would be refused again");
    h.program.cores = 0;
    cr_assert_eq(check_machine(&h, "tpu-v3-32", false, &err), 0, "%s", err.msg);
}

Test(program, names_the_command_that_compiles_its_source)
{
    struct trace_header h = make_header("tpu-v3-8", 8), written = { 0 };
    struct machine_spec *spec;
    struct err err;
    char text[PROGRAM_COMMAND];

    snprintf(h.provenance, sizeof h.provenance,
             "imported from the HLO module p.hlo, compiled from a/gan3d.py:program batch=64; loops "
             "whose count depends on data: 2");
    cr_assert_eq(spec_load(&spec, "tpu-v4-8", NULL, 0, &err), 0, "%s", err.msg);
    program_command(text, sizeof text, &h, spec);
    cr_assert_str_eq(text, "scripts/compile a/gan3d.py:program batch=64 --topology v4:2x2x1");
    program_command(text, sizeof text, &written, spec);
    cr_assert_str_eq(text, "");
    spec_free(spec);
}

static void has_topology(const char *machine, const char *expected)
{
    struct machine_spec *spec;
    struct err err;
    char text[32];

    cr_assert_eq(spec_load(&spec, machine, NULL, 0, &err), 0, "%s", err.msg);
    program_topology(text, sizeof text, spec);
    cr_assert_str_eq(text, expected);
    spec_free(spec);
}

Test(program, has_the_compilers_name_of_a_slice)
{
    has_topology("tpu-v2-8", "v2:2x2");
    has_topology("tpu-v3-32", "v3:4x4");
    has_topology("tpu-v4-8", "v4:2x2x1");
    has_topology("tpu-v4-32", "v4:2x2x4");
    has_topology("tpu-v5e-16", "v5e:4x4");
    has_topology("tpu-v5p-8", "v5p:2x2x1");
    has_topology("tpu-v6e-16", "v6e:4x4");
    has_topology("tpu-v7-8", "tpu7x:2x2x1");
}

/* GPUs of one architecture run each other's programs; other chips do with --retile. */
Test(program, one_for_gpus_runs_on_their_architecture)
{
    struct trace_header h = make_header("a100x4", 4);
    struct err err;

    h.program.gpu = h.program.scheduled = true;
    snprintf(h.program.topology, sizeof h.program.topology, "a100x4");
    cr_assert_eq(check_machine(&h, "a100x4", false, &err), 0, "%s", err.msg);
    cr_assert_eq(check_machine(&h, "v100x4", true, &err), 0, "%s", err.msg);
    cr_assert_eq(check_machine(&h, "v100x4", false, &err), -1);
    cr_assert_str_eq(err.msg,
                     "p.hlo: compiled for a100x4, not for v100x4: compile it again, "
                     "`scripts/compile FILE --topology v100x4`; or --retile lets the simulator cut "
                     "its kernels for this machine");
    cr_assert_eq(check_machine(&h, "tpu-v5e-4", false, &err), -1);
    cr_assert_str_eq(err.msg,
                     "p.hlo: compiled for a100x4, not for tpu-v5e-4: compile it again, "
                     "`scripts/compile FILE --topology v5e:2x2`; or --retile lets the simulator "
                     "cut its kernels for this machine");
    h.program.cores = 1;
    cr_assert_eq(check_machine(&h, "xeon-6148", false, &err), -1);
    cr_assert_str_eq(err.msg, "p.hlo: compiled for a100x4, not for xeon-6148, which --retile does "
                              "not change");
    h.program.cores = 4;
    h.program.machine[0] = '\0'; /* some GPU */
    cr_assert_eq(check_machine(&h, "v100x4", false, &err), 0, "%s", err.msg);
}

static void expect_machine(struct trace_header h, const char *topology, const char *machine)
{
    char text[SIZES_NAME];

    snprintf(h.program.topology, sizeof h.program.topology, "%s", topology);
    cr_expect_eq(program_machine(text, sizeof text, &h), *machine != '\0');
    cr_expect_str_eq(text, machine, "%s: found '%s', expected '%s'", topology, text, machine);
}

Test(program, says_which_machine_it_is_for)
{
    struct trace_header megacore = make_header("tpu-v4-8", 1), none = { 0 };

    megacore.program.megacore = true;
    expect_machine(none, "", "");
    expect_machine(make_header("tpu-v3-8", 8), "v3:2x2", "tpu-v3-8");
    expect_machine(make_header("tpu-v3-8", 0), "v3:2x2", "tpu-v3-8");
    expect_machine(make_header("mine.ini", 3), "v3:2x2", "mine.ini");
    expect_machine(make_header("v100-sxm2-16gb", 1), "v100-sxm2-16gb", "v100-sxm2-16gb");
    /* some of the devices of a slice */
    expect_machine(make_header("tpu-v3-8", 1), "v3:2x2", "tpu-v3-1");
    expect_machine(make_header("tpu-v3-2", 1), "v3:1x1", "tpu-v3-1");
    expect_machine(make_header("tpu-v5e-4", 1), "v5e:2x2", "tpu-v5e-1");
    expect_machine(make_header("tpu-v5e-8", 4), "v5e:2x4", "tpu-v5e-4");
    expect_machine(make_header("a100x8", 4), "a100x8", "a100x4");
    expect_machine(megacore, "v4:2x2x1", "tpu-v4-2");
    struct trace_header joined = make_header("tpu-v5e-4", 8);
    joined.program.slices = 2;
    expect_machine(joined, "v5e:2x2", "tpu-v5e-4");
    /* of as many as no slice has: told when it is to run there */
    expect_machine(make_header("tpu-v5e-4", 3), "v5e:2x2", "tpu-v5e-4");
    /* each core a device: no slice is divided so */
    expect_machine(make_header("tpu-v4-8", 8), "v4:2x2x1", "tpu-v4-8");
    /* the topology alone */
    expect_machine(make_header("", 8), "v5e:2x4", "tpu-v5e-8");
    expect_machine(make_header("", 8), "v5e:4x2", "tpu-v5e-8");
    expect_machine(make_header("", 8), "v9:4x2", "");
}
