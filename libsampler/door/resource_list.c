/* SPDX-License-Identifier: MIT */
/*
 * resource_list.c - lists the resources and asks each whether it can be counted here.
 *
 * In: the tables of clocks and resources. Out: lines for a person.
 */
#include <stdio.h>
#include <string.h>

#include "door/resource_list.h"

#define LINE_BYTES 400
#define WHY_BYTES  256
#define COLUMNS	   80

/* What stands in front of the last column, which is 32 wide, and of what goes on in another line. */
#define HEAD_FORMAT "%-14s %-12s %8s %-10s "
#define ROW_FORMAT  "%-14s %-12s %7s  %-10s "
#define INDENT	    "    "

struct row {
	const char *name, *unit, *engine, *about, *why; /* why: NULL if it works here */
	enum cps_resource_kind kind;
	uint64_t interval; /* 0: it has none */
};

/* As it is written in CPSAMPLE_RESOURCES. */
static void write_interval(char *text, size_t bytes, const struct row *row)
{
	uint64_t n = row->interval, thousand = row->kind == CPS_RESOURCE_BYTES ? 1024 : 1000;
	static const char *const times[] = {"ns", "us", "ms", "s"};
	static const char *const counts[] = {"", "k", "M", "G"};
	int i = 0;

	if (!n) {
		snprintf(text, bytes, "-");
		return;
	}
	if (row->kind == CPS_RESOURCE_EVENTS && n < 10000)
		thousand = UINT64_MAX;
	for (; i < 3 && n % thousand == 0 && n >= thousand; i++)
		n /= thousand;
	snprintf(text, bytes, "%llu%s", (unsigned long long)n,
		 row->kind == CPS_RESOURCE_TIME ? times[i] : counts[i]);
}

/* Says the text in lines of 80 columns. It is broken at blanks. */
static void say_wrapped(void (*say)(const char *), char *text)
{
	char line[LINE_BYTES + WHY_BYTES + sizeof(INDENT)];
	const char *indent = "";

	while (strlen(indent) + strlen(text) > COLUMNS) {
		char *end = text + COLUMNS - strlen(indent);

		while (end > text && *end != ' ')
			end--;
		if (end == text)
			break;
		snprintf(line, sizeof(line), "%s%.*s\n", indent, (int)(end - text), text);
		say(line);
		text = end + 1;
		indent = INDENT;
	}
	snprintf(line, sizeof(line), "%s%s\n", indent, text);
	say(line);
}

static void say_row(void (*say)(const char *), const struct row *row)
{
	char interval[32], line[LINE_BYTES + WHY_BYTES];

	write_interval(interval, sizeof(interval), row);
	snprintf(line, sizeof(line), ROW_FORMAT "%s%s", row->name, row->unit, interval, row->engine,
		 row->why ? "no: " : "", row->why ? row->why : row->about);
	say_wrapped(say, line);
}

/* Returns its interval. */
static uint64_t say_clock(void (*say)(const char *), const struct cps_clock *clock,
			  const struct cps_clock_settings *settings)
{
	char why[WHY_BYTES] = "";
	const struct cps_clock *chosen = cps_clock_choose(clock, settings, why, sizeof(why));
	struct row row = {clock->resource,
			  clock->unit,
			  chosen ? chosen->name : clock->name,
			  clock->is_external ? "SIGPROF that the program gets" : "CPU time",
			  chosen ? NULL : why,
			  CPS_RESOURCE_TIME,
			  cps_clock_interval(chosen ? chosen : clock, settings)};

	say_row(say, &row);
	return row.interval;
}

/* The one that would be used for the resource. */
static const struct cps_clock *wanted_clock(const char *resource,
					    const struct cps_clock_settings *settings)
{
	struct cps_clock_settings its = *settings;

	its.resource = resource;
	return cps_clock_find(&its);
}

void cps_resource_list(void (*say)(const char *), const struct cps_clock_settings *settings)
{
	char head[LINE_BYTES];
	uint64_t of_clock = 0;

	snprintf(head, sizeof(head), HEAD_FORMAT "%s\n", "resource", "gtick", "interval", "engine",
		 "what it is, or no: why not here");
	say(head);
	for (size_t i = 0; cps_clock_table[i]; i++) {
		const struct cps_clock *clock = cps_clock_table[i];

		if (clock == cps_clock_of_resource(clock->resource, strlen(clock->resource)))
			of_clock |= say_clock(say, wanted_clock(clock->resource, settings),
					      settings); /* `signals` has none */
	}
	for (size_t i = 0; cps_resource_table[i]; i++) {
		const struct cps_resource *r = cps_resource_table[i];
		char why[WHY_BYTES] = "";
		bool works = !r->probe || r->probe(why, sizeof(why)) == 0;
		struct row row = {r->name,
				  r->unit,
				  r->engine,
				  r->about,
				  works ? NULL : why,
				  r->kind,
				  r->interval ? r->interval
				  : r->part   ? cps_clock_interval(&cps_clock_timer, settings)
					      : of_clock};

		say_row(say, &row);
	}
}

int cps_resource_list_check(const struct cps_wanted_resources *wanted, char *why, size_t bytes)
{
	for (size_t i = 0; i < wanted->n; i++) {
		const struct cps_wanted_resource *w = &wanted->list[i];
		char missing[WHY_BYTES] = "";

		if (cps_resource_probe(w, missing, sizeof(missing)) != 0) {
			snprintf(why, bytes, "%s: %s", *w->name ? w->name : w->resource->name,
				 missing);
			return -1;
		}
	}
	return 0;
}

/* Whether anything of what is wanted is counted. */
static bool is_any_counted(const struct cps_wanted_resources *wanted)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (!wanted->list[i].resource || !cps_resource_refusal(&wanted->list[i]))
			return true;
	return wanted->n == 0;
}

void cps_resource_list_refused(const struct cps_wanted_resources *wanted, bool all,
			       void (*say)(const char *))
{
	bool counts = is_any_counted(wanted);
	char line[LINE_BYTES + WHY_BYTES];

	for (size_t i = 0; i < wanted->n && (all || !counts); i++) {
		const struct cps_wanted_resource *w = &wanted->list[i];
		const char *why = w->resource ? cps_resource_refusal(w) : NULL;

		if (!why)
			continue;
		snprintf(line, sizeof(line), "libcpsample: CPSAMPLE_RESOURCES=%s: %s; not %s\n",
			 *w->name ? w->name : w->resource->name, why,
			 counts ? "counted" : "recording");
		say(line);
		if (!all)
			return;
	}
}
