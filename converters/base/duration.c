/* SPDX-License-Identifier: MIT */
/*
 * duration.c - reads a time as users write it.
 *
 * In: a text that the recorder has checked. Out: seconds.
 */
#include "base/duration.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

double duration_seconds(const char *text)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}};
	char *end;
	double v = strtod(text, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(end, units[i].name) == 0)
			return v * units[i].seconds;
	return v;
}
