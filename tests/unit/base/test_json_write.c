/* JSON member by member: separators, indentation, what cannot be said in JSON. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/exact.h"
#include "base/json_write.h"
#include "base/memory.h"

static void write_machine(struct json_write *w)
{
    EXACT_Q(third);
    exact_ratio(third, 1, 3);
    json_write_object(w, NULL, JSON_LAYOUT_LINES);
    json_write_string(w, "name", "a \"b\"");
    json_write_object(w, "usd", JSON_LAYOUT_LINE);
    json_write_decimal(w, "on_demand", third, true);
    json_write_decimal(w, "preemptible", third, false);
    json_write_close(w);
    json_write_bool(w, "fits", true);
    json_write_beside(w);
    json_write_null(w, "error");
    json_write_array(w, "rows", JSON_LAYOUT_LINES);
    for (uint64_t i = 0; i < 2; i++) {
        json_write_object(w, NULL, JSON_LAYOUT_LINE);
        json_write_integer(w, "i", i);
        json_write_below(w);
        json_write_ratio(w, "half", i, 2 * i);
        json_write_close(w);
    }
    json_write_close(w);
    json_write_array(w, "none", JSON_LAYOUT_LINES);
    json_write_close(w);
    json_write_checksum(w, "sum", 0xff);
    json_write_close(w);
}

Test(json_write, members_stand_where_the_layout_says)
{
    struct memory_text t;
    struct json_write w;

    memory_text_begin(&t);
    json_write_begin(&w, t.out);
    write_machine(&w);
    char *text = memory_text_end(&t);
    cr_assert_str_eq(text,
                     "{\n"
                     "  \"name\": \"a \\\"b\\\"\",\n"
                     "  \"usd\": {\"on_demand\": 0.33333333333333333, \"preemptible\": null},\n"
                     "  \"fits\": true, \"error\": null,\n"
                     "  \"rows\": [\n"
                     "    {\"i\": 0,\n"
                     "     \"half\": null},\n"
                     "    {\"i\": 1,\n"
                     "     \"half\": 0.5}\n"
                     "  ],\n"
                     "  \"none\": [],\n"
                     "  \"sum\": \"00000000000000ff\"\n"
                     "}");
    free(text);
}

Test(json_write, compact_json_has_no_blanks_at_any_depth)
{
    struct memory_text t;
    struct json_write w;

    memory_text_begin(&t);
    json_write_begin(&w, t.out);
    json_write_object(&w, NULL, JSON_LAYOUT_COMPACT);
    json_write_array(&w, "a", JSON_LAYOUT_LINES);
    json_write_integer(&w, NULL, 1);
    json_write_integer(&w, NULL, 2);
    json_write_close(&w);
    json_write_below(&w);
    fputs("1e3", json_write_value(&w, "b"));
    json_write_close(&w);
    char *text = memory_text_end(&t);
    cr_assert_str_eq(text, "{\"a\":[1,2],\n\"b\":1e3}");
    free(text);
}

Test(json_write, bytes_that_are_not_utf8_are_replaced)
{
    struct memory_text t;
    struct json_write w;

    memory_text_begin(&t);
    json_write_begin(&w, t.out);
    json_write_string(&w, NULL,
                      "\x01\x1f"
                      "a\xff"
                      "b\xc3\xa4");
    char *text = memory_text_end(&t);
    cr_assert_str_eq(text, "\"\\u0001\\u001fa\xef\xbf\xbd"
                           "b\xc3\xa4\"");
    json_t *root = json_loads(text, JSON_DECODE_ANY, NULL);
    cr_assert_not_null(root);
    json_decref(root);
    free(text);
}
