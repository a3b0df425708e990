/* SPDX-License-Identifier: MIT */
/*
 * input.c - reads a file or a pipe in pieces.
 *
 * In: a path, which may lead into a pack. Out: its bytes, in order, with the number of bytes handed
 * out.
 */
#include "read/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/stop.h"
#include "read/pack_file.h"

#define PIECE_BYTES (256u * 1024)
#define PEEK_BYTES  4096u

static void (*observer)(size_t bytes);

struct input {
	int fd;
	int failed;   /* the errno of a read that failed */
	bool is_over; /* a read has reached the end */
	uid_t owner;
	uint64_t left; /* bytes that are not read yet; UINT64_MAX: up to the end of the file */
	char life;     /* enum pack_life; 0: it is no part of a pack */
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
	in->left = UINT64_MAX;
	in->name = strdup(strcmp(path, "-") ? path : "(standard input)");
	in->bytes = malloc(PIECE_BYTES);
	if (!in->name || !in->bytes) {
		input_close(in);
		return NULL;
	}
	return in;
}

/* Open a recording in a pack. */
static int open_packed(struct input *in, const char *path, struct error *err)
{
	struct pack_entry entry;
	struct pack_file pack;
	int rc = pack_file_find(&pack, path, &entry, err);

	if (rc <= 0)
		return rc ? -1 : error_set(err, "%s: %s", in->name, strerror(ENOTDIR));
	in->fd = pack.fd;
	in->life = entry.life;
	in->left = entry.parts[PACK_RECORDING].bytes;
	if (lseek(in->fd, (off_t)entry.parts[PACK_RECORDING].offset, SEEK_SET) < 0)
		return error_set(err, "%s: %s", in->name, strerror(errno));
	return 0;
}

static int open_path(struct input *in, const char *path, struct error *err)
{
	struct stat st;

	in->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (in->fd < 0 && errno == ENOTDIR && open_packed(in, path, err))
		return -1;
	if (in->fd < 0 || fstat(in->fd, &st))
		return error_set(err, "%s: %s", in->name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return error_set(err, "%s: is a directory", in->name);
	in->owner = st.st_uid;
	return 0;
}

struct input *input_open(const char *path, struct error *err)
{
	struct input *in = input_new(path);

	if (!in) {
		error_memory(err);
		return NULL;
	}
	if (!open_path(in, path, err))
		return in;
	input_close(in);
	return NULL;
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
	return !in->life;
}

char input_life(const struct input *in)
{
	return in->life;
}

uint64_t input_offset(const struct input *in)
{
	return in->offset;
}

/* Read once into the free end of the buffer. False at the end, or when the read failed. */
static bool input_fill(struct input *in)
{
	size_t room = PIECE_BYTES - in->end;
	ssize_t n;

	if (stop_is_requested())
		in->failed = ECANCELED;
	if (in->failed || in->is_over)
		return false;
	if (room > in->left)
		room = (size_t)in->left;
	do
		n = read(in->fd, in->bytes + in->end, room);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		in->failed = errno;
	in->is_over = n == 0;
	if (n <= 0)
		return false;
	in->end += (size_t)n;
	in->left -= in->life ? (size_t)n : 0;
	if (observer)
		observer((size_t)n);
	return true;
}

static int input_check(const struct input *in, struct error *err)
{
	if (!in->failed)
		return 0;
	if (in->failed == ECANCELED)
		return stop_check(err);
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
