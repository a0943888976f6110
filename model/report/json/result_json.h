/* result_json.h - a visitor that writes what it visits as members of the open object of a JSON
 * writer: "seconds" and "bytes" keep their names, groups become objects, lists become arrays. */
#ifndef REPORT_JSON_RESULT_JSON_H
#define REPORT_JSON_RESULT_JSON_H

#include "base/json_write.h"
#include "run/visit/result_visit.h"

/* `w` is borrowed for as long as the visitor is used. */
struct result_visitor result_json_visitor(struct json_write *w);

#endif
