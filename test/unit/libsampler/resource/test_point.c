/* SPDX-License-Identifier: MIT */
/* Point processes: what is credited is what was consumed, and nobody gets more than another for the size of his
 * events (Hall & Goldberg, section 5.1). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "setup/wanted.h"
#include "resource/point.h"
#include "signal/gate.h"
#include "stream/atoms.h"

static struct cps_thread *thread;

/* The counter is the one resource; a thread is entered as the first. */
static uint32_t begin(const char *interval)
{
	struct cps_clock_settings settings = {.jitter = true, .is_seeded = true, .seed = 11};
	struct cps_wanted_resources wanted;
	struct cps_identity identity = {.resource = ""};
	char text[64], choices[400];
	uint32_t number;

	snprintf(text, sizeof(text), "count:%s", interval);
	cr_assert_eq(cps_wanted_read(text, &wanted, &settings, choices, sizeof(choices)), 0);
	cps_clock_start(&cps_clock_none, &settings);
	thread = cps_thread_take();
	cps_thread_enter(thread, 0);
	cps_resource_begin(&wanted, &identity);
	number = cps_resource_counter("bytes");
	cr_assert_neq(number, CPS_ATOMS_NONE);
	cr_assert_eq(cps_resource_counter("bytes"), number, "the same name is the same counter");
	return number;
}

/* Two sites in turn, of which one has large events: each is credited with its own bytes. */
static void two_sites(const char *interval, uint64_t small, uint32_t times, uint64_t large,
		      int rounds)
{
	uint32_t number = begin(interval);
	double weight[2] = {0, 0}, truth[2] = {0, 0}, error, mean = atof(interval);

	for (int round = 0; round < rounds; round++) {
		for (uint32_t i = 0; i < times; i++) {
			weight[0] += (double)cps_point_pass(number, small);
			truth[0] += (double)small;
		}
		weight[1] += (double)cps_point_pass(number, large);
		truth[1] += (double)large;
	}
	error = sqrt(mean * 1.1 / truth[0]);
	cr_assert(fabs(weight[0] / truth[0] - 1) < 4 * error, "%.3f of the small ones, 4 x %.3f",
		  weight[0] / truth[0], error);
	error = sqrt(mean * 1.1 / truth[1]);
	cr_assert(fabs(weight[1] / truth[1] - 1) < 4 * error + 0.001, "%.3f of the large ones",
		  weight[1] / truth[1]);
	cr_assert(fabs(weight[0] + weight[1] - truth[0] - truth[1]) <= 1.6 * mean,
		  "the sum is exact up to one interval");
	cr_assert_eq(cps_point_consumed(thread, number), (uint64_t)(truth[0] + truth[1]));
}

/* Threads that use a third of an interval each: together they are credited with what they use. */
Test(point, short_threads)
{
	uint32_t number = begin("1000");
	double weight = 0, truth = 0, error;

	for (int i = 0; i < 20000; i++) {
		uint64_t counted = 0;

		cps_state_of(thread)->points[number] =
			(struct cps_point){.random = cps_state_of(thread)->points[number].random};
		for (; counted < 330; counted += 11)
			weight += (double)cps_point_pass(number, 11);
		truth += (double)counted;
		cr_assert_eq(cps_point_consumed(thread, number), counted);
	}
	error = sqrt(1000 * 1.1 / truth);
	cr_assert(fabs(weight / truth - 1) < 4 * error, "%.4f, 4 x %.4f", weight / truth, error);
}

Test(point, small_and_large_events)
{
	two_sites("524288", 16384, 1, 1048576, 3000);
}

Test(point, very_small_and_very_large_events)
{
	two_sites("524288", 1024, 8, 4194304, 3000);
}

/* Events of 1, 1, 1 and 9 in turn: lengths that are multiples of 16 would meet every third place only. */
Test(point, regular_small_events)
{
	two_sites("1000", 1, 3, 9, 150000);
}

Test(point, one_event_of_many_intervals)
{
	uint32_t number = begin("1000");
	uint64_t weight, n = UINT64_C(1) << 45;

	cps_point_pass(number, 1);
	weight = cps_point_pass(number, n);
	cr_assert(weight + 2000 > n && weight < n + 2000, "%llu", (unsigned long long)weight);
	cr_assert_eq(cps_point_consumed(thread, number), n + 1);
}

/* A resource that gives too many samples widens its interval, and loses nothing. */
Test(point, too_many_samples)
{
	uint32_t number = begin("2"), samples = 0;
	uint64_t weight = 0, w;

	for (int i = 0; i < 200000; i++) {
		w = cps_point_pass(number, 1);
		weight += w;
		samples += w > 0;
	}
	cr_assert_lt(samples, 20000, "%u samples", samples);
	cr_assert_gt(samples, 2000);
	cr_assert_lt(weight, 202000);
	cr_assert_eq(cps_point_consumed(thread, number), 200000);
}

/* A thread that has not entered consumes for nobody; neither does a resource that is not counted. */
Test(point, nobody)
{
	for (int i = 0; i < 100000; i++)
		cr_assert_eq(cps_point_pass(CPS_RESOURCE_OF_count, 1u << 20), 0);
	begin("1000");
	for (int i = 0; i < 100000; i++)
		cr_assert_eq(cps_point_pass(CPS_THREAD_POINTS - 1, 1u << 20), 0);
}
