/* SPDX-License-Identifier: MIT */
/* test_load.c - several threads read the same profiles as one thread, in the same order and with
 * the same errors. */
#include <unistd.h>

#include "libsampler/format.h"
#include "out_text.h"
#include "read_part.h"
#include "stream_writer.h"

static void put(const char *name, const char *text)
{
	writer_file(name, text, strlen(text));
}

/* Write a recording without samples. If it has not begun, it is what a process leaves that is
 * killed while it creates its recording. */
static void put_recording(const char *name, uint64_t pid, bool is_begun)
{
	struct bytes records = {0}, payload = {0}, file = {0};

	bytes_process(&payload, pid, 1, 0);
	bytes_field_text(&payload, CPS_PROCESS_RESOURCE, "signals");
	bytes_record(&records, CPS_TAG_PROCESS, payload.at, payload.n);
	bytes_record(&records, CPS_TAG_END, NULL, 0);
	writer_stream(&file, &records, 1000, true);
	writer_file(name, file.at, is_begun ? file.n : 11);
	bytes_free(&records), bytes_free(&payload), bytes_free(&file);
}

/* The names of files are their numbers. */
#define FILES 32
static char names[FILES][3];
static char *files[FILES];

/* Make a file for each letter, which says whether the file has a text, a recording, or the
 * beginning of one, or does not exist. */
static void make(const char *which)
{
	static const char *const texts[] = {
		"main;f 5\nmain;g 3\n",		 "main;g 2\nother;f 1\nmain 4\n",
		"main;f 18446744073709551600\n", "this is not a profile\n",
		"events: Ir\nfn=f\n16 20\n",	 "events: samples\nfn=f\n16 20\n",
		"events: a b\nfn=g\n16 20 30\n",
	};

	enter_new_directory();
	for (size_t i = 0; which[i]; i++) {
		cr_assert_lt(i, FILES);
		snprintf(names[i], sizeof(names[i]), "%zu", i);
		files[i] = names[i];
		if (which[i] == 'r' || which[i] == 'k')
			put_recording(files[i], i, which[i] == 'r');
		else if (which[i] == '-')
			unlink(files[i]);
		else
			put(files[i], texts[which[i] - '0']);
	}
}

/* Read the files as one profile with different numbers of threads. Its weight, or the error, is as
 * wanted. */
static void reads(const char *which, const char *want)
{
	struct selection all = {0};
	struct error err = {0};
	struct profile *p;
	char got[64];

	make(which);
	p = read_part(&all, PROFILE_BY_NOTHING, files, strlen(which), &err);
	if (p)
		snprintf(got, sizeof(got), "%llu", (unsigned long long)p->weight);
	cr_assert_str_eq(p ? got : err.text, want, "%s: %s", which, p ? got : err.text);
	profile_free(p);
}

Test(load, one_profile)
{
	reads("0", "8");
	reads("0101010", "53");
	reads("01010100101010010101001010100101", "242");
	reads("1000000", "55");
	reads("44", "40");
	reads("666", "60");
	reads("rkrr", "0");
	reads("kk00kk0", "24");
}

/* The error is that of the first file in their order, whichever thread was the first to find
 * one. */
Test(load, errors)
{
	reads("001-300", "3: No such file or directory");
	reads("00-1300", "2: No such file or directory");
	reads("0002021", "3: overflow: the sum of weights does not fit 64 bits at byte 0");
	reads("210", "18446744073709551615");
	reads("2101000", "3: overflow: the sum of weights does not fit 64 bits at byte 0");
	reads("01010100101010010101001010-03201", "26: No such file or directory");
	reads("00400", "2: it has calls without stacks, but 0 has stacks: convert them separately");
	reads("5500", "2: it has stacks, but 0 has calls without stacks: convert them separately");
	reads("kk0r00",
	      "3: it counts \"signals\" in \"ns\", but 2 \"samples\" in \"samples\": choose "
	      "one with --resource");
}

static size_t read_all(size_t n, uint64_t jobs, struct profile ***list)
{
	const struct sources from = {.files = files, .n = n};
	const struct options opt = {.jobs = jobs};
	struct load_result result;
	struct error err;

	cr_assert_eq(load_profiles(&from, &opt, LOAD_BY_RESOURCE, &result, &err), 0, "%s",
		     err.text);
	selection_match_free(&result.match);
	*list = result.list;
	return result.n;
}

/* Read each resource into a profile of its own. There are as many as wanted. */
static void reads_each(const char *which, size_t want)
{
	struct profile **alone, **together;
	size_t n;

	make(which);
	n = read_all(strlen(which), 1, &alone);
	cr_assert_eq(n, want, "%s: %zu", which, n);
	cr_assert_eq(read_all(strlen(which), 2, &together), n);
	for (size_t i = 0; i < n; i++) {
		same_profiles(alone[i], together[i]);
		profile_free(alone[i]);
		profile_free(together[i]);
	}
	free(alone);
	free(together);
}

Test(load, by_resource)
{
	reads_each("0r01r", 2);
	reads_each("64r0664", 5);
	reads_each("krk0kr0", 3);
	reads_each("0krk0kr", 2);
	reads_each("0rk0krk0krk0rkkr0k0krkrkr0rk0k", 2); /* each thread takes three */
}
