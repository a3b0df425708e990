/* SPDX-License-Identifier: MIT */
/*
 * resource_calls.c - the calls of a function that the user names.
 *
 * In: nothing. Out: the line of the table, and how such a name is read; calls.h has the rest, and
 * door/wrap_calls.c finds where the function is called.
 */
#include <string.h>

#include "resource/calls.h"
#include "base/poison.h"

#define PREFIX "calls:"

/* What names of functions are made of, in C, C++ and other languages, UTF-8 included. */
static bool is_part(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '$' || c >= 0x80;
}

int cps_calls_read_name(const char *text, const char *end, char name[CPS_RESOURCE_NAME_BYTES])
{
	const char *symbol = text + strlen(PREFIX);

	if (symbol >= end || (*symbol >= '0' && *symbol <= '9') ||
	    end - text >= CPS_RESOURCE_NAME_BYTES)
		return -1;
	for (const char *p = symbol; p < end; p++)
		if (!is_part((unsigned char)*p))
			return -1;
	memcpy(name, text, (size_t)(end - text));
	name[end - text] = '\0';
	return 0;
}

const char *cps_calls_symbol(const char *name)
{
	return name + strlen(PREFIX);
}

/* Points of a child of fork, or of a recording that goes on, may be those that say "not counted". */
static void begin_anew(struct cps_thread *t, void *context)
{
	(void)context;
	for (uint32_t i = CPS_CALLS_FIRST; i < CPS_THREAD_POINTS; i++)
		if (!t->points[i].current)
			t->points[i].left = 0;
}

static int start(uint64_t interval)
{
	(void)interval;
	cps_thread_each(begin_anew, NULL);
	return 0;
}

const struct cps_resource cps_resource_calls = {
	.name = PREFIX "SYMBOL",
	.unit = "calls",
	.engine = "linkage",
	.about = "calls of a library's function",
	.kind = CPS_RESOURCE_EVENTS,
	.interval = 1000,
	.any_is_worth = true,
	.read_name = cps_calls_read_name,
	.start = start,
};
