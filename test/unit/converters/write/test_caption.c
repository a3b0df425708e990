/* SPDX-License-Identifier: MIT */
/* test_caption.c - the lines above a table. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "out_text.h"
#include "terminal_text.h"
#include "write/caption.h"
#include "write/sheet.h"

static uint32_t add(struct profile *p, const char *text)
{
	return strings_add(p->strings, text, strlen(text));
}

/* Two processes, the first with these two arguments, the second with a file alone. */
static void make(struct profile *p, const char *first, const char *second)
{
	static struct profile_process processes[2];
	static uint32_t args[2];

	*p = (struct profile){.strings = strings_new(), .processes = processes, .n_processes = 2};
	p->resource = p->unit = add(p, "things");
	p->hits = p->weight = 1;
	args[0] = add(p, first);
	args[1] = add(p, second);
	processes[0] = (struct profile_process){.pid = 1234, .args = args, .n_args = 2};
	processes[1] = (struct profile_process){.exe = STRINGS_NONE};
	processes[1].file = add(p, "a/long/way/to/the/recording.cps");
}

static void caption(struct out *o, const struct profile *p)
{
	const struct view_input in = {.profile = p};
	struct error err;

	caption_write(o, "T", &in);
	cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
}

/* Seen to fail: \x0a instead of the space. */
Test(caption, whole_in_a_file)
{
	struct profile p;
	struct error err;
	char *text;

	enter_new_directory();
	make(&p, "program", "an argument\nof two lines");
	caption(out_open("x", &err), &p);
	text = text_of_file("x");
	cr_assert_str_eq(text, "T for resource: Things\n1 sample, none lost\n"
			       "process 1234: program \"an argument of two lines\"\n"
			       "file: a/long/way/to/the/recording.cps\n");
	free(text);
	strings_free(p.strings);
}

static const char *const many[] = {"cpu",  "alloc", "alloc-live", "faults", "major-faults",
				   "read", "write", "lock",	  "real"};

/* Nine resources side by side: the lines are not longer than 80 columns, and who has nothing says why. Seen to
 * fail: longer ones, and "0 B credited of 0 B counted". */
Test(caption, of_columns)
{
	struct profile_column columns[9] = {0};
	struct profile_resource resources[2] = {0};
	struct profile p;
	struct error err;
	char *text;

	enter_new_directory();
	make(&p, "program", "");
	for (size_t i = 0; i < 9; i++)
		columns[i] = (struct profile_column){.resource = add(&p, many[i]),
						     .unit = add(&p, "bytes"),
						     .has_counted = true};
	columns[0] = (struct profile_column){.resource = add(&p, "cpu"),
					     .unit = add(&p, "ns"),
					     .weight = 330480000,
					     .hits = 69,
					     .counted = 435287000,
					     .has_counted = true};
	resources[0] = (struct profile_resource){
		.name = add(&p, "alloc"), .why = STRINGS_NONE, .has_counted = true};
	resources[1] = (struct profile_resource){
		.name = add(&p, "read"), .why = add(&p, "refused"), .has_counted = true};
	p.columns = columns;
	p.n_columns = 9;
	p.processes[0].resources = resources;
	p.processes[0].n_resources = 2;
	p.processes[0].own_ns = 104822000;
	caption(out_open("x", &err), &p);
	text = text_of_file("x");
	cr_assert(strstr(text,
			 "T for resources: CPU Time, Alloc, Alloc Live, Faults, Major Faults, "
			 "Read,\n  Write, Lock, Real\n"
			 "cpu: 330.480 ms credited of 435.287 ms counted, 104.822 ms for "
			 "recording,\n  69 samples\n"
			 "alloc: did not happen\n"
			 "alloc-live: 0 B credited of 0 B counted, 0 samples\n"),
		  "%s", text);
	cr_assert(strstr(text, "read: was not seen: refused\n"), "%s", text);
	free(text);
	strings_free(p.strings);
}

/* What a heading says of ten samples of 5 ms, one of 89 ms if the tick was late, and of memory that is live. */
static char *of_few(const char *resource, const char *unit, uint64_t each, uint64_t heaviest,
		    uint64_t n)
{
	struct profile p;
	struct error err;
	char *text;

	make(&p, "program", "");
	p.resource = add(&p, resource);
	p.unit = add(&p, unit);
	p.hits = n;
	p.weight = each * (n - 1) + heaviest;
	p.heaviest = heaviest;
	p.total_squares =
		(unsigned __int128)each * each * (n - 1) + (unsigned __int128)heaviest * heaviest;
	caption(out_open("x", &err), &p);
	text = text_of_file("x");
	strings_free(p.strings);
	return text;
}

/* n samples of one weight know a half to 1.96 * sqrt(0.25 / n). Seen to fail: nothing said that a figure had ten samples, or that
 * one of them was twelve ticks long. */
Test(caption, how_exact_it_is)
{
	char *text;

	enter_new_directory();
	text = of_few("cpu", "ns", 5000000, 5000000, 100);
	cr_assert(strstr(text, "\nfew samples: what has 50 % has it +- 9.8 % (95 %)\n"), "%s",
		  text);
	cr_assert(!strstr(text, "tick"), "%s", text);
	free(text);
	/* 84 ms are more than a fifth of what is shown, and all of it is as exact as 4.0 samples of the same weight. */
	text = of_few("cpu", "ns", 5000000, 89000000, 20);
	cr_assert(strstr(text,
			 "\none sample is of 89.000 ms, 9.7 times the mean: its tick came late\n"
			 "few samples: what has 50 % has it +- 49 % (95 %)\n"),
		  "%s", text);
	free(text);
	text = of_few("cpu", "ns", 5000000, 5000000, 400);
	cr_assert(!strstr(text, "few samples"), "%s", text);
	free(text);
	/* Seen to fail: +- 57 % of the total on a half of it. */
	text = of_few("cpu", "ns", 5000000, 5000000, 3);
	cr_assert(strstr(text, "\ntoo few samples for shares\n"), "%s", text);
	free(text);
	text = of_few("alloc-live", "bytes", 524288, 524288, 16);
	cr_assert(strstr(text, "\n8.389 MB credited, +- 4.110 MB (95 %)\n"), "%s", text);
	free(text);
}

/* xargs makes command lines of 64 KiB and more. */
Test(caption, a_command_line_is_cut_between_characters)
{
	char argument[2001], *text, *line;
	struct profile p;
	struct error err;

	enter_new_directory();
	for (int i = 0; i < 2000; i += 2) /* U+00E4 */
		memcpy(argument + i, "\xc3\xa4", 3);
	for (int shift = 0; shift < 2; shift++) {
		make(&p, shift ? "programs" : "program", argument);
		caption(out_open("x", &err), &p);
		text = text_of_file("x");
		line = strstr(text, "process 1234: program");
		cr_assert_not_null(line);
		*strchr(line, '\n') = '\0';
		cr_assert_lt(strlen(line), 430);
		cr_assert_str_eq(line + strlen(line) - 6, "\xc3\xa4 ...");
		free(text);
		strings_free(p.strings);
	}
}

/* A heading with what users have typed, on a terminal. Seen to fail: with the threads in one line. */
Test(caption, long_lines_go_on)
{
	struct sheet sheet = {0};
	struct terminal terminal;
	struct profile p;
	struct out *o = terminal_open(&terminal, 40);
	char *text;

	make(&p, "program", "");
	p.threads = (char[]){"worker, reader, a_thread_of_a_long_name_that_no_line_holds"};
	sheet_begin(&sheet, o, 40);
	caption_write(o, "T", &(struct view_input){.profile = &p});
	sheet_end(&sheet, o);
	text = terminal_close(&terminal, o);
	cr_assert(strstr(text, "only threads: worker, reader,\n"
			       "  a_thread_of_a_long_name_that_no_line_h\n  olds\n"),
		  "%s", text);
	free(text);
	strings_free(p.strings);
}

Test(caption, cut_at_the_edge_of_a_terminal)
{
	struct winsize size = {.ws_row = 24, .ws_col = 30};
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), other;
	char text[512] = "";
	struct termios raw;
	struct profile p;
	struct error err;

	cr_assert(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
	other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	cr_assert_eq(tcgetattr(other, &raw), 0);
	cfmakeraw(&raw);
	cr_assert_eq(tcsetattr(other, TCSANOW, &raw), 0);
	cr_assert_eq(ioctl(other, TIOCSWINSZ, &size), 0);
	make(&p, "program", "an argument\nof two lines");
	caption(out_open(ptsname(terminal), &err), &p);
	cr_assert(read(terminal, text, sizeof(text) - 1) > 0);
	cr_assert_str_eq(text, "T for resource: Things\n1 sample, none lost\n"
			       "process 1234: program \"an ar..\n"
			       "file: a/long/way/to/the/reco..\n");
	close(other);
	close(terminal);
	strings_free(p.strings);
}

/* What is lost is said, also where nothing is left. Seen to fail: 0 samples alone. */
Test(caption, lost_without_samples)
{
	struct profile p;
	struct error err;
	char *text;

	enter_new_directory();
	make(&p, "program", "argument");
	p.hits = p.weight = 0;
	p.processes[0].losses[CPS_LOSS_DAMAGED] = 7;
	caption(out_open("x", &err), &p);
	text = text_of_file("x");
	cr_assert(strstr(text, "0 samples, 7 lost\n"), "%s", text);
	p.processes[0].losses[CPS_LOSS_DAMAGED] = 0;
	caption(out_open("x", &err), &p);
	free(text);
	text = text_of_file("x");
	cr_assert(strstr(text, "0 samples\n"), "%s", text);
	free(text);
	strings_free(p.strings);
}

/* The heading of a profile of that resource, whose process has the states of real that follow: names and ms. */
static char *of_states(const char *resource, const char *states, uint64_t running, uint64_t stalled)
{
	static const char *const names[] = {"running", "stalled", "lock"};
	const uint64_t ms[] = {running, stalled, 100};
	struct profile_state list[3];
	struct profile_resource resources[2] = {0};
	struct profile p;
	struct error err;
	char *text;

	make(&p, "program", "");
	p.resource = add(&p, resource);
	p.unit = add(&p, "ns");
	p.states = states;
	for (size_t i = 0; i < 3; i++)
		list[i] = (struct profile_state){add(&p, names[i]), ms[i] * 1000000};
	resources[0].name = add(&p, "real");
	resources[0].states = list;
	resources[0].n_states = 3;
	resources[1].name = add(&p, "lock");
	p.processes[0].resources = resources;
	p.processes[0].n_resources = 2;
	p.processes[0].ready_ns = running;
	caption(out_open("x", &err), &p);
	text = text_of_file("x");
	p.processes[0].resources = NULL;
	p.processes[0].n_resources = 0;
	p.processes[0].ready_ns = 0;
	strings_free(p.strings);
	return text;
}

/* Seen to fail: nothing was said of what `stalled` is. */
Test(caption, much_that_is_stalled)
{
	static const char line[] =
		"\nstalled is a wait for pages (-r major-faults), in a call of under 25 us or\n"
		"without a wrapper, or for the host of a virtual machine",
			  more[] = "or for a processor,";
	char *text;

	enter_new_directory();
	text = of_states("real", NULL, 800, 99);
	cr_assert(!strstr(text, "stalled"), "%s", text);
	free(text);
	text = of_states("cpu", NULL, 800, 101);
	cr_assert(strstr(text, line) && !strstr(text, more), "%s", text);
	free(text);
	text = of_states("real", "stalled", 0, 101);
	cr_assert(strstr(text, line) && strstr(text, more), "%s", text);
	free(text);
}

/* What threads wait for locks has three figures. Seen to fail: nothing said which has what. */
Test(caption, three_figures_of_locks)
{
	static const char
		blame[] = "\nblame lasts until the lock is given back; lock, until the "
			  "waiter runs again\n",
		real[] = "\nlock is without being ready for a processor; --resource lock has "
			 "all of a wait\n",
		who[] = "\nwho held the lock: --blame\n";
	static const struct {
		const char *resource, *states, *line;
	} all[] = {
		{"lock", NULL, who},	{"lock-blame", NULL, blame}, {"real", "wait, lock", real},
		{"real", "lock", real}, {"real", "locks", NULL},     {"real", NULL, NULL},
	};

	enter_new_directory();
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		char *text = of_states(all[i].resource, all[i].states, 800, 1);

		cr_expect_eq(!strstr(text, blame), all[i].line != blame, "%s", text);
		cr_expect_eq(!strstr(text, real), all[i].line != real, "%s", text);
		cr_expect_eq(!strstr(text, who), all[i].line != who, "%s", text);
		free(text);
	}
}

/* Seen to fail: 147 ms credited of 145 ms counted, without a word. */
Test(caption, more_than_was_counted)
{
	static const char line[] =
		"\ncredited by what samples have met, so it may be above what was "
		"counted\n";
	struct profile_resource resource = {.has_counted = true, .counted = 145};
	struct profile_column column = {.has_counted = true, .weight = 147, .hits = 1};
	struct profile p;
	struct error err;
	char *text;

	enter_new_directory();
	make(&p, "program", "");
	p.resource = column.resource = resource.name = add(&p, "lock-blame");
	p.unit = column.unit = add(&p, "ns");
	p.processes[0].resources = p.processes[1].resources = &resource;
	p.processes[0].n_resources = 1;
	p.n_processes = 1;
	for (unsigned i = 0; i < 4; i++) {
		p.columns = &column;
		p.n_columns = i / 2;
		p.weight = column.weight = i % 2 ? 147 : 145;
		column.counted = 145;
		caption(out_open("x", &err), &p);
		text = text_of_file("x");
		cr_expect(strstr(text, "145 ns counted"), "%s", text);
		cr_expect_eq(!strstr(text, line), i % 2 == 0, "%s", text);
		free(text);
	}
	p.processes[0].resources = p.processes[1].resources = NULL;
	p.processes[0].n_resources = 0;
	strings_free(p.strings);
}

/* ---- the run --------------------------------------------------------------------------------- */

#define SECOND UINT64_C(1000000000)

/* A process that began so many seconds into the run, and how long it lasted. */
static struct profile_process ran(uint32_t exe, double start, double lasted, double cpu)
{
	return (struct profile_process){
		.exe = exe,
		.started_as = STRINGS_NONE,
		.launched = STRINGS_NONE,
		.host = STRINGS_NONE,
		.start_ns = 1000 * SECOND + (uint64_t)(start * 1e9),
		.ended = true,
		.end_us = (uint64_t)(lasted * 1e6),
		.cpu_ns = (uint64_t)(cpu * 1e9),
		.n_threads = 1,
	};
}

static void run_is(const struct profile *p, const char *want)
{
	struct run_times r;
	struct error err;
	struct out *o = open_text();

	caption_run(o, p, &r);
	cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
	char *text = text_of_file("text");
	cr_assert_str_eq(text, want);
	free(text);
}

/* A twentieth is worth a line. A process without an end does not say what recording took. Seen to fail: no
 * line. */
Test(caption, what_recording_took)
{
	struct profile_process list[2] = {{.exe = STRINGS_NONE}, {.exe = STRINGS_NONE}};
	struct profile p;
	struct error err;
	char *text;

	enter_new_directory();
	make(&p, "program", "");
	for (size_t i = 0; i < 2; i++)
		list[i].file = p.processes[1].file;
	p.processes = list;
	list[0].ended = true;
	list[0].cpu_ns = SECOND;
	list[1].cpu_ns = SECOND;
	list[0].own_ns = SECOND / 20 - 1;
	caption(out_open("x", &err), &p);
	text = text_of_file("x");
	cr_assert(!strstr(text, "recording itself"), "%s", text);
	free(text);
	list[0].own_ns = SECOND / 20;
	caption(out_open("x", &err), &p);
	text = text_of_file("x");
	cr_assert(strstr(text, "\nrecording itself took 50.000 ms, 5 % of the CPU time; no row has "
			       "it\n"),
		  "%s", text);
	free(text);
	list[0].own_ns = SECOND / 16;
	p.to_ns = 1;
	caption(out_open("x", &err), &p);
	text = text_of_file("x");
	cr_assert(strstr(text, "\nrecording itself took 6.25 % of the whole run's CPU time; no row "
			       "has it\n"),
		  "%s", text);
	free(text);
	strings_free(p.strings);
}

/* Seen to fail: with the recorder's own time among the CPU time; with the process's end before its start;
 * when "the rest was waiting" that was ready, or was recording. */
Test(caption, work_and_waiting)
{
	struct profile p = {.strings = strings_new(), .n_processes = 1};
	uint32_t exe = add(&p, "/bin/x");
	struct profile_process list[3];

	p.processes = list;
	p.resource = add(&p, "cpu");
	p.unit = add(&p, "ns");
	list[0] = ran(exe, 0, 2.89, 0.5);
	list[0].own_ns = SECOND / 50;
	run_is(&p, "0.48 s CPU of 2.89 s elapsed (17 %): the rest was waiting\n");
	list[0].ready_ns = 2 * (uint64_t)SECOND;
	run_is(&p, "0.48 s CPU of 2.89 s elapsed (17 %): the rest was waiting\n"
		   "waited 2.000 s for a processor\n");
	list[0].ready_ns = SECOND * 24 / 10;
	run_is(&p, "0.48 s CPU of 2.89 s elapsed (17 %); 2.400 s waited for a processor\n");
	list[0].ready_ns = SECOND / 50;
	run_is(&p, "0.48 s CPU of 2.89 s elapsed (17 %): the rest was waiting\n");
	list[0].own_ns = SECOND / 4;
	list[0].cpu_ns = SECOND;
	run_is(&p, "0.75 s CPU of 2.89 s elapsed (26 %): the rest was waiting or recording\n");
	list[0].cpu_ns = SECOND * 28 / 10;
	run_is(&p, "2.55 s CPU of 2.89 s elapsed (88 %)\n");
	list[0] = ran(exe, 0, 0.002, 0.00198);
	run_is(&p, "1.98 ms CPU of 2.00 ms elapsed (99 %)\n");
	list[0] = ran(exe, 0, 2, 6);
	list[0].n_threads = 4;
	run_is(&p, "6.00 s CPU of 2.00 s elapsed (300 %): 3.0 processors busy on average\n");
	list[0].ready_ns = SECOND;
	run_is(&p, "6.00 s CPU of 2.00 s elapsed (300 %): 3.0 processors busy on average\n"
		   "threads waited 1.000 s for a processor\n");
	list[0] = ran(exe, 1, 2, 0.1);
	list[1] = ran(exe, 0, 1, 0.5);
	list[2] = ran(exe, 3.5, 0.5, 0.2);
	p.n_processes = 3;
	run_is(&p, "0.80 s CPU of 4.00 s elapsed (20 % of one processor)\n");
	list[2].tree_pid = 7;
	run_is(&p, "0.80 s CPU of 3.50 s elapsed (23 % of one processor), in 2 runs\n");
	list[1].start_ns = 0;
	run_is(&p, "");
	strings_free(p.strings);
}

/* A handler's few are not worth a line. Seen to fail: without the line, and with one for each that is missed. */
Test(caption, calls_that_are_missing)
{
	struct profile p = {.strings = strings_new(), .n_processes = 1};
	struct profile_process process = ran(add(&p, "/bin/x"), 0, 2, 1);
	const struct tree calls = {0};
	const struct view_input in = {.profile = &p, .calls = &calls};

	p.processes = &process;
	p.resource = add(&p, "cpu");
	p.unit = add(&p, "ns");
	process.calls = (struct profile_calls){.calls = 10001, .missed = 10};
	for (int i = 0; i < 2; i++) {
		struct error err;
		struct out *o = open_text();
		char *text;

		caption_calls(o, &in);
		cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
		text = text_of_file("text");
		cr_assert_str_eq(text, !i ? ""
					  : "11 more calls are missing: beyond all limits, or by "
					    "handlers\n");
		free(text);
		process.calls.missed++;
	}
	strings_free(p.strings);
}

/* Of a process that was killed only the time is known in which calls were counted. Seen to fail: when that was waiting. */
Test(caption, killed_while_calls_were_counted)
{
	struct profile p = {.strings = strings_new(), .n_processes = 1};
	struct profile_resource cpu = {.name = add(&p, "cpu"), .credited = SECOND / 2};
	struct profile_process process = ran(add(&p, "/bin/x"), 0, 2, 0);

	p.processes = &process;
	p.resource = cpu.name;
	p.unit = add(&p, "ns");
	process.resources = &cpu;
	process.n_resources = 1;
	process.ended = false;
	process.last_us = process.end_us;
	run_is(&p, "0.50 s CPU of 2.00 s elapsed (25 %): the rest was waiting\n");
	process.calls.hooks_ns = SECOND;
	run_is(&p, "0.50 s CPU of 2.00 s elapsed (25 %): the rest was waiting or recording\n");
	process.calls.hooks_ns = SECOND * 7 / 5;
	run_is(&p, "0.50 s CPU of 2.00 s elapsed (25 %)\n");
	strings_free(p.strings);
}

/* Seen to fail: without the states of the second process; with "running" among them; when who was ready was said twice,
 * and of a process that was killed not at all. */
Test(caption, states_of_waits)
{
	struct profile p = {.strings = strings_new(), .n_processes = 2};
	uint32_t io = add(&p, "io"), running = add(&p, "running"), lock = add(&p, "lock");
	struct profile_state first[] = {
		{running, SECOND}, {io, SECOND / 10}, {lock, SECOND / 1000}};
	struct profile_state second[] = {{io, SECOND / 5}, {lock, SECOND / 4}};
	struct profile_resource resources[] = {
		{.name = add(&p, "real"), .states = first, .n_states = 3},
		{.name = add(&p, "real"), .states = second, .n_states = 2},
	};
	struct profile_process list[2];

	p.processes = list;
	p.resource = add(&p, "cpu");
	p.unit = add(&p, "ns");
	for (size_t i = 0; i < 2; i++) {
		list[i] = ran(add(&p, "/bin/x"), (double)i, 1, 0.5);
		list[i].resources = &resources[i];
		list[i].n_resources = 1;
	}
	run_is(&p, "1.00 s CPU of 2.00 s elapsed (50 % of one processor)\n"
		   "waited 300.000 ms in io, 251.000 ms in lock (--resource real --state io)\n");
	first[1].name = second[1].name = add(&p, "ready");
	run_is(&p, "1.00 s CPU of 2.00 s elapsed (50 % of one processor)\n"
		   "threads waited 350.000 ms for a processor (--resource real --state ready)\n"
		   "waited 200.000 ms in io (--resource real --state io)\n");
	list[0].ready_ns = SECOND / 8; /* exactly */
	run_is(&p, "1.00 s CPU of 2.00 s elapsed (50 % of one processor)\n"
		   "threads waited 375.000 ms for a processor (--resource real --state ready)\n"
		   "waited 200.000 ms in io (--resource real --state io)\n");
	strings_free(p.strings);
}

/* Seen to fail: sorted by name; without the others. */
Test(caption, programs)
{
	enum { N = 325 };
	struct profile p = {.strings = strings_new(), .n_processes = N};
	struct profile_process *list = calloc(N, sizeof(*list));
	char name[32];

	p.processes = list;
	for (int i = 0; i < N; i++) {
		snprintf(name, sizeof(name),
			 i < 258   ? "/lib/cc1"
			 : i < 291 ? "/bin/sh"
				   : "/x/once%d",
			 i);
		list[i] = ran(add(&p, name), i, 1, 1);
	}
	struct out *o = open_text();
	cr_assert(caption_programs(o, &p));
	text_is(o, "325 processes: 258 cc1, 33 sh, 1 once291, 1 once292, 1 once293, 31 others\n");
	list[7].exe = STRINGS_NONE;
	o = open_text();
	cr_assert_not(caption_programs(o, &p));
	text_is(o, "");
	free(list);
	strings_free(p.strings);
}

/* Of several runs of one command it is said once. Seen to fail: "process 7: ./b 5" for each of them. */
Test(caption, runs_of_a_command)
{
	struct profile p = {.strings = strings_new(), .hits = 1, .weight = 1};
	uint32_t exe = add(&p, "/home/me/b"), args[] = {add(&p, "./b"), add(&p, "5")};
	struct profile_process list[3];
	struct out *o = open_text();
	char *text;
	struct error err;

	p.processes = list;
	p.resource = add(&p, "cpu");
	p.unit = add(&p, "ns");
	for (p.n_processes = 0; p.n_processes < 3; p.n_processes++) {
		list[p.n_processes] = ran(exe, (double)p.n_processes, 1, 0.5);
		list[p.n_processes].tree_pid = list[p.n_processes].pid = 7 + p.n_processes;
		list[p.n_processes].args = args;
		list[p.n_processes].n_args = 2;
	}
	caption_profile(o, &p);
	cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
	text = text_of_file("text");
	cr_assert(strstr(text, "\n3 runs of ./b 5\n") && !strstr(text, "process 7"), "%s", text);
	free(text);
	/* Another one of them did something else. */
	list[2].n_args = 1;
	o = open_text();
	caption_profile(o, &p);
	cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
	text = text_of_file("text");
	cr_assert(strstr(text, "\nprocess 7: ./b 5\nprocess 8: ./b 5\nprocess 9: ./b\n"), "%s",
		  text);
	free(text);
	strings_free(p.strings);
}

/* What is the same in all views of a profile is said once. Seen to fail: said twice. */
Test(caption, said_once)
{
	bool is_introduced = false;
	struct view_input in = {.is_introduced = &is_introduced};
	struct profile p;
	struct out *o = open_text();

	make(&p, "program", "argument");
	in.profile = &p;
	caption_write(o, "T", &in);
	caption_write(o, "T", &in);
	text_is(o, "T for resource: Things\n1 sample, none lost\nprocess 1234: program argument\n"
		   "file: a/long/way/to/the/recording.cps\nT for resource: Things\n");
	strings_free(p.strings);
}
