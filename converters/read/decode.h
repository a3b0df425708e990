/* SPDX-License-Identifier: MIT */
/*
 * decode.h - inputs become events; the format is recognised by content.
 *
 * A new kind of input is one file that defines a struct decoder, and the decoder's line in the table
 * of decode.c.
 */
#ifndef DECODE_H
#define DECODE_H

#include "read/event.h"
#include "read/input.h"

/*
 * Read PATH ("-": standard input) to its end and push its events. A recorded stream takes its
 * journal (PATH.journal) along. A cut input ends with the sink's `cut` and is no error; a corrupt
 * or foreign one is: -1, with the file's name and the offset in the error.
 */
int decode_file(const char *path, const struct event_sink *sink, struct error *err);

/* The decoders, each in a file of its own. `head` are the first bytes, at most 4096. */
struct decoder {
	struct event_kind kind; /* what such inputs are called, and what they have */
	int (*detect)(const unsigned char *head, size_t n); /* 1: it is of this kind */
	int (*run)(struct input *in, const char *path, const struct event_sink *sink,
		   struct error *err);
};

extern const struct decoder decode_stream;    /* decode_stream.c: libcpsample's recording */
extern const struct decoder decode_folded;    /* decode_folded.c: "a;b;c COUNT" lines */
extern const struct decoder decode_gprof;     /* decode_gprof.c: what gprof prints */
extern const struct decoder decode_callgrind; /* decode_callgrind.c: callgrind.out.PID */

#endif
