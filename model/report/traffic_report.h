/* traffic_report.h - a network under traffic, written for people and for programs. */
#ifndef REPORT_TRAFFIC_REPORT_H
#define REPORT_TRAFFIC_REPORT_H

#include <stdio.h>

#include "study/network/traffic.h"
#include "study/network/transfer.h"

/* One screen; one JSON object and a newline.  `searched`: for the rate at which it saturates. */
void report_traffic_text(const struct traffic_result *r, bool searched, FILE *out);
void report_traffic_json(const struct traffic_result *r, bool searched, FILE *out);

/* A line, an object for each message in the order given. */
void report_transfer_text(const struct transfer_result *r, FILE *out);
void report_transfer_json(const struct transfer_result *r, FILE *out);

#endif
