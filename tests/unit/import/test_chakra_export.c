/* A step as nodes of Chakra, and back. */
#include "import/chakra/chakra_export.h"
#include "import/chakra/chakra_graph.h"
#include "tests/unit/import/chakra_bytes.h"
#include "tests/unit/trace/trace_helper.h"

struct file {
    char *data;
    size_t size;
};

static int export_text(const char *text, uint64_t step, uint64_t rank, uint64_t ranks,
                       struct file *f, struct err *err)
{
    struct trace *t = open_text(text, true);
    struct chakra_export x;
    FILE *out = open_memstream(&f->data, &f->size);

    chakra_export_init(&x);
    x.step = step;
    x.rank = rank;
    x.ranks = ranks;
    int rc = chakra_export(t, &x, out, err);
    fclose(out);
    chakra_export_clear(&x);
    trace_close(t);
    return rc;
}

static struct file export_all(const char *text)
{
    struct file f;
    struct err err;

    cr_assert_eq(export_text(text, 0, 0, 0, &f, &err), 0, "%s", err.msg);
    return f;
}

static char *import_file(const struct file *f)
{
    struct chakra_import x = { 0 };
    struct memory_text t;
    struct err err;

    memory_text_begin(&t);
    cr_assert_eq(chakra_import("f", f->data, f->size, &x, t.out, &err), 0, "%s", err.msg);
    cr_assert(x.own);
    return memory_text_end(&t);
}

/* A trace comes back as its canonical text. */
static void expect_same(const char *text)
{
    struct file f = export_all(text);
    char *back = import_file(&f), *canonical = print_canonical(text);

    cr_expect_str_eq(back, canonical, "%s", back);
    free(back);
    free(canonical);
    free(f.data);
}

#define HEAD "cyclotron-trace 1\nsamples step=8\ndtype tensors=f32 matmul=bf16 activations=keep\n"

/* Worked by hand.  %h: 2 * 8 * 16 * 32 = 8192 FLOP and 256 for the bias.  Over HBM go %x (512 B)
 * and %w (2048 B), and the listed %r (1024 B); %h stays on chip.  %d reads %r (1024) and writes
 * 1024. The update waits for the all-reduce, which changed %dw, and for nothing of %w. */
static const char by_hand[] = HEAD "tensor %w f32[16,32] weight\n"
                                   "step {\n"
                                   "  %x f32[8,16] = infeed()\n"
                                   "  fusion %r {\n"
                                   "    %h f32[8,32] = matmul(%x, %w)\n"
                                   "    %r f32[8,32] = elementwise(%h) flops=256\n"
                                   "  }\n"
                                   "  %d f32[8,32] = elementwise(%r) fn=tanh flops=512\n"
                                   "  %dw f32[16,32] gradient = matmul(%x, %d) ta=1\n"
                                   "  %t u32[] = all-reduce-start(%dw)\n"
                                   "  %e f32[] = reduce(%d)\n"
                                   "  all-reduce-done(%t)\n"
                                   "  optimizer(%w, %dw) flops=1024\n"
                                   "  %y f32[8,32] = matmul(%x, %w)\n"
                                   "  outfeed(%e)\n"
                                   "}\n";

struct expected {
    uint64_t id;
    const char *name;
    int type;
    uint64_t data[3], ctrl; /* 0: none */
    uint64_t num_ops, tensor_size, comm_size;
};

static void check_node(const Chakra__Node *n, const struct expected *e)
{
    uint64_t ops = 0, size = 0, comm = 0;
    size_t n_data = 0;

    while (n_data < 3 && e->data[n_data])
        n_data++;
    cr_expect_eq(n->id, e->id);
    cr_expect_str_eq(n->name, e->name);
    cr_expect_eq((int)n->type, e->type, "%s", e->name);
    cr_assert_eq(n->n_data_deps, n_data, "%s: %zu", e->name, n->n_data_deps);
    for (size_t i = 0; i < n_data; i++)
        cr_expect_eq(n->data_deps[i], e->data[i], "%s", e->name);
    cr_assert_eq(n->n_ctrl_deps, e->ctrl ? 1 : 0, "%s", e->name);
    if (e->ctrl)
        cr_expect_eq(n->ctrl_deps[0], e->ctrl, "%s: %llu", e->name,
                     (unsigned long long)n->ctrl_deps[0]);
    chakra_number(n, "num_ops", &ops);
    chakra_number(n, "tensor_size", &size);
    chakra_number(n, "comm_size", &comm);
    cr_expect_eq(ops, e->num_ops, "%s: %llu", e->name, (unsigned long long)ops);
    cr_expect_eq(size, e->tensor_size, "%s: %llu", e->name, (unsigned long long)size);
    cr_expect_eq(comm, e->comm_size, "%s: %llu", e->name, (unsigned long long)comm);
}

Test(chakra_export, nodes_have_the_costs_and_dependencies_of_operations)
{
    static const struct expected nodes[] = {
        { 1, "x", 2, { 0 }, 0, 0, 512, 0 },
        { 2, "h", 4, { 1 }, 0, 8192, 512 + 2048, 0 },
        { 3, "r", 4, { 2 }, 0, 256, 1024, 0 },
        { 4, "d", 4, { 3 }, 0, 512, 2048, 0 },
        { 5, "dw", 4, { 1, 4 }, 0, 8192, 512 + 1024 + 2048, 0 },
        { 6, "t", 7, { 5 }, 0, 0, 0, 2048 },
        { 7, "e", 4, { 4 }, 5, 0, 1024 + 4, 0 },
        { 8, "all-reduce-done", 4, { 6 }, 7, 0, 0, 0 },
        { 9, "optimizer", 4, { 8 }, 0, 1024, 3 * 2048, 0 },
        { 10, "y", 4, { 1, 9 }, 0, 8192, 512 + 2048 + 1024, 0 },
        { 11, "outfeed", 3, { 7 }, 10, 0, 4, 0 },
    };
    struct file f = export_all(by_hand);
    struct chakra_graph g;
    struct err err;

    cr_assert_eq(chakra_graph_read(&g, "f", f.data, f.size, &err), 0, "%s", err.msg);
    cr_assert_eq(g.n, sizeof nodes / sizeof *nodes);
    cr_expect_str_eq(g.meta->version, "0.0.4");
    for (uint32_t i = 0; i < g.n; i++)
        check_node(g.node[i], &nodes[i]);
    cr_expect_str_eq(g.node[4]->inputs->values, "['x', 'd']");
    cr_expect_str_eq(g.node[4]->inputs->shapes, "[[8, 16], [8, 32]]");
    cr_expect_str_eq(g.node[4]->outputs->types, "['Tensor(float)']");
    cr_expect_str_eq(chakra_text(g.node[4], "cyclotron.kind"), "matmul");
    cr_expect_str_eq(chakra_text(g.node[4], "cyclotron.attr.ta"), "1");
    const Chakra__AttributeProto *gemm =
        chakra_find(g.node[4]->attr, g.node[4]->n_attr, "cyclotron.gemm");
    cr_assert(gemm && gemm->uint64_list->n_values == 4);
    for (int i = 0; i < 4; i++)
        cr_expect_eq(gemm->uint64_list->values[i], ((uint64_t[]){ 1, 16, 8, 32 })[i]);
    chakra_graph_free(&g);
    free(f.data);
}

Test(chakra_export, a_trace_comes_back)
{
    expect_same(by_hand);
}

/* Phases in and around loops, fusions with names and notes, strings with quotes and blanks. */
Test(chakra_export, blocks_and_texts_come_back)
{
    expect_same(HEAD "padding nodes real=5 padded=8\n"
                     "provenance \"with \\\"quotes\\\" and = signs\"\n"
                     "tensor %s f32[8] state\n"
                     "step {\n"
                     "  %a f32[8] = rng() name=\"a b=c \\\"d\\\"\" note=\"n\"\n"
                     "  phase one\n"
                     "  repeat 2 {\n"
                     "    %z f32[8] = elementwise(%a)\n"
                     "    phase two\n"
                     "    fusion %b, %c name=\"f g\" note=\"x=1\" {\n"
                     "      %b f32[8] = elementwise(%a)\n"
                     "      %c f32[8] = elementwise(%b)\n"
                     "    }\n"
                     "    repeat 3 {\n"
                     "      %d f32[8] = elementwise(%c)\n"
                     "      fusion {\n"
                     "        %e f32[8] = elementwise(%d)\n"
                     "      }\n"
                     "    }\n"
                     "    phase three\n"
                     "    optimizer(%s)\n"
                     "  }\n"
                     "  host(%s) time=\"2.35 ms\" client=1\n"
                     "  barrier()\n"
                     "}\n");
}

Test(chakra_export, loops_are_written_out)
{
    struct file f = export_all(HEAD "tensor %s f32[8] state\n"
                                    "step {\n"
                                    "  repeat 3 {\n"
                                    "    %a f32[8] = elementwise(%s)\n"
                                    "    optimizer(%s)\n"
                                    "  }\n"
                                    "}\n");
    struct chakra_graph g;
    struct err err;

    cr_assert_eq(chakra_graph_read(&g, "f", f.data, f.size, &err), 0, "%s", err.msg);
    cr_assert_eq(g.n, 6);
    /* a turn reads what the update of the turn before it left */
    cr_expect_eq(g.node[0]->n_data_deps, 0);
    cr_expect_eq(g.node[2]->data_deps[0], 2);
    cr_expect_eq(g.node[4]->data_deps[0], 4);
    const Chakra__AttributeProto *loop =
        chakra_find(g.node[5]->attr, g.node[5]->n_attr, "cyclotron.loop");
    cr_assert(loop && loop->uint64_list->n_values == 3);
    cr_expect_eq(loop->uint64_list->values[1], 3);
    cr_expect_eq(loop->uint64_list->values[2], 3);
    chakra_graph_free(&g);
    free(f.data);
}

/* Rank 3 of 4 sends to rank 0 and hears of rank 2. */
Test(chakra_export, a_permute_is_a_send_and_a_receive)
{
    static const char text[] = HEAD "step {\n"
                                    "  %a f32[8] = rng()\n"
                                    "  %b f32[8] = collective-permute(%a)\n"
                                    "  %c f32[8] = elementwise(%b)\n"
                                    "}\n";
    struct file f;
    struct chakra_graph g;
    struct err err;
    uint64_t v;

    cr_expect_eq(export_text(text, 0, 0, 0, &f, &err), -1);
    cr_expect_str_eq(err.msg,
                     "t:6: b: it sends to another rank, but nobody said how many there "
                     "are (--ranks)",
                     "%s", err.msg);
    free(f.data);
    cr_assert_eq(export_text(text, 0, 3, 4, &f, &err), 0, "%s", err.msg);
    cr_assert_eq(chakra_graph_read(&g, "f", f.data, f.size, &err), 0, "%s", err.msg);
    cr_assert_eq(g.n, 4);
    check_node(g.node[1], &(struct expected){ 2, "b", 5, { 1 }, 0, 0, 0, 32 });
    check_node(g.node[2], &(struct expected){ 3, "b", 6, { 2 }, 0, 0, 0, 32 });
    check_node(g.node[3], &(struct expected){ 4, "c", 4, { 3 }, 0, 0, 64, 0 });
    cr_expect(chakra_number(g.node[1], "comm_dst", &v) == 1 && v == 0);
    cr_expect(chakra_number(g.node[2], "comm_src", &v) == 1 && v == 2);
    chakra_graph_free(&g);
    char *back = import_file(&f), *canonical = print_canonical(text);
    cr_expect_str_eq(back, canonical, "%s", back);
    free(back);
    free(canonical);
    free(f.data);
}

/* Groups of 2, 3 apart: rank 0 is with rank 3. */
Test(chakra_export, groups_are_process_groups)
{
    static const char text[] = HEAD "tensor %s f32[8] state\n"
                                    "step {\n"
                                    "  all-reduce(%s) group=2 group-stride=3\n"
                                    "}\n";
    struct file f = export_all(text);
    struct chakra_graph g;
    struct err err;

    cr_assert_eq(chakra_graph_read(&g, "f", f.data, f.size, &err), 0, "%s", err.msg);
    cr_assert_eq(g.n, 2);
    cr_expect_str_eq(g.node[0]->inputs->values,
                     "['[{\"pg_name\": \"1\", \"ranks\": [0, 3], \"group_size\": 2}]']");
    cr_expect_str_eq(chakra_text(g.node[1], "pg_name"), "1");
    chakra_graph_free(&g);
    free(f.data);
    expect_same(text);
}

Test(chakra_export, one_step_of_several_is_written)
{
    static const char text[] = HEAD "step every=10 {\n  %a f32[8] = rng()\n}\n"
                                    "step {\n  %b f32[8] = rng()\n}\n";
    static const char *const first[] = { "b", "a", "b" };

    for (uint64_t step = 0; step < 4; step++) {
        struct chakra_graph g;
        struct file f;
        struct err err;
        int rc = export_text(text, step, 0, 0, &f, &err);
        cr_assert_eq(rc, step < 3 ? 0 : -1);
        if (rc != 0) {
            cr_expect_str_eq(err.msg, "t: step 3: the trace has 2");
        } else {
            cr_assert_eq(chakra_graph_read(&g, "f", f.data, f.size, &err), 0, "%s", err.msg);
            cr_expect_str_eq(g.node[0]->name, first[step]);
            chakra_graph_free(&g);
        }
        free(f.data);
    }
}

Test(chakra_export, what_cannot_be_written_is_an_error)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        { "cyclotron-trace 1\nsamples step=8 shared=2 cores=2 stages=2\nstep {\n"
          "  %a f32[8] = rng() stage=0\n}\n",
          "t: a pipeline of 2 stages: each has a program of its own, and a Chakra trace is written "
          "of one" },
        { HEAD
          "step {\n  repeat 9999999999 {\n    repeat 2 {\n      %a f32[8] = rng()\n    }\n  }\n}\n",
          "t: written out, the step has more than 10000000 operations" },
        { HEAD "step {\n  %a f32[8] = rng() flops=9223372036854775808\n}\n",
          "t:5: a: more than 2^63 FLOPs" },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct file f;
        struct err err;
        cr_expect_eq(export_text(bad[i].text, 0, 0, 0, &f, &err), -1);
        cr_expect_str_eq(err.msg, bad[i].message, "%s", err.msg);
        free(f.data);
    }
}

/* Ranks are counted from 0, as many as there are; where nobody says, as many as cores. */
Test(chakra_export, a_rank_is_one_of_those_there_are)
{
    static const char text[] = HEAD "step {\n  %a f32[8] = rng()\n}\n";
    static const char cores[] = "cyclotron-trace 1\nsamples step=8 shared=4 cores=4\n"
                                "step {\n  %a f32[8] = rng()\n}\n";
    static const struct {
        const char *text;
        uint64_t rank, ranks;
        const char *message; /* NULL: it is written */
    } asked[] = {
        { text, 0, 1, NULL },
        { text, 1, 1, "rank 1: outside [0, 0]" },
        { text, 3, 4, NULL },
        { text, 4, 4, "rank 4: outside [0, 3]" },
        { text, 9, 4, "rank 9: outside [0, 3]" },
        { text, 7, 0, NULL }, /* nobody says how many there are */
        { cores, 3, 0, NULL },
        { cores, 4, 0, "rank 4: outside [0, 3]" },
        { cores, 4, 8, NULL },
    };

    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct file f;
        struct err err;
        int rc = export_text(asked[i].text, 0, asked[i].rank, asked[i].ranks, &f, &err);
        cr_expect_eq(rc, asked[i].message ? -1 : 0, "%zu", i);
        if (rc != 0 && asked[i].message)
            cr_expect_str_eq(err.msg, asked[i].message, "%zu: %s", i, err.msg);
        free(f.data);
    }
}

Test(chakra_export, a_loop_without_operations_takes_no_time)
{
    struct file f = export_all(HEAD "step {\n"
                                    "  %a f32[8] = rng()\n"
                                    "  repeat 999999999999 {\n"
                                    "    repeat 999999 {\n"
                                    "    }\n"
                                    "  }\n"
                                    "}\n");
    char *back = import_file(&f);

    cr_expect(strstr(back, "rng()\n}\n"), "%s", back);
    free(back);
    free(f.data);
}

/* A published model, with fusions and loops: the text, and with it every size and dependency. */
Test(chakra_export, traces_3dgan_comes_back)
{
    struct chakra_export x;
    struct trace *t;
    struct err err;
    struct file f;
    struct chakra_graph g;
    uint64_t ops = 0, comm = 0;

    cr_assert_eq(trace_open(&t, "traces/3dgan.trace.zst", false, &err), 0, "%s", err.msg);
    FILE *out = open_memstream(&f.data, &f.size);
    chakra_export_init(&x);
    cr_assert_eq(chakra_export(t, &x, out, &err), 0, "%s", err.msg);
    fclose(out);
    /* `trace info` prints these: operations run in a step, useful work, collective payload */
    cr_expect_eq(x.nodes, 469);
    cr_expect_eq(mpz_cmp_ui(x.ops, 10281524018114), 0);
    cr_expect_eq(mpz_cmp_ui(x.comm_bytes, 11618696), 0);
    chakra_export_clear(&x);
    cr_assert_eq(chakra_graph_read(&g, "f", f.data, f.size, &err), 0, "%s", err.msg);
    cr_expect_eq(g.dangling, 0);
    for (uint32_t i = 0; i < g.n; i++) {
        uint64_t v = 0;
        cr_expect_eq(g.order[i], i);
        ops += chakra_number(g.node[i], "num_ops", &v) > 0 ? v : 0;
        v = 0;
        comm += chakra_number(g.node[i], "comm_size", &v) > 0 ? v : 0;
    }
    cr_expect_eq(ops, 10281524018114);
    cr_expect_eq(comm, 11618696);
    chakra_graph_free(&g);
    char *back = import_file(&f), *text;
    size_t size;
    out = open_memstream(&text, &size);
    cr_assert_eq(trace_rewind(t, &err), 0);
    cr_assert_eq(trace_unpack(t, out, &err), 0, "%s", err.msg);
    fclose(out);
    trace_close(t);
    char *canonical = print_canonical(text);
    cr_expect_str_eq(back, canonical);
    free(back);
    free(text);
    free(canonical);
    free(f.data);
}

/* Whatever is changed in a file: it is read or refused in one line.  `make san` looks on. */
Test(chakra_export, damaged_files_are_read_or_refused)
{
    struct file f = export_all(by_hand);
    uint32_t seed = 1;

    for (int i = 0; i < 3000; i++) {
        char *data = memory_zeroed(f.size, 1);
        struct chakra_import x = { .ranks = 4, .allow_unknown = i % 2 };
        struct memory_text t;
        struct err err;
        memcpy(data, f.data, f.size);
        for (int k = 0; k < 1 + i % 3; k++) {
            seed = seed * 1103515245u + 12345u;
            data[(seed >> 8) % f.size] ^= (char)(1 << (seed >> 29));
        }
        memory_text_begin(&t);
        /* every tenth without the attributes that make it one of ours */
        size_t skip = i % 10 ? 0 : (size_t)(unsigned char)data[0] + 1;
        if (chakra_import("f", data + skip, f.size - skip, &x, t.out, &err) != 0)
            cr_expect(*err.msg && !strchr(err.msg, '\n'), "%s", err.msg);
        free(memory_text_end(&t));
        free(data);
    }
    free(f.data);
}
