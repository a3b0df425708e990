/* SPDX-License-Identifier: MIT */
/*
 * event_log.h - a sink that writes each event as a line of text, for tests to compare.
 *
 *	process PID RESOURCE UNIT SCALE [ARG]... [(calls[, inclusive])]
 *	module ID PATH BUILD_ID_HEX SEGMENTS
 *	thread ID TID NAME
 *	sample THREAD at TIME: WEIGHT xHITS mark MARK: FRAME...
 *	self FUNCTION: WEIGHT xHITS inclusive INCLUSIVE
 *	call FUNCTION -> FUNCTION: COUNT weight WEIGHT
 *	loss REASON COUNT
 *	mark TIME THREAD NAME
 *	engine ENGINE, WHY
 *	jit TEXT (line feeds as |)
 *	end TIME_US CPU_NS TICKS BYTES [stop STOP ERROR] [NOTE] [totals]
 *	cut WHY
 *	stop STOP ERROR (after cut, if that is known)
 *
 * FRAME is MODULE+ADDRESS in hexadecimal, ?+ADDRESS without module, or the name in quotes. FUNCTION
 * is the name in quotes, then |FILE and |OBJECT, those that are known. An event
 * that breaks a promise of event.h (order, `keep`) adds a line that begins with BROKEN.
 */
#ifndef EVENT_LOG_H
#define EVENT_LOG_H

#include "event.h"
#include "whole_samples.h"

struct event_log {
	struct event_sink sink;
	char *text; /* the lines so far, each with its line feed */
	size_t n, size;
	bool has_samples_only; /* set it to log nothing else */
	unsigned declines;     /* set it to decline so many processes */
	/* What was seen: */
	bool begun, over, was_cut, has_calls;
	uint64_t samples, hits, weight;
	uint64_t again; /* samples whose stack came again */
	struct whole_samples whole;
	/* The previous sample's frames, of those that were not again, with names copied. */
	struct event_frame *frames;
	size_t depth;
};

void event_log_init(struct event_log *log);
void event_log_free(struct event_log *log);

/* decode_file with a log as its sink. On an error the last line is "error TEXT". */
int event_log_decode(struct event_log *log, const char *path);

/* The same for bytes, by way of a file. */
int event_log_decode_bytes(struct event_log *log, const void *bytes, size_t n);

#endif
