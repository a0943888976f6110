/* A replay as JSON: all that run/visit/result_visit.h visits, in its order. */
#include "report/json/result_json.h"
#include "report/run_report.h"

void report_json(const struct run_result *r, FILE *out)
{
    struct json_write w;
    const struct result_visitor v = result_json_visitor(&w);

    json_write_begin(&w, out);
    json_write_object(&w, NULL, JSON_LAYOUT_LINES);
    result_visit(&v, r);
    json_write_close(&w);
    putc('\n', out);
}
