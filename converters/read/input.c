/* SPDX-License-Identifier: MIT */
/*
 * input.c - reads a file or a pipe in pieces, and text line by line.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/stop.h"
#include "read/input.h"
#include "read/pack_file.h"

/* ---- cursor ---------------------------------------------------------------------------------- */
/*
 * CURSOR_SHORT, which is compared by its address.
 */

const char CURSOR_SHORT[] = "it ends too early";

/* ---- input ----------------------------------------------------------------------------------- */
/*
 * Reads a file or a pipe in pieces.
 *
 * In: a path, which may lead into a pack. Out: its bytes, in order, with the number of bytes handed
 * out.
 */

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

/* ---- text scan ------------------------------------------------------------------------------- */
/*
 * Splits a text input into lines.
 *
 * In: pieces of a file. Out: lines. A line that lies in one piece is not copied.
 */

void text_scan_clear(struct text_scan *s)
{
	free(s->carry);
	*s = (struct text_scan){0};
}

/* Keep the beginning of a line until the rest has come. */
static int carry_add(struct text_scan *s, const char *text, size_t n)
{
	if (!array_reserve(&s->carry, &s->carry_size, s->n_carry + n, 1))
		return error_memory(s->err);
	if (n)
		memcpy(s->carry + s->n_carry, text, n);
	s->n_carry += n;
	return 0;
}

/* The line consists of the bytes kept before, and of those before `stop`. */
static int line_set(struct text_scan *s, const char *stop, bool is_whole)
{
	s->is_whole = is_whole;
	s->at = s->piece;
	s->end = stop;
	if (s->n_carry) {
		if (carry_add(s, s->piece, (size_t)(stop - s->piece)))
			return -1;
		s->at = s->carry;
		s->end = s->carry + s->n_carry;
	}
	s->line_bytes = (size_t)(s->end - s->at) + s->is_whole;
	if (s->end > s->at && s->end[-1] == '\r')
		s->end--;
	s->number++;
	s->piece = stop + s->is_whole;
	return 1;
}

/* Take the next piece. 1: there is one, 0: the input is over, -1: error. */
static int piece_next(struct text_scan *s)
{
	const unsigned char *bytes;
	size_t n;

	if (input_next(s->in, &bytes, &n, s->err))
		return -1;
	s->piece = (const char *)bytes;
	s->piece_end = s->piece + n;
	return n > 0;
}

int text_scan_line(struct text_scan *s)
{
	s->offset += s->line_bytes;
	s->line_bytes = 0;
	s->n_carry = 0;
	for (;;) {
		size_t n = (size_t)(s->piece_end - s->piece);
		const char *stop = n ? memchr(s->piece, '\n', n) : NULL;

		if (stop)
			return line_set(s, stop, true);
		if (n && carry_add(s, s->piece, n))
			return -1;
		int more = piece_next(s);
		if (more < 0)
			return -1;
		if (!more)
			return s->n_carry ? line_set(s, s->piece, false) : 0;
	}
}

int text_scan_wrong(struct text_scan *s, const char *wrong)
{
	return error_set(s->err, "%s: line %llu: %s at byte %llu", input_name(s->in),
			 (unsigned long long)s->number, wrong, (unsigned long long)s->offset);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

size_t text_scan_spaces(struct text_scan *s)
{
	const char *begin = s->at;

	while (s->at < s->end && is_space(*s->at))
		s->at++;
	return (size_t)(s->at - begin);
}

bool text_scan_text(struct text_scan *s, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(s->end - s->at) < n || memcmp(s->at, text, n))
		return false;
	s->at += n;
	return true;
}

size_t text_scan_token(struct text_scan *s)
{
	const char *begin = s->at;

	while (s->at < s->end && !is_space(*s->at))
		s->at++;
	return (size_t)(s->at - begin);
}

const char *text_scan_count(struct text_scan *s, uint64_t *count)
{
	const char *begin = s->at;

	for (*count = 0; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++)
		if (__builtin_mul_overflow(*count, 10, count) ||
		    __builtin_add_overflow(*count, (uint64_t)(*s->at - '0'), count))
			return "overflow: a number does not fit 64 bits";
	return s->at > begin ? NULL : "a number is missing";
}
