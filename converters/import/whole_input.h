/* SPDX-License-Identifier: MIT */
/*
 * whole_input.h - all bytes of an input, unpacked if they are compressed by gzip.
 *
 * In: an input. Out: bytes.
 */
#ifndef WHOLE_INPUT_H
#define WHOLE_INPUT_H

#include <stddef.h>

#include "read/input.h"

struct whole_input {
	unsigned char *bytes;
	size_t n, size;
};

/* Read all of it. -1: error, which names the file. whole_input_free in any case. */
int whole_input_read(struct whole_input *w, struct input *in, struct error *err);
/* Unpack the bytes, if they are a gzip file, up to a gigabyte. */
int whole_input_unpack(struct whole_input *w, const char *name, struct error *err);
void whole_input_free(struct whole_input *w);

/* Unpack the beginning of a gzip file. Returns how many bytes there are, 0 if it is no gzip file. */
size_t whole_input_peek(const unsigned char *head, size_t n, unsigned char *to, size_t size);

#endif
