/* Chakra execution traces of other tools, encoded by hand. */
#include "import/chakra/chakra_shapes.h"
#include "import/chakra/chakra_wire.h"
#include "tests/unit/import/chakra_bytes.h"

/* clang-format off */
Test(chakra, a_node_is_read_field_by_field)
{
    struct chakra_bytes f = { .size = 0 };

    MESSAGE(&f, VERSION);
    /* id 5, name "mm", COMP, data_deps {3} packed, 150 us, num_ops = 300 as int64,
     * tensor_size = 1024 as uint64; node 3 is not there */
    MESSAGE(&f, "\x08\x05" "\x12\x02mm" "\x18\x04" "\x2a\x01\x03" "\x38\x96\x01"
                "\x52\x0c\x0a\x07num_ops\x48\xac\x02" "\x52\x10\x0a\x0btensor_size\x68\x80\x08");
    expect_body(&f, (struct chakra_import){ 0 },
                "step {\n"
                "  %n5 u8[], %n5.data f32[256] = kernel() name=\"mm\" form=vector vector=add:300 store=0+1024 flops=300 basis=outline note=\"node 5, 150 us\"\n"
                "}\n");
}

Test(chakra, a_file_has_a_head_that_names_it)
{
    struct chakra_bytes f = { .size = 0 };
    struct chakra_import x = { .samples = 32 };
    struct memory_text t;
    struct err err;

    MESSAGE(&f, VERSION);
    MESSAGE(&f, COMP);
    memory_text_begin(&t);
    cr_assert_eq(chakra_import("dir/mlp.0.et", f.data, f.size, &x, t.out, &err), 0);
    char *text = memory_text_end(&t);
    cr_expect_str_eq(text, "cyclotron-trace 1\n"
                           "workload \"mlp.0\"\n"
                           "samples step=32\n"
                           "dtype tensors=f32 matmul=bf16 activations=keep\n"
                           "provenance \"Chakra execution trace 0.0.4, 1 nodes\"\n"
                           "step {\n"
                           "  %n0 u8[] = kernel() form=vector store=0 basis=absent note=\"node 0\"\n"
                           "}\n", "%s", text);
    cr_expect_eq(x.nodes, 1);
    cr_expect_eq(x.uncovered, 1);
    cr_expect_eq(x.empty, 1);
    free(text);
}

/* Every member that holds a number holds 4: 7 int32, 9 int64, 11 uint32, 13 uint64, 15 and 17
 * zigzag, 19, 21, 23, 25 fixed, 5 float, 3 double. */
/* 2 * 512^3 = 268435456 FLOP: a cube of 512; one FLOP more needs another row.  4194304 = 2 * 128^3 is the
 * least that fills a matrix unit, and 8 FLOP a byte the least that a product has. */
Test(chakra, many_flops_for_a_byte_are_a_product)
{
    static const struct { const char *num_ops, *size, *work; } rows[] = {
        { "\x80\x80\x80\x80\x01", "\x04", "form=product product=1x512x512x512 store=0+4 operands=f16 flops=268435456" },
        { "\x81\x80\x80\x80\x01", "\x04", "form=product product=1x513x512x512 store=0+4 operands=f16 flops=268435457" },
        { "\x80\x80\x80\x02", "\x04", "form=product product=1x128x128x128 store=0+4 operands=f16 flops=4194304" },
        { "\xff\xff\xff\x01", "\x04", "form=vector vector=add:4194303 store=0+4 flops=4194303" },
        { "\x80\x80\x80\x80\x01", "\x80\x80\x80\x10", "form=product product=1x512x512x512 store=0+33554432 operands=f16 flops=268435456" },
        { "\x80\x80\x80\x80\x01", "\x84\x80\x80\x10", "form=vector vector=add:268435456 store=0+33554436 flops=268435456" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char node[128], expected[160];
        struct chakra_bytes f = { .size = 0 };
        struct chakra_import x = { 0 };
        struct err err;
        size_t ops = strlen(rows[i].num_ops), size = strlen(rows[i].size);
        int n = snprintf(node, sizeof node, COMP "\x52%c\x0a\x07num_ops\x48%s\x52%c\x0a\x0btensor_size\x68%s",
                         (int)(10 + ops), rows[i].num_ops, (int)(14 + size), rows[i].size);
        MESSAGE(&f, VERSION);
        add_message(&f, node, (size_t)n);
        char *body = import_body(&f, &x, &err);
        cr_assert(body, "%s", err.msg);
        snprintf(expected, sizeof expected, " = kernel() %s basis=outline note=\"node 0\"\n", rows[i].work);
        cr_expect(strstr(body, expected), "%s", body);
        free(body);
    }
}

Test(chakra, a_number_may_be_in_any_member)
{
    static const struct { const char *bytes; size_t n; } value[] = {
        { "\x38\x04", 2 }, { "\x48\x04", 2 }, { "\x58\x04", 2 }, { "\x68\x04", 2 },
        { "\x78\x08", 2 }, { "\x88\x01\x08", 3 },
        { "\x9d\x01\x04\x00\x00\x00", 6 }, { "\xa9\x01\x04\x00\x00\x00\x00\x00\x00\x00", 10 },
        { "\xbd\x01\x04\x00\x00\x00", 6 }, { "\xc9\x01\x04\x00\x00\x00\x00\x00\x00\x00", 10 },
        { "\x2d\x00\x00\x80\x40", 5 }, { "\x19\x00\x00\x00\x00\x00\x00\x10\x40", 9 },
    };

    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        char node[64] = COMP "\x52\x09\x0a\x07num_ops";
        size_t n = sizeof(COMP "\x52\x09\x0a\x07num_ops") - 1;
        struct chakra_bytes f = { .size = 0 };
        memcpy(node + n, value[i].bytes, value[i].n);
        node[3] = (char)(9 + value[i].n);
        MESSAGE(&f, VERSION);
        add_message(&f, node, n + value[i].n);
        expect_body(&f, (struct chakra_import){ 0 },
                    "step {\n  %n0 u8[] = kernel() form=vector vector=add:4 store=0 flops=4 basis=outline note=\"node 0\"\n}\n");
    }
}

Test(chakra, a_number_that_is_none_is_an_error)
{
    struct chakra_bytes f = { .size = 0 };

    MESSAGE(&f, VERSION);
    /* num_ops = -1 */
    MESSAGE(&f, COMP "\x52\x14\x0a\x07num_ops\x48\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    expect_error(&f, (struct chakra_import){ 0 },
                 "f: byte 8, node 0 (): num_ops is no whole number from 0 to 9223372036854775807");
}

Test(chakra, lines_stand_in_an_order_that_dependencies_allow)
{
    struct chakra_bytes f = { .size = 0 };

    MESSAGE(&f, VERSION);
    MESSAGE(&f, "\x08\x01" COMP "\x28\x03\x28\x02");    /* 1 waits for 3 and 2, not packed */
    MESSAGE(&f, "\x08\x02" COMP "\x2a\x01\x03");        /* 2 for 3 */
    MESSAGE(&f, "\x08\x03" COMP "\x2a\x01\x63");        /* 3 for 99, which is not there */
    MESSAGE(&f, "\x08\x04" COMP);
    struct chakra_import x = { 0 };
    struct err err;
    char *body = import_body(&f, &x, &err);
    cr_assert(body, "%s", err.msg);
    cr_expect_str_eq(body, "step {\n"
                           "  %n3 u8[] = kernel() form=vector store=0 basis=absent note=\"node 3\"\n"
                           "  %n2 u8[] = kernel(%n3) form=vector fetch=0 store=0 basis=absent note=\"node 2\"\n"
                           "  %n1 u8[] = kernel(%n2, %n3) form=vector fetch=0+0 store=0 basis=absent note=\"node 1\"\n"
                           "  %n4 u8[] = kernel() form=vector store=0 basis=absent note=\"node 4\"\n"
                           "}\n", "%s", body);
    cr_expect_eq(x.dangling, 1);
    free(body);
}

/* Nodes 1 to 9 wait for the last one, 10: then all are ready at once. */
Test(chakra, nodes_that_are_ready_at_once_keep_the_order_of_the_file)
{
    struct chakra_bytes f = { .size = 0 };

    MESSAGE(&f, VERSION);
    for (char id = 1; id < 10; id++) {
        char node[] = "\x08\x01" COMP "\x2a\x01\x0a";
        node[1] = id;
        add_message(&f, node, sizeof node - 1);
    }
    MESSAGE(&f, "\x08\x0a" COMP);
    struct chakra_import x = { 0 };
    struct err err;
    char *body = import_body(&f, &x, &err);
    cr_assert(body, "%s", err.msg);
    const char *at = strstr(body, "%n10 u8");
    for (int id = 1; id < 10; id++) {
        char name[32];
        snprintf(name, sizeof name, "%%n%d u8", id);
        const char *next = strstr(body, name);
        cr_expect(at && next && next > at, "%s is not behind the one before it in\n%s", name, body);
        at = next;
    }
    free(body);
}

/* The calling operation of a node may wait for it, or be itself. */
Test(chakra, the_operation_that_called_a_node_is_not_waited_for)
{
    struct chakra_bytes f = { .size = 0 };

    MESSAGE(&f, VERSION);
    MESSAGE(&f, "\x08\x01" COMP "\x22\x01\x01\x2a\x01\x02"); /* called by 1, waits for 2 */
    MESSAGE(&f, "\x08\x02" COMP "\x22\x01\x01");             /* called by 1 */
    MESSAGE(&f, "\x08\x03" COMP "\x22\x01\x63");             /* by one that is not there */
    struct chakra_import x = { 0 };
    struct err err;
    char *body = import_body(&f, &x, &err);
    cr_assert(body, "%s", err.msg);
    cr_expect_str_eq(body, "step {\n"
                           "  %n2 u8[] = kernel() form=vector store=0 basis=absent note=\"node 2\"\n"
                           "  %n1 u8[] = kernel(%n2) form=vector fetch=0 store=0 basis=absent note=\"node 1\"\n"
                           "  %n3 u8[] = kernel() form=vector store=0 basis=absent note=\"node 3\"\n"
                           "}\n", "%s", body);
    cr_expect_eq(x.dangling, 0);
    free(body);
}

/* duration_micros (field 7) of 1000, 40 and 2500000: of what says nothing else it is the time */
Test(chakra, what_has_a_duration_alone_takes_it)
{
    struct chakra_bytes f = { .size = 0 };
    struct chakra_import x = { 0 };
    struct err err;

    MESSAGE(&f, VERSION);
    MESSAGE(&f, "\x08\x01" COMP "\x38\xe8\x07");
    MESSAGE(&f, "\x08\x02" COMP "\x38\x28" NUM_OPS("\x04"));
    MESSAGE(&f, "\x08\x03" COMP "\x38\xa0\xcb\x98\x01");
    char *body = import_body(&f, &x, &err);
    cr_assert(body, "%s", err.msg);
    cr_expect_str_eq(body, "step {\n"
                           "  %n1 u8[] = kernel() time=\"1 ms\" form=custom store=0 basis=recorded note=\"node 1, 1000 us\"\n"
                           "  %n2 u8[] = kernel() form=vector vector=add:4 store=0 flops=4 basis=outline note=\"node 2, 40 us\"\n"
                           "  %n3 u8[] = kernel() time=\"2.5 s\" form=custom store=0 basis=recorded note=\"node 3, 2500000 us\"\n"
                           "}\n", "%s", body);
    cr_expect_eq(x.measured, 2);
    cr_expect_eq(x.empty, 0);
    free(body);
}

Test(chakra, ranks_of_a_group_that_is_not_listed_are_not_guessed)
{
    struct chakra_bytes f = { .size = 0 }, g = { .size = 0 };

    MESSAGE(&f, VERSION);
    /* pg_name = "3" as a string, and as an int64 */
    MESSAGE(&f, COLL COMM_SIZE("\x08") "\x52\x0d\x0a\x07pg_name\xea\x01\x01" "3");
    MESSAGE(&g, VERSION);
    MESSAGE(&g, COLL COMM_SIZE("\x08") "\x52\x0b\x0a\x07pg_name\x48\x03");
#define NOT_LISTED "f: byte 8, node 0 (): pg_name = 3: a process group whose ranks the file does not list; --allow-unknown takes all ranks"
    expect_error(&f, (struct chakra_import){ .ranks = 8 }, NOT_LISTED);
    expect_error(&g, (struct chakra_import){ .ranks = 8 }, NOT_LISTED);
#undef NOT_LISTED
    expect_body(&f, (struct chakra_import){ .ranks = 8, .allow_unknown = true },
                "tensor %data.2x4 f32[2] input\nstep {\n"
                "  %n0.t u32[] = all-reduce-start(%data.2x4) basis=groups note=\"node 0\"\n"
                "  all-reduce-done(%n0.t)\n"
                "}\n");
}

Test(chakra, nodes_that_wait_for_each_other_are_an_error)
{
    struct chakra_bytes f = { .size = 0 }, g = { .size = 0 };

    MESSAGE(&f, VERSION);
    MESSAGE(&f, "\x08\x07" COMP "\x2a\x01\x08");
    MESSAGE(&f, "\x08\x08" "\x12\x01x" COMP "\x2a\x01\x07");
    expect_error(&f, (struct chakra_import){ 0 },
                 "f: byte 8, node 7 (): node 8 waits for it, and it waits for that node in turn");
    MESSAGE(&g, VERSION);
    MESSAGE(&g, "\x08\x07" COMP "\x2a\x01\x07");
    expect_error(&g, (struct chakra_import){ 0 }, "f: byte 8, node 7 (): it waits for itself");
    /* one that waits for none, and one that waits for the circle, are not in it */
    struct chakra_bytes h = { .size = 0 };
    MESSAGE(&h, VERSION);
    MESSAGE(&h, "\x08\x05" COMP);
    MESSAGE(&h, "\x08\x06" COMP "\x2a\x02\x05\x07");
    MESSAGE(&h, "\x08\x07" COMP "\x2a\x01\x08");
    MESSAGE(&h, "\x08\x08" COMP "\x2a\x01\x07");
    expect_error(&h, (struct chakra_import){ 0 },
                 "f: byte 22, node 7 (): node 8 waits for it, and it waits for that node in turn");
}

Test(chakra, two_nodes_have_two_ids)
{
    struct chakra_bytes f = { .size = 0 };

    MESSAGE(&f, VERSION);
    MESSAGE(&f, COMP);
    MESSAGE(&f, "\x08\x01" COMP);
    MESSAGE(&f, "\x12\x01y" COMP);
    expect_error(&f, (struct chakra_import){ 0 },
                 "f: byte 16, node 0 (y): the node at byte 8 has that id as well");
}

Test(chakra, nodes_of_the_host_are_left_out_but_are_waited_for)
{
    struct chakra_bytes f = { .size = 0 };

    MESSAGE(&f, VERSION);
    MESSAGE(&f, "\x08\x01" COMP ON_HOST);
    MESSAGE(&f, "\x08\x02" COLL DEVICE "\x2a\x01\x01" COMM_TYPE("\x00") COMM_SIZE("\x10"));
    MESSAGE(&f, "\x08\x03" COMP DEVICE NUM_OPS("\x07") TENSOR_SIZE("\x06"));
    MESSAGE(&f, "\x08\x04" COMP ON_HOST "\x2a\x01\x02");
    MESSAGE(&f, "\x08\x05" COMP "\x2a\x02\x03\x04" TENSOR_SIZE("\x05")); /* nothing says where: on the device */
    struct chakra_import x = { 0 };
    struct err err;
    char *body = import_body(&f, &x, &err);
    cr_assert(body, "%s", err.msg);
    cr_expect_str_eq(body, "tensor %data.4x4 f32[4] input\n"
                           "step {\n"
                           "  %n2.t u32[] = all-reduce-start(%data.4x4) note=\"node 2\"\n"
                           "  %n3 u8[], %n3.data bf16[3] = kernel() form=vector vector=add:7 store=0+6 flops=7 basis=outline note=\"node 3\"\n"
                           "  all-reduce-done(%n2.t)\n"
                           "  %n5 u8[], %n5.data u8[5] = kernel(%n3) form=vector fetch=0 store=0+5 basis=outline note=\"node 5\"\n"
                           "}\n", "%s", body);
    cr_expect_eq(x.skipped, 2);
    cr_expect_eq(x.uncovered, 2);
    free(body);
}

Test(chakra, a_trace_of_the_host_alone_is_read)
{
    struct chakra_bytes f = { .size = 0 };

    MESSAGE(&f, VERSION);
    MESSAGE(&f, COMP ON_HOST NUM_OPS("\x09"));
    expect_body(&f, (struct chakra_import){ 0 },
                "step {\n  %n0 u8[] = kernel() form=vector vector=add:9 store=0 flops=9 basis=outline note=\"node 0\"\n}\n");
}

/* comm_size is what a rank gives: 8 bytes to each of 4 ranks are 32 in all; of 8 bytes each gets 2. */
Test(chakra, results_follow_from_the_number_of_ranks)
{
    struct chakra_bytes f = { .size = 0 };

    MESSAGE(&f, VERSION);
    MESSAGE(&f, "\x08\x01" COLL COMM_TYPE("\x02") COMM_SIZE("\x08"));
    MESSAGE(&f, "\x08\x02" COLL COMM_TYPE("\x07") COMM_SIZE("\x08"));
    MESSAGE(&f, "\x08\x03" COLL COMM_TYPE("\x06") COMM_SIZE("\x08"));
    expect_error(&f, (struct chakra_import){ 0 },
                 "f: byte 8, node 1 (): the size of its result follows from the number of ranks, which nothing says; give `cyclotron trace import --ranks N`");
    expect_body(&f, (struct chakra_import){ .ranks = 4 },
                "tensor %data.4x2 bf16[4] input\n"
                "tensor %data.2x4 f32[2] input\n"
                "step {\n"
                "  %n1.t u32[] = all-gather-start(%data.2x4) payload=32 note=\"node 1\"\n"
                "  %n2.t u32[] = reduce-scatter-start(%data.4x2) note=\"node 2\"\n"
                "  %n3.t u32[] = all-to-all-start(%data.2x4) note=\"node 3\"\n"
                "  %n1.out f32[8] = all-gather-done(%n1.t)\n"
                "  %n2.out bf16[1] = reduce-scatter-done(%n2.t)\n"
                "  %n3.out f32[2] = all-to-all-done(%n3.t)\n"
                "}\n");
}

Test(chakra, what_no_operation_does_is_refused_or_unknown)
{
    struct chakra_bytes f = { .size = 0 };

    MESSAGE(&f, VERSION);
    MESSAGE(&f, "\x12\x01r" COLL COMM_TYPE("\x01") COMM_SIZE("\x08"));
    expect_error(&f, (struct chakra_import){ 0 },
                 "f: byte 8, node 0 (r): no kind of operation does reduce-to-root; --allow-unknown costs its bytes as traffic of memory");
    expect_body(&f, (struct chakra_import){ .allow_unknown = true },
                "tensor %data.2x4 f32[2] input\n"
                "step {\n  reduce-to-root(%data.2x4) name=\"r\" note=\"node 0\"\n}\n");
}

/* Rank 1 of 4 sends to 2 and receives from 0: a shift of 1, and the receive waits for it.  It sends
 * to 0, a shift of 3, and nothing comes back. */
Test(chakra, a_send_and_its_receive_are_a_permute)
{
    struct chakra_bytes f = { .size = 0 };

    MESSAGE(&f, VERSION);
    MESSAGE(&f, "\x08\x01" SEND COMM_SRC("\x01") COMM_DST("\x02") COMM_SIZE("\x04"));
    MESSAGE(&f, "\x08\x02" SEND COMM_SRC("\x01") COMM_DST("\x00") COMM_SIZE("\x04"));
    MESSAGE(&f, "\x08\x03" COMP "\x2a\x01\x01");
    MESSAGE(&f, "\x08\x04" RECV COMM_SRC("\x00") COMM_DST("\x01") COMM_SIZE("\x04"));
    MESSAGE(&f, "\x08\x05" COMP "\x2a\x01\x04");
    expect_error(&f, (struct chakra_import){ 0 },
                 "f: byte 56, node 2 (): from rank 1 to rank 0: say how many ranks there are (`cyclotron trace import --ranks N`)");
    expect_body(&f, (struct chakra_import){ .ranks = 4 },
                "tensor %data.1x4 f32[1] input\n"
                "step {\n"
                "  %n1.t u32[] = collective-permute-start(%data.1x4) note=\"node 1\"\n"
                "  %n2.t u32[] = collective-permute-start(%data.1x4) shift=3 note=\"node 2\"\n"
                "  %n3 u8[] = kernel() form=vector store=0 basis=absent note=\"node 3\"\n"
                "  %n1.out f32[1] = collective-permute-done(%n1.t)\n"
                "  %n5 u8[] = kernel() form=vector store=0 basis=absent note=\"node 5\"\n"
                "  %n2.out f32[1] = collective-permute-done(%n2.t)\n"
                "}\n");
}

Test(chakra, a_receive_that_comes_first_stands_for_its_send)
{
    struct chakra_bytes f = { .size = 0 };

    MESSAGE(&f, VERSION);
    MESSAGE(&f, "\x08\x01" RECV COMM_SRC("\x00") COMM_DST("\x01") COMM_SIZE("\x04"));
    MESSAGE(&f, "\x08\x02" SEND "\x2a\x01\x01" COMM_SRC("\x01") COMM_DST("\x02") COMM_SIZE("\x04"));
    expect_body(&f, (struct chakra_import){ 0 },
                "tensor %data.1x4 f32[1] input\n"
                "step {\n  %n1.out f32[1] = collective-permute(%data.1x4) note=\"node 1\"\n}\n");
}

/* A metadata node of PyTorch: group "3" has ranks 0 and 2 of 4. */
Test(chakra, process_groups_are_groups_of_replicas)
{
    static const char groups[] =
        "\x08\x01\x18\x01\x42\x6a\x0a\x68['[{\"pg_name\": \"0\", \"ranks\": [], \"group_size\": 4}, "
        "{\"pg_name\": \"3\", \"ranks\": [0, 2], \"group_size\": 2}]']";
    struct chakra_bytes f = { .size = 0 };

    MESSAGE(&f, VERSION);
    cr_assert_eq(sizeof groups - 1, 6 + 2 + 0x68, "%zu", sizeof groups);
    MESSAGE(&f, groups);
    /* pg_name = "3" as a string (field 29) */
    MESSAGE(&f, "\x08\x02" COLL COMM_SIZE("\x08") "\x52\x0d\x0a\x07pg_name\xea\x01\x01" "3");
    MESSAGE(&f, "\x08\x03" COLL COMM_TYPE("\x02") COMM_SIZE("\x08"));
    expect_body(&f, (struct chakra_import){ 0 },
                "tensor %data.2x4 f32[2] input\n"
                "step {\n"
                "  %n2.t u32[] = all-reduce-start(%data.2x4) group=2 group-stride=2 note=\"node 2\"\n"
                "  %n3.t u32[] = all-gather-start(%data.2x4) payload=32 note=\"node 3\"\n"
                "  all-reduce-done(%n2.t)\n"
                "  %n3.out f32[8] = all-gather-done(%n3.t)\n"
                "}\n");
}

/* Ranks 1 and 3 of 4: the groups of a stride of 2 begin at 0 and at 1. */
Test(chakra, a_group_may_begin_within_the_stride)
{
    static const char groups[] =
        "\x08\x01\x18\x01\x42\x6a\x0a\x68['[{\"pg_name\": \"0\", \"ranks\": [], \"group_size\": 4}, "
        "{\"pg_name\": \"3\", \"ranks\": [1, 3], \"group_size\": 2}]']";
    struct chakra_bytes f = { .size = 0 };

    MESSAGE(&f, VERSION);
    MESSAGE(&f, groups);
    MESSAGE(&f, "\x08\x02" COLL COMM_SIZE("\x08") "\x52\x0d\x0a\x07pg_name\xea\x01\x01" "3");
    expect_body(&f, (struct chakra_import){ 0 },
                "tensor %data.2x4 f32[2] input\n"
                "step {\n"
                "  %n2.t u32[] = all-reduce-start(%data.2x4) group=2 group-stride=2 note=\"node 2\"\n"
                "  all-reduce-done(%n2.t)\n"
                "}\n");
}

Test(chakra, damaged_files_are_errors_that_name_the_byte)
{
    static const struct { const char *bytes; size_t n; const char *message; } bad[] = {
        { "", 0, "f: empty, expected a Chakra trace" },
        { "\x07", 1, "f: byte 0: a message of 7 bytes, but 0 are left" },
        { "\x80", 1, "f: byte 0: the file ends in the length of a message" },
        { "\xff\xff\xff\xff\xff\x01", 6, "f: byte 0: the length of a message has more than 5 bytes" },
        { "\x02\x0a\x05", 3, "f: byte 0: 2 bytes that are no GlobalMetadata of a Chakra trace" },
        { "\x00\x02\x12\x09", 4, "f: byte 1: 2 bytes that are no Node of a Chakra trace" },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct chakra_bytes f = { .size = bad[i].n };
        memcpy(f.data, bad[i].bytes, bad[i].n);
        expect_error(&f, (struct chakra_import){ 0 }, bad[i].message);
    }
}

/* A byte for each of many messages asks for a hundred times its memory. */
Test(chakra, memory_is_bounded_by_the_size_of_the_file)
{
    size_t n = 4000000;
    char *zeros = calloc(n, 1);
    struct chakra_wire w;
    ProtobufCMessage **message = calloc(n, sizeof *message);
    struct err err;
    size_t read = 0;
    int rc;

    chakra_wire_init(&w, "f", zeros, n);
    while ((rc = chakra_wire_next(&w, &chakra__node__descriptor, &message[read], &err)) > 0)
        read++;
    cr_expect_eq(rc, -1);
    cr_expect_eq(err.code, ERR_RANGE, "%s", err.msg);
    cr_expect(strstr(err.msg, "take more memory than 48 times the file"), "%s", err.msg);
    for (size_t i = 0; i < read; i++)
        chakra_wire_free(&w, message[i]);
    free(message);
    free(zeros);
}

Test(chakra, tensors_have_the_bytes_of_their_shapes_and_types)
{
    static const struct { const char *shapes, *types; uint64_t bytes; } rows[] = {
        { "[[32, 3, 224, 224], [64]]", "['Tensor(float)', 'Tensor(double)']", 32 * 3 * 224 * 224 * 4 + 64 * 8 },
        { "[[8, 16], [], []]", "['Tensor(c10::Half)', 'Int', 'Tensor(float)']", 8 * 16 * 2 + 4 },
        { "[[[8], [2, 2]], [3]]", "['GenericList[Tensor(int),Tensor(long int)]', 'Tensor(bool)']", 32 + 32 + 3 },
        { "[[], []]", "['None', 'Bool']", 0 },
        { "[[10, 10]]", "", 400 },
        { "[]", "[]", 0 },
        { "[[0, 10]]", "['Tensor(float)']", 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t sum = 1;
        cr_expect(chakra_shapes_bytes(rows[i].shapes, rows[i].types, &sum), "%s", rows[i].shapes);
        cr_expect_eq(sum, 1 + rows[i].bytes, "%s: %llu", rows[i].shapes, (unsigned long long)sum);
    }
}

/* 300,000 lists in one element whose type of 300,000 letters has no tensor: not 9e10 comparisons */
Test(chakra, a_type_is_searched_once, .timeout = 20)
{
    const size_t n = 300000;
    char *shapes = memory_zeroed(3 * n + 4, 1), *types = memory_zeroed(n + 5, 1);
    uint64_t sum = 0;

    shapes[0] = shapes[1] = '[';
    for (size_t i = 0; i < n; i++)
        memcpy(shapes + 2 + 3 * i, i + 1 < n ? "[]," : "[]]", 4);
    strcat(shapes, "]");
    memset(types, 'T', n);
    memcpy(types, "['", 2);
    memcpy(types + n, "']", 3);
    cr_expect(chakra_shapes_bytes(shapes, types, &sum));
    cr_expect_eq(sum, 0);
    free(shapes);
    free(types);
}

Test(chakra, lists_that_are_none_have_no_bytes)
{
    static const char *const bad[] = { "[[8", "8]", "]", "[8]", "[[x]]", "[[4294967296, 4294967296]]", "[[99999999999999999999]]" };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t sum = 5;
        cr_expect_not(chakra_shapes_bytes(bad[i], "['Tensor(float)']", &sum), "%s", bad[i]);
        cr_expect_eq(sum, 5);
    }
}
/* clang-format on */
