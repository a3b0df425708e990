/* SPDX-License-Identifier: MIT */
/*
 * decode_perf_script.h - decodes what `perf script` prints.
 *
 * In: the bytes of a line. Out: the line of a sample, or a frame of its stack.
 */
#ifndef IMPORT_DECODE_PERF_SCRIPT_H
#define IMPORT_DECODE_PERF_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/event.h"

/* ---- perf line ------------------------------------------------------------------------------- */

/* The line of a sample: "shares 16346/16350 [001]  4188.819099:    2000000 cpu-clock:u: ". */
struct perf_head {
	const char *comm;
	size_t n_comm;
	uint64_t pid, tid, time_us, period;
	bool has_period;
	const char *event, *rest; /* what stands behind the event */
	size_t n_event;
};

/* "1367 seventy+0x17 (/tmp/shares)": the function without its offset, and the file. */
struct perf_frame {
	struct event_text function, file; /* empty: it is not known */
};

/* Returns false if the line is no such line. */
bool perf_line_head(const char *at, const char *end, struct perf_head *h);
bool perf_line_frame(const char *at, const char *end, struct perf_frame *f);

#endif
