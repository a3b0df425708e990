/* SPDX-License-Identifier: MIT */
/*
 * input.c - reads a file or a pipe in pieces.
 *
 * In: a path. Out: its bytes, in order, with the number of bytes handed out.
 */
#include "read/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES (256u * 1024)
#define PEEK_BYTES  4096u

static void (*observer)(size_t bytes);

struct input {
	int fd;
	int failed;   /* the errno of a read that failed */
	bool is_over; /* a read has reached the end */
	uid_t owner;
	char *name;
	uint64_t offset;
	unsigned char *bytes;
	size_t start, end; /* the part of `bytes` that is not handed out yet */
};

static struct input *input_new(const char *path)
{
	struct input *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->fd = -1;
	in->name = strdup(strcmp(path, "-") ? path : "(standard input)");
	in->bytes = malloc(PIECE_BYTES);
	if (!in->name || !in->bytes) {
		input_close(in);
		return NULL;
	}
	return in;
}

struct input *input_open(const char *path, struct error *err)
{
	struct input *in = input_new(path);
	struct stat st;

	if (!in) {
		error_memory(err);
		return NULL;
	}
	in->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (in->fd < 0 || fstat(in->fd, &st)) {
		error_set(err, "%s: %s", in->name, strerror(errno));
		input_close(in);
		return NULL;
	}
	if (S_ISDIR(st.st_mode)) {
		error_set(err, "%s: is a directory", in->name);
		input_close(in);
		return NULL;
	}
	in->owner = st.st_uid;
	return in;
}

void input_close(struct input *in)
{
	if (!in)
		return;
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	free(in->bytes);
	free(in->name);
	free(in);
}

const char *input_name(const struct input *in)
{
	return in->name;
}

bool input_owner(const struct input *in, uint64_t *user)
{
	*user = in->owner;
	return true;
}

uint64_t input_offset(const struct input *in)
{
	return in->offset;
}

/* Read once into the free end of the buffer. False at the end, or when the read failed. */
static bool input_fill(struct input *in)
{
	ssize_t n;

	if (in->failed || in->is_over)
		return false;
	do
		n = read(in->fd, in->bytes + in->end, PIECE_BYTES - in->end);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		in->failed = errno;
	in->is_over = n == 0;
	if (n <= 0)
		return false;
	in->end += (size_t)n;
	if (observer)
		observer((size_t)n);
	return true;
}

static int input_check(const struct input *in, struct error *err)
{
	if (!in->failed)
		return 0;
	return error_set(err, "%s: %s at byte %llu", in->name, strerror(in->failed),
			 (unsigned long long)in->offset);
}

int input_peek(struct input *in, const unsigned char **bytes, size_t *n, struct error *err)
{
	size_t wanted = *n < PEEK_BYTES ? *n : PEEK_BYTES;

	if (in->start == in->end) {
		in->start = in->end = 0;
	} else if (in->start && PIECE_BYTES - in->start < wanted) {
		memmove(in->bytes, in->bytes + in->start, in->end - in->start);
		in->end -= in->start;
		in->start = 0;
	}
	while (in->end - in->start < wanted && input_fill(in))
		;
	*bytes = in->bytes + in->start;
	*n = in->end - in->start < wanted ? in->end - in->start : wanted;
	return *n ? 0 : input_check(in, err);
}

int input_next(struct input *in, const unsigned char **bytes, size_t *n, struct error *err)
{
	if (in->start == in->end) {
		in->start = in->end = 0;
		if (!input_fill(in) && input_check(in, err))
			return -1;
	}
	*bytes = in->bytes + in->start;
	*n = in->end - in->start;
	in->start = in->end;
	in->offset += *n;
	return 0;
}

void input_observe(void (*read)(size_t bytes))
{
	observer = read;
}
