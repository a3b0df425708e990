/* SPDX-License-Identifier: MIT */
/*
 * summary.c - writes one line that says what was recorded.
 *
 * In: counters. Out: one write to standard error.
 */
#include <stdio.h>
#include <string.h>

#include "base/error_text.h"
#include "base/sys.h"
#include "door/summary.h"
#include "stream/loss.h"
#include "stream/recording.h"

static const char *const reasons[CPS_STOP_COUNT] = {
	[CPS_STOP_LIMIT] = "CPSAMPLE_MAX_BYTES is reached",
	[CPS_STOP_CREATE] = "the output cannot be created",
	[CPS_STOP_WRITE] = "the output cannot be written",
	[CPS_STOP_CLOCK] = "the clock cannot be started",
};

void cps_summary(const char *wanted, uint64_t cpu_ns)
{
	const char *path = cps_recording_path();
	char line[4608], why[160] = "";
	int error, n;
	enum cps_stop stop = cps_loss_stop_reason(&error);

	if (reasons[stop])
		snprintf(why, sizeof(why), " (%s%s%s)", reasons[stop], error ? ": " : "",
			 error ? cps_error_text(error) : "");
	n = snprintf(line, sizeof(line),
		     "cpsample: %llu samples, %llu lost, %.3f s of CPU time%s%s%s\n",
		     (unsigned long long)cps_recording_ticks(), (unsigned long long)cps_loss_sum(),
		     (double)cpu_ns / 1e9, why,
		     path	     ? ": "
		     : reasons[stop] ? ", no file "
				     : ", no file",
		     path	     ? path
		     : reasons[stop] ? wanted
				     : "");
	if (n > 0)
		cps_sys_write(2, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}
