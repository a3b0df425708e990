/* SPDX-License-Identifier: MIT */
/* Events by their names: a tree of files as the kernel has them in /sys/bus/event_source/devices.
 *
 * Seen to fail: if the bits of a value are put behind each other, not where the format says; if an event's fields
 * cannot be set again; without the look at `cpumask`; if a value may be larger than its field. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "setup/event_names.h"

static char root[] = "/tmp/cps_pmu_XXXXXX";
static char why[200];
static struct cps_overflow_kind kind;

static void put(const char *path, const char *text)
{
	char whole[200];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	if (!text) {
		cr_assert_eq(mkdir(whole, 0700), 0);
		return;
	}
	file = fopen(whole, "w");
	cr_assert(file);
	fputs(text, file);
	fclose(file);
}

static void make_tree(void)
{
	static const char *const files[][2] = {
		{"cpu", NULL},
		{"cpu/type", "4\n"},
		{"cpu/format", NULL},
		{"cpu/format/event", "config:0-7,32-35\n"},
		{"cpu/format/umask", "config:8-15\n"},
		{"cpu/format/edge", "config:18\n"},
		{"cpu/format/ldlat", "config1:0-15\n"},
		{"cpu/format/wide", "config2:0-63\n"},
		{"cpu/format/odd", "konfig:1\n"},
		{"cpu/format/endless", "config:0-99\n"},
		{"cpu/events", NULL},
		{"cpu/events/cycles", "event=0x3c\n"},
		{"cpu/events/loads", "event=0x1cd,umask=0x1,ldlat=3\n"},
		{"cpu/events/open", "event=0x10,umask=?\n"},
		{"cpu/events/loop", "loop\n"},
		{"power", NULL},
		{"power/type", "9\n"},
		{"power/cpumask", "0\n"},
		{"power/events", NULL},
		{"power/events/energy", "event=0x02\n"},
	};

	cr_assert(mkdtemp(root));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		put(files[i][0], files[i][1]);
}

static void remove_tree(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	cr_assert_eq(system(command), 0);
}

TestSuite(pmu, .init = make_tree, .fini = remove_tree);

static void finds(const char *event, uint32_t type, uint64_t config, uint64_t config1)
{
	cr_assert_eq(cps_pmu_find(root, event, &kind, why, sizeof(why)), 0, "%s: %s", event, why);
	cr_assert_eq(kind.type, type, "%s: type %u", event, kind.type);
	cr_assert_eq(kind.config, config, "%s: config 0x%llx", event,
		     (unsigned long long)kind.config);
	cr_assert_eq(kind.config1, config1, "%s: config1 0x%llx", event,
		     (unsigned long long)kind.config1);
}

static void refuses(const char *event, const char *because)
{
	cr_assert_lt(cps_pmu_find(root, event, &kind, why, sizeof(why)), 0, "%s", event);
	cr_assert(strstr(why, because), "%s: %s", event, why);
	cr_assert_not(strchr(why, '\n'));
}

Test(pmu, fields_stand_where_the_format_says)
{
	finds("cpu/cycles/", 4, 0x3c, 0);
	finds("cpu/loads/", 4, UINT64_C(0x1000001cd), 3);
	finds("cpu/event=0x3c,umask=0xff,edge/", 4, 0x4ff3c, 0);
	finds("cpu/event=60/", 4, 0x3c, 0);
	finds("cpu/loads,ldlat=30/", 4, UINT64_C(0x1000001cd), 30);
	finds("cpu/config=0x1,config1=0x2,wide=0xffffffffffffffff/", 4, 1, 2);
	cr_assert_eq(kind.config2, UINT64_MAX);
}

Test(pmu, refusals)
{
	refuses("power/energy/", "counted for the whole machine");
	refuses("gone/x/", "gone: not in ");
	refuses("cpu/gone/", "no event or field gone");
	refuses("cpu/gone=1/", "no event or field gone");
	refuses("cpu/open/", "needs a value of umask");
	refuses("cpu/loop/", "no event or field loop");
	refuses("cpu/event=0x1000/", "too large");
	refuses("cpu/edge=2/", "too large");
	refuses("cpu/event=x/", "no number");
	refuses("cpu/event=/", "no number");
	refuses("cpu/event=0x/", "no number");
	refuses("cpu/wide=0x1ffffffffffffffff/", "no number");
	refuses("cpu/odd=1/", "format of odd");
	refuses("cpu/endless=1/", "format of endless");
	refuses("cpu/=1/", "cpu: ");
	refuses("cpu/,/", "cpu: ");
	refuses("cpu/"
		"a_name_that_is_much_longer_than_any_that_the_kernel_has_for_an_event_of_its_own="
		"1/",
		"not understood");
}

Test(pmu, what_is_written_like_an_event)
{
	static const char *const right[] = {"cpu/cycles/", "cpu_core/a=1,b-c.d/"};
	static const char *const wrong[] = {"cpu",    "cpu/", "/",     "//",	 "cpu//", "/x/",
					    "a/b/c/", "a/b",  "../x/", "a/b c/", "a/b\n/"};

	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		cr_assert(cps_pmu_is_event(right[i], right[i] + strlen(right[i])), "%s", right[i]);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_assert_not(cps_pmu_is_event(wrong[i], wrong[i] + strlen(wrong[i])), "%s",
			      wrong[i]);
}
