/* SPDX-License-Identifier: MIT */
/* test_info_text.c - what is said of one process for people. */
#include <inttypes.h>

#include "out_text.h"
#include "write/info_text.h"

static uint32_t add(struct profile *p, const char *text)
{
	return strings_add(p->strings, text, strlen(text));
}

/* A process that is not over and counts this resource, of which nothing has happened. */
static char *text_of(const char *resource, struct profile_process process)
{
	const uint64_t missing_ns = process.children_ns;
	struct profile p = {.strings = strings_new(), .processes = &process, .n_processes = 1};
	struct children c = {.used_ns = missing_ns, .missing_ns = missing_ns};
	struct profile_resource r = {.has_counted = true, .engine = STRINGS_NONE};
	struct error err;
	struct out *o;

	p.resource = r.name = add(&p, resource);
	p.unit = r.unit = add(&p, "ns");
	r.why = STRINGS_NONE;
	process.resources = &r;
	process.n_resources = 1;
	process.file = add(&p, "x.cps");
	process.exe = process.cwd = process.host = process.machine = process.recorder =
		process.engine = process.engine_why = process.unwinder = process.unwinder_why =
			process.started_as = process.launched = process.note = process.cut_why =
				STRINGS_NONE;
	enter_new_directory();
	o = out_open("x", &err);
	info_text(o, &p, &process, missing_ns);
	info_text_children(o, &c);
	cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
	strings_free(p.strings);
	return text_of_file("x");
}

static void says(const char *resource, enum event_unended how, uint64_t missing_ns,
		 const char *wanted, bool is_there)
{
	char *text = text_of(resource,
			     (struct profile_process){.children_ns = missing_ns, .unended = how});

	cr_assert_eq(strstr(text, wanted) != NULL, is_there, "%s: %s", resource, text);
	free(text);
}

/* Seen to fail: without the line. */
Test(info_text, of_waits_under_way)
{
	static const char wanted[] =
		"in progress\n             waits that last now are not in it yet; they come when "
		"they end\n";

	says("real", EVENT_RUNNING, 0, wanted, true);
	says("lock", EVENT_RUNNING, 0, wanted, true);
	says("alloc", EVENT_RUNNING, 0, wanted, false);
	says("real", EVENT_CUT, 0, "waits that last", false);
}

/* Of what was counted until some time before the end it is not known in which CPU time. Seen to fail: without the line. */
Test(info_text, of_calls)
{
	static const char wanted[] =
		"calls per s  3000000 of CPU time that is credited, without the counting\n";
	struct profile_process process = {
		.weight = 500000000,
		.samples = 125,
		.calls = {.has_any = true, .calls = 1500000, .functions = 7},
	};
	char *text = text_of("cpu", process);

	cr_assert(strstr(text, wanted), "%s", text);
	free(text);
	text = text_of("alloc", process);
	cr_assert_not(strstr(text, "per s"), "%s", text);
	free(text);
	process.calls.until_us = 1;
	text = text_of("cpu", process);
	cr_assert_not(strstr(text, "per s"), "%s", text);
	free(text);
	process.calls.until_us = 0;
	process.samples = 2; /* seen to fail: 6,654,451,781 calls per s */
	text = text_of("cpu", process);
	cr_assert_not(strstr(text, "per s"), "%s", text);
	free(text);
}

/* Seen to fail: "0 ns credited of 0 ns counted". */
Test(info_text, of_what_did_not_happen)
{
	says("lock", EVENT_CUT, 0, "  lock: did not happen\n", true);
}

/* Seen to fail: without the lines. */
Test(info_text, of_what_cannot_be_compared)
{
	says("lock", EVENT_CUT, 5, "of processes without a sample, of which nothing else is known",
	     true);
	says("lock", EVENT_CUT, 0, "of processes without a sample, of which nothing else is known",
	     false);
	says("system", EVENT_CUT, 0, "so it may be above what was counted\n", true);
	says("real", EVENT_CUT, 0, "so it may be above", false);
}

/* Seen to fail: without the lines. */
Test(info_text, of_transfers_that_pass_by)
{
	static const char wanted[] =
		"read and write are without what passes by the C library's functions:\n"
		"  syscall(2), a program's own system calls, aio, io_uring and mapped files\n";

	says("read", EVENT_CUT, 0, wanted, true);
	says("write", EVENT_CUT, 0, wanted, true);
	says("alloc", EVENT_CUT, 0, "passes by", false);
}
