/* SPDX-License-Identifier: MIT */
/*
 * interval.c - parses intervals.
 *
 * In: a text. Out: gticks.
 */
#include <string.h>

#include "resource/interval.h"
#include "base/poison.h"

#define SECOND	  UINT64_C(1000000000)
#define TIME_MAX  (UINT64_C(4000000000) * SECOND) /* more than a century */
#define COUNT_MAX (UINT64_C(1) << 40)

int cps_interval_time(const char *text, uint64_t unit, uint64_t *ns)
{
	const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1},
		     {"us", 1000},
		     {"ms", 1000000},
		     {"s", SECOND},
		     {unit ? "" : "s", SECOND},
		     {"min", 60 * SECOND}};
	uint64_t whole = 0, fraction = 0, divisor = 1;
	const char *p = text;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (whole > TIME_MAX / 10)
			return -1;
		whole = whole * 10 + (uint64_t)(*p - '0');
	}
	if (p == text)
		return -1;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9' && divisor < 1000000000; p++, divisor *= 10)
			fraction = fraction * 10 + (uint64_t)(*p - '0');
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(p, units[i].name) != 0)
			continue;
		if (whole > TIME_MAX / units[i].ns)
			return -1;
		*ns = whole * units[i].ns + fraction * (units[i].ns / divisor) +
		      fraction * (units[i].ns % divisor) / divisor;
		return 0;
	}
	return -1;
}

static int read_count(const char *text, uint64_t thousand, uint64_t *gticks)
{
	static const char multiples[] = "kMG";
	uint64_t n = 0, times = 1;
	const char *p = text, *m;

	for (; *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (uint64_t)(*p - '0');
		if (n > COUNT_MAX)
			return -1;
	}
	m = *p ? strchr(multiples, *p) : NULL;
	if (p == text || !n || (*p && (!m || p[1])))
		return -1;
	for (; m && m >= multiples; m--)
		times *= thousand;
	if (n > COUNT_MAX / times)
		return -1;
	*gticks = n * times;
	return 0;
}

int cps_interval_read(const char *text, enum cps_resource_kind kind, uint64_t *gticks)
{
	if (kind == CPS_RESOURCE_TIME)
		return cps_interval_time(text, 0, gticks) == 0 && *gticks >= CPS_INTERVAL_LEAST &&
				       *gticks <= CPS_INTERVAL_MOST
			       ? 0
			       : -1;
	return read_count(text, kind == CPS_RESOURCE_BYTES ? 1024 : 1000, gticks);
}
