/* SPDX-License-Identifier: MIT */
/* Tracepoints by their names: a tree of files as the kernel has them in tracefs, and lists of resources with them.
 *
 * Seen to fail: without the look at the second root; if a line that does not fit had no end; if an interval was read as part of the name; if a tree that is
 * not there was said to lack the tracepoint. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "setup/wanted.h"
#include "resource/resource.h"
#include "setup/event_names.h"

static char top[] = "/tmp/cps_trace_XXXXXX";
static char first[100], second[100], why[300];
static const char *const roots[] = {first, second, NULL};
static struct cps_overflow_kind kind;

static void make_directories(const char *path)
{
	char part[300];

	for (size_t i = 1; i <= strlen(path); i++)
		if (!path[i] || path[i] == '/') {
			snprintf(part, sizeof(part), "%.*s", (int)i, path);
			mkdir(part, 0700);
		}
}

static void put(const char *root, const char *event, const char *text)
{
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/events/%s", root, event);
	make_directories(path);
	strcat(path, "/id");
	file = fopen(path, "w");
	cr_assert(file);
	fputs(text, file);
	fclose(file);
}

static void begin(void)
{
	cr_assert(mkdtemp(top));
	snprintf(first, sizeof(first), "%s/tracing", top);
	snprintf(second, sizeof(second), "%s/debug/tracing", top);
	why[0] = '\0';
}

static int find(const char *event)
{
	return cps_trace_find(roots, event, &kind, why, sizeof(why));
}

Test(trace, lines_are_cut)
{
	char line[8] = "-------";

	begin();
	cr_assert_eq(cps_trace_find(roots, "a:b", &kind, line, sizeof(line) - 1), -ENOENT);
	cr_assert(strncmp(line, first, 6) == 0 && line[6] == '\0' && line[7] == '\0', "%.8s", line);
}

Test(trace, numbers)
{
	begin();
	put(first, "raw_syscalls/sys_enter", "443\n");
	put(second, "sched/sched_switch", "12");
	cr_assert_eq(find("raw_syscalls:sys_enter"), 0, "%s", why);
	cr_assert_eq(kind.type, 2u);
	cr_assert_eq(kind.config, 443u);
	cr_assert(kind.is_calls && kind.needs_kernel && !kind.is_at_exit);
	cr_assert_eq(find("sched:sched_switch"), 0, "%s", why);
	cr_assert_eq(kind.config, 12u);
	cr_assert_not(kind.is_calls);
	put(first, "raw_syscalls/sys_exit", "442\n");
	cr_assert_eq(find("raw_syscalls:sys_exit"), 0, "%s", why);
	cr_assert(kind.is_calls && kind.needs_kernel && kind.is_at_exit);
	/* What it is called alone does not make it safe. */
	put(first, "other/sys_exit", "441\n");
	cr_assert_eq(find("other:sys_exit"), 0, "%s", why);
	cr_assert_not(kind.is_at_exit);
}

Test(trace, what_is_missing)
{
	begin();
	cr_assert_eq(find("sched:sched_switch"), -ENOENT);
	cr_assert(strstr(why, "mount -t tracefs"), "%s", why);
	put(second, "sched/sched_switch", "none");
	cr_assert_eq(find("sched:sched_switch"), -ENOENT);
	cr_assert(strstr(why, "there is no tracepoint sched:sched_switch"), "%s", why);
	cr_assert(strstr(why, second), "%s", why);
}

static int read_list(const char *text, struct cps_wanted_resources *wanted)
{
	struct cps_clock_settings settings = {.jitter = true};

	return cps_wanted_read(text, wanted, &settings, why, sizeof(why));
}

Test(trace, are_named_in_lists)
{
	struct cps_wanted_resources wanted;
	char name[200];

	cr_assert_eq(read_list("tp:sched:sched_switch:50,tp:raw_syscalls:sys_enter,syscalls:10k",
			       &wanted),
		     0, "%s", why);
	cr_assert_str_eq(wanted.list[0].name, "tp:sched:sched_switch");
	cr_assert_eq(wanted.list[0].interval, 50);
	cr_assert_str_eq(wanted.list[1].name, "tp:raw_syscalls:sys_enter");
	cr_assert_eq(wanted.list[1].interval, 1000);
	cr_assert_eq(wanted.list[2].interval, 10000);
	cr_assert_neq(read_list("tp:sched", &wanted), 0);
	cr_assert(strstr(why, "tp:SYSTEM:NAME"), "%s", why);
	cr_assert_neq(read_list("tp:", &wanted), 0);
	cr_assert_neq(read_list("tp::x", &wanted), 0);
	cr_assert_neq(read_list("tp:../../x:id", &wanted), 0);
	cr_assert_neq(read_list("tp:a:b,tp:a:b", &wanted), 0);
	snprintf(name, sizeof(name), "tp:a:%0150d", 1);
	cr_assert_neq(read_list(name, &wanted), 0);
}
