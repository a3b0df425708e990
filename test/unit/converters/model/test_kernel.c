/* SPDX-License-Identifier: MIT */
/* test_kernel.c - samples that were taken in the kernel, and its functions. */
#include <stdlib.h>

#include "kernel_stream.h"
#include "options/options.h"
#include "out_text.h"
#include "pipeline/load.h"
#include "profile_fixture.h"

/* ---- kernel ---------------------------------------------------------------------------------- */
/*
 * On request, samples that were taken in the kernel are credited to a frame for that, below the
 * function that has called it.
 *
 * Seen to fail: with the frame for all samples, also for what no tick has seen; with the flag of
 * an atom not read; with the option not known to the threads that read; when joined profiles had
 * forgotten that they have it.
 */

static void not_sampled(struct batch_writer *w)
{
	struct writer_item item = {
		.thread = 1u << 2 | 1,
		.mark = CPS_MARK_NOT_SAMPLED,
		.weight = 5,
		.tail = true,
		.time_us = w->last.time_us + 100,
		.depth = 1,
		.stack = {{WRITER_NO_MODULE, CPS_NOT_SAMPLED_ADDRESS}},
	};

	batch_writer_item(w, &item);
}

static void put_samples(struct batch_writer *w)
{
	resource_sample(w, 0, 100, "10 20", 0);
	resource_sample(w, 1, 30, "10 20", 0);
	resource_sample(w, 0, 4, "10 20 30", 0);
	resource_sample(w, 1, 2, "10", 0);
	not_sampled(w);
}

static void make(const char *name)
{
	kernel_stream_make(name, put_samples, 4, "");
}

static struct profile *load(struct options *opt, const char *resource, bool shows, enum load_as as)
{
	static char first[] = "1.cps", second[] = "2.cps", *files[] = {first, second};
	const struct sources from = {.files = files, .n = 2};
	struct load_result result;
	struct profile *p;
	struct error err;

	options_init(opt);
	opt->chosen.resource = resource;
	opt->kernel = shows;
	opt->jobs = 2;
	cr_assert_eq(load_profiles(&from, opt, as, &result, &err), 0, "%s", err.text);
	p = result.list[0];
	free(result.list);
	selection_match_free(&result.match);
	return p;
}

static void begin(void)
{
	enter_new_directory();
	make("1.cps");
	make("2.cps");
}

TestSuite(kernel, .init = begin);

Test(kernel, is_called_by_the_innermost_function)
{
	struct options opt;
	struct profile *p = load(&opt, NULL, true, LOAD_AS_ONE);

	cr_assert(p->has_kernel);
	cr_assert_eq(profile_weight(p, "?+16 ?+32"), 200000);
	cr_assert_eq(profile_weight(p, "?+16 ?+32" KERNEL), 60000);
	cr_assert_eq(profile_weight(p, "?+16 ?+32 ?+48"), 8000);
	cr_assert_eq(profile_weight(p, "?+16" KERNEL), 4000);
	cr_assert_eq(profile_weight(p, "?+1"), 10000);
	cr_assert_eq(profile_weight(p, "?+1" KERNEL), UINT64_MAX);
	profile_free(p);
	options_free(&opt);
}

Test(kernel, is_not_asked_for)
{
	struct options opt;
	struct profile *p = load(&opt, NULL, false, LOAD_AS_ONE);

	cr_assert(!p->has_kernel);
	cr_assert_eq(profile_weight(p, "?+16 ?+32"), 260000);
	cr_assert_eq(profile_weight(p, "?+16"), 4000);
	profile_free(p);
	options_free(&opt);
}

Test(kernel, is_in_columns)
{
	struct options opt;
	struct profile *p = load(&opt, "cpu,system", true, LOAD_AS_COLUMNS);

	cr_assert(p->has_kernel);
	cr_assert_eq(profile_weight(p, "?+0 ?+16 ?+32" KERNEL), 60000);
	cr_assert_eq(profile_weight(p, "?+1 ?+16 ?+32" KERNEL), 60000);
	cr_assert_eq(profile_weight(p, "?+1 ?+16 ?+32"), 0);
	profile_free(p);
	options_free(&opt);
}

/* ---- kernel functions ------------------------------------------------------------------------ */
/*
 * The kernel's own functions are shown on request, and one frame stands for those without a name.
 *
 * Seen to fail: with the kernel's frames shown without being asked for; with a frame for each
 * function without a name; with [kernel] below functions that are known; with the depth of the
 * previous sample taken for this one's.
 */

#define NAMES                                                                                      \
	"ffffffff81000000 11 [k] entry\nffffffff81000100 1f [k] read_zero\nffffffff81000200 5 "    \
	"[k] "                                                                                     \
	"fault\n"

static void kernel_functions_put_samples(struct batch_writer *w)
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

static void kernel_functions_make(const char *name, const char *names)
{
	kernel_stream_make(name, kernel_functions_put_samples, 8, names);
}

static struct options opt;

static struct profile *kernel_functions_load(const char *second_names, bool shows)
{
	static char first[] = "1.cps", second[] = "2.cps", *files[] = {first, second};
	const struct sources from = {.files = files, .n = second_names ? 2 : 1};
	struct load_result result;
	struct profile *p;
	struct error err;

	options_init(&opt);
	opt.kernel = shows;
	if (second_names)
		kernel_functions_make("2.cps", second_names);
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

	kernel_functions_make("1.cps", NAMES);
	p = kernel_functions_load(NULL, true);
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

	kernel_functions_make("1.cps", NAMES);
	p = kernel_functions_load(NULL, false);
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

	kernel_functions_make("1.cps", "");
	p = kernel_functions_load(NULL, true);
	cr_assert_eq(profile_weight(p, "?+16 ?+32" KERNEL), 55000);
	cr_assert_eq(profile_weight(p, "?+16 ?+32" KERNEL KERNEL), UINT64_MAX);
	cr_assert_eq(profile_weight(p, "?+16" KERNEL), 10000);
	finish(p);
}

Test(kernel_functions, of_several_recordings_have_their_own_names)
{
	struct profile *p;

	kernel_functions_make("1.cps", NAMES);
	p = kernel_functions_load("ffffffff81000000 11 [k] other\n", true);
	cr_assert_eq(profile_weight(p, "?+16 ?+32 [k] entry [k] read_zero"), 50000);
	cr_assert_eq(profile_weight(p, "?+16 ?+32 [k] other" KERNEL), 50000);
	cr_assert_eq(profile_weight(p, "?+16 ?+32 [k] other"), 5000);
	cr_assert_eq(profile_weight(p, "?+16 ?+32"), 200000);
	finish(p);
}
