/* A send and its recv as one collective; work that gets its operands after it was announced. */
#include "tests/unit/import/import_helper.h"

#define V "f32[2048]{0:T(1024)}"
#define RING                                                                                       \
    "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,2},{2,3},{3,0}}\"}"
#define FAR(kind)                                                                                  \
    "is_host_transfer=true, frontend_attributes={_xla_host_transfer_handler_name="                 \
    "\"xla_megascale_runtime\",_xla_host_transfer_rendezvous=\"sum.7\","                           \
    "_xla_megascale_target=\"{1,2}x{0:3}\",_xla_megascale_transfer_type=\"" kind "\"}"
#define PROGRAM(body)                                                                              \
    "HloModule m, is_scheduled=true, num_partitions=4\n"                                           \
    "ENTRY %e (x: f32[2048]) -> f32[2048] {\n"                                                     \
    "  %x = " V " parameter(0)\n"                                                                  \
    "  %t = token[] after-all()\n" body "  ROOT %y = " V " get-tuple-element(%rd), index=0\n"      \
    "}\n"
#define RECV(id, more) "  %r = (" V ", u32[], token[]) recv(%t), channel_id=" id ", " more "\n"
#define SEND(id, more) "  %s = (" V ", u32[], token[]) send(%x, %t), channel_id=" id ", " more "\n"
#define DONE                                                                                       \
    "  %rd = (" V ", token[]) recv-done(%r), channel_id=1\n"                                       \
    "  %sd = token[] send-done(%s), channel_id=1\n"

static void expect_exchange(const char *s, const char *kind, const char *groups)
{
    char line[200];

    snprintf(line, sizeof line, "  %%r:0 " V " = %s-start(%%x)%s\n", kind, groups);
    cr_expect(strstr(s, line) != NULL, "no '%s' in\n%s", line, s);
    snprintf(line, sizeof line, "  %%rd:0 " V " at %%r:0 = %s-done(%%r:0)\n", kind);
    cr_expect(strstr(s, line) != NULL, "no '%s' in\n%s", line, s);
}

Test(import_peer, pairs_are_a_permute_whichever_end_stands_first)
{
    struct import_totals t;
    char *s = import_text(PROGRAM(RECV("1", RING) SEND("1", RING) DONE), NULL, &t);

    expect_exchange(s, "collective-permute", "");
    cr_expect_eq(t.collectives, 1);
    cr_expect_eq(t.unmodelled_instructions, 0);
    free(s);
    s = import_text(PROGRAM(SEND("1", RING) RECV("1", RING) DONE), NULL, NULL);
    expect_exchange(s, "collective-permute", "");
    free(s);
}

Test(import_peer, what_a_recv_without_its_send_brings_is_not_known)
{
    struct import_totals t;
    char *s =
        import_text(PROGRAM(RECV("1", RING) "  %rd = (" V ", token[]) recv-done(%r)\n"), NULL, &t);

    cr_expect_eq(t.collectives, 0);
    cr_expect_gt(t.unmodelled_instructions, 0);
    free(s);
}

Test(import_peer, slices_exchange_what_the_transfer_says)
{
    char *s = import_text(PROGRAM(SEND("2", FAR("ALL_REDUCE")) RECV("1", FAR("ALL_REDUCE")) DONE),
                          NULL, NULL);

    expect_exchange(s, "all-reduce", " group=2 group-stride=4");
    cr_expect_not_null(strstr(s, " cores=8 megacore=0 scheduled=1 slices=2\n"));
    free(s);
}

Test(import_peer, collectives_of_a_program_for_slices_stay_within_each)
{
    char *s = import_text(PROGRAM("  %g = " V " collective-permute(%x), channel_id=3, "
                                  "source_target_pairs={{0,1},{1,2},{2,3},{3,0}}\n" SEND(
                                      "2", FAR("ALL_REDUCE")) RECV("1", FAR("ALL_REDUCE")) DONE),
                          NULL, NULL);

    cr_expect_not_null(strstr(s, " = collective-permute(%x) group=4\n"));
    free(s);
}

Test(import_peer, transfers_of_another_handler_are_those_of_the_host)
{
    char *s = import_text(
        PROGRAM(RECV("1", "is_host_transfer=true") SEND("1", "is_host_transfer=true") DONE), NULL,
        NULL);

    cr_expect_not_null(strstr(s, " = infeed-start() payload=8192\n"));
    cr_expect_not_null(strstr(s, " = outfeed-start(%x)\n"));
    free(s);
}

/* Calls that run on SparseCores, in the spelling of libtpu 0.0.46. */
#define LATE(name, calls, in, out)                                                                 \
    "  %" name " = ((), (), s32[]{:S(2)}) async-start(), async_execution_thread=\"sparsecore\", "  \
    "calls=%" calls "\n"                                                                           \
    "  %" name "u = ((" in "), " out ") async-update(%" name ", %" name "x)\n"                     \
    "  %n" name " = " in " negate(%" name "x)\n"                                                   \
    "  %" name "d = " out " async-done(%" name "u)\n"

Test(import_peer, what_is_announced_begins_where_its_operands_are)
{
    struct import_totals t;
    char *s = import_text(
        "HloModule m, is_scheduled=true, num_partitions=2\n"
        "%gather (p: f32[2048]) -> f32[4096] {\n"
        "  %p = f32[2048]{0:T(1024)} parameter(0)\n"
        "  ROOT %g = f32[4096]{0:T(1024)} all-gather(%p), replica_groups={{0,1}}, "
        "channel_id=2, use_global_device_ids=true, dimensions={0}\n"
        "}, execution_thread=\"sparsecore\"\n"
        "%move (p: f32[4096]) -> f32[4096] {\n"
        "  %p = f32[4096]{0:T(1024)} parameter(0)\n"
        "  ROOT %c = f32[4096]{0:T(1024)S(1)} copy(%p)\n"
        "}, execution_thread=\"sparsecore\"\n"
        "ENTRY %e (ax: f32[2048]) -> f32[4096] {\n"
        "  %ax = f32[2048]{0:T(1024)} parameter(0)\n" LATE(
            "a", "gather", "f32[2048]{0:T(1024)}",
            "f32[4096]{0:T(1024)}") "  %bx = f32[4096]{0:T(1024)} "
                                    "negate(%ad)\n" LATE("b", "move", "f32[4096]{0:T(1024)}",
                                                         "f32[4096]{0:T(1024)S(1)"
                                                         "}") "  ROOT %y = "
                                                              "f32[4096]{0:T(1024)"
                                                              "} negate(%bd)\n"
                                                              "}\n",
        NULL, &t);

    EXPECT_PART(s, "%au:1 f32[4096]{0:T(1024)}", " = all-gather-start(%ax)\n");
    EXPECT_PART(s, "%ad f32[4096]{0:T(1024)}", " at %au:1 = all-gather-done(%au:1)\n");
    EXPECT_PART(s, "%bu:1 f32[4096]{0:T(1024)S(1)}",
                " = kernel-start(%bx) form=copy unit=sparsecore ");
    EXPECT_PART(s, "%bd f32[4096]{0:T(1024)S(1)}", " at %bu:1 = kernel-done(%bu:1)\n");
    cr_expect_eq(t.collectives, 1);
    cr_expect_eq(t.unmodelled_instructions, 0);
    free(s);
}
