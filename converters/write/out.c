/* SPDX-License-Identifier: MIT */
/*
 * out.c - writes text to a file or to standard output.
 *
 * In: bytes from views. Out: a file that is complete or does not exist, also if a signal ends the program. Errors are
 * kept until out_close.
 */
#include "write/out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "write/sheet.h"

#define BUFFER_BYTES	65536u
#define SHORT_BYTES	24u
#define DOUBLE_BYTES	32u /* "-2.2250738585072014e-308" */
#define COUNT_DIGITS	40  /* of 128 bits, which have 39 */
#define TEXT_WIDTH	80  /* columns of running text, without a terminal */
#define TEXT_WIDTH_MOST 200 /* longer lines are hard to read */

struct out {
	int fd;
	int width;	/* of the terminal; 0: the output is no terminal */
	int height;	/* likewise */
	bool is_paged;	/* fd leads to the pager */
	bool is_memory; /* what is flushed goes to `memory` */
	char *memory;
	size_t memory_bytes, memory_size;
	const struct out_pager
		*pager;	     /* NULL: there is none, or it is decided whether it is used */
	int failed;	     /* the first errno, or 0 */
	char *path;	     /* the name of the file in the end; NULL: standard output */
	char *temporary;     /* the name of the file until out_close, or NULL */
	struct sheet *sheet; /* NULL, or what folds lines (sheet.h) */
	const char *name;    /* for messages */
	double written; /* the last number that out_double wrote, and its text, which is empty at first */
	char written_text[DOUBLE_BYTES];
	size_t used;
	size_t flushed; /* buffers */
	char buffer[BUFFER_BYTES];
};

/* The name of the file that has not its own name yet, for a signal handler. */
static char *volatile unfinished;

static bool is_longer_than_screen(const struct out *o)
{
	const char *at = o->buffer, *end = o->buffer + o->used;
	int lines = 0;

	while (lines < o->height && (at = memchr(at, '\n', (size_t)(end - at)))) {
		lines++;
		at++;
	}
	return lines >= o->height;
}

/* Whether the output is longer than the screen can be told from the first buffer, because a buffer
 * holds more than a screen. */
static void choose_pager(struct out *o)
{
	int fd = o->used == BUFFER_BYTES || is_longer_than_screen(o) ? o->pager->start() : -1;

	if (fd < 0) {
		o->pager = NULL;
		return;
	}
	o->fd = fd;
	o->is_paged = true;
}

static void flush_to_memory(struct out *o)
{
	size_t needed = o->memory_bytes + o->used + 1; /* with a NUL */

	if (!o->failed && !array_reserve(&o->memory, &o->memory_size, needed, 1))
		o->failed = ENOMEM;
	if (!o->failed) {
		memcpy(o->memory + o->memory_bytes, o->buffer, o->used);
		o->memory_bytes += o->used;
		o->memory[o->memory_bytes] = '\0';
	}
	o->used = 0;
}

static void flush(struct out *o)
{
	size_t done = 0;

	if (o->is_memory) {
		flush_to_memory(o);
		return;
	}

	if (o->pager && !o->is_paged && !stop_is_requested())
		choose_pager(o);
	while (done < o->used && !o->failed) {
		bool stops = stop_is_requested();
		ssize_t n = stops ? 0 : write(o->fd, o->buffer + done, o->used - done);

		if (stops)
			o->failed = EINTR;
		else if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			o->failed = EIO;
		else if (errno != EINTR)
			o->failed = errno;
	}
	o->used = 0;
	o->flushed++;
}

/* The temporary name stands in the same directory: rename does not cross file systems. */
static int open_temporary(struct out *o, mode_t mode)
{
	const char *slash = strrchr(o->path, '/');
	int directory = slash ? (int)(slash - o->path + 1) : 0;

	if (asprintf(&o->temporary, "%.*s.%s.XXXXXX", directory, o->path, o->path + directory) <
	    0) {
		o->temporary = NULL;
		errno = ENOMEM;
		return -1;
	}
	unfinished = o->temporary; /* before there is such a file */
	o->fd = mkostemp(o->temporary, O_CLOEXEC);
	if (o->fd < 0) {
		unfinished = NULL;
		free(o->temporary);
		o->temporary = NULL;
		return -1;
	}
	return fchmod(o->fd, mode);
}

/* A device or a pipe is written directly. A file is replaced after all has been written. */
static int open_path(struct out *o, const char *path)
{
	struct stat st;
	mode_t mask;

	if (stat(path, &st) == 0) {
		/* A symbolic link stays one: the file that it leads to is replaced. */
		o->path = S_ISREG(st.st_mode) ? realpath(path, NULL) : strdup(path);
		if (!o->path)
			return -1;
		if (S_ISREG(st.st_mode))
			return open_temporary(o, st.st_mode & 0777);
		o->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return o->fd < 0 ? -1 : 0;
	}
	if (errno != ENOENT)
		return -1;
	o->path = strdup(path);
	if (!o->path)
		return -1;
	mask = umask(0);
	umask(mask);
	return open_temporary(o, 0666 & ~mask);
}

static void look_at_terminal(struct out *o)
{
	struct winsize size = {0};

	if (!isatty(o->fd))
		return;
	if (ioctl(o->fd, TIOCGWINSZ, &size))
		size = (struct winsize){0};
	o->width = size.ws_col ? size.ws_col : 80;
	o->height = size.ws_row ? size.ws_row : 24;
}

void out_abandon(void)
{
	if (unfinished)
		unlink(unfinished);
}

static void discard(struct out *o)
{
	if (o->temporary) {
		unlink(o->temporary);
		unfinished = NULL;
	}
	free(o->temporary);
	free(o->path);
	free(o->memory);
	free(o);
}

int out_refuse(const char *path, int error, struct error *err)
{
	return error_set(err, "%s: %s%s", path, strerror(error),
			 error == ENOENT   ? ": its directory does not exist"
			 : error == EISDIR ? ": name a file in it"
					   : "");
}

struct out *out_open(const char *path, struct error *err)
{
	struct out *o = calloc(1, sizeof(*o));

	if (!o) {
		error_memory(err);
		return NULL;
	}
	o->fd = STDOUT_FILENO;
	o->name = "(standard output)";
	if (path && strcmp(path, "-") != 0) {
		o->fd = -1;
		o->name = path;
		if (open_path(o, path)) {
			out_refuse(path, errno, err);
			if (o->fd >= 0)
				close(o->fd);
			discard(o);
			return NULL;
		}
	}
	look_at_terminal(o);
	return o;
}

struct out *out_open_memory(struct error *err)
{
	struct out *o = calloc(1, sizeof(*o));

	if (!o) {
		error_memory(err);
		return NULL;
	}
	o->fd = -1;
	o->is_memory = true;
	return o;
}

char *out_take(struct out *o, size_t *n, struct error *err)
{
	char *text = NULL;

	flush(o);
	if (o->failed) {
		error_memory(err);
	} else {
		text = o->memory;
		*n = o->memory_bytes;
		o->memory = NULL;
	}
	discard(o);
	return text;
}

int out_close(struct out *o, bool keep, struct error *err)
{
	int status = 0;

	if (keep)
		flush(o);
	if (stop_is_requested())
		keep = false;
	if (o->is_paged) {
		close(o->fd);
		o->pager->finish();
	}
	if (o->path && close(o->fd) && !o->failed)
		o->failed = errno;
	if (keep && !o->failed && o->temporary) {
		if (rename(o->temporary, o->path)) {
			o->failed = errno;
		} else {
			unfinished = NULL;
			free(o->temporary);
			o->temporary = NULL;
		}
	}
	if (keep && o->failed && o->failed != EPIPE && o->failed != EINTR)
		status = error_set(err, "%s: %s", o->name, strerror(o->failed));
	discard(o);
	return status;
}

void out_page(struct out *o, const struct out_pager *pager)
{
	if (o->height)
		o->pager = pager;
}

void out_set_sheet(struct out *o, struct sheet *sheet, int width)
{
	o->sheet = sheet;
	o->width = width;
	if (!sheet)
		look_at_terminal(o);
}

void out_bytes(struct out *o, const char *bytes, size_t n)
{
	struct sheet *sheet = o->sheet;

	if (sheet) {
		o->sheet = NULL; /* it writes whole lines */
		sheet_bytes(sheet, o, bytes, n);
		o->sheet = sheet;
		return;
	}
	/* Most texts are numbers and tabs, for which a call of memcpy would take longer. */
	if (n <= SHORT_BYTES && BUFFER_BYTES - o->used > n) {
		char *to = o->buffer + o->used;

		o->used += n;
		while (n--)
			*to++ = *bytes++;
		return;
	}
	while (n > 0 && !o->failed) {
		size_t piece = BUFFER_BYTES - o->used;

		if (piece > n)
			piece = n;
		memcpy(o->buffer + o->used, bytes, piece);
		o->used += piece;
		bytes += piece;
		n -= piece;
		if (o->used == BUFFER_BYTES)
			flush(o);
	}
}

void out_text(struct out *o, const char *text)
{
	out_bytes(o, text, strlen(text));
}

void out_format(struct out *o, const char *format, ...)
{
	char text[256], *longer;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof(text)) {
		out_bytes(o, text, (size_t)n);
		return;
	}
	va_start(args, format);
	n = vasprintf(&longer, format, args);
	va_end(args);
	if (n < 0) {
		o->failed = o->failed ? o->failed : ENOMEM;
		return;
	}
	out_bytes(o, longer, (size_t)n);
	free(longer);
}

void out_count(struct out *o, unsigned __int128 n)
{
	char text[COUNT_DIGITS];
	size_t i = sizeof(text);
	uint64_t low;

	for (; n > UINT64_MAX; n /= 10)
		text[--i] = (char)('0' + (int)(n % 10));
	low = (uint64_t)n;
	do
		text[--i] = (char)('0' + low % 10);
	while (low /= 10);
	out_bytes(o, text + i, sizeof(text) - i);
}

/* A decimal of up to 15 digits survives the way through a double, so %.15g is the shortest text
 * if it reads back as v; else 16 digits may do, and 17 always do. Sorted tables write the same
 * number again and again. */
void out_double(struct out *o, double v)
{
	int digits;

	if (!*o->written_text || memcmp(&v, &o->written, sizeof(v)) != 0) {
		for (digits = 15; digits <= 17; digits++) {
			snprintf(o->written_text, DOUBLE_BYTES, "%.*g", digits, v);
			if (strtod(o->written_text, NULL) == v)
				break;
		}
		o->written = v;
	}
	out_text(o, o->written_text);
}

int out_width(const struct out *o)
{
	return o->width;
}

int out_height(const struct out *o)
{
	return o->height;
}

int out_text_width(const struct out *o)
{
	if (!o->width)
		return TEXT_WIDTH;
	return o->width < TEXT_WIDTH_MOST ? o->width : TEXT_WIDTH_MOST;
}

bool out_colour(const struct out *o)
{
	const char *no = getenv("NO_COLOR");

	return o->width > 0 && (!o->sheet || o->sheet->has_colours) && !(no && *no);
}
