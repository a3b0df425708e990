/* SPDX-License-Identifier: MIT */
/*
 * config.c - reads the settings.
 *
 * Room: door. In: environment. Out: struct cps_config.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

#define INTERVAL_MIN UINT64_C(10000)	     /* 10 us */
#define INTERVAL_MAX UINT64_C(3600000000000) /* an hour */

static int complain(char *line, size_t bytes, const char *name, const char *value,
		    const char *wanted)
{
	snprintf(line, bytes, "libcpsample: %s=%.200s: %s; not recording\n", name, value, wanted);
	return -1;
}

static const char *setting(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* "1ms", "250us", "0.5s", "100000ns"; a unit is required. */
static int parse_interval(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	uint64_t whole = 0, fraction = 0, divisor = 1;
	const char *p = text;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (whole > INTERVAL_MAX)
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
		if (whole > INTERVAL_MAX / units[i].ns)
			return -1;
		*ns = whole * units[i].ns + fraction * units[i].ns / divisor;
		return *ns >= INTERVAL_MIN && *ns <= INTERVAL_MAX ? 0 : -1;
	}
	return -1;
}

static int read_resource(struct cps_config *c, char *line, size_t bytes)
{
	const char *value = setting("CPSAMPLE_RESOURCES");

	if (!value || strcmp(value, "cpu") == 0)
		return 0;
	if (strcmp(value, "signals") == 0) {
		c->resource = CPS_RESOURCE_SIGNALS;
		return 0;
	}
	if (strncmp(value, "cpu:", 4) == 0 && parse_interval(value + 4, &c->interval_ns) == 0)
		return 0;
	return complain(
		line, bytes, "CPSAMPLE_RESOURCES", value,
		"must be cpu, cpu:INTERVAL (such as cpu:1ms, from 10us to 3600s), or signals");
}

static int read_clock(struct cps_config *c, char *line, size_t bytes)
{
	const char *value = setting("CPSAMPLE_CLOCK");

	if (!value)
		return 0;
	c->clock = value;
	if (strcmp(value, "timer") == 0 || strcmp(value, "itimer") == 0)
		return 0;
	return complain(line, bytes, "CPSAMPLE_CLOCK", value, "must be timer or itimer");
}

static int read_flag(const char *name, const char *on, const char *off, bool *flag, char *line,
		     size_t bytes)
{
	const char *value = setting(name);
	char wanted[64];

	if (!value)
		return 0;
	*flag = strcmp(value, on) == 0;
	if (*flag || strcmp(value, off) == 0)
		return 0;
	snprintf(wanted, sizeof(wanted), "must be %s or %s", on, off);
	return complain(line, bytes, name, value, wanted);
}

static int read_seed(struct cps_config *c, char *line, size_t bytes)
{
	const char *value = setting("CPSAMPLE_SEED");
	char *end;

	if (!value)
		return 0;
	c->seed = strtoull(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end)
		return 0;
	return complain(line, bytes, "CPSAMPLE_SEED", value, "must be a number");
}

int cps_config_read(struct cps_config *c, char *line, size_t bytes)
{
	*c = (struct cps_config){.resource = CPS_RESOURCE_CPU,
				 .interval_ns = 1000000,
				 .clock = "timer",
				 .output = setting("CPSAMPLE_OUTPUT"),
				 .jitter = true};
	if (!c->output)
		c->output = "cpsample.%e.%p.cps";
	if (read_resource(c, line, bytes) < 0 || read_clock(c, line, bytes) < 0 ||
	    read_flag("CPSAMPLE_VERBOSE", "1", "0", &c->verbose, line, bytes) < 0 ||
	    read_flag("CPSAMPLE_JITTER", "on", "off", &c->jitter, line, bytes) < 0 ||
	    read_seed(c, line, bytes) < 0)
		return -1;
	return 0;
}
