/* SPDX-License-Identifier: MIT */
/*
 * overflow_probe.c - finds out whether the kernel lets events of a thread be counted.
 *
 * In: a kind of events. Out: yes, or what forbids it.
 */
#include <errno.h>

#include "base/error_text.h"
#include "base/sys.h"
#include "base/writer.h"
#include "clock/perf.h"
#include "resource/overflow.h"
#include "base/poison.h"

/* Whether an event that cannot be had can be had without signals. */
static bool is_mute(int error, struct cps_perf_event event, const struct cps_thread *self)
{
	int fd = error;

	event.period = 0;
	if (error == -EINVAL || error == -EOPNOTSUPP)
		fd = cps_perf_open(&event, self);
	if (fd < 0)
		return false;
	cps_sys_close(fd);
	return true;
}

int cps_overflow_probe(struct cps_overflow_kind *kind, char *why, size_t bytes)
{
	struct cps_perf_event event = cps_overflow_event(kind, UINT64_C(1) << 40);
	const struct cps_thread self = {.tid = 0};
	int enough = kind->needs_kernel ? 1 : 2, paranoia, error, fd;
	const char *what = "perf_event_open";
	uint64_t count = 0;
	char digits[24];

	if (kind->needs_kernel && !kind->is_at_exit && !cps_perf_may_strike_in_kernel()) {
		cps_error_text_join(why, bytes, "its signal " CPS_PERF_RISK, NULL);
		return -EPERM;
	}
	event.without_kernel = !kind->needs_kernel && !cps_perf_may_strike_in_kernel();
	fd = cps_perf_open(&event, &self);
	if (fd < 0 && is_mute(fd, event, &self)) {
		cps_error_text_join(why, bytes, "it can only be read, and gives no signals", NULL);
		return -ENOTSUP;
	}
	if (fd == -EACCES && !kind->needs_kernel && !event.without_kernel) {
		event.without_kernel = true;
		fd = cps_perf_open(&event, &self);
	}
	if (fd < 0)
		return cps_perf_explain(fd, what, enough, why, bytes);
	error = cps_perf_try(fd, kind->happen, &count, &what);
	if (!error && kind->happen && !count)
		error = -ENODATA;
	if (error)
		return cps_perf_explain(error, what, enough, why, bytes);
	kind->without_kernel = event.without_kernel;
	paranoia = event.without_kernel ? cps_perf_paranoia() : 0;
	if (event.without_kernel && !cps_perf_may_strike_in_kernel())
		cps_error_text_join(
			why, bytes,
			"without those inside system calls: a signal there " CPS_PERF_RISK, NULL);
	else if (event.without_kernel)
		cps_error_text_join(
			why, bytes,
			"without those inside system calls: kernel.perf_event_paranoid is ",
			paranoia < 0 ? "not known"
				     : cps_digits(digits + sizeof(digits), (uint64_t)paranoia),
			", 1 or CAP_PERFMON would count them", NULL);
	return 0;
}
