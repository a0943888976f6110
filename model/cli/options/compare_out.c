#include "cli/options/compare_out.h"

#include <stdlib.h>

#include "base/memory.h"
#include "cli/options/cli.h"
#include "report/html/html_page.h"

static void write_page(const char *trace, const struct report_comparison *c, FILE *out)
{
    struct memory_text json, text;

    memory_text_begin(&json);
    report_compare_json(trace, c, json.out);
    char *data = memory_text_end(&json);
    memory_text_begin(&text);
    report_compare_text(trace, c, text.out);
    char *words = memory_text_end(&text);
    html_compare(data, words, out);
    fputs(words, stdout);
    free(words);
    free(data);
}

void compare_out_write(const char *trace, const struct report_comparison *c, enum cli_format format,
                       FILE *out)
{
    if (format == CLI_HTML)
        write_page(trace, c, out);
    else if (format == CLI_TEXT)
        report_compare_text(trace, c, out);
    else
        report_compare_json(trace, c, out);
}

int compare_out_status(const struct report_comparison *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->verdict[i].result)
            return CLI_DONE;
    return CLI_BAD_INPUT;
}
