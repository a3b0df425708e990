/* SPDX-License-Identifier: MIT */
/*
 * test_rate.c - the heading says what a sample stands for, and what was asked for if that differs.
 *
 * Seen to fail: with the tolerance in one direction only; with what was not sampled in the sum; if waits are divided by
 * their number; and 1 was "1 switche".
 */
#include "out_text.h"
#include "write/rate.h"
#include "write/weight.h"

static struct profile_process processes[2];

static struct profile profile_of_unit(const char *unit, const char *resource, uint64_t weight,
				      uint64_t hits)
{
	struct profile p = {.strings = strings_new(), .weight = weight, .hits = hits};

	p.unit = strings_add(p.strings, unit, strlen(unit));
	p.resource = strings_add(p.strings, resource, strlen(resource));
	p.processes = processes;
	p.n_processes = 1;
	processes[0] = (struct profile_process){.weight = weight, .samples = hits};
	processes[1] = processes[0];
	return p;
}

static void says(struct profile *p, const char *want)
{
	struct out *o = open_text();
	struct error err;
	char *text;

	rate_write(o, p, false);
	out_text(o, "\n");
	rate_write(o, p, true);
	out_text(o, "\n");
	if (p->processes[0].interval)
		rate_write_process(o, p, &p->processes[0]);
	cr_assert_eq(out_close(o, true, &err), 0);
	text = text_of_file("text");
	cr_assert_str_eq(text, want);
	free(text);
	strings_free(p->strings);
}

static void says_of_time(uint64_t interval, uint64_t weight, uint64_t hits, const char *want)
{
	struct profile p = profile_of_unit("ns", "cpu", weight, hits);

	processes[0].interval = interval;
	says(&p, want);
}

Test(rate, what_was_asked_for_is_said_if_it_was_not_had)
{
	says_of_time(1000000, 3993000 * 7, 7,
		     ", one per 3.993 ms CPU (asked for: 1 ms)\n"
		     ", one per 3.993 ms (asked for: 1 ms)\n3.993 ms (asked for: 1 ms)");
	says_of_time(1000000, 899999, 1,
		     ", one per 899.999 us CPU (asked for: 1 ms)\n"
		     ", one per 899.999 us (asked for: 1 ms)\n899.999 us (asked for: 1 ms)");
	says_of_time(1000000, 900000, 1,
		     ", one per 900.000 us CPU\n, one per 900.000 us\n900.000 us");
	says_of_time(1000000, 1100000 * 3, 3,
		     ", one per 1.100 ms CPU\n, one per 1.100 ms\n1.100 ms");
	says_of_time(1000000, 1100001, 1,
		     ", one per 1.100 ms CPU (asked for: 1 ms)\n"
		     ", one per 1.100 ms (asked for: 1 ms)\n1.100 ms (asked for: 1 ms)");
}

/* Of a long wait there is one sample with the weight of many intervals. */
Test(rate, of_waits)
{
	struct profile p = profile_of_unit("ns", "lock", 30000000, 2);

	processes[0].interval = 1000000;
	says(&p, ", at most one of each wait\n, at most one of each wait\n1 ms");
}

Test(rate, without_samples_or_an_interval)
{
	says_of_time(1000000, 0, 0, ", asked for: one per 1 ms\n, asked for: one per 1 ms\n1 ms");
	says_of_time(0, 5000, 2, "\n\n");
}

Test(rate, of_other_resources)
{
	struct profile p = profile_of_unit("events", "page-faults", 5, 5);

	processes[0].interval = 1;
	says(&p, ", one per 1 gtick\n, one per 1 gtick\n1 gtick");
	p = profile_of_unit("events", "page-faults", 50, 4);
	processes[0].interval = 10;
	says(&p, ", one per 12.5 events (asked for: 10 events)\n"
		 ", one per 12.5 events (asked for: 10 events)\n"
		 "12.5 events (asked for: 10 events)");
	p = profile_of_unit("ns", "wall", 5000, 5);
	processes[0].interval = 1000;
	says(&p, ", one per 1.000 us\n, one per 1.000 us\n1.000 us");
}

Test(rate, different_intervals)
{
	struct profile p = profile_of_unit("ns", "cpu", 6000000, 3);

	processes[0].interval = 2000000;
	processes[1].interval = 1000000;
	p.n_processes = 2;
	says(&p, ", one per 2.000 ms CPU (asked for: different intervals)\n"
		 ", one per 2.000 ms (asked for: different intervals)\n2.000 ms");
}

/* What no tick has seen belongs to no sample. */
Test(rate, not_sampled)
{
	static struct profile_frame frames[] = {
		{.module = PROFILE_NO_MODULE, .name = STRINGS_NONE, .address = 16},
		{.module = PROFILE_NO_MODULE,
		 .name = STRINGS_NONE,
		 .address = CPS_NOT_SAMPLED_ADDRESS},
	};
	static struct profile_node nodes[] = {
		{0}, {.frame = 0, .self_weight = 4000000}, {.frame = 1, .self_weight = 3000000}};
	struct profile p = profile_of_unit("ns", "cpu", 7000000, 2);

	processes[0].interval = 1000000;
	processes[0].weight_by_mark[CPS_MARK_NOT_SAMPLED] = 3000000;
	p.frames = frames;
	p.n_frames = 2;
	p.nodes = nodes;
	p.n_nodes = 3;
	says(&p, ", one per 2.000 ms CPU (asked for: 1 ms)\n"
		 ", one per 2.000 ms (asked for: 1 ms)\n2.000 ms (asked for: 1 ms)");
}

Test(rate, one_of_a_unit)
{
	const char *units[] = {"switches", "misses", "calls", "cycles", "faults"};
	const char *ones[] = {"1 switch", "1 miss", "1 call", "1 cycle", "1 fault"};
	char text[WEIGHT_BYTES];

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		cr_expect_str_eq(weight_with_unit(text, units[i], 1), ones[i]);
	cr_expect_str_eq(weight_with_unit(text, "switches", 2), "2 switches");
}
