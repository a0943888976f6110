/* Serialised programs as text.  Those of tests/programs were serialised by XLA itself (jaxlib
 * 0.10.2, as_serialized_hlo_module_proto): their text and ours become the same trace. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hlo/hlo_encode.h"
#include "hlo/hlo_module.h"
#include "hlo/proto/hlo_proto.h"
#include "import/hlo/import.h"
#include "import/open.h"
#include "profile/profile.h"
#include "xplane_write.h"

static char *import_text(const char *text, size_t size, struct import_totals *totals)
{
    struct import_options options = { .place = NULL };
    struct hlo_module *m;
    struct err err;
    char *trace;
    size_t n;

    cr_assert_eq(hlo_parse(&m, "program", text, size, &err), 0, "%s", err.msg);
    cr_assert_eq(import_hlo_text(m, &options, &trace, &n, totals, &err), 0, "%s", err.msg);
    hlo_free(m);
    return trace;
}

static void expect_same(const char *name)
{
    struct import_totals totals;
    char path[100], *text, *bytes, *ours, *theirs, *again;
    size_t n_text, n_bytes, n_ours;
    struct err err;

    snprintf(path, sizeof path, "tests/programs/%s.hlo.zst", name);
    cr_assert_eq(import_read(&text, &n_text, path, &err), 0, "%s", err.msg);
    const char *module = strchr(text, '\n') + 1; /* behind the line that tells of its compiler */
    snprintf(path, sizeof path, "tests/profiles/%s.hlo.pb.zst", name);
    cr_assert_eq(import_read(&bytes, &n_bytes, path, &err), 0, "%s", err.msg);
    cr_assert_eq(hlo_proto_text(&ours, &n_ours, "program", bytes, n_bytes, &err), 0, "%s", err.msg);
    theirs = import_text(module, n_text - (size_t)(module - text), &totals);
    again = import_text(ours, n_ours, &totals);
    cr_expect_gt(strlen(theirs), 10000);
    cr_expect(strcmp(theirs, again) == 0, "%s differs", name);
    free(text);
    free(bytes);
    free(ours);
    free(theirs);
    free(again);
}

Test(hlo_proto, programs_that_xla_serialised)
{
    expect_same("ring.tpu-v5p-16");
    expect_same("fsdp.tpu-v7-8");
}

/* A program that we serialise is the same trace when it is read again. */
static void expect_kept(const char *path)
{
    struct import_totals totals;
    struct hlo_module *m;
    struct proto proto = { 0 };
    struct err err;
    char *text, *again;
    size_t n, n_again;

    cr_assert_eq(import_read(&text, &n, path, &err), 0, "%s", err.msg);
    const char *module = strchr(text, '\n') + 1;
    size_t size = n - (size_t)(module - text);
    cr_assert_eq(hlo_parse(&m, "program", module, size, &err), 0, "%s", err.msg);
    hlo_encode(&proto, m, NULL, 0);
    hlo_free(m);
    cr_assert_eq(hlo_proto_text(&again, &n_again, "program", proto.bytes, proto.n, &err), 0, "%s",
                 err.msg);
    char *theirs = import_text(module, size, &totals), *ours = import_text(again, n_again, &totals);
    cr_expect_gt(strlen(theirs), 10000);
    cr_expect(strcmp(theirs, ours) == 0, "%s differs", path);
    proto_free(&proto);
    free(theirs);
    free(ours);
    free(again);
    free(text);
}

Test(hlo_proto, programs_that_we_serialise)
{
    expect_kept("tests/programs/ring.tpu-v5p-16.hlo.zst");
    expect_kept("tests/programs/fsdp.tpu-v7-8.hlo.zst");
    expect_kept("traces/programs/gan3d.tpu-v3-8.hlo.zst");
    expect_kept("traces/programs/exatrkx.tpu-v5e-4.hlo.zst");
}

static char *write_program(const char *name)
{
    struct profile *p;
    struct err err;
    char *text = NULL;
    size_t n;

    cr_assert_eq(profile_read(&p, "tests/profiles/v6e_host_offload.xplane.pb.zst", &err), 0);
    for (size_t i = 0; i < p->n_programs; i++)
        if (strcmp(p->program[i].name, name) == 0)
            cr_assert_eq(
                hlo_proto_text(&text, &n, name, p->program[i].hlo, p->program[i].hlo_size, &err), 0,
                "%s", err.msg);
    cr_assert_not_null(text);
    profile_free(p);
    return text;
}

#define SOURCE                                                                                     \
    "source_file=\"experimental/users/davelacey/host_offload_stress_test/"                         \
    "host_offload_stress_test.py\" source_line="

/* A program in a profile of a TPU v6e. */
Test(hlo_proto, a_program_in_a_profile)
{
    char *text = write_program("jit__psum"), *config = strstr(text, ", backend_config={");

    cr_assert_not_null(config);
    cr_expect_not_null(strstr(config, "\"strategy\":\"UniDirection1DRingStrategy\""));
    *config = '\0';
    cr_expect_str_eq(
        text, "HloModule jit__psum, is_scheduled=true, num_partitions=8\n"
              "\n"
              "%region_0.3.clone {\n"
              "  %Arg_1.0 = f32[]{:T(128)} parameter(1), "
              "metadata={op_name=\"jit(_psum)/jit(main)/reduce_sum\"}\n"
              "  %Arg_0.0 = f32[]{:T(128)} parameter(0), "
              "metadata={op_name=\"jit(_psum)/jit(main)/reduce_sum\"}\n"
              "  ROOT %add.0 = f32[]{:T(128)} add(%Arg_0.0, %Arg_1.0), "
              "metadata={op_name=\"jit(_psum)/jit(main)/reduce_sum\" " SOURCE "38}\n"
              "}\n"
              "\n"
              "ENTRY %main.10_spmd {\n"
              "  %param = f32[1,5,1024,1024,256]{4,3,2,1,0:T(8,128)} parameter(0), "
              "metadata={op_name=\"x\"}\n"
              "  %bitcast = f32[5,1024,1024,256]{3,2,1,0:T(8,128)} bitcast(%param), "
              "metadata={op_name=\"jit(_psum)/jit(main)/reduce_sum\" " SOURCE "38}\n"
              "  ROOT %all-reduce = f32[5,1024,1024,256]{3,2,1,0:T(8,128)} all-reduce(%bitcast), "
              "channel_id=1, replica_groups=[4,2]<=[2,4]T(1,0), use_global_device_ids=true, "
              "to_apply=%region_0.3.clone, "
              "metadata={op_name=\"jit(_psum)/jit(main)/reduce_sum\" " SOURCE "38}");
    free(text);
}

/* Copies to the host's memory, fusions and the order of the schedule. */
Test(hlo_proto, the_schedule_orders_instructions)
{
    static const char *const order[] = {
        "%param = ",        "%copy-start.4 = ", "%copy-done = ",  "%broadcast_add_fusion.2 = ",
        "%copy-start.1 = ", "%copy-done.2 = ",  "%copy-done.5 = "
    };
    char *text = write_program("jit_f"), *at = strstr(text, "ENTRY");

    cr_expect_not_null(strstr(text, "{3,2,1,0:T(8,128)S(5)} parameter(0)"));
    cr_expect_not_null(strstr(text, "constant(1)"));
    cr_expect_not_null(strstr(text, "fusion(%copy-done), kind=kLoop, calls=%fused_computation.2"));
    cr_expect_not_null(strstr(text, "input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, "
                                    "may-alias), {2}: (2, {}, may-alias) }"));
    for (size_t i = 0; i < sizeof order / sizeof *order && at; i++) {
        char *next = strstr(at, order[i]);
        cr_expect_not_null(next, "%s is not where the schedule has it", order[i]);
        at = next;
    }
    free(text);
}

static void write_shape(struct xplane_write *to, unsigned field, uint64_t size)
{
    struct xplane_write shape = { 0 };

    xplane_write_number(&shape, 2, 16); /* bf16 */
    xplane_write_number(&shape, 3, size);
    xplane_write_inner(to, field, &shape);
}

static void write_instruction(struct xplane_write *i, const char *name, const char *opcode,
                              uint64_t id, uint64_t size)
{
    xplane_write_text(i, 1, name);
    xplane_write_text(i, 2, opcode);
    write_shape(i, 3, size);
    xplane_write_number(i, 35, id);
}

/* A slice by steps of 2, and groups of 2 of 4 devices, which nothing else tells the number of. */
Test(hlo_proto, a_module_written_by_hand)
{
    struct xplane_write i = { 0 }, part = { 0 }, c = { 0 }, m = { 0 }, all = { 0 };
    struct err err;
    char *text;
    size_t n;

    write_instruction(&i, "p", "parameter", 1, 8);
    xplane_write_inner(&c, 2, &i);
    write_instruction(&i, "s", "slice", 2, 4);
    xplane_write_number(&i, 36, 1);
    xplane_write_number(&part, 2, 8);
    xplane_write_number(&part, 3, 2);
    xplane_write_inner(&i, 17, &part);
    xplane_write_inner(&c, 2, &i);
    write_instruction(&i, "g", "all-gather", 3, 8);
    xplane_write_number(&i, 36, 2);
    xplane_write_number(&i, 14, 0);
    xplane_write_number(&i, 26, 5);
    xplane_write_number(&part, 1, 2);
    xplane_write_number(&part, 2, 2);
    xplane_write_number(&part, 3, 4);
    xplane_write_inner(&i, 92, &part);
    xplane_write_inner(&c, 2, &i);
    xplane_write_text(&c, 1, "main");
    xplane_write_number(&c, 6, 3);
    xplane_write_text(&m, 1, "m");
    xplane_write_inner(&m, 3, &c);
    xplane_write_inner(&all, 1, &m);
    cr_assert_eq(hlo_proto_text(&text, &n, "p", all.bytes, all.n, &err), 0, "%s", err.msg);
    cr_expect_str_eq(text, "HloModule m, num_partitions=4\n\nENTRY %main {\n"
                           "  %p = bf16[8] parameter(0)\n"
                           "  %s = bf16[4] slice(%p), slice={[0:8:2]}\n"
                           "  ROOT %g = bf16[8] all-gather(%s), dimensions={0}, channel_id=5, "
                           "replica_groups=[2,2]<=[4]\n}\n");
    free(text);
    xplane_write_free(&all);
}

/* Fields of 0 and empty texts that are written are as those that are not. */
Test(hlo_proto, what_is_written_as_nothing_is_not_there)
{
    struct xplane_write i = { 0 }, c = { 0 }, m = { 0 }, all = { 0 };
    struct err err;
    char *text;
    size_t n;

    write_instruction(&i, "p", "parameter", 1, 8);
    xplane_write_inner(&c, 2, &i);
    for (unsigned given = 0; given < 2; given++) {
        write_instruction(&i, given ? "t" : "s", "sort", 2 + given, 8);
        xplane_write_number(&i, 36, 1);
        xplane_write_number(&i, 14, 0);
        xplane_write_number(&i, 26, given);
        xplane_write_number(&i, 60, given);
        xplane_write_text(&i, 63, given ? "LT" : "");
        xplane_write_inner(&c, 2, &i);
    }
    xplane_write_text(&c, 1, "main");
    xplane_write_number(&c, 6, 3);
    xplane_write_text(&m, 1, "m");
    xplane_write_inner(&m, 3, &c);
    xplane_write_inner(&all, 1, &m);
    cr_assert_eq(hlo_proto_text(&text, &n, "p", all.bytes, all.n, &err), 0, "%s", err.msg);
    cr_expect_str_eq(text, "HloModule m\n\nENTRY %main {\n"
                           "  %p = bf16[8] parameter(0)\n"
                           "  %s = bf16[8] sort(%p), dimensions={0}\n"
                           "  ROOT %t = bf16[8] sort(%p), dimensions={0}, channel_id=1, "
                           "direction=LT, is_stable=true\n}\n");
    free(text);
    xplane_write_free(&all);
}

static void expect_error(struct xplane_write *module, const char *message)
{
    struct xplane_write all = { 0 };
    struct err err;
    char *text;
    size_t n;

    xplane_write_inner(&all, 1, module);
    cr_assert_eq(hlo_proto_text(&text, &n, "p", all.bytes, all.n, &err), -1);
    cr_expect_str_eq(err.msg, message);
    cr_expect_null(text);
    xplane_write_free(&all);
}

Test(hlo_proto, modules_that_do_not_hold_together)
{
    struct xplane_write shape = { 0 }, i = { 0 }, c = { 0 }, m = { 0 };
    struct err err;
    char *text;
    size_t n;

    cr_expect_eq(hlo_proto_text(&text, &n, "p", "", 0, &err), -1);
    cr_expect_str_eq(err.msg, "p: HLO: no module in it");
    xplane_write_text(&m, 1, "m");
    expect_error(&m, "p: HLO: a module without an entry computation");

    xplane_write_number(&shape, 2, 11);
    xplane_write_text(&i, 1, "a");
    xplane_write_text(&i, 2, "negate");
    xplane_write_inner(&i, 3, &shape);
    xplane_write_number(&i, 36, 5);
    xplane_write_text(&c, 1, "main");
    xplane_write_inner(&c, 2, &i);
    xplane_write_inner(&m, 3, &c);
    expect_error(&m, "p: HLO: an operand that its computation lacks");

    xplane_write_number(&shape, 2, 99);
    xplane_write_text(&i, 1, "a");
    xplane_write_text(&i, 2, "negate");
    xplane_write_inner(&i, 3, &shape);
    xplane_write_text(&c, 1, "main");
    xplane_write_inner(&c, 2, &i);
    xplane_write_inner(&m, 3, &c);
    expect_error(&m, "p: HLO: elements of unknown type 99");
}
