/* validate_json.h - parts of a validation in JSON. */
#ifndef REPORT_JSON_VALIDATE_JSON_H
#define REPORT_JSON_VALIDATE_JSON_H

#include "base/json_write.h"
#include "report/validate_report.h"

/* "detail": {groups, worst, uses} in the object at hand. */
void validate_json_detail(struct json_write *w, const struct validate_detail *d);

#endif
