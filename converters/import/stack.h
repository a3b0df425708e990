/* SPDX-License-Identifier: MIT */
/*
 * stack.h - a whole input in memory, and stacks of names made of it.
 */
#ifndef IMPORT_STACK_H
#define IMPORT_STACK_H

#include <stddef.h>

#include "read/event.h"
#include "read/input.h"

/* ---- whole input ----------------------------------------------------------------------------- */
/*
 * All bytes of an input, unpacked if they are compressed by gzip.
 *
 * In: an input. Out: bytes.
 */

struct whole_input {
	unsigned char *bytes;
	size_t n, size;
	size_t n_packed; /* bytes of the input itself */
};

/* Read all of it. -1: error, which names the file. whole_input_free in any case. */
int whole_input_read(struct whole_input *w, struct input *in, struct error *err);
/* Unpack the bytes, if they are a gzip file: up to a gigabyte, and up to 32 MB and 100 times the file, so that a small
 * file cannot take all memory. */
int whole_input_unpack(struct whole_input *w, const char *name, struct error *err);
void whole_input_free(struct whole_input *w);

/* Unpack the beginning of a gzip file. Returns how many bytes there are, 0 if it is no gzip file. */
size_t whole_input_peek(const unsigned char *head, size_t n, unsigned char *to, size_t size);

/* ---- stack ----------------------------------------------------------------------------------- */
/*
 * A stack of names that a decoder puts together, frame by frame.
 *
 * In: names, innermost or outermost first. Out: a sample event.
 */

/* Begins as all zero. */
struct stack {
	struct event_frame *frames;
	size_t n, size;
	char *bytes; /* of names that were copied */
	size_t n_bytes, bytes_size;
	size_t *copies; /* by frame: where its copied name begins + 1, 0: it is borrowed */
	size_t copies_size;
	bool has_copies;
};

/* Begin an empty stack. */
void stack_empty(struct stack *s);
/* Add a frame with this name; the second copies the name. -1: out of memory. */
int stack_add(struct stack *s, struct event_text name, struct error *err);
int stack_add_copy(struct stack *s, const char *name, size_t n, struct error *err);
/* Take away the frame that was added last. */
void stack_drop(struct stack *s);
/* The frame that was added last becomes the outermost one, and so on. */
void stack_turn(struct stack *s);
/* Push the sample with this stack, whose outermost frame is the first. A stack without frames is that of
 * "[unknown]". Without copied names this takes the same time for any depth. */
int stack_push(struct stack *s, struct event_sample *e, const struct event_sink *sink,
	       struct error *err);
void stack_free(struct stack *s);

#endif
