/* HLO text becomes computations and instructions. */
#include "base/memory.h"
#include "hlo/hlo_lex.h"
#include "tests/hlo/hlo_samples.h"
#include "tests/unit/hlo/hlo_helper.h"

Test(hlo_parse, every_sample_is_read)
{
    for (unsigned s = 0; s < HLO_SAMPLES; s++)
        hlo_free(parse_hlo(hlo_samples[s]));
}

Test(hlo_parse, header_of_a_compiled_module)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_COMPILED);

    EXPECT_TEXT(m->name, "jit_step");
    cr_expect(m->scheduled);
    cr_expect_eq(m->partitions, 4);
    cr_expect_eq(m->replicas, 1);
    EXPECT_TEXT(m->comment, "{\"topology\": \"v4:2x2x1\", \"megacore\": true}");
    cr_expect_eq(m->n_header_attributes, 5);
    EXPECT_TEXT(m->attribute[m->first_header_attribute + 4].key, "frontend_attributes");
    cr_assert_eq(m->n_aliases, 2);
    cr_expect_eq(m->alias[0].n_output, 1);
    cr_expect_eq(m->alias[0].output[0], 0);
    cr_expect_eq(m->alias[0].parameter, 0);
    cr_expect_eq(m->alias[0].n_part, 0);
    cr_expect_eq(m->alias[1].n_output, 2);
    cr_expect_eq(m->alias[1].output[0], 1);
    cr_expect_eq(m->alias[1].output[1], 0);
    cr_expect_eq(m->alias[1].parameter, 1);
    cr_expect_eq(m->alias[1].n_part, 1);
    cr_expect_eq(m->alias[1].part[0], 2);
    hlo_free(m);
}

Test(hlo_parse, computations_and_who_calls_them)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_COMPILED);
    const struct hlo_computation *c = m->computation;

    cr_assert_eq(m->n_computations, 5);
    EXPECT_TEXT(c[0].name, "add.1");
    cr_expect(c[0].scalar && !c[0].fused);
    EXPECT_TEXT(c[1].name, "fused_computation.5");
    cr_expect(c[1].fused && !c[1].scalar);
    cr_expect(!c[2].fused && !c[2].scalar);
    cr_expect_eq(m->entry, 4);
    cr_expect_eq(c[4].n, 10);
    cr_expect_eq(c[4].first + 9, c[4].root);
    cr_expect_eq(c[3].root, c[3].first);
    /* parameters by number, not in the order of the text */
    cr_assert_eq(c[4].n_parameters, 2);
    EXPECT_TEXT(m->instruction[c[4].parameter[0]].name, "a.1");
    EXPECT_TEXT(m->instruction[c[4].parameter[1]].name, "b.1");
    /* condition before body, though the text has them the other way round */
    const struct hlo_instruction *loop = find_hlo(m, "while.1");
    cr_assert_eq(loop->n_called, 2);
    EXPECT_TEXT(hlo_called(m, loop, 0)->name, "cond.1");
    EXPECT_TEXT(hlo_called(m, loop, 1)->name, "body.1");
    hlo_free(m);
}

Test(hlo_parse, an_instruction)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_COMPILED);
    const struct hlo_instruction *i = find_hlo(m, "reduce.1");

    cr_expect_eq(i->opcode, HLO_OP_REDUCE);
    EXPECT_TEXT(i->opcode_text, "reduce");
    cr_expect_eq(i->n_operands, 2);
    EXPECT_TEXT(hlo_operand(m, i, 0)->name, "param_0.3");
    EXPECT_TEXT(hlo_operand(m, i, 1)->name, "constant.9");
    EXPECT_TEXT(hlo_operand(m, i, 1)->literal, "0");
    cr_expect_eq(i->n_attributes, 3);
    EXPECT_TEXT(hlo_attribute(m, i, "dimensions"), "{1}");
    EXPECT_TEXT(hlo_attribute(m, i, "to_apply"), "%add.1");
    cr_expect_null(hlo_attribute(m, i, "kind").at);
    cr_expect_eq(i->computation, 1);
    cr_expect_eq(i->line, 29);
    cr_expect_eq(i->column, 8);
    cr_expect_eq(find_hlo(m, "get.1")->number, 1);
    cr_expect_eq(find_hlo(m, "b.1")->number, 1);
    cr_expect_eq(i->number, -1);
    cr_expect_eq(find_hlo(m, "copy-start.1")->opcode, HLO_OP_COPY_START);
    cr_expect_eq(find_hlo(m, "copy-start.1")->shape->n_parts, 3);
    hlo_free(m);
}

Test(hlo_parse, old_text_has_shapes_before_operands)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_OLD);

    EXPECT_TEXT(m->name, "old_module.4");
    cr_expect(!m->scheduled);
    cr_expect_eq(m->entry, 0);
    const struct hlo_instruction *map = find_hlo(m, "m");
    cr_assert_eq(map->n_operands, 2);
    EXPECT_TEXT(hlo_operand(m, map, 1)->name, "x");
    EXPECT_TEXT(hlo_called(m, map, 0)->name, "plus");
    cr_expect(hlo_called(m, map, 0)->scalar);
    /* the last instruction is the root where none says so */
    EXPECT_TEXT(m->instruction[hlo_called(m, map, 0)->root].name, "sum");
    const struct hlo_instruction *call = find_hlo(m, "r");
    cr_expect(!hlo_called(m, call, 0)->scalar);
    EXPECT_TEXT(hlo_called(m, call, 0)->thread, "side");
    EXPECT_TEXT(find_hlo(m, "c")->literal, "{ /*i0=0*/ {1, -2.5e-3}, { nan, -inf } }");
    hlo_free(m);
}

static void expect_dims(const struct hlo_instruction *i, enum hlo_dtype dtype, uint32_t rank,
                        uint64_t d0, uint64_t d1)
{
    cr_assert_eq(i->shape->rank, rank);
    cr_expect_eq(i->shape->dtype, dtype);
    if (rank > 0)
        cr_expect_eq(i->shape->dim[0], d0);
    if (rank > 1)
        cr_expect_eq(i->shape->dim[1], d1);
}

Test(hlo_parse, shapes_that_are_left_out_follow_from_operands)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_SHORT);

    expect_dims(find_hlo(m, "d"), HLO_F32, 2, 4, 8);
    expect_dims(find_hlo(m, "t"), HLO_F32, 2, 4, 6); /* of `then` */
    expect_dims(find_hlo(m, "z"), HLO_F32, 1, 4, 0);
    expect_dims(find_hlo(m, "c"), HLO_F32, 2, 4, 6);
    expect_dims(find_hlo(m, "k"), HLO_PRED, 2, 4, 6);
    expect_dims(find_hlo(m, "j"), HLO_F32, 2, 4, 12);
    const struct hlo_instruction *out = find_hlo(m, "out");
    cr_assert_eq(out->shape->n_parts, 6);
    cr_expect_eq(out->shape->part[3].dtype, HLO_TOKEN);
    cr_expect_eq(out->shape->part[4].dtype, HLO_U32);
    hlo_free(m);
}

Test(hlo_parse, operands_that_are_instructions_come_before_theirs)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_SHORT);
    const struct hlo_instruction *w = find_hlo(m, "w");
    const struct hlo_instruction *minus = hlo_operand(m, w, 1), *two = hlo_operand(m, minus, 1);

    cr_expect_eq(minus->opcode, HLO_OP_SUBTRACT);
    cr_expect_eq(two->opcode, HLO_OP_BROADCAST);
    cr_expect_eq(hlo_operand(m, two, 0)->opcode, HLO_OP_CONSTANT);
    EXPECT_TEXT(hlo_operand(m, two, 0)->literal, "2");
    cr_expect(two < minus && minus < w);
    /* p#1 is made once */
    const struct hlo_instruction *d = find_hlo(m, "d"), *c = find_hlo(m, "c");
    const struct hlo_instruction *pair = hlo_operand(m, hlo_operand(m, d, 1), 0);
    EXPECT_TEXT(pair->name, "p#1");
    cr_expect_eq(pair->opcode, HLO_OP_GET_TUPLE_ELEMENT);
    cr_expect_eq(pair->number, 1);
    cr_expect_eq(hlo_operand(m, hlo_operand(m, c, 0), 0), pair);
    cr_expect_eq(hlo_operand(m, c, 1), hlo_operand(m, d, 0));
    /* true before false */
    EXPECT_TEXT(hlo_called(m, c, 0)->name, "then");
    EXPECT_TEXT(hlo_called(m, c, 1)->name, "else");
    hlo_free(m);
}

Test(hlo_parse, computations_inside_attributes)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_ASYNC);
    const struct hlo_instruction *s = find_hlo(m, "s"), *f = find_hlo(m, "f");

    cr_assert_eq(m->n_computations, 3);
    cr_expect_eq(m->entry, 0);
    cr_expect_eq(m->computation[0].n, 10);
    cr_expect_eq(s->opcode, HLO_OP_CALL_START);
    cr_expect_eq(hlo_called(m, s, 0), &m->computation[1]);
    cr_expect(!m->computation[1].scalar);
    cr_expect_eq(f->computation, 1);
    cr_expect_eq(f->line, 6);
    cr_expect_eq(hlo_called(m, f, 0), &m->computation[2]);
    cr_expect(m->computation[2].fused);
    EXPECT_TEXT(m->instruction[m->computation[2].root].name, "e");
    cr_expect_eq(m->instruction[m->computation[2].root].line, 8);
    cr_expect_eq(find_hlo(m, "c")->line, 12);
    cr_expect_eq(find_hlo(m, "c")->opcode, HLO_OP_START);
    cr_expect_eq(find_hlo(m, "u")->opcode, HLO_OP_UPDATE);
    cr_expect_eq(find_hlo(m, "d")->opcode, HLO_OP_DONE);
    cr_expect_eq(find_hlo(m, "v")->opcode, HLO_OP_COLLECTIVE_PERMUTE_START);
    cr_expect_eq(find_hlo(m, "n")->opcode, HLO_OP_OTHER);
    EXPECT_TEXT(find_hlo(m, "n")->opcode_text, "frobnicate");
    EXPECT_TEXT(m->computation[0].thread, "main");
    hlo_free(m);
}

Test(hlo_parse, instructions_alone)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_BARE);

    cr_assert_eq(m->n_computations, 1);
    cr_expect_null(m->name.at);
    cr_assert_eq(m->computation[0].n_parameters, 2);
    EXPECT_TEXT(m->instruction[m->computation[0].parameter[1]].name, "b");
    EXPECT_TEXT(m->instruction[m->computation[0].root].name, "y");
    hlo_free(m);
}

Test(hlo_parse, select_comes_before_scatter)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_WINDOWS);
    const struct hlo_instruction *s = find_hlo(m, "s");

    EXPECT_TEXT(hlo_called(m, s, 0)->name, "ge");
    EXPECT_TEXT(hlo_called(m, s, 1)->name, "add");
    cr_expect(hlo_called(m, s, 0)->scalar);
    cr_expect_eq(m->replicas, 2);
    hlo_free(m);
}

Test(hlo_parse, a_module_is_known_by_its_first_word)
{
    cr_expect(hlo_looks_like("HloModule m", 11));
    cr_expect(hlo_looks_like("// x\n/* y */ \n# z\nHloModule", 27));
    cr_expect(hlo_looks_like("\xef\xbb\xbfHloModule m", 14));
    cr_expect_not(hlo_looks_like("HloModules m", 12));
    cr_expect_not(hlo_looks_like("cyclotron-trace 1\n", 18));
    cr_expect_not(hlo_looks_like("", 0));
    cr_expect_not(hlo_looks_like("/* HloModule", 12));
}

/* A name of a thousand instructions is found, in each of many computations. */
Test(hlo_parse, many_names)
{
    size_t size, room = 1 << 20;
    char *text = malloc(room), *t = text;

    t += sprintf(t, "HloModule m\n");
    for (int c = 0; c < 20; c++) {
        t += sprintf(t, "c%d {\n i0 = f32[] parameter(0)\n", c);
        for (int i = 1; i < 1000; i++)
            t += sprintf(t, " i%d = f32[] add(i%d, i%d)\n", i, i - 1, i / 2);
        t += sprintf(t, "}\n");
    }
    size = (size_t)(t - text);
    struct hlo_module *m;
    struct err err;
    cr_assert_eq(hlo_parse(&m, "t", text, size, &err), 0, "%s", err.msg);
    cr_expect_eq(m->n_instructions, 20000);
    cr_expect_eq(m->entry, 19);
    for (uint32_t i = 0; i < m->n_instructions; i++)
        if (i % 1000 != 0) {
            cr_assert_eq(m->operand[m->instruction[i].first_operand], i - 1);
            cr_assert_eq(m->operand[m->instruction[i].first_operand + 1],
                         i / 1000 * 1000 + i % 1000 / 2);
        }
    hlo_free(m);
    free(text);
}

/* Behind its end there may be more of another text, the quote too. */
Test(hlo_lex, a_string_ends_within_its_text)
{
    static const char text[] = "\"ab\\\"c\"d";
    struct hlo_lex x;
    struct err err;

    hlo_lex_init(&x, "t", text, 7, &err);
    cr_expect_eq(hlo_lex_string(&x), 0);
    cr_expect_eq(x.at, text + 7);
    for (size_t n = 1; n < 7; n++) {
        hlo_lex_init(&x, "t", text, n, &err);
        cr_expect_eq(hlo_lex_string(&x), -1, "%zu", n);
        cr_expect_not_null(strstr(err.msg, "string without its closing quote"), "%s", err.msg);
    }
}

/* Behind a shape without dimensions stands its value. */
Test(hlo_lex, the_value_of_an_attribute_is_all_of_it)
{
    static const struct {
        const char *text, *value;
    } rows[] = {
        { "literal=s32[] 17, k=1", "s32[] 17" },
        { "literal=f32[] inf", "f32[] inf" },
        { "literal=pred[]  true\n", "pred[]  true" },
        { "literal=s32[2]{0} {1, 2}, k=1", "s32[2]{0} {1, 2}" },
        { "to=[1,2]<=[2], k=1", "[1,2]<=[2]" },
        { "name=\"a,b\", k=1", "\"a,b\"" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hlo_attribute a;
        struct hlo_lex x;
        struct err err;
        hlo_lex_init(&x, "t", rows[i].text, strlen(rows[i].text), &err);
        cr_assert_eq(hlo_lex_attribute(&x, &a), 0, "%s", err.msg);
        EXPECT_TEXT(a.value, rows[i].value);
    }
}

/* A loop calls its condition, then its body, whichever stands first, by name or as it stands. */
Test(hlo_parse, a_condition_comes_before_a_body)
{
    static const char *const condition[] = {
        "condition=c", "condition={ q = s32[] parameter(0) ROOT y = pred[] compare(q, q), "
                       "direction=LT }"
    };
    static const char *const body[] = {
        "body=b", "body={ r = s32[] parameter(0) ROOT n = s32[] negate(r) }"
    };

    for (unsigned k = 0; k < 8; k++) {
        const char *one = condition[k & 1], *other = body[k >> 1 & 1];
        char *text = memory_format(
            "HloModule m\n"
            "c { q = s32[] parameter(0) ROOT y = pred[] compare(q, q), direction=LT }\n"
            "b { r = s32[] parameter(0) ROOT n = s32[] negate(r) }\n"
            "ENTRY e {\n p = s32[] parameter(0)\n v = s32[] while(p), condition={ q = s32[] "
            "parameter(0) ROOT y = pred[] compare(q, q), direction=LT }, body=b\n"
            " ROOT w = s32[] while(v), %s, %s\n}\n",
            k & 4 ? one : other, k & 4 ? other : one);
        struct hlo_module *m = parse_hlo(text);
        const struct hlo_instruction *w = find_hlo(m, "w");
        cr_assert_eq(w->n_called, 2);
        for (uint32_t i = 0; i < 2; i++) {
            const struct hlo_computation *c = hlo_called(m, w, i);
            cr_expect_eq(m->instruction[c->root].opcode, i ? HLO_OP_NEGATE : HLO_OP_COMPARE, "%s",
                         text);
        }
        hlo_free(m);
        free(text);
    }
}
