/* SPDX-License-Identifier: MIT */
/*
 * decode.c - finds the decoder for an input by its first bytes.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "libsampler/format.h"
#include "read/decode.h"
#include "read/input.h"
#include "read/pack_file.h"

/* ---- decode ---------------------------------------------------------------------------------- */
/*
 * Finds the decoder for an input by its first bytes.
 *
 * In: a path. Out: events, from the decoder that recognises the content.
 */

#define HEAD_BYTES 4096u

static const struct decoder *const decoders[] = {
	&decode_stream, &decode_gprof,	    &decode_callgrind,	 &decode_gperftools, &decode_pprof,
	&decode_pstats, &decode_speedscope, &decode_perf_script, &decode_folded,
};

#define GZIP_MAGIC "\x1f\x8b"

/* Files that are often given by mistake. They are recognised by their first bytes. */
static const struct {
	const char *magic, *hint;
} mistakes[] = {
	{CPS_JOURNAL_MAGIC,
	 "is the journal of a recording; name the recording, without " CPS_JOURNAL_SUFFIX},
	{CPS_CALLS_MAGIC,
	 "has the calls of a recording; name the recording, without " CPS_CALLS_SUFFIX},
	{GZIP_MAGIC, "is compressed with gzip; unpack it first"},
	{"\x28\xb5\x2f\xfd", "is compressed with zstd; unpack it first"},
	{"\3757zXZ", "is compressed with xz; unpack it first"},
	{"PERFILE2",
	 "is a recording of perf; give what perf script prints of it: perf script -i FILE"},
	{"gmon\1", "is for gprof to read; give what that prints: gprof PROGRAM gmon.out"},
	{PACK_MAGIC, "is a pack of recordings, which is read as a file: name it"},
	{"\177ELF", "is a program, not a recording; cpsample runs a program and makes one"},
};

/* Does a gzip file of so few bytes end too early? It may be a profile that the decoder of pprof does not know, because
 * too little of it is left. */
static bool is_cut_gzip(const unsigned char *bytes, size_t n)
{
	unsigned char unpacked[1024];
	z_stream z = {.next_in = (unsigned char *)(uintptr_t)bytes, .avail_in = (uInt)n};
	int status = Z_OK;

	if (n < 2 || memcmp(bytes, GZIP_MAGIC, 2) || inflateInit2(&z, 15 + 16) != Z_OK)
		return false;
	while (status == Z_OK) {
		z.next_out = unpacked;
		z.avail_out = sizeof(unpacked);
		status = inflate(&z, Z_NO_FLUSH);
	}
	inflateEnd(&z);
	return status == Z_BUF_ERROR;
}

static int decode_foreign(const char *name, const unsigned char *head, size_t n, struct error *err)
{
	if (n < HEAD_BYTES && is_cut_gzip(head, n))
		return error_set(err, "%s: it ends too early at byte %zu of the gzip file", name,
				 n);
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		size_t length = strlen(mistakes[i].magic);
		if (n >= length && !memcmp(head, mistakes[i].magic, length))
			return error_set(err, "%s: %s", name, mistakes[i].hint);
	}
	error_set(err, "%s: is not", name);
	for (size_t i = 0; i < sizeof(decoders) / sizeof(decoders[0]); i++)
		error_append(err, "%s %s", i ? ", nor" : "", decoders[i]->kind.name);
	return error_append(err, "; give a .cps file or lines \"outer;inner COUNT\"");
}

/* A process that is killed just when its recorder has made the file leaves a recording of no bytes. */
static bool is_unwritten_recording(const char *path)
{
	size_t n = strlen(path), suffix = strlen(CPS_SUFFIX);

	return n > suffix && path[n - suffix - 1] != '/' && !strcmp(path + n - suffix, CPS_SUFFIX);
}

static int decode_input(struct input *in, const char *path, const struct event_sink *sink,
			struct error *err)
{
	const unsigned char *head;
	size_t n = HEAD_BYTES;

	if (input_peek(in, &head, &n, err))
		return -1;
	if (!n && is_unwritten_recording(path))
		return decode_stream.run(in, path, sink, err);
	if (!n)
		return error_set(err, "%s: is empty", input_name(in));
	for (size_t i = 0; i < sizeof(decoders) / sizeof(decoders[0]); i++)
		if (decoders[i]->detect(head, n))
			return decoders[i]->run(in, path, sink, err);
	return decode_foreign(input_name(in), head, n, err);
}

int decode_file(const char *path, const struct event_sink *sink, struct error *err)
{
	struct input *in = input_open(path, err);

	if (!in)
		return -1;
	int result = decode_input(in, path, sink, err);
	input_close(in);
	return result;
}

/* ---- decode folded --------------------------------------------------------------------------- */
/*
 * Decodes folded stacks, "outer;middle;inner COUNT" lines.
 *
 * In: text. Out: a sample event per line. Names are taken as they are, byte by byte; the count is
 * what follows the last space. The stack of the previous line is kept, so that the frames that both
 * lines begin with cost only a comparison. If each line has two counts, as --folded --base and difffolded.pl write
 * them, the file compares two programs and is refused, so that the first count is not taken for a part of a name.
 */

struct folded {
	struct text_scan scan;
	const struct event_sink *sink;
	struct error *err;
	uint64_t hits;
	uint64_t n_lines, n_pairs; /* how many have a count, and how many of them two */
	char *stack;		   /* of the previous line */
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

/* Whether a stack ends like one that another count follows: "a;b 3". */
static bool has_count(const char *text, size_t n)
{
	const char *space = n ? memrchr(text, ' ', n) : NULL;
	uint64_t count;

	return space && space > text && !count_read(space + 1, text + n, &count);
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
	f->n_lines++;
	f->n_pairs += has_count(text, (size_t)(space - text));
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
	if (!more && f->n_lines && f->n_pairs == f->n_lines)
		return error_set(f->err,
				 "%s: each line has two counts, before and after: it compares two "
				 "programs already; give their own files, AFTER --base BEFORE",
				 input_name(f->scan.in));
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
