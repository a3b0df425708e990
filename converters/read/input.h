/* SPDX-License-Identifier: MIT */
/*
 * input.h - a file or standard input as a sequence of bytes with a name and an offset.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct input;

/* Open PATH for reading, "-" is standard input. It may be that of a recording in a pack
 * (pack_file.h). Directories are refused. NULL on error. */
struct input *input_open(const char *path, struct error *err);
void input_close(struct input *in);

/* The name for messages: the path, or "(standard input)". */
const char *input_name(const struct input *in);

/* The id of the user who owns the file. False: that says nothing, because the input was packed. */
bool input_owner(const struct input *in, uint64_t *user);

/* What was known of the process when the input was packed (enum pack_life); 0: it is in no pack. */
char input_life(const struct input *in);

/* How many bytes were handed out so far. */
uint64_t input_offset(const struct input *in);

/* Look at the next *n bytes (at most 4096) without taking them; *n becomes how many there are,
 * fewer at the end. -1: reading failed and there are none. If reading failed behind some bytes,
 * the input_next after them returns the error. */
int input_peek(struct input *in, const unsigned char **bytes, size_t *n, struct error *err);

/*
 * Take the next piece, as long as convenient; *n = 0 at the end. The bytes belong to the input and
 * are valid until the next call. Returns 0, or -1 when reading failed.
 */
int input_next(struct input *in, const unsigned char **bytes, size_t *n, struct error *err);

/* Set a function that is called after each read of any input with the number of bytes; NULL:
 * none. */
void input_observe(void (*read)(size_t bytes));

#endif
