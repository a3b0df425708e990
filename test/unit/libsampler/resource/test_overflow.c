/* SPDX-License-Identifier: MIT */
/* What the kernel may count here is found out by counting something; a refusal names the reason.
 *
 * Seen to fail: if an event that counts nothing is believed (the dummy event opens for everybody), and without the
 * text for ENOENT. */
#include <criterion/criterion.h>
#include <linux/perf_event.h>
#include <string.h>

#include "setup/kernel_events.h"
#include "setup/wanted.h"
#include "resource/overflow.h"
#include "resource/point.h"
#include "resource/resource.h"

static char why[256];

static void nothing(void)
{
}

static int probe(uint32_t type, uint64_t config, void (*happen)(void))
{
	struct cps_overflow_kind kind = {.type = type, .config = config, .happen = happen};

	why[0] = '\0';
	return cps_kernel_events_probe(&kind, why, sizeof(why));
}

Test(overflow, that_an_event_opens_says_nothing)
{
	if (probe(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, NULL) != 0)
		return; /* nobody may have events here */
	cr_assert_neq(probe(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, nothing), 0);
	cr_assert(strstr(why, "counts nothing"), "%s", why);
	cr_assert_eq(cps_resource_faults.probe(why, sizeof(why)), 0, "%s", why);
}

Test(overflow, no_such_counter)
{
	cr_assert_neq(probe(PERF_TYPE_MAX + 1000, 0, NULL), 0);
	cr_assert(strstr(why, "perf_event_open: "), "%s", why);
	if (!strstr(why, "seccomp"))
		cr_assert(strstr(why, "no such counter"), "%s", why);
}

/* An interval that the kernel counts off is drawn anew each time, and widened like the others. */
Test(overflow, intervals)
{
	struct cps_clock_settings settings = {.jitter = true, .is_seeded = true, .seed = 5};
	struct cps_wanted_resources wanted;
	struct cps_thread *t = cps_thread_take();
	uint64_t sum = 0, first = 0, last = 0;
	char choices[400];

	cr_assert_eq(cps_wanted_read("count:1000", &wanted, &settings, choices, sizeof(choices)),
		     0);
	cps_clock_start(&cps_clock_none, &settings);
	cps_thread_enter(t, 0);
	cps_resource_begin(&wanted, &(struct cps_identity){.resource = ""});
	for (int i = 0; i < 1000; i++) {
		uint64_t n = cps_point_next(t, cps_resource_counter("x"));

		cr_assert(n >= 480 && n <= 1500);
		first += i < 500 ? n : 0;
		last += i < 500 ? 0 : n;
		sum += n;
	}
	cr_assert(sum > 950000 && sum < 1050000, "%llu", (unsigned long long)sum);
	cr_assert_neq(first, last, "they differ");
}
