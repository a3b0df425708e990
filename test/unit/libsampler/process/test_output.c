/* SPDX-License-Identifier: MIT */
/*
 * test_output.c - the name template, and what is told of programs without a recording.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libsampler/process/identity.h"
#include "libsampler/process/output.h"

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
	setenv("PMIX_RANK", "none", 1); /* is no rank */
	gethostname(host, sizeof(host));
	expect("cpsample.%e.%p.cps", "/home/u/cpsample.prog.4711.cps");
	expect("/tmp/%e", "/tmp/prog");
	expect("/%t-%r-%%", "/1700000000-12-%");
	expect("/x%{RUN}y%{NOT_SET_AT_ALL}z", "/xa_byz"); /* stays in its directory */
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

Test(output, what_a_child_can_expand)
{
	char fixed[300], small[8];

	setenv("ODD", "50%p", 1);
	cr_assert_eq(cps_output_fix("%e-%{ODD}-%%-%p.%t.cps", "/bin/prog", fixed, sizeof(fixed)),
		     0);
	cr_assert_str_eq(fixed, "prog-50%%p-%%-%p.%t.cps");
	expect(fixed, "/home/u/prog-50%p-%-4711.1700000000.cps");
	cr_assert_lt(cps_output_fix("%q", "/bin/prog", fixed, sizeof(fixed)), 0);
	cr_assert_lt(cps_output_fix("12345678", "/bin/prog", small, sizeof(small)), 0);
}

/* How many bytes the list of a run of process 7 has in that directory; -1: there is none. */
static long list_bytes(const char *directory)
{
	char path[100];
	struct stat st;

	snprintf(path, sizeof(path), "%s/.cpsample.7.8.short", directory);
	return stat(path, &st) ? -1 : (long)st.st_size;
}

/* Before an exec a program tells of what it has used itself, if that is a millisecond: not of what the process had used before, as
 * another program. Seen to fail: each program told once that 3 ms of the process had been used. */
Test(output, short_programs_tell_of_themselves)
{
	char directory[] = "/tmp/cpsample_test.XXXXXX", output[100];
	struct cps_config config = {.run_pid = 7, .run_start = 8};
	struct cps_identity identity = {.exe = "/bin/prog", .cwd = "/"};
	long first;

	cps_own_memory_begin();
	cr_assert_not_null(mkdtemp(directory));
	snprintf(output, sizeof(output), "%s/x.cps", directory);
	config.output = output;
	cr_assert_eq(cps_recording_name_prepare(&config, &identity), 0);
	while (clock() < CLOCKS_PER_SEC / 250)
		;
	identity.cpu_before_ns = UINT64_MAX; /* it has used nothing since */
	cps_short_tell(&config, &identity, CPS_STOP_EXEC);
	cr_assert_eq(list_bytes(directory), -1);
	identity.cpu_before_ns = 0;
	cps_short_tell(&config, &identity, CPS_STOP_EXEC);
	first = list_bytes(directory);
	cr_assert_gt(first, 0);
	cps_short_tell(&config, &identity, CPS_STOP_NONE);
	cr_assert_gt(list_bytes(directory), first, "the end is told in any case");
	snprintf(output, sizeof(output), "%s/.cpsample.7.8.short", directory);
	unlink(output);
	rmdir(directory);
}
