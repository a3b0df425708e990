/* SPDX-License-Identifier: MIT */
/*
 * test_config.c - what the recorder makes of its environment variables.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libsampler/process/config.h"

static struct cps_config config;
static char complaint[1000];

static int set(const char *name, const char *value)
{
	int result;

	setenv(name, value, 1);
	result = cps_config_read(&config, complaint, sizeof(complaint));
	unsetenv(name);
	return result;
}

static void accepts(const char *name, const char *value)
{
	cr_assert_eq(set(name, value), 0, "%s=%s: %s", name, value, complaint);
}

/* One line that names the setting, its value and what becomes of it. */
static void refuses(const char *name, const char *value)
{
	*complaint = '\0';
	cr_assert_lt(set(name, value), 0, "%s=%s", name, value);
	cr_assert(strstr(complaint, name) && strstr(complaint, value), "%s", complaint);
	cr_assert(strstr(complaint, "; not recording\n"), "%s", complaint);
	cr_assert_eq(strchr(complaint, '\n')[1], '\0');
}

/* Seen to fail: with any text that begins with a number. */
Test(config, run)
{
	accepts("CPSAMPLE_RUN", "12.345");
	cr_assert_eq(config.run_pid, 12);
	cr_assert_eq(config.run_start, 345);
	refuses("CPSAMPLE_RUN", "12");
	refuses("CPSAMPLE_RUN", "12.");
	refuses("CPSAMPLE_RUN", "12.3x");
	refuses("CPSAMPLE_RUN", "12:3");
	refuses("CPSAMPLE_RUN", ".3");
	refuses("CPSAMPLE_RUN", "0.3");
	refuses("CPSAMPLE_RUN", "1.-3");
	refuses("CPSAMPLE_RUN", "1.18446744073709551616");
	refuses("CPSAMPLE_RUN", "18446744073709551616.1");
}

/* Seen to fail: numbers beyond 64 bits became the largest one. */
Test(config, seeds)
{
	static const char *const wrong[] = {
		"18446744073709551616", "99999999999999999999", "-1", "+1", "1x", " 1", "1.5", "x"};

	accepts("CPSAMPLE_SEED", "0");
	cr_assert(config.clock.is_seeded);
	cr_assert_eq(config.clock.seed, 0);
	accepts("CPSAMPLE_SEED", "18446744073709551615");
	cr_assert_eq(config.clock.seed, UINT64_MAX);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refuses("CPSAMPLE_SEED", wrong[i]);
}

Test(config, calls)
{
	static const char *const wrong[] = {"yes", "times", "On", "on,time", "1"};

	cr_assert_eq(cps_config_read(&config, complaint, sizeof(complaint)), 0);
	cr_assert(config.counts_calls && !config.times_calls && !config.resources.has_more);
	accepts("CPSAMPLE_CALLS", "time");
	cr_assert(config.counts_calls && config.times_calls && config.resources.has_more);
	accepts("CPSAMPLE_CALLS", "on");
	cr_assert(config.counts_calls && !config.times_calls);
	accepts("CPSAMPLE_CALLS", "off");
	cr_assert(!config.counts_calls && !config.times_calls);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refuses("CPSAMPLE_CALLS", wrong[i]);
}

Test(config, defaults)
{
	cr_assert_eq(cps_config_read(&config, complaint, sizeof(complaint)), 0);
	cr_assert_eq(config.clock.interval_ns, 0); /* each clock has its own */
	cr_assert_str_eq(config.clock.name, "strata");
	cr_assert_str_eq(config.output, "cpsample.%e.%p.cps");
	cr_assert_str_eq(config.clock.resource, "cpu");
	cr_assert(config.clock.jitter && !config.verbose);
	cr_assert_eq(config.max_bytes + config.journal_bytes + config.delay_ns + config.duration_ns,
		     0);
	cr_assert_eq(config.toggle_signal, 0);
	cr_assert_null(config.exe);
	cr_assert_not(config.outlives_filter);
	accepts("CPSAMPLE_DELAY", ""); /* an empty setting counts as missing */
}

Test(config, intervals)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} right[] = {{"cpu:1ms", 1000000},
		     {"cpu:250us", 250000},
		     {"cpu:0.5s", 500000000},
		     {"cpu:10000ns", 10000},
		     {"cpu:1.5ms", 1500000},
		     {"cpu:3600s", 3600000000000},
		     {"cpu", 0}};
	static const char *const wrong[] = {"cpu:",	 "cpu:0",
					    "cpu:1",	 "cpu:0ms",
					    "cpu:1 ms",	 "cpu:-1ms",
					    "cpu:9us",	 "cpu:1h",
					    "cpu:3601s", "cpu:1ms ",
					    "cpu:ms",	 "cpux",
					    "cp",	 "cp:1ms",
					    ":1ms",	 "cpu,reel",
					    "nonsense",	 "signals:1ms",
					    "cpu,cpu",	 "count:0",
					    "count:x",	 "cpu,",
					    ",cpu",	 "cpu,signals",
					    "cpu:1.ms.", "cpu:99999999999999999999s",
					    "cpu:0x1ms"};

	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		accepts("CPSAMPLE_RESOURCES", right[i].text);
		cr_assert_eq(config.clock.interval_ns, right[i].ns, "%s", right[i].text);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refuses("CPSAMPLE_RESOURCES", wrong[i]);
	accepts("CPSAMPLE_RESOURCES", "signals");
	cr_assert_str_eq(config.clock.resource, "signals");
}

Test(config, several_resources)
{
	accepts("CPSAMPLE_RESOURCES", "count:5k,cpu:2ms");
	cr_assert_eq(config.resources.n, 2);
	cr_assert(config.resources.has_clock);
	cr_assert_eq(config.resources.list[0].resource, &cps_resource_count);
	cr_assert_eq(config.resources.list[0].interval, 5000);
	cr_assert_null(config.resources.list[1].resource);
	cr_assert_eq(config.clock.interval_ns, 2000000);
	/* `real` lets the clock tick, in its interval if only that is given one. */
	accepts("CPSAMPLE_RESOURCES", "real:2ms");
	cr_assert_eq(config.clock.interval_ns, 2000000);
	accepts("CPSAMPLE_RESOURCES", "real");
	cr_assert_eq(config.clock.interval_ns, 0);
	accepts("CPSAMPLE_RESOURCES", "real:2ms,cpu");
	cr_assert_eq(config.clock.interval_ns, 0);
	accepts("CPSAMPLE_RESOURCES", "cpu,real:2ms");
	cr_assert_eq(config.clock.interval_ns, 0);
	accepts("CPSAMPLE_RESOURCES", "count");
	cr_assert_not(config.resources.has_clock);
	cr_assert_eq(config.resources.list[0].interval, 1000);
}

/* Some have a name that the user makes up, in which there may be colons and commas. */
Test(config, resources_with_names)
{
	static const char *const wrong[] = {"perf",
					    "perf:",
					    "perf:1",
					    "perf:1:4",
					    "perf:0x",
					    "perf:x:0x1",
					    "perf:0x1:0x2:0x3",
					    "perf:0x10000000000000000",
					    "cpu/",
					    "cpu//",
					    "/x/",
					    "cpu/x",
					    "cpu/x/y/",
					    "../x/",
					    "perf:0x1,perf:0x1",
					    "cpu/x/,cpu/x/:10",
					    "cpu/x y/",
					    "perf:0x1:0"};

	accepts("CPSAMPLE_RESOURCES", "perf:0x1:5k,perf:1:0x4,cpu/a=0x3c,b/:20,cpu,perf:0xFf");
	cr_assert_eq(config.resources.n, 5);
	cr_assert_str_eq(config.resources.list[0].name, "perf:0x1");
	cr_assert_eq(config.resources.list[0].interval, 5000);
	cr_assert_str_eq(config.resources.list[1].name, "perf:1:0x4");
	cr_assert_eq(config.resources.list[1].interval, cps_resource_perf.interval);
	cr_assert_str_eq(config.resources.list[2].name, "cpu/a=0x3c,b/");
	cr_assert_eq(config.resources.list[2].interval, 20);
	cr_assert_null(config.resources.list[3].resource);
	cr_assert_str_eq(config.resources.list[4].name, "perf:0xFf");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refuses("CPSAMPLE_RESOURCES", wrong[i]);
}

/* The ticks of `timer` know whether they have met a thread in the kernel. */
Test(config, the_clock_of_parts)
{
	accepts("CPSAMPLE_RESOURCES", "cpu,system");
	cr_assert_str_eq(config.clock.name, "timer");
	accepts("CPSAMPLE_RESOURCES", "cpu,real");
	cr_assert_str_eq(config.clock.name, "strata");
	setenv("CPSAMPLE_RESOURCES", "user", 1);
	accepts("CPSAMPLE_CLOCK", "strata");
	cr_assert_str_eq(config.clock.name, "strata");
	unsetenv("CPSAMPLE_RESOURCES");
}

/* Live memory needs allocations, and has their samples. */
Test(config, a_resource_that_needs_another)
{
	accepts("CPSAMPLE_RESOURCES", "alloc-live:64k");
	cr_assert_eq(config.resources.n, 2);
	cr_assert_eq(config.resources.list[1].resource, &cps_resource_alloc);
	cr_assert_eq(config.resources.list[1].interval, 65536);
	accepts("CPSAMPLE_RESOURCES", "alloc:1k,cpu,alloc-live");
	cr_assert_eq(config.resources.n, 3);
	for (int i = 0; i < 3; i += 2)
		cr_assert_eq(config.resources.list[i].interval, 1024);
	accepts("CPSAMPLE_RESOURCES", "alloc,alloc-live:2k");
	cr_assert_eq(config.resources.list[0].interval, 2048);
}

/* There may be several, each with its own interval. */
Test(config, calls_of_functions)
{
	accepts("CPSAMPLE_RESOURCES", "calls:qsort,cpu,calls:_ZN1a1bEv:2k,calls:a.b$c");
	cr_assert_eq(config.resources.n, 4);
	cr_assert_eq(config.resources.list[0].resource, &cps_resource_calls);
	cr_assert_str_eq(config.resources.list[0].name, "calls:qsort");
	cr_assert_eq(config.resources.list[0].interval, 1000);
	cr_assert_str_eq(config.resources.list[1].name, "");
	cr_assert_str_eq(config.resources.list[2].name, "calls:_ZN1a1bEv");
	cr_assert_eq(config.resources.list[2].interval, 2000);
	cr_assert_str_eq(config.resources.list[3].name, "calls:a.b$c");
	accepts("CPSAMPLE_RESOURCES",
		"calls:a,calls:b,calls:c,calls:d,calls:e,calls:f,calls:g,calls:h,count");
}

Test(config, calls_of_what_is_no_function)
{
	static const char *const wrong[] = {
		"calls",
		"calls:",
		"calls::1000",
		"calls:1000",
		"calls:a:",
		"calls:a:b",
		"calls:a:1ms",
		"calls:a:1000:1000",
		"calls:a b",
		"calls:a@V1",
		"calls:a,calls:a:10",
		"calls:a,calls:b,calls:c,calls:d,calls:e,calls:f,calls:g,calls:h,calls:i",
	};
	char line[256];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		refuses("CPSAMPLE_RESOURCES", wrong[i]);
		cr_assert(strstr(complaint, "must have the name of a function, at most 121 bytes "
					    "long"),
			  "%s", complaint);
	}
	snprintf(line, sizeof(line), "calls:%0200d", 0);
	memset(line + 6, 'x', 122);
	line[6 + 121] = '\0';
	accepts("CPSAMPLE_RESOURCES", line);
	line[6 + 121] = 'x';
	line[6 + 122] = '\0';
	refuses("CPSAMPLE_RESOURCES", line);
}

/* The tables of clocks and resources make these texts. */
Test(config, texts)
{
	refuses("CPSAMPLE_RESOURCES", "cpu,wall,real");
	cr_assert_str_eq(
		complaint,
		"libcpsample: CPSAMPLE_RESOURCES=cpu,wall,real: \"wall\" is no resource; see "
		"cpsample --list-resources; not recording\n");
	refuses("CPSAMPLE_CLOCK", "signals");
	cr_assert_str_eq(complaint,
			 "libcpsample: CPSAMPLE_CLOCK=signals: must be strata, timer, itimer or "
			 "perf; not recording\n");
	/* Seen to fail: accepted without the other setting. */
	refuses("CPSAMPLE_CLOCK", "perf");
	cr_assert(strstr(complaint, "CPSAMPLE_KERNEL_TICKS=on (--kernel-ticks) takes that risk"),
		  "%s", complaint);
	setenv("CPSAMPLE_KERNEL_TICKS", "on", 1);
	accepts("CPSAMPLE_CLOCK", "perf");
	cr_assert_str_eq(config.clock.name, "perf");
	cr_assert(config.kernel_ticks);
}

/* Each is told which item is wrong, and why. Seen to fail: all names that there are, and no reason. */
Test(config, resources_that_are_wrong)
{
	static const char *const wrong[][2] = {
		{"cpu,", "\"\" is no resource"},
		{"cpu,fpe:exact", "\"fpe:exact\" is no resource any more; call feenableexcept(3)"},
		{",cpu", "\"\" is no resource"},
		{"cpu,cpu:2ms",
		 "\"cpu:2ms\" comes after cpu or signals; one of these can be named, "
		 "once"},
		{"signals,real,cpu", "\"cpu\" comes after cpu or signals"},
		{"signals:1ms", "\"signals:1ms\" has no interval"},
		{"alloc,read,alloc:64k", "\"alloc:64k\" comes twice"},
		{"cpu:1x,real", "\"cpu:1x\" must have a time from 10us to 3600s (1ms) as its "
				"interval"},
		{"real:1ns", "\"real:1ns\" must have a time from 10us to 3600s (1ms) as its "
			     "interval"},
		{"alloc:1ms", "\"alloc:1ms\" must have a number of bytes (64k) as its "
			      "interval"},
		{"count:", "\"count:\" must have a number (1000) as its interval"},
		{"cpu,perf:10",
		 "\"perf:10\" must be perf:0xCONFIG or perf:TYPE:0xCONFIG, once, and "
		 "may have an interval after a colon"},
		{"cpu/,", "\"cpu/\" must be PMU/EVENT/, once"},
		{"cpu/cycles/,cpu/cycles/:10", "\"cpu/cycles/:10\" must be PMU/EVENT/, once"},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char want[256];

		refuses("CPSAMPLE_RESOURCES", wrong[i][0]);
		snprintf(want, sizeof(want), ": %s", wrong[i][1]);
		cr_assert(strstr(complaint, want), "%s", complaint);
		cr_assert(strstr(complaint, "; see cpsample --list-resources; not recording\n"),
			  "%s", complaint);
	}
}

Test(config, times)
{
	static const char *const wrong[] = {"x",   "-1",    "1h",	  "1 s",
					    "1e3", "1.2.3", "5000000000", "99999999999999999999s"};

	accepts("CPSAMPLE_DELAY", "10");
	cr_assert_eq(config.delay_ns, UINT64_C(10000000000));
	accepts("CPSAMPLE_DELAY", "1.5");
	cr_assert_eq(config.delay_ns, UINT64_C(1500000000));
	accepts("CPSAMPLE_DURATION", "250ms");
	cr_assert_eq(config.duration_ns, UINT64_C(250000000));
	accepts("CPSAMPLE_DURATION", "2min");
	cr_assert_eq(config.duration_ns, UINT64_C(120000000000));
	accepts("CPSAMPLE_DURATION", "0.999999999min"); /* the product has more than 64 bits */
	cr_assert_eq(config.duration_ns, UINT64_C(59999999940));
	accepts("CPSAMPLE_DURATION", "4000000000s");
	cr_assert_eq(config.duration_ns, UINT64_C(4000000000000000000));
	refuses("CPSAMPLE_DURATION", "4000000001s");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refuses("CPSAMPLE_DURATION", wrong[i]);
}

Test(config, sizes)
{
	static const char *const wrong[] = {"x",
					    "-1",
					    "1T",
					    "64 M",
					    "65535",
					    "64Mb",
					    "18446744073709551615G",
					    "99999999999999999999"};

	accepts("CPSAMPLE_ARGS", "off");
	cr_assert(!config.has_args);
	cr_assert(config.names_python);
	accepts("CPSAMPLE_PYTHON", "off");
	cr_assert(!config.names_python);
	refuses("CPSAMPLE_PYTHON", "3");
	accepts("CPSAMPLE_DIR", "/tmp");
	cr_assert_str_eq(config.output, "/tmp/cpsample.%e.%p.cps");
	refuses("CPSAMPLE_DIR", "tmp");
	refuses("CPSAMPLE_DIR", "/tmp/%p");
	refuses("CPSAMPLE_DIR_BYTES", "1G");
	refuses("CPSAMPLE_OFF_FILE", "off");
	accepts("CPSAMPLE_BUDGET", "1%");
	cr_assert_eq(config.budget, 10000);
	accepts("CPSAMPLE_BUDGET", "0.5%");
	cr_assert_eq(config.budget, 5000);
	refuses("CPSAMPLE_BUDGET", "1");
	refuses("CPSAMPLE_BUDGET", "0%");
	refuses("CPSAMPLE_BUDGET", "101%");
	refuses("CPSAMPLE_BUDGET", "-1%");
	accepts("CPSAMPLE_MAX_BYTES", "100000");
	cr_assert_eq(config.max_bytes, 100000);
	accepts("CPSAMPLE_MAX_BYTES", "64k");
	cr_assert_eq(config.max_bytes, 65536);
	accepts("CPSAMPLE_MAX_BYTES", "2G");
	cr_assert_eq(config.max_bytes, UINT64_C(1) << 31);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refuses("CPSAMPLE_MAX_BYTES", wrong[i]);
	accepts("CPSAMPLE_JOURNAL", "8M");
	cr_assert_eq(config.journal_bytes, 8 << 20);
	refuses("CPSAMPLE_JOURNAL", "3G");
}

Test(config, signals)
{
	static const char *const wrong[] = {"KILL", "9",   "SIGSEGV", "0",    "32",    "33",
					    "65",   "-10", "PROF",    "usr2", "NOSUCH"};

	accepts("CPSAMPLE_TOGGLE_SIGNAL", "USR2");
	cr_assert_eq(config.toggle_signal, SIGUSR2);
	accepts("CPSAMPLE_TOGGLE_SIGNAL", "SIGUSR1");
	cr_assert_eq(config.toggle_signal, SIGUSR1);
	accepts("CPSAMPLE_TOGGLE_SIGNAL", "40");
	cr_assert_eq(config.toggle_signal, 40);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refuses("CPSAMPLE_TOGGLE_SIGNAL", wrong[i]);
}

Test(config, choices)
{
	accepts("CPSAMPLE_SECCOMP", "all");
	cr_assert(config.outlives_filter);
	accepts("CPSAMPLE_SECCOMP", "stop");
	cr_assert_not(config.outlives_filter);
	refuses("CPSAMPLE_SECCOMP", "no");
	accepts("CPSAMPLE_EXE", "(cc1|ld)$");
	cr_assert_str_eq(config.exe, "(cc1|ld)$");
	refuses("CPSAMPLE_EXE", "(");
	accepts("CPSAMPLE_CLOCK", "itimer");
	cr_assert_str_eq(config.clock.name, "itimer");
	refuses("CPSAMPLE_CLOCK", "perfect");
	accepts("CPSAMPLE_JITTER", "off");
	cr_assert_not(config.clock.jitter);
	refuses("CPSAMPLE_JITTER", "no");
	accepts("CPSAMPLE_VERBOSE", "1");
	cr_assert(config.verbose);
	refuses("CPSAMPLE_VERBOSE", "yes");
	accepts("CPSAMPLE_SEED", "42");
	cr_assert_eq(config.clock.seed, 42);
	refuses("CPSAMPLE_SEED", "-1");
	refuses("CPSAMPLE_SEED", "1x");
	cr_assert_not(config.wants_libunwind);
	accepts("CPSAMPLE_UNWINDER", "libunwind");
	cr_assert(config.wants_libunwind);
	accepts("CPSAMPLE_UNWINDER", "native");
	cr_assert_not(config.wants_libunwind);
	refuses("CPSAMPLE_UNWINDER", "gdb");
}
