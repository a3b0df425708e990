/* SPDX-License-Identifier: MIT */
/*
 * test_output.c - the name template, and the settings.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libsampler/config.h"
#include "libsampler/output.h"

static const struct cps_output_names names = {
	.exe = "/usr/bin/prog", .cwd = "/home/u", .pid = 4711, .start_s = 1700000000};

static void expect(const char *template, const char *path)
{
	char got[4096];

	cr_assert_eq(cps_output_expand(template, &names, got, sizeof(got)), 0, "%s", template);
	cr_assert_str_eq(got, path);
}

Test(output, letters)
{
	char host[256], path[300];

	setenv("RUN", "a/b", 1);
	setenv("PMI_RANK", "12", 1);
	gethostname(host, sizeof(host));
	expect("cpsample.%e.%p.cps", "/home/u/cpsample.prog.4711.cps");
	expect("/tmp/%e", "/tmp/prog");
	expect("/%t-%r-%%", "/1700000000-12-%");
	expect("/x%{RUN}y%{NOT_SET_AT_ALL}z", "/xa_byz"); /* no way into another directory */
	snprintf(path, sizeof(path), "/%s.cps", host);
	expect("/%h.cps", path);
}

Test(output, refused)
{
	static const char *const wrong[] = {"%", "a%", "%q", "%{", "%{X", "x%{UNCLOSED"};
	char path[4096], small[8];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_assert_lt(cps_output_expand(wrong[i], &names, path, sizeof(path)), 0, "%s",
			     wrong[i]);
	cr_assert_lt(cps_output_expand("/12345678", &names, small, sizeof(small)), 0);
	cr_assert_eq(cps_output_expand("/123456", &names, small, sizeof(small)), 0);
}

/* ---- settings ------------------------------------------------------------------------------------ */

static struct cps_config config;
static char line[512];

static int with(const char *name, const char *value)
{
	static const char *const all[] = {"CPSAMPLE_RESOURCES", "CPSAMPLE_CLOCK",
					  "CPSAMPLE_OUTPUT",	"CPSAMPLE_VERBOSE",
					  "CPSAMPLE_JITTER",	"CPSAMPLE_SEED"};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		unsetenv(all[i]);
	setenv(name, value, 1);
	line[0] = '\0';
	return cps_config_read(&config, line, sizeof(line));
}

Test(config, defaults)
{
	cr_assert_eq(with("CPSAMPLE_OUTPUT", ""), 0);
	cr_assert_eq(config.resource, CPS_RESOURCE_CPU);
	cr_assert_eq(config.interval_ns, 1000000);
	cr_assert_str_eq(config.clock, "timer");
	cr_assert_str_eq(config.output, "cpsample.%e.%p.cps");
	cr_assert(config.jitter && !config.verbose);
}

Test(config, intervals)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} right[] = {{"cpu:1ms", 1000000},   {"cpu:250us", 250000},  {"cpu:0.5s", 500000000},
		     {"cpu:10000ns", 10000}, {"cpu:1.5ms", 1500000}, {"cpu:3600s", 3600000000000},
		     {"cpu", 1000000}};
	static const char *const wrong[] = {"cpu:",
					    "cpu:0",
					    "cpu:1",
					    "cpu:0ms",
					    "cpu:1 ms",
					    "cpu:-1ms",
					    "cpu:9us",
					    "cpu:1h",
					    "cpu:3601s",
					    "cpu:1ms ",
					    "cpu:ms",
					    "cpux",
					    "cpu,real",
					    "nonsense",
					    "signals:1ms",
					    "cpu:1.ms.",
					    "cpu:99999999999999999999s",
					    "cpu:0x1ms"};

	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		cr_assert_eq(with("CPSAMPLE_RESOURCES", right[i].text), 0, "%s", right[i].text);
		cr_assert_eq(config.interval_ns, right[i].ns, "%s", right[i].text);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		cr_assert_lt(with("CPSAMPLE_RESOURCES", wrong[i]), 0, "%s", wrong[i]);
		cr_assert(strstr(line, "CPSAMPLE_RESOURCES") && strstr(line, wrong[i]));
		cr_assert_eq(strchr(line, '\n') - line, (long)strlen(line) - 1, "one line");
	}
	cr_assert_eq(with("CPSAMPLE_RESOURCES", "signals"), 0);
	cr_assert_eq(config.resource, CPS_RESOURCE_SIGNALS);
}

Test(config, others)
{
	cr_assert_eq(with("CPSAMPLE_CLOCK", "itimer"), 0);
	cr_assert_str_eq(config.clock, "itimer");
	cr_assert_lt(with("CPSAMPLE_CLOCK", "perfect"), 0);
	cr_assert_eq(with("CPSAMPLE_JITTER", "off"), 0);
	cr_assert_not(config.jitter);
	cr_assert_lt(with("CPSAMPLE_JITTER", "no"), 0);
	cr_assert_eq(with("CPSAMPLE_VERBOSE", "1"), 0);
	cr_assert(config.verbose);
	cr_assert_lt(with("CPSAMPLE_VERBOSE", "yes"), 0);
	cr_assert_eq(with("CPSAMPLE_SEED", "42"), 0);
	cr_assert_eq(config.seed, 42);
	cr_assert_lt(with("CPSAMPLE_SEED", "-1"), 0);
	cr_assert_lt(with("CPSAMPLE_SEED", "1x"), 0);
}
