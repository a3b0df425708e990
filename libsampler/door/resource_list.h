/* SPDX-License-Identifier: MIT */
/*
 * resource_list.h - tells the user which resources there are, and which of them work here.
 */
#ifndef CPS_RESOURCE_LIST_H
#define CPS_RESOURCE_LIST_H

#include <stddef.h>

#include "resource/resource.h"

/* Call say() with each line of a table of all resources: name, unit of a gtick, default interval, engine,
 * and what is missing here if that is something. */
void cps_resource_list(void (*say)(const char *line), const struct cps_clock_settings *settings);

/* Whether all that is wanted can be counted here. -1: not, with the first that cannot, and what is missing. */
int cps_resource_list_check(const struct cps_wanted_resources *wanted, char *why, size_t bytes);

/* After the resources have begun: call say() with a line for each that is wanted and cannot be counted here.
 * Without `all` there is a line only if nothing is counted, and only for the first. */
void cps_resource_list_refused(const struct cps_wanted_resources *wanted, bool all,
			       void (*say)(const char *line));

#endif
