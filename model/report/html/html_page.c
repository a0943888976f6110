#include "report/html/html_page.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "base/memory.h"
#include "report/run_report.h"

/* JSON inside a script element: a "<" could end the element. */
static void write_guarded(const char *json, FILE *out)
{
    for (; *json; json++) {
        if (*json == '<')
            fputs("\\u003c", out);
        else
            putc(*json, out);
    }
}

/* Write the page with {{data}}, {{style}} and {{script}} replaced. */
static void write_page(const char *data, const char *script, FILE *out)
{
    const struct {
        const char *mark, *text;
    } parts[] = { { "{{style}}", html_style }, { "{{script}}", script } };
    const char *at = html_page;

    while (*at) {
        const char *mark = strstr(at, "{{");
        if (!mark) {
            fputs(at, out);
            return;
        }
        fwrite(at, 1, (size_t)(mark - at), out);
        at = strstr(mark, "}}") + 2;
        if (strncmp(mark, "{{data}}", 8) == 0)
            write_guarded(data, out);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (strncmp(mark, parts[i].mark, strlen(parts[i].mark)) == 0)
                fputs(parts[i].text, out);
    }
}

/* The meaning of each cause, for the page to show. */
static void write_causes(uint32_t causes, struct json_write *w)
{
    json_write_object(w, "causes", JSON_LAYOUT_COMPACT);
    for (unsigned c = 0; c < N_CAUSES; c++)
        if (causes >> c & 1)
            json_write_string(w, cause_name[c], cause_doc[c]);
    json_write_close(w);
}

void html_report(const struct run_result *r, const struct lanes *lanes, FILE *out)
{
    struct memory_text data;
    struct json_write w;

    memory_text_begin(&data);
    json_write_begin(&w, data.out);
    json_write_object(&w, NULL, JSON_LAYOUT_COMPACT);
    json_write_array(&w, "runs", JSON_LAYOUT_COMPACT);
    report_json(r, json_write_value(&w, NULL));
    json_write_close(&w);
    json_write_array(&w, "names", JSON_LAYOUT_COMPACT);
    json_write_string(&w, NULL, r->machine);
    json_write_close(&w);
    write_causes(r->causes, &w);
    if (lanes)
        lanes_json(lanes, json_write_value(&w, "timeline"));
    else
        json_write_null(&w, "timeline");
    json_write_close(&w);
    putc('\n', data.out);
    char *text = memory_text_end(&data);
    write_page(text, html_script, out);
    free(text);
}

void html_diff(const char *const name[2], const char *const run[2], bool ungroup, FILE *out)
{
    struct memory_text data;
    struct json_write w;

    memory_text_begin(&data);
    json_write_begin(&w, data.out);
    json_write_object(&w, NULL, JSON_LAYOUT_COMPACT);
    json_write_array(&w, "runs", JSON_LAYOUT_COMPACT);
    fputs(run[0], json_write_value(&w, NULL));
    fputs(run[1], json_write_value(&w, NULL));
    json_write_close(&w);
    json_write_array(&w, "names", JSON_LAYOUT_COMPACT);
    json_write_string(&w, NULL, name[0]);
    json_write_string(&w, NULL, name[1]);
    json_write_close(&w);
    json_write_bool(&w, "ungroup", ungroup);
    write_causes(UINT32_MAX, &w);
    json_write_null(&w, "timeline");
    json_write_close(&w);
    putc('\n', data.out);
    char *text = memory_text_end(&data);
    write_page(text, html_script, out);
    free(text);
}

void html_profile(const char *json, FILE *out)
{
    write_page(json, html_profile_script, out);
}

void html_sweep(const char *json, FILE *out)
{
    write_page(json, html_sweep_script, out);
}

/* The lines of a text up to its first empty one. */
static void write_verdict(const char *text, struct json_write *w)
{
    json_write_array(w, "verdict", JSON_LAYOUT_COMPACT);
    while (*text && *text != '\n') {
        size_t length = strcspn(text, "\n");
        char *line = memory_format("%.*s", (int)length, text);
        json_write_string(w, NULL, line);
        free(line);
        text += length + (text[length] == '\n');
    }
    json_write_close(w);
}

void html_compare(const char *json, const char *text, FILE *out)
{
    struct memory_text data;
    struct json_write w;

    memory_text_begin(&data);
    json_write_begin(&w, data.out);
    json_write_object(&w, NULL, JSON_LAYOUT_COMPACT);
    fputs(json, json_write_value(&w, "comparison"));
    write_verdict(text, &w);
    write_causes(UINT32_MAX, &w);
    json_write_close(&w);
    putc('\n', data.out);
    char *whole = memory_text_end(&data);
    write_page(whole, html_compare_script, out);
    free(whole);
}
