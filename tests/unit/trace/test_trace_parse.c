/* Limits of lines, names and blocks; scopes; unknown kinds; the header; the manual. */
#include "tests/unit/trace/trace_helper.h"

#define V "cyclotron-trace 1\n"
#define X "cyclotron-trace 1\ntensor %x f32[8,16] input\nstep {\n" /* the next line is 4 */
#define S "cyclotron-trace 1\nstep {\n"                            /* the next line is 3 */
#define IMG "cyclotron-trace 1\ntensor %x f32[1,2,6] input\ntensor %w f32[4,2,2] weight\nstep {\n"

Test(trace_parse, an_error_stays)
{
    struct trace *t = open_text(X "oops\n}\n", false);
    struct trace_item item;
    struct err first, err;

    while (trace_next(t, &item, &first) == 0)
        cr_assert_neq(item.kind, TRACE_ITEM_END);
    cr_assert_eq(trace_next(t, &item, &err), -1);
    cr_assert_str_eq(err.msg, "t:4:1: unknown statement 'oops'");
    cr_assert_str_eq(first.msg, err.msg);
    trace_close(t);
}

Test(trace_parse, a_file_name_with_a_newline_still_makes_one_line)
{
    struct trace *t;
    struct err err;

    cr_assert_eq(trace_open_memory(&t, "a\nb", "x\n", 2, false, &err), -1);
    cr_assert_str_eq(err.msg, "a?b:1:1: expected 'cyclotron-trace 1', found 'x'");
    cr_assert_null(t);
}

Test(trace_parse, nul_bytes_are_refused)
{
    static const char text[] = V "step {\n\0}\n";
    struct err err;

    cr_assert_eq(read_all(text, sizeof text - 1, false, &err), -1);
    cr_assert_str_eq(err.msg, "t:3:1: control character 0x00, expected text");
}

Test(trace_parse, invalid_utf8_in_a_string_is_kept)
{
    struct trace *t = open_text(V "step {\noutfeed-dun() note=\"\xff\xfe\"\n}\n", true);
    struct trace_op op = next_op(t);

    cr_assert_str_eq(op.note, "\xff\xfe");
    trace_close(t);
}

Test(trace_parse, sixty_four_blocks_may_nest_and_no_more)
{
    for (unsigned depth = 64; depth <= 65; depth++) {
        char text[8192] = V "step {\n";
        struct err err;
        for (unsigned i = 1; i < depth; i++)
            strcat(text, "repeat 1 {\n");
        for (unsigned i = 0; i < depth; i++)
            strcat(text, "}\n");
        if (depth == 64) {
            cr_assert_eq(read_all(text, strlen(text), false, &err), 0, "%s", err.msg);
        } else {
            cr_assert_eq(read_all(text, strlen(text), false, &err), -1);
            cr_assert_str_eq(err.msg, "t:66:1: more than 64 blocks inside each other");
        }
    }
}

Test(trace_parse, a_line_may_have_a_mebibyte_and_no_more)
{
    size_t max = 1 << 20;

    for (size_t extra = 0; extra < 2; extra++) {
        size_t head = strlen(V), n = head + max + extra + strlen("step {\n}\n");
        char *text = malloc(n + 1);
        struct err err;
        memcpy(text, V, head);
        memset(text + head, '#', max + extra - 1);
        strcpy(text + head + max + extra - 1, "\nstep {\n}\n");
        int rc = read_all(text, n, false, &err);
        cr_assert_eq(rc, extra ? -1 : 0);
        if (extra)
            cr_assert_str_eq(err.msg, "t:2:1: line of more than 1048576 bytes");
        free(text);
    }
}

Test(trace_parse, names_have_at_most_1023_bytes)
{
    char text[2200], name[1025];
    struct err err;

    memset(name, 'a', 1024);
    name[1024] = '\0';
    snprintf(text, sizeof text, "%stensor %%%.1023s f32[] input\nstep {\n}\n", V, name);
    cr_assert_eq(read_all(text, strlen(text), false, &err), 0, "%s", err.msg);
    snprintf(text, sizeof text, "%stensor %%%s f32[] input\nstep {\n}\n", V, name);
    cr_assert_eq(read_all(text, strlen(text), false, &err), -1);
    cr_assert_str_eq(err.msg, "t:2:9: a name of 1024 bytes, expected at most 1023");
}

Test(trace_parse, ids_are_used_again_when_a_scope_ends)
{
    struct trace *t = open_text(X "%a f32[1] = rng()\n"
                                  "repeat 3 {\n"
                                  "%b f32[2] = rng()\n"
                                  "}\n"
                                  "repeat 3 {\n"
                                  "%b f32[3] = copy(%a)\n"
                                  "}\n"
                                  "%c f32[4] = rng()\n"
                                  "}\nstep {\n"
                                  "%a f32[5] = copy(%x)\n}\n",
                                false);
    uint32_t a, b;

    struct trace_op op = next_op(t);
    a = op.out[0].id;
    cr_assert_eq(a, 1); /* after %x */
    op = next_op(t);
    b = op.out[0].id;
    cr_assert_eq(b, 2);
    op = next_op(t);
    cr_assert_eq(op.out[0].id, b);
    cr_assert_eq(trace_tensor(t, op.out[0])->shape.dim[0], 3);
    cr_assert_eq(op.in[0].id, a);
    op = next_op(t);
    cr_assert_eq(op.out[0].id, b);
    cr_assert_str_eq(trace_tensor(t, op.out[0])->name, "c");
    op = next_op(t);
    cr_assert_eq(op.out[0].id, a);
    cr_assert_eq(op.in[0].id, 0);
    cr_assert_str_eq(trace_tensor(t, op.in[0])->name, "x");
    trace_close(t);
}

Test(trace_parse, a_thousand_names_are_told_apart_and_forgotten)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    struct err err;

    fputs(V, f);
    for (unsigned step = 0; step < 2; step++) {
        fputs("step {\n", f);
        for (unsigned i = 0; i < 1000; i++)
            fprintf(f, "%%n%u f32[%u] = rng()\n", i, i + 1);
        for (unsigned i = 0; i < 1000; i++)
            fprintf(f, "%%m%u f32[] = copy(%%n%u) reads=0\n", i, 999 - i);
        fputs("}\n", f);
    }
    fclose(f);
    struct trace *t = open_text(text, false);
    for (unsigned step = 0; step < 2; step++) {
        struct trace_op op;
        for (unsigned i = 0; i < 1000; i++)
            op = next_op(t);
        for (unsigned i = 0; i < 1000; i++) {
            op = next_op(t);
            cr_assert_eq(trace_tensor(t, op.in[0])->shape.dim[0], 1000 - i);
        }
    }
    struct trace_item item;
    cr_assert_eq(trace_next(t, &item, &err), 0);
    cr_assert_eq(item.kind, TRACE_ITEM_STEP_END);
    trace_close(t);
    free(text);
}

Test(trace_parse, a_fusion_gives_its_values_the_ids_they_keep)
{
    struct trace *t = open_text(X "fusion %p, %q name=f {\n"
                                  "%a f32[7] = rng()\n"
                                  "%q f32[2] gradient = copy(%a)\n"
                                  "%p f32[3] = copy(%q)\n"
                                  "}\n"
                                  "%r f32[9] = copy(%p, %q)\n}\n",
                                false);
    struct trace_item item;
    struct err err;

    for (int i = 0; i < 4; i++)
        cr_assert_eq(trace_next(t, &item, &err), 0);
    cr_assert_eq(item.kind, TRACE_ITEM_FUSION_BEGIN);
    cr_assert(item.op.n_out == 2 && item.op.kind == TRACE_FUSION);
    uint32_t p = item.op.out[0].id, q = item.op.out[1].id;
    cr_assert_neq(p, q);
    struct trace_op op = next_op(t);
    cr_assert(op.out[0].id != p && op.out[0].id != q);
    cr_assert_eq(next_op(t).out[0].id, q);
    op = next_op(t);
    cr_assert(op.out[0].id == p && op.in[0].id == q);
    cr_assert_eq(trace_next(t, &item, &err), 0);
    cr_assert_eq(item.kind, TRACE_ITEM_FUSION_END);
    cr_assert_str_eq(item.op.name, "f");
    cr_assert(item.op.n_out == 2 && item.op.out[0].id == p && item.op.out[1].id == q);
    op = next_op(t);
    cr_assert(op.in[0].id == p && op.in[1].id == q && op.reads == 20);
    cr_assert_eq(trace_tensor(t, op.in[1])->role, TRACE_GRADIENT);
    cr_assert(op.out[0].id != p && op.out[0].id != q);
    trace_close(t);
}

Test(trace_parse, an_unknown_kind_is_kept_when_allowed)
{
    struct trace *t = open_text(X "%y f32[4] = cholesky(%x) flops=3\n}\n", true);
    struct trace_op op = next_op(t);

    cr_assert_eq(op.kind, TRACE_UNKNOWN);
    cr_assert_str_eq(op.kind_text, "cholesky");
    cr_assert(op.reads == 512 && op.writes == 16 && op.flops == 3);
    trace_close(t);
}

Test(trace_parse, the_header_is_read_and_has_defaults)
{
    struct trace *t = open_text(V "step {\n}\n", false);
    const struct trace_header *h = trace_head(t);

    cr_assert(h->version == 1 && h->samples_per_step == 1 && h->samples_per_epoch == 0);
    cr_assert(h->tensors == TRACE_F32 && h->matmul == TRACE_BF16 &&
              h->activations == TRACE_ACTIVATIONS_KEEP);
    cr_assert_str_eq(h->workload, "");
    trace_close(t);
    t = open_text(V "provenance \"a \\\"b\\\" \\\\\"\nparam k=v.1\nsamples epoch=9 step=3\n"
                    "dtype activations=narrow matmul=f16 tensors=bf16\nworkload w\nstep {\n}\n",
                  false);
    h = trace_head(t);
    cr_assert_str_eq(h->provenance, "a \"b\" \\");
    cr_assert_str_eq(h->workload, "w");
    cr_assert(h->samples_per_step == 3 && h->samples_per_epoch == 9 &&
              h->activations == TRACE_ACTIVATIONS_NARROW);
    cr_assert(h->tensors == TRACE_BF16 && h->matmul == TRACE_F16 && h->n_params == 1);
    cr_assert_str_eq(h->param[0].key, "k");
    cr_assert_str_eq(h->param[0].value, "v.1");
    cr_assert_not(h->samples_unknown);
    trace_close(t);
    t = open_text(V "samples step=unknown cores=4\nstep {\n}\n", false);
    h = trace_head(t);
    cr_assert(h->samples_unknown && h->samples_per_step == 1 && h->cores == 4);
    trace_close(t);
}
