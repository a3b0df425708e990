/* SPDX-License-Identifier: MIT */
/*
 * clocks.c - the table of clocks, and the choice among them.
 *
 * In: names of the settings. Out: the clocks with these names; another one where the wanted one would not tick.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "base/sys.h"
#include "base/text.h"
#include "clock/clock_timer.h"
#include "clock/perf.h"
#include "setup/clocks.h"
#include "setup/kernel_events.h"
#include "signal/disposition.h"
#include "base/poison.h"

#define CHAIN	    4 /* more than clocks tried in turn: itimer and timer are each other's fallback */
#define QUEUE_LEAST 1024u /* pending signals that must be allowed for perf */

#define ENTRY(name) &cps_clock_##name,

const struct cps_clock *const cps_clocks_table[] = {CPS_CLOCKS(ENTRY) NULL};

const struct cps_clock *cps_clocks_of_resource(const char *name, size_t length)
{
	for (size_t i = 0; cps_clocks_table[i]; i++)
		if (strlen(cps_clocks_table[i]->resource) == length &&
		    memcmp(cps_clocks_table[i]->resource, name, length) == 0)
			return cps_clocks_table[i];
	return NULL;
}

bool cps_clocks_is_choice(const struct cps_clock *clock)
{
	for (size_t i = 0; cps_clocks_table[i]; i++)
		if (cps_clocks_table[i] != clock &&
		    strcmp(cps_clocks_table[i]->resource, clock->resource) == 0)
			return true;
	return false;
}

const struct cps_clock *cps_clocks_find(const struct cps_clock_settings *settings)
{
	for (size_t i = 0; cps_clocks_table[i]; i++)
		if (strcmp(cps_clocks_table[i]->resource, settings->resource) == 0 &&
		    strcmp(cps_clocks_table[i]->name, settings->name) == 0)
			return cps_clocks_table[i];
	return cps_clocks_of_resource(settings->resource, strlen(settings->resource));
}

/* ---- would it tick? ---- */

static void explain_timer(int error, char *why, size_t bytes)
{
	cps_error_text_join(why, bytes, "timer_create: ", cps_error_text(-error),
			    error == -EAGAIN ? ": no more signals may be pending (ulimit -i)" : "",
			    NULL);
}

static int probe_strata(const struct cps_clock_settings *settings, char *why, size_t bytes)
{
	struct cps_thread self = {.tid = cps_sys_gettid()};
	int error = cps_posix_timer_create(cps_sys_thread_clock(self.tid), self.tid, CPS_SIGNAL_OWN,
					   0, &self.timer);

	(void)settings;
	if (!error) {
		error = cps_posix_timer_create(CLOCK_MONOTONIC, self.tid, CPS_SIGNAL_OWN, 0,
					       &self.shot);
		cps_posix_timer_delete(self.timer);
	}
	if (!error)
		cps_posix_timer_delete(self.shot);
	else
		explain_timer(error, why, bytes);
	return error;
}

/* Timers may be refused: their number is limited to that of signals that may be pending
 * (RLIMIT_SIGPENDING), which all processes of a user share, and a container's filter may forbid
 * them. */
static int probe_timer(const struct cps_clock_settings *settings, char *why, size_t bytes)
{
	struct cps_thread self = {.tid = cps_sys_gettid()};
	int error = cps_posix_timer_create(cps_sys_thread_clock(self.tid), self.tid, CPS_SIGNAL_OWN,
					   0, &self.timer);

	(void)settings;
	if (!error)
		cps_posix_timer_delete(self.timer);
	else
		explain_timer(error, why, bytes);
	return error;
}

/* Refuses if the program was started with SIGPROF ignored or blocked, or with the timer running: it
 * must find these as they were, and hand them on to the programs that it starts. */
static int probe_itimer(const struct cps_clock_settings *settings, char *why, size_t bytes)
{
	struct itimerval running = {0};
	uint64_t mask = 0;

	(void)settings;
	if (cps_disposition_is_ignored(SIGPROF))
		cps_error_text_join(why, bytes, "SIGPROF was ignored when the program was started",
				    NULL);
	else if (CPS_SYS(rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof(mask)) == 0 &&
		 mask & UINT64_C(1) << (SIGPROF - 1))
		cps_error_text_join(why, bytes, "SIGPROF was blocked when the program was started",
				    NULL);
	else if (CPS_SYS(getitimer, ITIMER_PROF, &running, 0, 0) == 0 &&
		 (running.it_value.tv_sec || running.it_value.tv_usec))
		cps_error_text_join(why, bytes,
				    "the profiling timer was running when the program was started",
				    NULL);
	else
		return 0;
	return -EBUSY;
}

static int probe_perf(const struct cps_clock_settings *settings, char *why, size_t bytes)
{
	const char *what = "perf_event_open";
	const struct cps_thread self = {.tid = 0};
	uint64_t limit[2], count = 0;
	char is[24], least[24];
	int error, fd;

	if (settings->has_go) {
		cps_error_text_join(
			why, bytes,
			"Go executes programs without the C library; a tick of perf might end them",
			NULL);
		return -ENOTSUP;
	}
	if (CPS_SYS(prlimit64, 0, RLIMIT_SIGPENDING, NULL, limit) == 0 && limit[0] < QUEUE_LEAST) {
		cps_error_text_join(why, bytes, "only ", cps_digits(is + sizeof(is), limit[0]),
				    " signals may be pending (ulimit -i), perf needs room for ",
				    cps_digits(least + sizeof(least), QUEUE_LEAST), NULL);
		return -EAGAIN;
	}
	fd = cps_perf_open_clock(&self, settings->interval_ns);
	if (fd < 0)
		return cps_kernel_events_explain(fd, what, 1, why, bytes);
	error = cps_kernel_events_try(fd, NULL, &count, &what);
	if (!error && !count)
		error = -ENODATA;
	return error ? cps_kernel_events_explain(error, what, 1, why, bytes) : 0;
}

const struct cps_clock_choice cps_clocks_choices[] = {
	{&cps_clock_strata, &cps_clock_timer, probe_strata},
	{&cps_clock_timer, &cps_clock_itimer, probe_timer},
	{&cps_clock_itimer, &cps_clock_timer, probe_itimer},
	{&cps_clock_perf, &cps_clock_timer, probe_perf},
	{.clock = NULL},
};

const struct cps_clock_choice cps_clocks_attached[] = {
	{&cps_clock_timer, NULL, probe_timer},
	{.clock = NULL},
};

static const struct cps_clock_choice *choice_of(const struct cps_clock_choice *list,
						const struct cps_clock *clock)
{
	while (list->clock && list->clock != clock)
		list++;
	return list->clock ? list : NULL;
}

const struct cps_clock *cps_clocks_choose(const struct cps_clock_choice *list,
					  const struct cps_clock *wanted,
					  const struct cps_clock_settings *settings, char *why,
					  size_t bytes)
{
	const struct cps_clock_choice *refused[CHAIN] = {NULL}, *choice;
	const struct cps_clock *clock = wanted;
	struct cps_clock_settings with = *settings;
	size_t n = 0, end;

	why[0] = '\0';
	for (int i = 0; (choice = choice_of(list, clock)); i++) {
		for (int k = 0; k < i; k++)
			if (refused[k] == choice)
				return NULL;
		end = n;
		if (i > 0 && n + 3 < bytes) {
			memcpy(why + n, "; ", 3);
			n += 2;
		}
		with.interval_ns = cps_clock_interval(clock, settings);
		if (choice->probe(&with, why + n, bytes - n) == 0) {
			why[end] = '\0'; /* nothing follows the separator */
			return clock;
		}
		n = strlen(why);
		refused[i] = choice;
		clock = choice->fallback;
	}
	return clock;
}
