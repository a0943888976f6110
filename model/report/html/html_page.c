#include "report/html/html_page.h"

#include <stdlib.h>
#include <string.h>

#include "report/run_report.h"
#include "report/write.h"

/* JSON inside a script element: nothing in it may look like markup. */
static void write_guarded(const char *json, FILE *out)
{
    for (; *json; json++) {
        if (*json == '<')
            fputs("\\u003c", out);
        else
            putc(*json, out);
    }
}

/* The page, with what belongs there in place of each {{name}}. */
static void write_page(const char *data, FILE *out)
{
    static const struct {
        const char *mark, *text;
    } parts[] = { { "{{style}}", html_style }, { "{{script}}", html_script } };
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

void html_report(const struct run_result *r, const struct lanes *lanes, FILE *out)
{
    char *data = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&data, &size);

    BUG_ON(!f);
    fputs("{\"runs\":[", f);
    report_json(r, f);
    fputs("],\"names\":[", f);
    write_json_string(r->machine, f);
    fputs("],\"causes\":{", f);
    for (int c = 0; c < N_CAUSES; c++) {
        fprintf(f, "%s\"%s\":", c ? "," : "", report_cause_name[c]);
        write_json_string(report_cause_doc[c], f);
    }
    fputs("},\"timeline\":", f);
    if (lanes)
        lanes_json(lanes, f);
    else
        fputs("null", f);
    fputs("}\n", f);
    fclose(f);
    write_page(data, out);
    free(data);
}

void html_diff(const char *name_a, const char *a, const char *name_b, const char *b, FILE *out)
{
    char *data = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&data, &size);

    BUG_ON(!f);
    fprintf(f, "{\"runs\":[%s,%s],\"names\":[", a, b);
    write_json_string(name_a, f);
    putc(',', f);
    write_json_string(name_b, f);
    fputs("],\"causes\":{", f);
    for (int c = 0; c < N_CAUSES; c++) {
        fprintf(f, "%s\"%s\":", c ? "," : "", report_cause_name[c]);
        write_json_string(report_cause_doc[c], f);
    }
    fputs("},\"timeline\":null}\n", f);
    fclose(f);
    write_page(data, out);
    free(data);
}
