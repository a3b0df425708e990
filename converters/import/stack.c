/* SPDX-License-Identifier: MIT */
/*
 * stack.c - a whole input in memory, and stacks of names made of it.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "import/stack.h"

/* ---- whole input ----------------------------------------------------------------------------- */

#define UNPACKED_MOST  ((size_t)1 << 30)
#define UNPACKED_LEAST ((size_t)32 << 20) /* a file of any size may have so much */
#define UNPACKED_RATIO 100u		  /* profiles become 3 to 30 times smaller */
#define GZIP	       31		  /* inflateInit2: the largest window, and gzip's header */

int whole_input_read(struct whole_input *w, struct input *in, struct error *err)
{
	const unsigned char *piece;
	size_t n;

	*w = (struct whole_input){0};
	for (;;) {
		if (input_next(in, &piece, &n, err))
			return -1;
		w->n_packed = w->n + n;
		if (!n)
			return 0;
		if (!array_reserve(&w->bytes, &w->size, w->n + n, 1))
			return error_memory(err);
		memcpy(w->bytes + w->n, piece, n);
		w->n += n;
	}
}

static bool is_gzip(const unsigned char *bytes, size_t n)
{
	return n >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/* The same if there may be only one byte of it. */
static bool is_gzip_begin(const unsigned char *bytes, size_t n)
{
	return bytes[0] == 0x1f && (n == 1 || bytes[1] == 0x8b);
}

/* A gzip file may have several members, one after the other. Begin the next one if there is any. */
static int next_member(z_stream *z)
{
	if (!z->avail_in)
		return Z_STREAM_END;
	return is_gzip_begin(z->next_in, z->avail_in) && inflateReset(z) == Z_OK ? Z_OK
										 : Z_DATA_ERROR;
}

/* Inflate into `to`, which grows. */
static int inflate_all(z_stream *z, struct whole_input *to, const char *name, struct error *err)
{
	uLong packed = z->avail_in;
	size_t most = UNPACKED_LEAST + UNPACKED_RATIO * (size_t)packed;
	int status = Z_OK;

	while (status == Z_OK) {
		if (to->n > (most < UNPACKED_MOST ? most : UNPACKED_MOST))
			return error_set(
				err, "%s: unpacks to more than %zu MB, from %lu bytes of gzip",
				name, (most < UNPACKED_MOST ? most : UNPACKED_MOST) >> 20, packed);
		if (!array_reserve(&to->bytes, &to->size, to->n + 65536, 1))
			return error_memory(err);
		z->next_out = to->bytes + to->n;
		z->avail_out = 65536;
		status = inflate(z, Z_NO_FLUSH);
		to->n += 65536 - z->avail_out;
		if (status == Z_STREAM_END)
			status = next_member(z);
	}
	if (status == Z_STREAM_END)
		return 0;
	return error_set(err, "%s: %s at byte %lu of the gzip file", name,
			 status == Z_BUF_ERROR ? "it ends too early" : "its compression is damaged",
			 packed - z->avail_in);
}

int whole_input_unpack(struct whole_input *w, const char *name, struct error *err)
{
	struct whole_input to = {0};
	z_stream z = {0};
	int status;

	if (!is_gzip(w->bytes, w->n))
		return 0;
	if (w->n > UINT32_MAX)
		return error_set(err, "%s: a gzip file of more than 4 GB", name);
	z.next_in = w->bytes;
	z.avail_in = (uInt)w->n;
	if (inflateInit2(&z, GZIP) != Z_OK)
		return error_memory(err);
	status = inflate_all(&z, &to, name, err);
	inflateEnd(&z);
	free(w->bytes);
	to.n_packed = w->n_packed;
	*w = to;
	return status;
}

void whole_input_free(struct whole_input *w)
{
	free(w->bytes);
	*w = (struct whole_input){0};
}

size_t whole_input_peek(const unsigned char *head, size_t n, unsigned char *to, size_t size)
{
	z_stream z = {.next_in = (unsigned char *)(uintptr_t)head,
		      .avail_in = (uInt)n,
		      .next_out = to,
		      .avail_out = (uInt)size};

	if (!is_gzip(head, n) || inflateInit2(&z, GZIP) != Z_OK)
		return 0;
	inflate(&z, Z_SYNC_FLUSH);
	inflateEnd(&z);
	return size - z.avail_out;
}

/* ---- stack ----------------------------------------------------------------------------------- */

void stack_empty(struct stack *s)
{
	s->n = s->n_bytes = 0;
	s->has_copies = false;
}

static int add(struct stack *s, struct event_text name, size_t copy, struct error *err)
{
	if (!array_reserve(&s->frames, &s->size, s->n + 1, sizeof(*s->frames)) ||
	    !array_reserve(&s->copies, &s->copies_size, s->n + 1, sizeof(*s->copies)))
		return error_memory(err);
	s->copies[s->n] = copy;
	s->frames[s->n++] = (struct event_frame){.module = EVENT_NO_MODULE, .name = name};
	return 0;
}

int stack_add(struct stack *s, struct event_text name, struct error *err)
{
	return add(s, name, 0, err);
}

int stack_add_copy(struct stack *s, const char *name, size_t n, struct error *err)
{
	size_t begin = s->n_bytes;

	if (!array_reserve(&s->bytes, &s->bytes_size, begin + n + 1, 1))
		return error_memory(err);
	memcpy(s->bytes + begin, name, n);
	s->n_bytes += n;
	s->has_copies = true;
	return add(s, (struct event_text){NULL, n}, begin + 1, err);
}

void stack_drop(struct stack *s)
{
	s->n--;
}

void stack_turn(struct stack *s)
{
	for (size_t i = 0; i < s->n / 2; i++) {
		struct event_frame frame = s->frames[i];
		size_t copy = s->copies[i], other = s->n - 1 - i;

		s->frames[i] = s->frames[other];
		s->copies[i] = s->copies[other];
		s->frames[other] = frame;
		s->copies[other] = copy;
	}
}

int stack_push(struct stack *s, struct event_sample *e, const struct event_sink *sink,
	       struct error *err)
{
	if (!s->n && stack_add(s, event_text_of("[unknown]"), err))
		return -1;
	/* The bytes may have moved while they grew. */
	for (size_t i = 0; s->has_copies && i < s->n; i++)
		if (s->copies[i])
			s->frames[i].name.bytes = s->bytes + s->copies[i] - 1;
	e->frames = s->frames;
	e->depth = s->n;
	return sink->sample ? sink->sample(sink->context, e, err) : 0;
}

void stack_free(struct stack *s)
{
	free(s->frames);
	free(s->bytes);
	free(s->copies);
	*s = (struct stack){0};
}
