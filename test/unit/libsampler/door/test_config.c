/* SPDX-License-Identifier: MIT */
/*
 * test_config.c - what the recorder makes of its environment variables.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "libsampler/door/config.h"

static struct cps_config config;
static char complaint[512];

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
}

Test(config, defaults)
{
	cr_assert_eq(cps_config_read(&config, complaint, sizeof(complaint)), 0);
	cr_assert_eq(config.clock.interval_ns, 1000000);
	cr_assert_str_eq(config.clock.name, "timer");
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
	} right[] = {{"cpu:1ms", 1000000},   {"cpu:250us", 250000},  {"cpu:0.5s", 500000000},
		     {"cpu:10000ns", 10000}, {"cpu:1.5ms", 1500000}, {"cpu:3600s", 3600000000000},
		     {"cpu", 1000000}};
	static const char *const wrong[] = {
		"cpu:",	    "cpu:0",	"cpu:1",       "cpu:0ms",   "cpu:1 ms",
		"cpu:-1ms", "cpu:9us",	"cpu:1h",      "cpu:3601s", "cpu:1ms ",
		"cpu:ms",   "cpux",	"cp",	       "cp:1ms",    ":1ms",
		"cpu,real", "nonsense", "signals:1ms", "cpu:1.ms.", "cpu:99999999999999999999s",
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

/* The table of clocks makes these texts. */
Test(config, texts)
{
	refuses("CPSAMPLE_RESOURCES", "real");
	cr_assert_str_eq(
		complaint,
		"libcpsample: CPSAMPLE_RESOURCES=real: must be cpu, cpu:INTERVAL (such as cpu:1ms, "
		"from 10us to 3600s), or signals; not recording\n");
	refuses("CPSAMPLE_CLOCK", "signals");
	cr_assert_str_eq(complaint,
			 "libcpsample: CPSAMPLE_CLOCK=signals: must be timer, strata, itimer or "
			 "perf; not recording\n");
	accepts("CPSAMPLE_CLOCK", "perf");
	cr_assert_str_eq(config.clock.name, "perf");
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
}
