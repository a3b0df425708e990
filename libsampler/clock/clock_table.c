/* SPDX-License-Identifier: MIT */
/*
 * clock_table.c - the table of clocks, and through it of the resources that can be measured.
 *
 * In: names of the settings. Out: the clocks with these names.
 */
#include <string.h>

#include "clock/clock.h"
#include "base/poison.h"

#define ENTRY(name) &cps_clock_##name,

const struct cps_clock *const cps_clock_table[] = {CPS_CLOCKS(ENTRY) NULL};

const struct cps_clock *cps_clock_of_resource(const char *name, size_t length)
{
	for (size_t i = 0; cps_clock_table[i]; i++)
		if (strlen(cps_clock_table[i]->resource) == length &&
		    memcmp(cps_clock_table[i]->resource, name, length) == 0)
			return cps_clock_table[i];
	return NULL;
}

bool cps_clock_is_choice(const struct cps_clock *clock)
{
	for (size_t i = 0; cps_clock_table[i]; i++)
		if (cps_clock_table[i] != clock &&
		    strcmp(cps_clock_table[i]->resource, clock->resource) == 0)
			return true;
	return false;
}

const struct cps_clock *cps_clock_find(const struct cps_clock_settings *settings)
{
	for (size_t i = 0; cps_clock_table[i]; i++)
		if (strcmp(cps_clock_table[i]->resource, settings->resource) == 0 &&
		    strcmp(cps_clock_table[i]->name, settings->name) == 0)
			return cps_clock_table[i];
	return cps_clock_of_resource(settings->resource, strlen(settings->resource));
}
