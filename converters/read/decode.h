/* SPDX-License-Identifier: MIT */
/*
 * decode.h - finds the decoder for an input by its first bytes.
 *
 * A new kind of input is one file that defines a struct decoder, its declaration below, and its
 * line in the table of decode.c.
 */
#ifndef READ_DECODE_H
#define READ_DECODE_H

#include "read/event.h"
#include "read/input.h"

/* Read PATH ("-": standard input) to its end and push its events. Next to a recording its journal
 * (PATH.journal) is read. An input that was cut is no error: its last event is `cut`. -1: the input
 * is corrupt or of no known kind; the error has the file's name and the offset. */
int decode_file(const char *path, const struct event_sink *sink, struct error *err);

/* A decoder. Each is in a file of its own. `head` has the first bytes of the input, 4096 at
 * most. */
struct decoder {
	struct event_kind kind; /* what such inputs are called, and what they have */
	int (*detect)(const unsigned char *head, size_t n); /* 1: it is of this kind */
	int (*run)(struct input *in, const char *path, const struct event_sink *sink,
		   struct error *err);
};

extern const struct decoder decode_stream;    /* decode_stream.c: libcpsample's recording */
extern const struct decoder decode_folded;    /* decode.c: "a;b;c COUNT" lines */
extern const struct decoder decode_gprof;     /* decode_gprof.c: what gprof prints */
extern const struct decoder decode_callgrind; /* decode_callgrind.c: callgrind.out.PID */
/* import/decode_NAME.c */
extern const struct decoder decode_perf_script; /* what perf script prints */
extern const struct decoder decode_gperftools;	/* CPU profiles of libprofiler */
extern const struct decoder decode_pprof;	/* profile.proto */
extern const struct decoder decode_pstats;	/* Python's marshal */
extern const struct decoder decode_speedscope;	/* JSON */

#endif
