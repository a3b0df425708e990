/* SPDX-License-Identifier: MIT */
/*
 * test_kernel_functions.c - the kernel's own functions are shown on request, and one frame stands for those without a
 * name.
 *
 * Seen to fail: with the kernel's frames shown without being asked for; with a frame for each function without a name;
 * with [kernel] below functions that are known; with the depth of the previous sample taken for this one's.
 */
#include <stdlib.h>

#include "kernel_stream.h"
#include "options/options.h"
#include "out_text.h"
#include "pipeline/load.h"
#include "profile_fixture.h"

#define NAMES                                                                                      \
	"ffffffff81000000 11 [k] entry\nffffffff81000100 1f [k] read_zero\nffffffff81000200 5 "    \
	"[k] "                                                                                     \
	"fault\n"

static void put_samples(struct batch_writer *w)
{
	resource_sample(w, 0, 100, "10 20", 0);
	resource_sample(w, 1, 30, "10 20 ffffffff81000010 ffffffff81000110", 0);
	resource_sample(w, 1, 20, "10 20 ffffffff81000010 ffffffff81000111", 0);
	resource_sample(w, 1, 5, "10 20 ffffffff81000010", 0);
	resource_sample(w, 0, 4, "10 20 30", 0);
	resource_sample(w, 1, 2, "10 20 30", 0);
	resource_sample(w, 1, 7, "10 ffffffff81000204", 0);
	resource_sample(w, 0, 3, "10 ffffffffff600000", 0);
}

static void make(const char *name, const char *names)
{
	kernel_stream_make(name, put_samples, 8, names);
}

static struct options opt;

static struct profile *load(const char *second_names, bool shows)
{
	static char first[] = "1.cps", second[] = "2.cps", *files[] = {first, second};
	const struct sources from = {.files = files, .n = second_names ? 2 : 1};
	struct load_result result;
	struct profile *p;
	struct error err;

	options_init(&opt);
	opt.kernel = shows;
	if (second_names)
		make("2.cps", second_names);
	cr_assert_eq(load_profiles(&from, &opt, LOAD_AS_ONE, &result, &err), 0, "%s", err.text);
	p = result.list[0];
	free(result.list);
	selection_match_free(&result.match);
	return p;
}

static void finish(struct profile *p)
{
	profile_free(p);
	options_free(&opt);
}

TestSuite(kernel_functions, .init = enter_new_directory);

Test(kernel_functions, have_names)
{
	struct profile *p;

	make("1.cps", NAMES);
	p = load(NULL, true);
	cr_assert(p->has_kernel);
	cr_assert_eq(profile_weight(p, "?+16 ?+32"), 100000);
	cr_assert_eq(profile_weight(p, "?+16 ?+32 [k] entry [k] read_zero"), 50000);
	cr_assert_eq(profile_weight(p, "?+16 ?+32 [k] entry"), 5000);
	cr_assert_eq(profile_weight(p, "?+16 ?+32 ?+48"), 4000);
	cr_assert_eq(profile_weight(p, "?+16 ?+32 ?+48" KERNEL), 2000);
	cr_assert_eq(profile_weight(p, "?+16 [k] fault"), 7000);
	finish(p);
}

Test(kernel_functions, are_not_asked_for)
{
	struct profile *p;

	make("1.cps", NAMES);
	p = load(NULL, false);
	cr_assert(!p->has_kernel);
	cr_assert_eq(profile_weight(p, "?+16 ?+32"), 155000);
	cr_assert_eq(profile_weight(p, "?+16 ?+32 ?+48"), 6000);
	cr_assert_eq(profile_weight(p, "?+16"), 7000);
	cr_assert_eq(profile_weight(p, "?+16 ?+18446744073699065856"), 3000);
	finish(p);
}

Test(kernel_functions, without_names_are_one_frame)
{
	struct profile *p;

	make("1.cps", "");
	p = load(NULL, true);
	cr_assert_eq(profile_weight(p, "?+16 ?+32" KERNEL), 55000);
	cr_assert_eq(profile_weight(p, "?+16 ?+32" KERNEL KERNEL), UINT64_MAX);
	cr_assert_eq(profile_weight(p, "?+16" KERNEL), 10000);
	finish(p);
}

Test(kernel_functions, of_several_recordings_have_their_own_names)
{
	struct profile *p;

	make("1.cps", NAMES);
	p = load("ffffffff81000000 11 [k] other\n", true);
	cr_assert_eq(profile_weight(p, "?+16 ?+32 [k] entry [k] read_zero"), 50000);
	cr_assert_eq(profile_weight(p, "?+16 ?+32 [k] other" KERNEL), 50000);
	cr_assert_eq(profile_weight(p, "?+16 ?+32 [k] other"), 5000);
	cr_assert_eq(profile_weight(p, "?+16 ?+32"), 200000);
	finish(p);
}
