/* SPDX-License-Identifier: MIT */
/*
 * test_output.c - the name template.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
