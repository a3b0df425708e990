/* SPDX-License-Identifier: MIT */
/*
 * decode_folded.c - decodes folded stacks, "outer;middle;inner COUNT" lines.
 *
 * In: text. Out: a sample event per line. Names are taken as they are, byte by byte; the count is
 * what follows the last space. The stack of the previous line is kept, so that the frames that
 * both lines begin with cost only a comparison.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/decode.h"
#include "read/text_scan.h"

struct folded {
	struct text_scan scan;
	const struct event_sink *sink;
	struct error *err;
	uint64_t hits;
	char *stack; /* of the previous line */
	size_t n_stack, stack_size;
	struct event_frame *frames;
	size_t depth, frames_size;
};

/* ---- the stack ------------------------------------------------------------------------------- */

/* How many bytes a and b have in common at their beginning. */
static size_t common_prefix(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	while (n - i >= 256 && !memcmp(a + i, b + i, 256))
		i += 256;
	while (n - i >= 8 && !memcmp(a + i, b + i, 8))
		i += 8;
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* How many of the previous line's frames end within the first `common` bytes of both lines. `text`
 * is the new line's stack. */
static size_t frames_kept(const struct folded *f, const char *text, size_t n, size_t common)
{
	size_t low = 0, high = f->depth;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct event_text *name = &f->frames[middle].name;
		size_t end = (size_t)(name->bytes - f->stack) + name->length;
		if (end < common || (end == common && (n == end || text[end] == ';')))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Split what follows the kept frames into frames. */
static int frames_split(struct folded *f, size_t keep)
{
	const char *end = f->stack + f->n_stack;
	const char *at = f->stack;

	if (keep)
		at = f->frames[keep - 1].name.bytes + f->frames[keep - 1].name.length + 1;
	for (f->depth = keep; at <= end; f->depth++) {
		const char *stop = memchr(at, ';', (size_t)(end - at));
		if (!stop)
			stop = end;
		if (!array_reserve(&f->frames, &f->frames_size, f->depth + 1, sizeof(*f->frames)))
			return -1;
		f->frames[f->depth] =
			(struct event_frame){EVENT_NO_MODULE, 0, 0, {at, (size_t)(stop - at)}};
		at = stop + 1;
	}
	return 0;
}

/* Make the n bytes at `text` the stack; *keep is how many frames the previous one had too. */
static int stack_set(struct folded *f, const char *text, size_t n, size_t *keep)
{
	size_t size = f->stack_size;
	size_t shorter = n < f->n_stack ? n : f->n_stack;
	size_t common = shorter ? common_prefix(f->stack, text, shorter) : 0;

	*keep = f->depth ? frames_kept(f, text, n, common) : 0;
	if (!array_reserve(&f->stack, &f->stack_size, n + 1, 1))
		return -1;
	if (n > common)
		memcpy(f->stack + common, text + common, n - common);
	f->n_stack = n;
	/* The names point into the stack, which may have moved in memory if it has grown. */
	return frames_split(f, f->stack_size == size ? *keep : 0);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Read the count at the end of a line. Returns what is wrong, or NULL. */
static const char *count_read(const char *at, const char *end, uint64_t *count)
{
	*count = 0;
	if (at == end)
		return "no count after the last space";
	for (; at < end; at++) {
		if (*at < '0' || *at > '9')
			return "what follows the last space is not a count";
		if (__builtin_mul_overflow(*count, 10, count) ||
		    __builtin_add_overflow(*count, (uint64_t)(*at - '0'), count))
			return "overflow: the count does not fit 64 bits";
	}
	return NULL;
}

static int sample_push(struct folded *f, uint64_t count, size_t keep)
{
	const struct event_sample e = {
		.weight = count,
		.hits = count,
		.mark = 0,
		.depth = f->depth,
		.keep = keep,
		.frames = f->frames,
	};

	if (__builtin_add_overflow(f->hits, count, &f->hits))
		return text_scan_wrong(&f->scan,
				       "overflow: the sum of counts does not fit 64 bits");
	if (f->sink->sample && f->sink->sample(f->sink->context, &e, f->err))
		return error_append(f->err, " at byte %llu", (unsigned long long)f->scan.offset);
	return 0;
}

static int line_decode(struct folded *f, const char *text, size_t n)
{
	const char *end = text + n;
	uint64_t count;
	size_t keep;

	if (end == text)
		return 0;
	const char *space = memrchr(text, ' ', (size_t)(end - text));
	if (!space)
		return text_scan_wrong(&f->scan, "no space and count at its end");
	const char *wrong = count_read(space + 1, end, &count);
	if (wrong)
		return text_scan_wrong(&f->scan, wrong);
	if (stack_set(f, text, (size_t)(space - text), &keep))
		return error_memory(f->err);
	return sample_push(f, count, keep);
}

static int folded_decode(struct folded *f)
{
	int more;

	while ((more = text_scan_line(&f->scan)) > 0)
		if (line_decode(f, f->scan.at, (size_t)(f->scan.end - f->scan.at)))
			return -1;
	return more;
}

/* ---- the input ------------------------------------------------------------------------------- */

static int process_push(struct folded *f)
{
	const struct event_process e = {
		.kind = &decode_folded.kind,
		.file = input_name(f->scan.in),
		.resource = {"samples", 7},
		.unit = {"samples", 7},
		.scale = 1,
	};

	return event_push_process(&f->sink, &e, f->err);
}

/* Push the end event. Nothing shows whether a text is complete, so that it counts as complete. */
static int end_push(struct folded *f)
{
	const struct event_end e = {.ticks = f->hits, .bytes = input_offset(f->scan.in)};

	return f->sink->end ? f->sink->end(f->sink->context, &e, f->err) : 0;
}

static int folded_run(struct input *in, const char *path, const struct event_sink *sink,
		      struct error *err)
{
	struct folded f = {.scan = {.in = in, .err = err}, .sink = sink, .err = err};
	int result;

	(void)path;
	result = process_push(&f);
	if (!result)
		result = folded_decode(&f);
	if (!result)
		result = end_push(&f);
	text_scan_clear(&f.scan);
	free(f.stack);
	free(f.frames);
	return result > 0 ? 0 : result;
}

/* ---- detection ------------------------------------------------------------------------------- */

/* Does the first line end in a space and digits? If it is longer than `head`, it is enough that it
 * has no NUL; the decoder checks its end. */
static int folded_detect(const unsigned char *head, size_t n)
{
	const char *text = (const char *)head, *end = text + n;
	const char *stop;
	uint64_t count;

	if (memchr(text, '\0', n))
		return 0;
	while (text < end && (*text == '\n' || *text == '\r'))
		text++;
	stop = memchr(text, '\n', (size_t)(end - text));
	if (!stop && n == 4096)
		return 1;
	if (!stop)
		stop = end;
	if (stop > text && stop[-1] == '\r')
		stop--;
	const char *space = memrchr(text, ' ', (size_t)(stop - text));
	return space && !count_read(space + 1, stop, &count);
}

const struct decoder decode_folded = {
	.kind = {.name = "folded stacks", .has_names = true},
	.detect = folded_detect,
	.run = folded_run,
};
