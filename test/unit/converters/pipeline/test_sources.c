/* SPDX-License-Identifier: MIT */
/* test_sources.c - the files that are read are those named, each once, or the newest process
 * tree. */
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "libsampler/format.h"
#include "out_text.h"
#include "pipeline/sources.h"
#include "stream_writer.h"

static void touch(const char *name, time_t seconds)
{
	struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};

	cr_assert_eq(utimensat(AT_FDCWD, name, times, 0), 0);
}

static uint64_t pid = 77;

/* Make a recording of that tree which began at start_ns and was last written to at `seconds`. */
static void make(const char *name, const char *host, uint64_t tree_pid, uint64_t tree_start,
		 uint64_t start_ns, time_t seconds)
{
	struct bytes records = {0}, payload = {0}, file = {0};

	bytes_process(&payload, pid, 1000, 0);
	bytes_field_text(&payload, CPS_PROCESS_HOST, host);
	bytes_field(&payload, CPS_PROCESS_START_NS, start_ns);
	if (tree_pid)
		bytes_field(&payload, CPS_PROCESS_TREE_PID, tree_pid);
	bytes_field(&payload, CPS_PROCESS_TREE_START, tree_start);
	bytes_record(&records, CPS_TAG_PROCESS, payload.at, payload.n);
	writer_stream(&file, &records, 1000, false);
	writer_file(name, file.at, file.n);
	touch(name, seconds);
	bytes_free(&records), bytes_free(&payload), bytes_free(&file);
}

static void put(const char *name, const char *text, time_t seconds)
{
	writer_file(name, text, strlen(text));
	touch(name, seconds);
}

/* The wanted text has the names of the files with spaces between, then those given again in
 * brackets, and what is said of copies in braces. */
static void finds(const char *names, const char *want)
{
	char *list[8], copy[256], got[512] = "", *rest;
	struct sources s;
	struct error err;
	size_t n = 0;

	snprintf(copy, sizeof(copy), "%s", names);
	for (char *w = strtok_r(copy, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
		list[n++] = w;
	cr_assert_eq(sources_find(&s, list, n, NULL, &err), 0, "%s", err.text);
	for (size_t i = 0; i < s.n; i++)
		strcat(strcat(got, i ? " " : ""), s.files[i]);
	for (size_t i = 0; i < s.n_again; i++)
		strcat(strcat(strcat(got, " ["), s.again[i]), "]");
	for (size_t i = 0; i < s.n_same; i++)
		strcat(strcat(strcat(got, " {"), s.same[i]), "}");
	if (s.newest)
		strcat(strcat(got, " newest "), s.newest);
	cr_assert_str_eq(got, want);
	sources_free(&s);
}

Test(sources, named_files_once_each)
{
	enter_new_directory();
	put("a", "x 1\n", 1);
	put("b", "x 1\n", 1);
	cr_assert_eq(link("a", "c"), 0);
	cr_assert_eq(symlink("b", "d"), 0);
	finds("b a", "b a");
	finds("b a ./b", "b a [./b]");
	finds("c b a d b", "c b [a] [d] [b]");
	finds("- a -", "- a [-]");
	finds("/dev/null /dev/null", "/dev/null /dev/null");
}

/* What is not there is an error, which says what is. */
Test(sources, missing_files)
{
	struct sources s;
	struct error err;
	char *none[] = {(char[]){"x.cps"}}, *view[] = {(char[]){"tree"}};

	enter_new_directory();
	cr_assert_eq(sources_find(&s, none, 1, NULL, &err), -1);
	cr_assert_str_eq(err.text, "x.cps: No such file or directory");
	for (char name[] = "a.cps"; *name < 'e'; ++*name)
		put(name, "x 1\n", 1);
	cr_assert_eq(sources_find(&s, none, 1, NULL, &err), -1);
	cr_assert_str_eq(err.text, "x.cps: No such file or directory; recordings there: a.cps, "
				   "b.cps, c.cps, ...");
	cr_assert_eq(sources_find(&s, view, 1, NULL, &err), -1);
	cr_assert_str_eq(err.text, "tree: No such file or directory; the view is --tree");
}

Test(sources, directories)
{
	enter_new_directory();
	cr_assert_eq(mkdir("runs", 0700), 0);
	cr_assert_eq(mkdir("runs/below.cps", 0700), 0);
	put("a", "x 1\n", 1);
	put("runs/b.cps", "x 1\n", 1);
	put("runs/a.cps", "x 1\n", 1);
	put("runs/a.cps.journal", "x 1\n", 1);
	put("runs/c.txt", "x 1\n", 1);
	finds("a runs", "a runs/a.cps runs/b.cps");
	finds("runs/// runs/b.cps a", "runs/a.cps runs/b.cps a [runs/b.cps]");
}

/* A directory of cpsample --against. Seen to fail: "no *.cps file in this directory". */
Test(sources, runs_of_two_programs)
{
	char *runs[] = {(char[]){"runs/"}};
	struct sources s;
	struct error err;

	enter_new_directory();
	cr_assert(!mkdir("runs", 0700) && !mkdir("runs/before", 0700) &&
		  !mkdir("runs/after", 0700));
	put("runs/before/1.cps", "x 1\n", 1);
	cr_assert_eq(sources_find(&s, runs, 1, NULL, &err), -1);
	cr_assert(strstr(err.text, "runs/: no *.cps file in this directory"), "%s", err.text);
	put("runs/after/1.cps", "x 1\n", 1);
	cr_assert_eq(sources_find(&s, runs, 1, NULL, &err), -1);
	cr_assert_str_eq(err.text, "runs/: has the runs of cpsample --against: cpconv --base "
				   "runs/before runs/after");
}

Test(sources, lists)
{
	static const char nuls[] = "b\0a\nb\0runs\0\0";
	struct sources s;
	struct error err;

	enter_new_directory();
	put("list", "b\n\nruns/\na", 1);
	put("first", "x 1\n", 1);
	put("a\nb", "x 1\n", 1);
	put("a", "x 1\n", 1);
	put("b", "x 1\n", 1);
	cr_assert_eq(mkdir("runs", 0700), 0);
	cr_assert_eq(sources_find(&s, NULL, 0, "list", &err), -1);
	cr_assert_str_eq(
		err.text,
		"runs/: no *.cps file in this directory (a program that used less than a tick "
		"leaves none)");
	sources_free(&s);
	put("runs/c.cps", "", 1);
	cr_assert_eq(sources_find(&s, (char *[]){(char[]){"first"}}, 1, "list", &err), 0);
	cr_assert_eq(s.n, 4);
	cr_assert_str_eq(s.files[0], "first");
	cr_assert_str_eq(s.files[2], "runs/c.cps");
	cr_assert_str_eq(s.files[3], "a");
	sources_free(&s);
	writer_file("list", nuls, sizeof(nuls) - 1);
	cr_assert_eq(sources_find(&s, NULL, 0, "list", &err), 0);
	cr_assert_eq(s.n, 3);
	cr_assert_str_eq(s.files[1], "a\nb");
	sources_free(&s);
	cr_assert_eq(sources_find(&s, NULL, 0, "none", &err), -1);
	cr_assert_str_eq(err.text, "none: No such file or directory");
}

Test(sources, the_newest_tree)
{
	enter_new_directory();
	make("z.cps", "h", 100, 5, 10, 1000);
	finds("", "z.cps newest z.cps");
	make("b.cps", "h", 100, 5, 30, 900);
	pid++;
	make("c.cps", "h", 100, 5, 30, 800);
	make("a.cps", "h", 100, 5, 20, 100);
	make("other_host.cps", "i", 100, 5, 20, 100);
	make("no_host.cps", "", 100, 5, 20, 100);
	make("other_pid.cps", "h", 101, 5, 20, 100);
	make("other_start.cps", "h", 100, 6, 20, 100);
	make("no_tree.cps", "h", 0, 5, 20, 100);
	finds("", "z.cps a.cps b.cps c.cps newest z.cps");
	make("last.cps", "h", 100, 5, 15, 1001);
	finds("", "z.cps last.cps a.cps b.cps c.cps newest last.cps");
	make("alone.cps", "h", 0, 0, 15, 1002);
	finds("", "alone.cps newest alone.cps");
}

static void copy(const char *from, const char *to, long bytes, time_t seconds)
{
	char all[1000];
	FILE *f = fopen(from, "r");
	size_t n = fread(all, 1, sizeof(all), f);

	fclose(f);
	writer_file(to, all, bytes < 0 ? n + (size_t)bytes : n);
	touch(to, seconds);
}

/* Of copies the longest is read, by whatever names they are given. Another process, another time of it, and another host make
 * another recording; profiles that do not say whose they are are never copies. Seen to fail: all were added up. */
Test(sources, copies)
{
	enter_new_directory();
	make("a.cps", "h", 100, 5, 10, 1000);
	copy("a.cps", "b.cps", 0, 1100);
	copy("a.cps", "cut.cps", -3, 1200);
	finds("a.cps b.cps", "a.cps {b.cps: warning: the same recording as a.cps}");
	finds("b.cps a.cps", "b.cps {a.cps: warning: the same recording as b.cps}");
	finds("cut.cps a.cps",
	      "a.cps {cut.cps: warning: the same recording as a.cps, which is longer}");
	finds("", "a.cps {b.cps: warning: the same recording as a.cps} {cut.cps: warning: the same "
		  "recording as a.cps, which is longer} newest a.cps");
	make("time.cps", "h", 100, 5, 11, 1000);
	make("host.cps", "i", 100, 5, 10, 1000);
	pid++;
	make("pid.cps", "h", 100, 5, 10, 1000);
	make("none1.cps", "h", 100, 5, 0, 1000);
	make("none2.cps", "h", 100, 5, 0, 1000);
	put("x", "main;f 5\n", 100);
	put("y", "main;f 5\n", 100);
	finds("a.cps time.cps host.cps pid.cps none1.cps none2.cps x y",
	      "a.cps time.cps host.cps pid.cps none1.cps none2.cps x y");
}

/* Damaged recordings are left out without a word. But the newest one is not, so that reading it
 * reports the error. */
Test(sources, damaged_ones)
{
	enter_new_directory();
	make("z.cps", "h", 100, 5, 10, 1000);
	make("a.cps", "h", 100, 5, 20, 900);
	put("text.cps", "main;f 5\n", 100);
	put("empty.cps", "", 100);
	put("head.cps", "CPSAMP", 100);
	put("zlib.cps", "CPSAMPLE\001zzzzzzzz", 100);
	put("version.cps", "CPSAMPLE\004zzzzzzzz", 100);
	cr_assert_eq(mkfifo("pipe.cps", 0600), 0);
	cr_assert_eq(symlink("nowhere", "link.cps"), 0);
	finds("", "z.cps a.cps newest z.cps");
	put("broken.cps", "CPSAMPLE\001zzzzzzzz", 2000);
	finds("", "broken.cps newest broken.cps");
}
